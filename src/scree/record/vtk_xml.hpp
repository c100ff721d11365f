#pragma once
// VTK's XML PolyData as text. Private to record/.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scree/base/vec.hpp"

namespace scree::vtk {

// One array of an element <DataArray>: binary, compressed by zlib, in base64.
template <class T>
std::string data_array(const std::string& name, std::span<const T> values, int components = 1);
// Texts, which VTK keeps as codes of characters.
std::string text_array(const std::string& name, const std::vector<std::string>& texts);

// Points, cells and data of one file. Cells of a file come in the order vertices, lines, polygons; so do the cell data.
struct PolyData {
  std::vector<Vec2d> points;
  bool double_points = false;                        // else in single precision
  std::vector<std::int32_t> verts;                   // one point each
  std::vector<std::int32_t> line_points, line_ends;  // points of all lines, and where each line ends
  std::vector<std::int32_t> poly_points, poly_ends;  // likewise of polygons
  std::string point_data, cell_data, field_data;     // data_array() and text_array() of each kind

  void add_line(std::span<const Vec2d> line, bool closed);
  std::string text() const;  // of the whole file
};

}  // namespace scree::vtk
