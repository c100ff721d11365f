#pragma once
// Contact maps in the memory of a device.
#include <deque>
#include <map>
#include <vector>

#include "scree/base/error.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/cuda/views.hpp"
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
    } else {
      throw Error(ErrorKind::input, "maps.kind", "maps of kind '" + std::string(map->kind()) + "' do not run on a GPU",
                  "use tables (maps.kind = \"table\"), or device = \"cpu\"");
    }
    places_[map] = place;
    return place;
  }

  // When all are there.
  void finish() {
    tables_.resize(table_views_.size());
    tables_.upload(table_views_);
  }
  const TableView<T>* tables() { return tables_.data(); }
  std::size_t bytes() const { return bytes_; }

 private:
  template <class X>
  using Array = typename Backend::template Array<X>;

  template <class X>
  X* keep(std::deque<Array<X>>& arrays, const std::vector<X>& values) {
    arrays.emplace_back();
    arrays.back().resize(values.size());
    arrays.back().upload(values);
    bytes_ += values.size() * sizeof(X);
    return arrays.back().data();
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

  std::map<const ContactMap*, Place> places_;
  std::deque<Array<ThetaNodes<std::uint16_t, 4>>> halves_;
  std::deque<Array<ThetaNodes<float, 4>>> floats_;
  std::deque<Array<ThetaNodes<std::uint16_t, 2>>> arms_;
  std::vector<TableView<T>> table_views_;
  Array<TableView<T>> tables_;
  std::size_t bytes_ = 0;
};

}  // namespace scree::gpu
