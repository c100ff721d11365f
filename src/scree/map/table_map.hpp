#pragma once
// "table", the default map: the gap as a cubic B-spline over (x, y, theta), the arm trilinear (it jumps where the
// contact changes, and a cubic would ring there).
//
// The gap is C2 with a gradient that is exactly that of the spline, so contact forces derive from one potential. The
// table's own smoothing length is its node spacing; a larger epsilon is built in by smoothing the samples over
// rotations before they are interpolated. The arm is stored in half precision, the gap in what the settings say.
#include <cstdint>
#include <variant>

#include "scree/base/parallel.hpp"
#include "scree/map/progress.hpp"
#include "scree/map/table_bricks.hpp"
#include "scree/map/table_layout.hpp"

namespace scree {

struct TableData {
  TableLayout layout;
  // Spline coefficients, [gap_layers][nodes y][nodes x]; layer 0 is theta node -1.
  std::variant<std::vector<float>, std::vector<std::uint16_t>> gap;
  std::vector<std::uint16_t> arm;  // half precision values at nodes, [arm_layers][nodes y][nodes x]
};

class TableMap final : public ContactMap {
 public:
  explicit TableMap(const TableData& data);

  std::string_view kind() const override { return "table"; }
  std::size_t bytes() const override;
  int smoothness() const override { return 2; }
  void prefetch(const Pose2d& q, double tilt) const override;
  const TableLayout& layout() const { return layout_; }
  bool half() const { return gap_.index() == 1; }  // gaps are in half precision
  TableData data() const;                          // a copy

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override;
  void query_tilted_impl(const Pose2d& q, double tilt, std::span<ContactGeometry, 3> out) const override;

 private:
  // The coefficients, or arms, of one theta layer.
  template <class Stored>
  const Stored* layer(const LargeVector<Stored>& values, int k) const;
  template <class Stored>
  void query_all(const LargeVector<Stored>& gap, std::span<const Pose2d> poses, std::span<ContactGeometry> out) const;
  template <class Stored>
  void query_layers(const LargeVector<Stored>& gap, const TableCell& cell, double turn,
                    std::span<ContactGeometry, 3> out) const;
  // The one of `stored` layers that is layer k, up to a period beyond them.
  int same_layer(int k, int stored) const {
    return k < 0 ? k + grid_.theta_nodes : k < stored ? k : k - grid_.theta_nodes;
  }

  TableLayout layout_;
  TableGrid<double> grid_;
  TableBricks bricks_;
  std::variant<LargeVector<float>, LargeVector<std::uint16_t>> gap_;
  LargeVector<std::uint16_t> arm_;
};

// Samples the exact map at every node and prefilters: parallel over theta. The result does not depend on the number of
// threads. Does not measure its error: see learn/evaluate.hpp.
TableData build_table(const ShapePair& pair, const MapSettings& settings, ThreadPool& pool,
                      const Progress& progress = {});

}  // namespace scree
