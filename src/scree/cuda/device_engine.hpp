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
  std::size_t bytes() const override { return maps_.bytes() + bytes_; }
  std::string name() const override { return Backend::name(); }

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
  std::size_t bytes_ = 0;
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
                     {static_cast<T>(1 / type.mass), static_cast<T>(1 / type.inertia)},
                     static_cast<std::uint32_t>(type.shape),
                     type.radius,
                     {1 / type.mass, 1 / type.inertia}});
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
      to.law = {static_cast<T>(p.stiffness),         static_cast<T>(p.tangential_stiffness),
                static_cast<T>(p.friction),          static_cast<T>(p.damping_ratio),
                static_cast<T>(p.normal_damping),    static_cast<T>(p.tangential_damping_ratio),
                static_cast<T>(p.rotational_damping)};
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
    if (maps_.any_several()) near_.grow(pairs), parts_clear_.grow(pairs);
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
  view_.list.parts_clear = parts_clear_.data();
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

template <class T, class Backend, class Law>
Control DeviceEngine<T, Backend, Law>::read_control() {
  Control c;
  backend_.finish();
  control_.download({&c, 1});
  return c;
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::write_control(const Control& c) {
  control_.upload({&c, 1});
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::build_list() {
  const std::size_t n = count_;
  backend_.reduce(LayOutCells<T>{view_, build_});
  backend_.launch(FindKeys<T>{view_, build_}, n);
  backend_.sort(key_, order_, n);
  backend_.launch(ClearCells<T>{build_}, build_.cell_capacity + 1);
  backend_.launch(FindCells<T>{view_, build_}, n);
  backend_.launch(CountPartners<T>{view_, build_, rows_.data(), owned_.data()}, n + 1);
  backend_.sum_before(rows_.data(), n + 1);
  backend_.sum_before(owned_.data(), n + 1);
  const bool walls = walls_.count() > 0;
  if (walls) {
    backend_.launch(PlaceElements<T>{view_}, walls_.count());
    backend_.launch(CountNearWalls<T>{view_, build_}, n + 1);
    backend_.sum_before(walls_.near_count(), n + 1);
    backend_.sum_before(walls_.near_some(), n + 1);
  }
  backend_.launch(CheckCapacity<T>{view_, build_, rows_.data(), owned_.data()}, 1);
  backend_.launch(KeepBodies<T>{view_, build_}, n + 1);
  backend_.launch(KeepPairs<T>{view_, build_}, pair_capacity_);
  backend_.launch(KeepRows<T>{view_, build_}, row_capacity_);
  if (walls) {
    backend_.launch(KeepNearWalls<T>{view_, build_}, n + 1);
    backend_.launch(KeepWallMemory<T>{view_, build_}, walls_.near_capacity() * walls_.slots());
  }
  backend_.launch(OrderBodies<T>{view_, build_, rows_.data(), owned_.data()}, n + 1);
  backend_.launch(FillRows<T>{view_, build_}, n);
  backend_.launch(FillPairs<T>{view_, build_}, n);
  if (walls) backend_.launch(FillNearWalls<T>{view_, build_}, n);
  backend_.launch(FinishList<T>{view_}, 1);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::step(bool record) {
  const double dt = settings_.dt;
  const bool verlet = settings_.velocity_verlet;
  const bool ledger = settings_.ledger;
  if (verlet) {
    backend_.launch(BodyStage<T>{view_, false, 0.5 * dt, dt}, count_);
    if (ledger) backend_.reduce(LedgerStage<T>{view_, 0.5 * dt, 0, true, 0});
  }
  const bool walls = walls_.count() > 0;
  if (walls) backend_.launch(PlaceWalls<T>{view_, verlet ? 1u : 0u}, walls_.count());
  backend_.launch(BeginStep<T>{view_}, 1);
  backend_.when(&view_.control->rebuild, [&] { build_list(); });
  if (maps_.only_discs()) {
    backend_.launch_open(PairStage<T, Law, true>{view_, dt, settings_.skip, record}, pair_capacity_);
  } else if (maps_.any_single()) {
    backend_.launch_open(PairStage<T, Law, false>{view_, dt, settings_.skip, record}, pair_capacity_);
  }
  if (maps_.any_several()) {
    backend_.launch_warps(NearPartsStage<T>{view_, settings_.skip}, pair_capacity_);
    backend_.launch_open(SeveralStage<T, Law>{view_, dt, record}, pair_capacity_);
  }
  if (walls) backend_.launch(WallStage<T, Law>{view_, dt}, walls_.near_capacity());
  backend_.launch(BodyStage<T>{view_, true, verlet ? 0.5 * dt : dt, verlet ? 0 : dt, verlet ? 1u : 0u}, count_);
  if (ledger) backend_.reduce(LedgerStage<T>{view_, verlet ? 0.5 * dt : dt, verlet ? 1u : 0u, !verlet, 1});
  backend_.launch(EndStep<T>{view_}, 1);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::grow() {
  const Control c = read_control();
  const auto ample = [](std::size_t n) { return n + n / 4; };
  reserve_pairs(ample(c.wanted.rows), ample(c.wanted.pairs));
  walls_.reserve(ample(c.wanted.near), ample(c.wanted.entries));
  set_views();
}

template <class T, class Backend, class Law>
Outcome DeviceEngine<T, Backend, Law>::advance(const std::vector<StepInput>& inputs) {
  upload_inputs(inputs);
  Control c = read_control();
  c.step = c.rebuilds = 0;
  c.work = {.springs = c.work.springs};
  c.steps = static_cast<std::uint32_t>(inputs.size() - 1);
  c.halt = c.steps == 0 ? halt_done : 0u;
  write_control(c);
  while (!(c.halt & ~static_cast<std::uint32_t>(halt_grow))) {
    const std::size_t left = c.steps - c.step;
    if (left > 1) backend_.play(0, left - 1, [&] { step(settings_.ledger); });
    backend_.play(1, 1, [&] { step(true); });
    c = read_control();
    if (c.halt & halt_grow) {
      grow();
      c.halt = 0;
      write_control(c);
    }
  }
  if (c.most_several > several_ || c.most_wall_contacts > walls_.slots()) remember_more(c);
  Outcome out;
  out.steps = c.step;
  out.crowded = c.halt & halt_crowded;
  out.fault = c.halt & halt_fault;
  out.pairs = c.pairs;
  out.queries = c.queries;
  out.rebuilds = c.rebuilds;
  out.deepest_overlap = bits_float(c.deepest);
  out.max_speed = bits_float(c.fastest);
  out.work = c.work;
  return out;
}

// Contacts beyond what can be remembered have had their force, but begin anew in the next step: so that this happens
// once, and not again.
template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::remember_more(const Control& c) {
  std::size_t wanted = several_;
  while (wanted < c.most_several) wanted *= 2;
  if (wanted > several_) {
    std::vector<Memory<T>> narrow(c.pairs * several_), wide(c.pairs * wanted);
    list_.memory.download(narrow);
    for (std::size_t p = 0; p < c.pairs; ++p)
      std::copy_n(narrow.begin() + static_cast<std::ptrdiff_t>(p * several_), several_,
                  wide.begin() + static_cast<std::ptrdiff_t>(p * wanted));
    several_ = wanted;
    for (ListArrays* l : {&list_, &old_list_}) l->memory.resize(pair_capacity_ * several_);
    record_.resize(pair_capacity_ * several_);
    list_.memory.upload(wide);
  }
  walls_.remember(c.most_wall_contacts, c.near, c.side);
  set_views();
}

}  // namespace scree::gpu
