#pragma once
// Engine on a backend: what lies in the memory of the device, and the order of the stages. A step is written once; a
// backend plays it.
#include <algorithm>
#include <array>

#include "scree/cuda/body_stage.hpp"
#include "scree/cuda/device_maps.hpp"
#include "scree/cuda/device_walls.hpp"
#include "scree/cuda/engine.hpp"
#include "scree/cuda/ledger_stage.hpp"
#include "scree/cuda/list_stages.hpp"
#include "scree/cuda/pair_stage.hpp"
#include "scree/cuda/several_stage.hpp"
#include "scree/cuda/wall_stage.hpp"

namespace scree::gpu {

template <class T, class Backend, class Law>
class DeviceEngine final : public Engine {
 public:
  DeviceEngine(const World& world, const EngineSettings& settings);

  void upload(const World& world) override;
  Outcome advance(const std::vector<StepInput>& inputs) override;
  std::vector<std::uint8_t> download(World& world) override;

 private:
  template <class X>
  using Array = typename Backend::template Array<X>;
  // Arrays of bodies that are put in a new order with the list.
  struct BodyArrays {
    Array<Placed<T>> placed;
    Array<Moving<T>> moving;
    Array<std::uint32_t> index;
    Array<Vec2<T>> force;
    Array<T> torque;
  };
  struct ListArrays {
    Array<std::uint32_t> row_first, row;
    Array<std::array<std::uint32_t, 2>> ends;
    Array<float> clear;
    Array<Memory<T>> memory;
  };

  void set_types(const World& world);
  void allocate(std::size_t bodies);
  void upload_bodies(const World& world);
  void upload_contacts(const World& world);
  void make_room_for(std::size_t contacts);
  void reserve_pairs(std::size_t rows, std::size_t pairs);
  void set_views();
  void step(bool record);
  void build_list();
  void grow();
  void remember_more(const Control& control);
  Control read_control();
  void write_control(const Control& control);
  void upload_inputs(const std::vector<StepInput>& inputs);
  std::vector<std::uint8_t> download_bodies(World& world);
  void download_contacts(World& world);

  Backend backend_;
  EngineSettings settings_;
  DeviceMaps<T, Backend> maps_;
  DeviceWalls<T, Backend> walls_;
  BodyArrays bodies_, old_bodies_;
  ListArrays list_, old_list_;
  Array<Vec2d> built_at_;
  Array<double> built_theta_;
  Array<float> moved_;
  Array<std::array<std::int32_t, 2>> image_;
  Array<std::int32_t> driven_place_;
  Array<std::uint32_t> pair_first_, slot_;
  Array<Wrench<T>> wrench_;
  Array<Record<T>> record_;
  Array<NearParts> near_;
  Array<float> parts_clear_;
  Array<std::uint8_t> touched_;
  Array<std::uint32_t> marks_;
  Array<std::uint32_t> key_, order_, cell_first_, cell_end_, partner_, rows_, owned_;
  Array<Control> control_;
  Array<TypeView<T>> types_;
  Array<PairView<T>> pairs_;
  Array<Zone> zones_;
  Array<Script> script_;
  Array<Driven> driven_;
  std::size_t count_ = 0, driven_count_ = 0, moved_count_ = 0, row_capacity_ = 0, pair_capacity_ = 0, most_steps_ = 0;
  std::size_t several_ = 1;     // contacts a pair can remember
  std::uint32_t touching_ = 0;  // pairs, at the last upload
  WorldView<T> view_;
  BuildView<T> build_;
};

template <class T, class Backend, class Law>
DeviceEngine<T, Backend, Law>::DeviceEngine(const World& world, const EngineSettings& settings)
    : settings_(settings), walls_(world) {
  control_.resize(1);
  set_types(world);
  view_.periodic = world.periodic;
  view_.limits = {settings.skin, settings.most_speed, settings.most_overlap, world.bounds, settings.watch};
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::set_types(const World& world) {
  const TypeTables tables(world);
  const ForceTables forces(world);
  const std::size_t n = world.types.size();
  std::vector<TypeView<T>> types;
  std::vector<PairView<T>> pairs;
  double widest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const GrainType& type = world.types[i];
    widest = std::max(widest, type.radius);
    types.push_back({static_cast<T>(type.radius),
                     static_cast<T>(type.mass),
                     {static_cast<T>(1 / type.mass), static_cast<T>(1 / type.inertia), static_cast<T>(1 / type.radius)},
                     static_cast<std::uint32_t>(type.shape),
                     type.radius,
                     {1 / type.mass, 1 / type.inertia, 1 / type.radius}});
    for (std::size_t j = 0; j < n; ++j) {
      const TypePair& from = tables.pair(static_cast<int>(i), static_cast<int>(j));
      const PairParameters& p = forces.pair(static_cast<int>(i), static_cast<int>(j));
      const auto place = maps_.add(from.map.map);
      PairView<T> to;
      to.scale = static_cast<T>(from.map.scale);
      to.reach = static_cast<T>(from.reach);
      to.doubt = static_cast<T>(std::min(from.doubt, 1e30));
      to.rounding = 16 * std::numeric_limits<T>::epsilon() * to.reach;
      to.overlap_limit = static_cast<T>(from.overlap_limit);
      to.kind = place.kind;
      to.map = place.map;
      to.lower_is_a = from.lower_is_a;
      to.law = {static_cast<T>(p.stiffness),          static_cast<T>(p.tangential_stiffness),
                static_cast<T>(p.friction),           static_cast<T>(p.damping_ratio),
                static_cast<T>(p.normal_damping),     static_cast<T>(p.tangential_damping_ratio),
                static_cast<T>(p.rotational_damping), static_cast<T>(p.rolling_friction)};
      pairs.push_back(to);
    }
  }
  maps_.finish();
  if (maps_.any_several()) several_ = 4;
  types_.resize(types.size());
  types_.upload(types);
  pairs_.resize(pairs.size());
  pairs_.upload(pairs);
  build_.cell_width = 2 * widest + settings_.skin;
  view_.type_count = static_cast<std::uint32_t>(n);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::allocate(std::size_t n) {
  if (n == count_ && row_capacity_ > 0) return;
  count_ = n;
  for (BodyArrays* b : {&bodies_, &old_bodies_}) {
    b->placed.resize(n), b->moving.resize(n), b->index.resize(n), b->force.resize(n), b->torque.resize(n);
  }
  for (ListArrays* l : {&list_, &old_list_}) l->row_first.resize(n + 1);
  built_at_.resize(n), built_theta_.resize(n), moved_.resize(n), image_.resize(n), slot_.resize(n);
  pair_first_.resize(n + 1), rows_.resize(n + 1), owned_.resize(n + 1);
  key_.resize(n), order_.resize(n);
  build_.cell_capacity = static_cast<std::uint32_t>(std::max<std::size_t>(16, 4 * n));
  cell_first_.resize(build_.cell_capacity + 1), cell_end_.resize(build_.cell_capacity + 1);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::reserve_pairs(std::size_t rows, std::size_t pairs) {
  if (rows > row_capacity_) {
    for (ListArrays* l : {&list_, &old_list_}) l->row.grow(rows);
    partner_.grow(rows);
    row_capacity_ = rows;
  }
  if (pairs > pair_capacity_) {
    const std::size_t several = several_;
    for (ListArrays* l : {&list_, &old_list_})
      l->ends.grow(pairs), l->clear.grow(pairs), l->memory.grow(pairs * several);
    wrench_.grow(pairs);
    record_.grow(pairs * several);
    if (maps_.any_several())
      near_.grow(pairs), parts_clear_.grow(pairs), touched_.grow(pairs), marks_.grow(2 * maps_.mark_words() * pairs);
    pair_capacity_ = pairs;
  }
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::set_views() {
  const auto n = static_cast<std::uint32_t>(count_);
  const auto bodies = [&](BodyArrays& a) {
    BodyView<T> v;
    v.count = n;
    v.placed = a.placed.data(), v.moving = a.moving.data(), v.index = a.index.data();
    v.force = a.force.data(), v.torque = a.torque.data();
    return v;
  };
  const auto list = [&](ListArrays& a) {
    ListView<T> v;
    v.row_first = a.row_first.data(), v.row = a.row.data(), v.ends = a.ends.data();
    v.clear = a.clear.data(), v.memory = a.memory.data();
    v.several = static_cast<std::uint32_t>(several_);
    return v;
  };
  view_.bodies = bodies(bodies_);
  view_.bodies.built_at = built_at_.data(), view_.bodies.built_theta = built_theta_.data();
  view_.bodies.moved = moved_.data(), view_.bodies.image = image_.data(), view_.bodies.slot = slot_.data();
  view_.bodies.driven = driven_count_ > 0 ? driven_place_.data() : nullptr;
  view_.list = list(list_);
  view_.list.pair_first = pair_first_.data(), view_.list.wrench = wrench_.data(), view_.list.record = record_.data();
  view_.list.near = maps_.any_several() ? near_.data() : nullptr;
  view_.list.parts_clear = parts_clear_.data(), view_.list.touched = touched_.data();
  view_.list.marks = marks_.data(), view_.list.mark_words = static_cast<std::uint32_t>(maps_.mark_words());
  view_.control = control_.data();
  view_.types = types_.data(), view_.pairs = pairs_.data();
  maps_.set_views(view_);
  view_.script = script_.data(), view_.driven = driven_.data();
  view_.driven_count = static_cast<std::uint32_t>(moved_count_);
  view_.zones = zones_.data(), view_.zone_count = static_cast<std::uint32_t>(zones_.size());
  build_.key = key_.data(), build_.order = order_.data(), build_.partner = partner_.data();
  build_.cell_first = cell_first_.data(), build_.cell_end = cell_end_.data();
  build_.row_capacity = static_cast<std::uint32_t>(row_capacity_);
  build_.pair_capacity = static_cast<std::uint32_t>(pair_capacity_);
  build_.old_bodies = bodies(old_bodies_);
  build_.old_list = list(old_list_);
  walls_.set_views(view_, build_);
  backend_.forget_programs();
}

}  // namespace scree::gpu
