#pragma once
// Figures about shapes and contact maps.
#include <string>
#include <vector>

#include "scree/map/contact_map.hpp"
#include "scree/record/colours.hpp"
#include "scree/record/image.hpp"

namespace scree {

struct SheetEntry {
  const Shape* shape = nullptr;
  std::string name;
  std::vector<std::string> notes;  // small lines under the name
};

// Shapes in a grid, each with its name. `pieces`: the convex cover in tints.
Image shape_sheet(const std::vector<SheetEntry>& entries, bool pieces, const Theme& theme, int width = 1600);

struct MapFigure {
  std::vector<double> thetas;  // rad: one column each
  double band = 0.1;           // errors are shown where |exact gap| <= band
  int grid = 220;              // points a side of the field behind a panel
  int panel = 360;             // pixels a side
  std::string title;
  Theme theme = light_theme();
};

// Top row: A, the exact boundary of the configuration obstacle, the map's zero level and B at a touching pose. Bottom
// row: |map - exact| near contact as a heat map with a colour bar.
Image map_figure(const ShapePair& pair, const ContactMap& map, const MapFigure& figure);

}  // namespace scree
