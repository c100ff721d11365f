#pragma once
// Contact maps in the memory of a device.
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "scree/contact/type_tables.hpp"
#include "scree/cuda/pair_stage.hpp"
#include "scree/map/clump_map.hpp"
#include "scree/map/neural_map.hpp"
#include "scree/map/star_arrays.hpp"
#include "scree/map/star_map.hpp"
#include "scree/map/table_map.hpp"

namespace scree::gpu {

// Coefficients of a table as table_kernel.hpp wants them: `count` theta nodes side by side. `layers`: as stored.
template <int count, class Stored>
std::vector<ThetaNodes<Stored, count>> side_by_side(const TableLayout& t, const std::vector<Stored>& stored) {
  const std::size_t plane = t.plane(), stride = t.theta_nodes == 1 ? 0 : plane;
  std::vector<ThetaNodes<Stored, count>> out(static_cast<std::size_t>(t.theta_nodes) * plane);
  for (std::size_t k = 0; k < static_cast<std::size_t>(t.theta_nodes); ++k)
    for (std::size_t p = 0; p < plane; ++p)
      for (std::size_t c = 0; c < count; ++c) out[k * plane + p].at[c] = stored[(k + c) * stride + p];
  return out;
}

template <class T, class Backend>
class DeviceMaps {
 public:
  // The device's number of a map, among those of its kind.
  struct Place {
    MapKind kind = MapKind::missing;
    std::uint16_t map = 0;
  };

  Place add(const ContactMap* map) {
    if (!map) return {};
    const auto known = places_.find(map);
    if (known != places_.end()) return known->second;
    Place place;
    if (map->kind() == "discs") {
      place.kind = MapKind::discs;
    } else if (const auto* table = dynamic_cast<const TableMap*>(map)) {
      place = {MapKind::table, add_table(table->data())};
    } else if (const auto* star = dynamic_cast<const StarMap*>(map)) {
      place = {MapKind::star, add_star(star->view())};
    } else if (const auto* clump = dynamic_cast<const ClumpMap*>(map)) {
      place = {MapKind::clump, add_clump(clump->view())};
    } else if (const auto* net = dynamic_cast<const NeuralMap*>(map)) {
      place = {MapKind::neural, number_of(nets_, net)};
    } else {
      place = {MapKind::reference, number_of(references_, map)};
    }
    (place.kind >= MapKind::star ? any_several_ : any_single_) = true;
    if (place.kind != MapKind::discs && kinds_ == Kinds::discs) kinds_ = Kinds::tables;
    if (place.kind == MapKind::neural || place.kind == MapKind::reference) kinds_ = Kinds::all;
    places_[map] = place;
    return place;
  }

  // When all are there.
  void finish() {
    const auto send = [](auto& array, const auto& values) {
      array.resize(values.size());
      array.upload(values);
    };
    send(tables_, table_views_);
    send(stars_, star_views_);
    send(clumps_, clump_views_);
    if (!nets_.empty()) net_set_.emplace(nets_);
    net_ranges_.resize(nets_.size());
    reference_ranges_.resize(references_.size());
  }
  void set_views(WorldView<T>& world) {
    world.tables = tables_.data();
    world.stars = stars_.data();
    world.clumps = clumps_.data();
    world.nets.ranges = net_ranges_.data(), world.nets.map_count = static_cast<std::uint32_t>(nets_.size());
    world.references.ranges = reference_ranges_.data();
    world.references.map_count = static_cast<std::uint32_t>(references_.size());
  }
  bool any_single() const { return any_single_; }
  bool any_several() const { return any_several_; }
  Kinds kinds() const { return kinds_; }
  const typename Backend::Nets* nets() const { return net_set_ ? &*net_set_ : nullptr; }
  std::span<const ContactMap* const> references() const { return references_; }

 private:
  template <class X>
  using Array = typename Backend::template Array<X>;

  template <class X>
  X* keep(std::deque<Array<X>>& arrays, const std::vector<X>& values) {
    arrays.emplace_back();
    arrays.back().resize(values.size());
    arrays.back().upload(values);
    return arrays.back().data();
  }

  template <class Map>
  static std::uint16_t number_of(std::vector<const Map*>& maps, const Map* map) {
    maps.push_back(map);
    return static_cast<std::uint16_t>(maps.size() - 1);
  }

  std::uint16_t add_table(const TableData& data) {
    TableView<T> view;
    view.grid = TableGrid<T>(data.layout);
    view.half = std::holds_alternative<std::vector<std::uint16_t>>(data.gap);
    if (view.half) {
      view.gap = keep(halves_, side_by_side<4>(data.layout, std::get<std::vector<std::uint16_t>>(data.gap)));
    } else {
      view.gap = keep(floats_, side_by_side<4>(data.layout, std::get<std::vector<float>>(data.gap)));
    }
    view.arm = keep(arms_, side_by_side<2>(data.layout, data.arm));
    table_views_.push_back(view);
    return static_cast<std::uint16_t>(table_views_.size() - 1);
  }

  StarSideView<T> add_side(const StarSideView<double>& side, bool radial) {
    const StarArrays<T> arrays(side, radial);
    StarSideView<T> view = arrays.view();
    view.nodes = keep(points_, arrays.nodes);
    view.table.entries = keep(radii_, arrays.table);
    view.node_at = keep(node_at_, arrays.node_at);
    view.parts = keep(parts_, arrays.parts);
    view.clearance.at = keep(clearances_, arrays.clearance);
    view.steep2 = keep(clearances_, arrays.steep2);
    view.sight = {keep(groups_, arrays.groups), keep(steps_, arrays.steps)};
    return view;
  }

  std::uint16_t add_star(const StarPairView<double>& pair) {
    const StarSideView<T> a = add_side(pair.a, pair.radial);
    star_views_.push_back(star_pair(pair, a, pair.b.nodes == pair.a.nodes ? a : add_side(pair.b, pair.radial)));
    return static_cast<std::uint16_t>(star_views_.size() - 1);
  }

  std::uint16_t add_clump(const ClumpView<double>& pair) {
    const auto side = [&](const ClumpDisc* discs, int count) {
      std::vector<ClumpDiscOf<T>> out;
      for (int k = 0; k < count; ++k)
        out.push_back(
            {{static_cast<T>(discs[k].centre.x), static_cast<T>(discs[k].centre.y)}, static_cast<T>(discs[k].radius)});
      return keep(discs_, out);
    };
    clump_views_.push_back({side(pair.a, pair.a_count), pair.a_count, side(pair.b, pair.b_count), pair.b_count,
                            static_cast<T>(pair.reach_b * (1 + 1e-6))});
    return static_cast<std::uint16_t>(clump_views_.size() - 1);
  }

  std::map<const ContactMap*, Place> places_;
  bool any_single_ = false, any_several_ = false;
  Kinds kinds_ = Kinds::discs;
  std::vector<const NeuralMap*> nets_;
  std::vector<const ContactMap*> references_;
  std::optional<typename Backend::Nets> net_set_;
  Array<PoseRange> net_ranges_, reference_ranges_;
  std::deque<Array<Vec2<T>>> points_;
  std::deque<Array<StarEntry<T>>> radii_;
  std::deque<Array<std::uint16_t>> node_at_;
  std::deque<Array<StarPartOf<T>>> parts_;
  std::deque<Array<float>> clearances_;
  std::deque<Array<TwoStarNodes<T>>> groups_;
  std::deque<Array<StarStep<T>>> steps_;
  std::deque<Array<ClumpDiscOf<T>>> discs_;
  std::vector<StarPairView<T>> star_views_;
  std::vector<ClumpView<T>> clump_views_;
  Array<StarPairView<T>> stars_;
  Array<ClumpView<T>> clumps_;
  std::deque<Array<ThetaNodes<std::uint16_t, 4>>> halves_;
  std::deque<Array<ThetaNodes<float, 4>>> floats_;
  std::deque<Array<ThetaNodes<std::uint16_t, 2>>> arms_;
  std::vector<TableView<T>> table_views_;
  Array<TableView<T>> tables_;
};

}  // namespace scree::gpu
