#pragma once
// Engine on a backend: what lies in the memory of the device, and the order of the stages. A step is written once; a
// backend plays it.
#include <algorithm>
#include <array>

#include "scree/cuda/ask_stages.hpp"
#include "scree/cuda/body_stage.hpp"
#include "scree/cuda/carver.hpp"
#include "scree/cuda/device_maps.hpp"
#include "scree/cuda/device_rain.hpp"
#include "scree/cuda/device_script.hpp"
#include "scree/cuda/device_walls.hpp"
#include "scree/cuda/engine.hpp"
#include "scree/cuda/ledger_stage.hpp"
#include "scree/cuda/list_stages.hpp"
#include "scree/cuda/pair_stage.hpp"
#include "scree/cuda/several_stage.hpp"
#include "scree/cuda/wall_stage.hpp"

namespace scree::gpu {

template <class T, class Backend, class Law>
class DeviceEngine : public Engine {
 public:
  DeviceEngine(const World& world, const EngineSettings& settings, std::size_t worlds = 1);

  void upload(const World& world, std::size_t room = 0) override;
  Outcome advance(const std::vector<StepInput>& inputs) override;
  std::vector<std::uint8_t> download(World& world) override;
  std::vector<std::uint32_t> find(std::span<const Box> boxes, World& world) override {
    return rain_.find(backend_, view_, boxes, world);
  }
  void append(const World& world, std::size_t first) override;
  std::size_t room() const override { return count_ - used_; }

 protected:
  template <class X>
  using Array = typename Backend::template Array<X>;
  // By slot.
  struct BodyArrays {
    Array<Placed<T>> placed;
    Array<Moving<T>> moving;
    Array<std::uint32_t> index;
    Array<Vec2<T>> force;
    Array<T> torque;
    Array<Vec2d> built_at;
    Array<double> built_theta;
    Array<float> moved;
  };
  struct ListArrays {
    Array<std::uint32_t> row_first, pair_first, row;
    Array<std::array<std::uint32_t, 2>> ends;
    Array<float> clear;
    Array<Memory<T>> memory;
    Array<NearPose<T>> near;
    Array<float> several_clear;
  };

  void set_types(const World& world);
  void allocate(std::size_t bodies);
  void upload_bodies(const World& world, std::size_t first, std::size_t end);
  void upload_contacts(const World& world);
  void make_room_for(std::size_t contacts);
  void reserve_pairs(std::size_t rows, std::size_t pairs);
  void set_views();
  void share_memory();
  void lay_out_build(Carver& memory);
  void lay_out_step(Carver& memory);
  template <class Real>
  void lay_out_ask(Carver& memory, AskView<Real>& ask);
  // Arrays of the shared memory.
  template <class X>
  void put(X* to, const std::vector<X>& from) {
    shared_.upload({reinterpret_cast<const unsigned char*>(from.data()), from.size() * sizeof(X)}, place_of(to));
  }
  template <class X>
  void get(const X* from, std::vector<X>& to) {
    shared_.download({reinterpret_cast<unsigned char*>(to.data()), to.size() * sizeof(X)}, place_of(from));
  }
  std::size_t place_of(const void* array) {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(array) - shared_.data());
  }
  void step(bool record);
  Outcome play(Control control, std::size_t steps);
  void build_list();
  template <class Real>
  void lay_out_asked(const AskView<Real>& ask, MapKind kind);
  void ask_maps();
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
  BodyArrays bodies_;
  ListArrays list_;
  Array<unsigned char> shared_;  // by the building of lists, and by steps for what they leave to no other step
  Array<std::array<std::int32_t, 2>> image_;
  Array<std::int32_t> driven_place_;
  Array<std::uint32_t> slot_;
  Array<Control> control_;
  Array<TypeView<T>> types_;
  Array<PairView<T>> pairs_;
  Array<Zone> zones_;
  DeviceScript<Backend> script_;
  DeviceRain<T, Backend> rain_;
  std::size_t count_ = 0, used_ = 0;  // bodies, with those that are still to come; and without
  std::size_t driven_count_ = 0, row_capacity_ = 0, pair_capacity_ = 0;
  std::size_t several_ = 1;     // contacts a pair can remember
  std::uint32_t touching_ = 0;  // pairs, at the last upload
  WorldView<T> view_;
  BuildView<T> build_;
};

template <class T, class Backend, class Law>
DeviceEngine<T, Backend, Law>::DeviceEngine(const World& world, const EngineSettings& settings, std::size_t worlds)
    : settings_(settings), walls_(world, worlds) {
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
  BodyArrays& b = bodies_;
  b.placed.resize(n), b.moving.resize(n), b.index.resize(n), b.force.resize(n), b.torque.resize(n);
  b.built_at.resize(n), b.built_theta.resize(n), b.moved.resize(n), image_.resize(n), slot_.resize(n);
  list_.row_first.resize(n + 1), list_.pair_first.resize(n + 1);
  build_.cell_capacity = static_cast<std::uint32_t>(std::max<std::size_t>(16, 4 * n));
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::reserve_pairs(std::size_t rows, std::size_t pairs) {
  if (rows > row_capacity_) list_.row.grow(row_capacity_ = rows);
  if (pairs > pair_capacity_) {
    list_.ends.grow(pairs), list_.clear.grow(pairs), list_.memory.grow(pairs * several_);
    if (maps_.any_several()) list_.near.grow(pairs), list_.several_clear.grow(pairs);
    pair_capacity_ = pairs;
  }
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::lay_out_build(Carver& memory) {
  const std::size_t n = count_, cells = build_.cell_capacity + std::size_t{1};
  BodyView<T>& bodies = build_.old_bodies;
  memory.take(bodies.placed, n);
  memory.take(bodies.moving, n);
  memory.take(bodies.index, n);
  memory.take(bodies.force, n);
  memory.take(bodies.torque, n);
  ListView<T>& list = build_.old_list;
  memory.take(list.row_first, n + 1);
  memory.take(list.row, row_capacity_);
  memory.take(list.ends, pair_capacity_);
  memory.take(list.clear, pair_capacity_);
  memory.take(list.memory, pair_capacity_ * several_);
  memory.take(list.near, maps_.any_several() ? pair_capacity_ : 0);
  memory.take(build_.key, n);
  memory.take(build_.order, n);
  memory.take(build_.cell_first, cells);
  memory.take(build_.cell_end, cells);
  memory.take(build_.partner, row_capacity_);
  memory.take(build_.rows, n + 1);
  memory.take(build_.owned, n + 1);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::lay_out_step(Carver& memory) {
  ListView<T>& list = view_.list;
  memory.take(list.record, pair_capacity_ * several_);
  memory.take(list.wrench, pair_capacity_);
  memory.take(list.runs, maps_.any_several() ? pair_capacity_ : 0);
  memory.take(list.touching, maps_.any_several() ? tangles * pair_capacity_ : 0);
  const bool asks = maps_.kinds() == Kinds::all;
  memory.take(list.asked, asks ? pair_capacity_ : 0);
  lay_out_ask(memory, view_.nets);
  lay_out_ask(memory, view_.references);
}

template <class T, class Backend, class Law>
template <class Real>
void DeviceEngine<T, Backend, Law>::lay_out_ask(Carver& memory, AskView<Real>& ask) {
  const std::size_t poses = ask.map_count > 0 ? pair_capacity_ : 0;
  GeometryArraysOf<Real>& answers = ask.answers;
  for (Real** array :
       {&ask.x, &ask.y, &ask.theta, &answers.gap, &answers.gap_theta, &answers.gap_x, &answers.gap_y, &answers.arm})
    memory.take(*array, poses);
}

// What is there is lost when more is needed.
template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::share_memory() {
  const auto lay_out = [&](unsigned char* base) {
    Carver of_build(base), of_step(base);
    lay_out_build(of_build);
    lay_out_step(of_step);
    return std::max(of_build.bytes(), of_step.bytes());
  };
  const std::size_t bytes = lay_out(nullptr);
  if (bytes > shared_.size()) shared_.resize(bytes);
  lay_out(shared_.data());
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::set_views() {
  maps_.set_views(view_);
  share_memory();
  BodyView<T>& b = view_.bodies;
  b.count = static_cast<std::uint32_t>(count_);
  b.placed = bodies_.placed.data(), b.moving = bodies_.moving.data(), b.index = bodies_.index.data();
  b.force = bodies_.force.data(), b.torque = bodies_.torque.data();
  b.built_at = bodies_.built_at.data(), b.built_theta = bodies_.built_theta.data(), b.moved = bodies_.moved.data();
  b.image = image_.data(), b.slot = slot_.data();
  b.driven = driven_count_ > 0 ? driven_place_.data() : nullptr;
  ListView<T>& l = view_.list;
  l.row_first = list_.row_first.data(), l.pair_first = list_.pair_first.data(), l.row = list_.row.data();
  l.ends = list_.ends.data(), l.clear = list_.clear.data(), l.memory = list_.memory.data();
  l.near = maps_.any_several() ? list_.near.data() : nullptr;
  l.several_clear = list_.several_clear.data();
  l.capacity = static_cast<std::uint32_t>(pair_capacity_);
  l.several = build_.old_list.several = static_cast<std::uint32_t>(several_);
  view_.control = control_.data();
  view_.types = types_.data(), view_.pairs = pairs_.data();
  script_.set_views(view_);
  view_.zones = zones_.data(), view_.zone_count = static_cast<std::uint32_t>(zones_.size());
  build_.row_capacity = static_cast<std::uint32_t>(row_capacity_);
  build_.pair_capacity = static_cast<std::uint32_t>(pair_capacity_);
  walls_.set_views(view_, build_);
  backend_.forget_programs();
}

}  // namespace scree::gpu
