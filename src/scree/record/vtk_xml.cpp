#include "scree/record/vtk_xml.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "scree/record/markup.hpp"

namespace scree::vtk {

namespace {

constexpr std::size_t block_size = 1 << 20;  // bytes compressed at once
constexpr int compression = 3;               // of 9: near the size of the best, at a third of its time

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                compression) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

// Number of blocks, their size, size of the last one if it is shorter, compressed sizes; then the blocks.
std::string packed(std::string_view bytes) {
  std::vector<std::uint64_t> header = {(bytes.size() + block_size - 1) / block_size, block_size,
                                       bytes.size() % block_size};
  std::string blocks;
  for (std::size_t i = 0; i < bytes.size(); i += block_size) {
    const std::string block = deflated(bytes.substr(i, block_size));
    header.push_back(block.size());
    blocks += block;
  }
  return base64({reinterpret_cast<const char*>(header.data()), header.size() * sizeof(std::uint64_t)}) + base64(blocks);
}

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "Float32";
  if constexpr (std::is_same_v<T, double>) return "Float64";
  if constexpr (std::is_same_v<T, std::int32_t>) return "Int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "Int64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "UInt8";
}

template <class T>
std::string in_space(std::span<const Vec2d> points) {
  std::vector<T> xyz;
  xyz.reserve(3 * points.size());
  for (const Vec2d p : points) xyz.insert(xyz.end(), {static_cast<T>(p.x), static_cast<T>(p.y), T{0}});
  return data_array<T>("Points", xyz, 3);
}

std::string cells(const char* element, const std::vector<std::int32_t>& points, const std::vector<std::int32_t>& ends) {
  return fmt::format("<{0}>\n{1}{2}</{0}>\n", element, data_array<std::int32_t>("connectivity", points),
                     data_array<std::int32_t>("offsets", ends));
}

// Ends of cells of one point each.
std::vector<std::int32_t> single_ends(std::size_t count) {
  std::vector<std::int32_t> ends(count);
  std::iota(ends.begin(), ends.end(), 1);
  return ends;
}

}  // namespace

template <class T>
std::string data_array(const std::string& name, std::span<const T> values, int components) {
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" NumberOfTuples=\"{}\" "
      "format=\"binary\">{}</DataArray>\n",
      type_name<T>(), escape_markup(name), components, values.size() / static_cast<std::size_t>(components),
      packed({reinterpret_cast<const char*>(values.data()), values.size_bytes()}));
}
template std::string data_array(const std::string&, std::span<const float>, int);
template std::string data_array(const std::string&, std::span<const double>, int);
template std::string data_array(const std::string&, std::span<const std::int32_t>, int);
template std::string data_array(const std::string&, std::span<const std::int64_t>, int);
template std::string data_array(const std::string&, std::span<const std::uint8_t>, int);

std::string text_array(const std::string& name, const std::vector<std::string>& texts) {
  std::string codes;
  for (const std::string& text : texts) {
    for (const char c : text) codes += fmt::format("{} ", static_cast<unsigned char>(c));
    codes += "0 ";
  }
  return fmt::format("<DataArray type=\"String\" Name=\"{}\" NumberOfTuples=\"{}\" format=\"ascii\">{}</DataArray>\n",
                     escape_markup(name), texts.size(), codes);
}

void PolyData::add_line(std::span<const Vec2d> line, bool closed) {
  const auto first = static_cast<std::int32_t>(points.size());
  points.insert(points.end(), line.begin(), line.end());
  for (std::size_t k = 0; k < line.size(); ++k) line_points.push_back(first + static_cast<std::int32_t>(k));
  if (closed) line_points.push_back(first);
  line_ends.push_back(static_cast<std::int32_t>(line_points.size()));
}

std::string PolyData::text() const {
  const bool little = std::endian::native == std::endian::little;
  std::string out = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\" "
      "compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n<FieldData>\n{}</FieldData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n",
      little ? "LittleEndian" : "BigEndian", field_data, points.size(), verts.size(), line_ends.size(),
      poly_ends.size());
  out += "<PointData>\n" + point_data + "</PointData>\n<CellData>\n" + cell_data + "</CellData>\n<Points>\n";
  out += (double_points ? in_space<double>(points) : in_space<float>(points)) + "</Points>\n";
  out += cells("Verts", verts, single_ends(verts.size()));
  out += cells("Lines", line_points, line_ends);
  out += cells("Polys", poly_points, poly_ends);
  return out + "</Piece>\n</PolyData>\n</VTKFile>\n";
}

}  // namespace scree::vtk
