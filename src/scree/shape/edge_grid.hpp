#pragma once
// A uniform grid over the edges of an outline: nearest edge and near pairs without looking at all edges.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scree/shape/outline.hpp"

namespace scree {

struct OutlineEdge {
  Vec2d a;
  Vec2d b;
  std::size_t loop;   // index in Outline::loops
  std::size_t start;  // index of vertex `a` in its loop
  std::size_t prev;   // edges before and after this one in the same loop
  std::size_t next;
};
std::vector<OutlineEdge> outline_edges(const Outline& outline);

class EdgeGrid {
 public:
  explicit EdgeGrid(std::vector<OutlineEdge> edges);

  struct Nearest {
    std::size_t edge = 0;
    Vec2d point;
    double distance2 = 0;
  };
  Nearest nearest(Vec2d p) const;

  // Calls visit(i, j), i < j, for every pair of edges that share a cell (a pair may come more than once), until it
  // returns false. Edges that cross or touch always share one.
  template <class Visit>
  void for_near_pairs(Visit&& visit) const {
    for (std::size_t cell = 0; cell + 1 < starts_.size(); ++cell)
      for (std::size_t m = starts_[cell]; m < starts_[cell + 1]; ++m)
        for (std::size_t n = m + 1; n < starts_[cell + 1]; ++n)
          if (!visit(items_[m], items_[n])) return;
  }

  const std::vector<OutlineEdge>& edges() const { return edges_; }

 private:
  template <class Visit>
  void for_cells_of(const OutlineEdge& edge, Visit&& visit) const;
  int column(double x) const;
  int row(double y) const;
  std::size_t cell(int i, int j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(nx_) + static_cast<std::size_t>(i);
  }
  void search_cell(int i, int j, Vec2d p, Nearest& best) const;

  std::vector<OutlineEdge> edges_;
  Vec2d low_;
  double size_ = 1;  // of a cell, length
  int nx_ = 1;
  int ny_ = 1;
  std::vector<std::size_t> starts_;  // cell -> range of items_
  std::vector<std::size_t> items_;   // edge indices, ascending within a cell
};

}  // namespace scree
