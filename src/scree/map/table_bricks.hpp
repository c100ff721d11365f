#pragma once
// How values at the nodes of a table lie in memory: in bricks of 4 x 2 x 2 nodes along x, y and theta, 64 bytes of
// single precision. A query of 4 x 4 x 4 nodes reads 12 cache lines on average, where planes of rows made it read 19:
// with dozens of tables, each far larger than a cache, these are what it waits for.
#include <cstddef>
#include <vector>

#include "scree/base/large_pages.hpp"
#include "scree/map/table_layout.hpp"

namespace scree {

// Where node (i, j) of layer k is: along_x(i) + along_y(j) + along_theta(k).
class TableBricks {
 public:
  static constexpr std::size_t width = 4;  // nodes of a brick along x: they lie side by side
  static constexpr std::size_t brick = width * 2 * 2;

  TableBricks() = default;
  explicit TableBricks(const TableLayout& t)
      : nodes_(static_cast<std::size_t>(t.nodes)),
        row_((nodes_ + width - 1) / width * brick),
        plane_((nodes_ + 1) / 2 * row_) {}

  static std::size_t along_x(std::size_t i) { return i / width * brick + i % width; }
  std::size_t along_y(std::size_t j) const { return j / 2 * row_ + j % 2 * width; }
  std::size_t along_theta(std::size_t k) const { return k / 2 * plane_ + k % 2 * (2 * width); }

  // Of [layers][nodes y][nodes x], and back.
  template <class T>
  LargeVector<T> lay(const std::vector<T>& values) const {
    const std::size_t layers = values.size() / (nodes_ * nodes_);
    LargeVector<T> out((layers + 1) / 2 * plane_);
    for_all(layers, [&](std::size_t at, std::size_t here) { out[here] = values[at]; });
    return out;
  }
  template <class T>
  std::vector<T> unlay(const LargeVector<T>& bricks, int layers) const {
    std::vector<T> out(static_cast<std::size_t>(layers) * nodes_ * nodes_);
    for_all(static_cast<std::size_t>(layers), [&](std::size_t at, std::size_t here) { out[at] = bricks[here]; });
    return out;
  }

 private:
  template <class Visit>
  void for_all(std::size_t layers, Visit visit) const {
    std::size_t at = 0;
    for (std::size_t k = 0; k < layers; ++k) {
      for (std::size_t j = 0; j < nodes_; ++j) {
        const std::size_t here = along_theta(k) + along_y(j);
        for (std::size_t i = 0; i < nodes_; ++i) visit(at++, here + along_x(i));
      }
    }
  }

  std::size_t nodes_ = 0;
  std::size_t row_ = 0, plane_ = 0;  // values from a brick to the next along y, along theta
};

}  // namespace scree
