#pragma once
// Large steps on a backend: what lies in the memory of the device, and the order of the stages. docs/implicit.md.
#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "scree/base/error.hpp"
#include "scree/cuda/contact_records.hpp"
#include "scree/cuda/device_maps.hpp"
#include "scree/cuda/device_rain.hpp"
#include "scree/cuda/device_script.hpp"
#include "scree/cuda/device_walls.hpp"
#include "scree/cuda/engine.hpp"
#include "scree/cuda/implicit_books.hpp"
#include "scree/cuda/implicit_colour.hpp"
#include "scree/cuda/implicit_frame.hpp"
#include "scree/cuda/implicit_list.hpp"
#include "scree/cuda/implicit_meeting.hpp"
#include "scree/cuda/implicit_sweep.hpp"
#include "scree/implicit/implicit_solver.hpp"

namespace scree::gpu {

template <class Backend>
class ImplicitEngine final : public Engine {
 public:
  ImplicitEngine(const World& world, const EngineSettings& settings, const ImplicitSettings& implicit);

  void upload(const World& world, std::size_t room = 0) override;
  Outcome advance(const std::vector<StepInput>& inputs) override;
  std::vector<std::uint8_t> download(World& world) override;
  std::vector<std::uint32_t> find(std::span<const Box> boxes, World& world) override {
    return rain_.find(backend_, view_, boxes, world);
  }
  void append(const World& world, std::size_t first) override;
  std::size_t room() const override { return n_ - used_; }

 private:
  template <class X>
  using Array = typename Backend::template Array<X>;
  struct SideArrays {
    Array<std::uint32_t> first;
    Array<Held> held;
  };

  void set_types(const World& world);
  void set_parameters(const World& world);
  void allocate(std::size_t bodies);
  void reserve(std::size_t pairs, std::size_t links);
  void set_views();
  void upload_bodies(const World& world, std::size_t first, std::size_t end);
  void upload_contacts(const World& world);
  void upload_inputs(const std::vector<StepInput>& inputs);
  void download_contacts(World& world);

  void frame();
  void rebound();
  void find_gain();
  void settle_up();
  void substep();
  void move_on();
  void look();
  void build_list();
  void colour_links();
  void find_meeting();
  template <Sweep kind>
  void sweep();
  void grow();

  template <class X>
  X read(const Array<X>& array) {
    X x;
    backend_.finish();
    array.download({&x, 1});
    return x;
  }

  Backend backend_;
  EngineSettings settings_;
  DeviceMaps<float, Backend> maps_;
  DeviceWalls<float, Backend> walls_;
  Array<Placed<float>> placed_;
  Array<Moving<float>> moving_;
  Array<Vec2d> built_at_;
  Array<std::array<std::int32_t, 2>> image_;
  Array<std::int32_t> driven_place_;
  Array<std::uint32_t> index_;  // bodies stay where they are
  Array<std::uint32_t> pair_first_, key_, order_, cell_first_, cell_end_;
  Array<std::array<std::uint32_t, 2>> ends_;
  Array<Control> control_;
  Array<TypeView<float>> types_;
  Array<PairView<float>> pairs_;
  Array<Zone> zones_;
  DeviceScript<Backend> script_;
  DeviceRain<float, Backend> rain_;

  SideArrays sides_[2];
  Array<std::uint32_t> place_;
  Array<SweptLink> swept_;
  Array<LinkState> state_;
  Array<Frame> frame_;
  Array<TwistOf<double>> velocity_;
  Array<SolverBody> bodies_, then_;
  Array<BodyVelocity> kicked_, outset_;
  Array<Impulses> at_outset_;
  Array<double> room_, wall_slack_;
  Array<std::uint32_t> upon_, strayed_, hit_, wall_reach_, flag_, count_, colour_, link_order_;
  Array<std::uint64_t> best_, taken_;
  Array<LinkParameters> of_pairs_, of_walls_;
  Array<SavedBody> saved_;
  Array<Held> saved_held_;
  Array<std::uint32_t> saved_first_;

  std::size_t n_ = 0, used_ = 0;  // bodies, with those that are still to come; and without
  std::size_t driven_count_ = 0, pair_capacity_ = 0, link_capacity_ = 0;
  bool damps_spin_ = false, motions_ = false, turns_ = false;
  std::vector<std::uint8_t> lower_is_a_;  // types x types
  WorldView<float> view_;
  BuildView<float> build_;
  LinksView links_;
};

template <class Backend>
ImplicitEngine<Backend>::ImplicitEngine(const World& world, const EngineSettings& settings,
                                        const ImplicitSettings& implicit)
    : settings_(settings), walls_(world, 1) {
  if (implicit.sleep > 0) {
    throw Error(ErrorKind::input, "step.sleep", "grains do not sleep on a GPU",
                "leave it out, or use device = \"cpu\"");
  }
  control_.resize(1);
  frame_.resize(1);
  set_types(world);
  set_parameters(world);
  view_.periodic = world.periodic;
  view_.limits = {settings.skin, settings.most_speed, settings.most_overlap, world.bounds, settings.watch};
  links_.grains = scales_of_grains(world);
  const double r = links_.grains.radius;
  links_.dt = settings.dt, links_.skin = settings.skin;
  links_.scales.offset = static_cast<float>(large_step::offset * r);
  links_.scales.below = static_cast<float>(large_step::below * r);
  links_.scales.one_plane = implicit.one_plane;
  links_.limits = {large_step::renewal * r, 2 * links_.grains.stride};
  links_.settings = implicit;
  links_.books = settings.ledger;
}

template <class Backend>
void ImplicitEngine<Backend>::set_types(const World& world) {
  const TypeTables tables(world);
  const auto f = [](double v) { return static_cast<float>(v); };
  std::vector<TypeView<float>> types;
  std::vector<PairView<float>> pairs;
  const int n = static_cast<int>(world.types.size());
  for (int i = 0; i < n; ++i) {
    const GrainType& type = world.types[static_cast<std::size_t>(i)];
    links_.widest = std::max(links_.widest, type.radius);
    types.push_back({f(type.radius),
                     f(type.mass),
                     {f(1 / type.mass), f(1 / type.inertia), f(1 / type.radius)},
                     static_cast<std::uint32_t>(type.shape),
                     type.radius,
                     {1 / type.mass, 1 / type.inertia, 1 / type.radius}});
    for (int j = 0; j < n; ++j) {
      const TypePair& from = tables.pair(i, j);
      const auto place = maps_.add(from.map.map);
      if (place.kind > MapKind::table) {
        throw Error(
            ErrorKind::input, "maps.kind",
            "large steps on a GPU take tables and discs, not maps of kind '" + std::string(from.map.map->kind()) + "'",
            "use maps.kind = \"table\", solver = \"explicit\", or device = \"cpu\"");
      }
      PairView<float> to;
      to.scale = f(from.map.scale);
      to.reach = f(from.reach);
      to.overlap_limit = f(from.overlap_limit);
      to.kind = place.kind;
      to.map = place.map;
      to.lower_is_a = from.lower_is_a;
      pairs.push_back(to);
      lower_is_a_.push_back(from.lower_is_a);
    }
  }
  maps_.finish();
  types_.resize(types.size());
  types_.upload(types);
  pairs_.resize(pairs.size());
  pairs_.upload(pairs);
  view_.type_count = static_cast<std::uint32_t>(n);
}

template <class Backend>
void ImplicitEngine<Backend>::set_parameters(const World& world) {
  const ForceTables forces(world);
  const auto of = [&](const PairParameters& p) {
    damps_spin_ = damps_spin_ || p.rotational_damping > 0;
    return LinkParameters{static_cast<float>(p.friction),
                          static_cast<float>(p.rotational_damping),
                          static_cast<float>(p.rolling_friction),
                          static_cast<float>(restitution_of(p.damping_ratio)),
                          p.normal_damping,
                          p.stiffness};
  };
  const int types = static_cast<int>(world.types.size()), walls = static_cast<int>(world.walls.size());
  std::vector<LinkParameters> pairs, of_walls;
  for (int i = 0; i < types; ++i) {
    for (int j = 0; j < types; ++j) pairs.push_back(of(forces.pair(i, j)));
    for (int w = 0; w < walls; ++w) of_walls.push_back(of(forces.wall(i, w)));
  }
  of_pairs_.resize(pairs.size());
  of_pairs_.upload(pairs);
  of_walls_.resize(of_walls.size());
  of_walls_.upload(of_walls);
  wall_reach_.resize(static_cast<std::size_t>(walls));
}

template <class Backend>
void ImplicitEngine<Backend>::allocate(std::size_t n) {
  if (n == n_ && link_capacity_ > 0) return;
  n_ = n;
  placed_.resize(n), moving_.resize(n), built_at_.resize(n), image_.resize(n), index_.resize(n);
  key_.resize(n), order_.resize(n), pair_first_.resize(n + 1), count_.resize(n + 1);
  build_.cell_capacity = static_cast<std::uint32_t>(std::max<std::size_t>(16, 4 * n));
  cell_first_.resize(build_.cell_capacity + 1), cell_end_.resize(build_.cell_capacity + 1);
  const std::size_t all = n + walls_.count();
  velocity_.resize(n), bodies_.resize(all), strayed_.resize(all), then_.resize(n), kicked_.resize(n), hit_.resize(n);
  outset_.resize(n);
  room_.resize(n), wall_slack_.resize(n), upon_.resize(n), best_.resize(n), taken_.resize(n);
  saved_.resize(n), saved_first_.resize(n + 1);
  for (SideArrays& s : sides_) s.first.resize(n + 1);
}

template <class Backend>
void ImplicitEngine<Backend>::reserve(std::size_t pairs, std::size_t links) {
  if (pairs > pair_capacity_) {
    ends_.grow(pairs), flag_.grow(pairs);
    pair_capacity_ = pairs;
  }
  if (links > link_capacity_) {
    for (SideArrays& s : sides_) s.held.grow(links);
    place_.grow(links), swept_.grow(links), state_.grow(links), at_outset_.grow(links);
    saved_held_.grow(links), colour_.grow(links), link_order_.grow(links);
    link_capacity_ = links;
  }
}

template <class Backend>
void ImplicitEngine<Backend>::set_views() {
  BodyView<float>& b = view_.bodies;
  b.count = static_cast<std::uint32_t>(n_);
  b.placed = placed_.data(), b.moving = moving_.data(), b.built_at = built_at_.data(), b.image = image_.data();
  b.index = b.slot = index_.data();
  b.driven = driven_count_ > 0 ? driven_place_.data() : nullptr;
  view_.list.pair_first = pair_first_.data(), view_.list.ends = ends_.data();
  view_.control = control_.data();
  view_.types = types_.data(), view_.pairs = pairs_.data();
  maps_.set_views(view_);
  script_.set_views(view_);
  view_.zones = zones_.data(), view_.zone_count = static_cast<std::uint32_t>(zones_.size());
  build_.key = key_.data(), build_.order = order_.data();
  build_.cell_first = cell_first_.data(), build_.cell_end = cell_end_.data();
  build_.pair_capacity = static_cast<std::uint32_t>(pair_capacity_);
  walls_.set_views(view_, build_);
  LinksView& l = links_;
  for (int k = 0; k < 2; ++k) l.side[k] = {sides_[k].first.data(), sides_[k].held.data()};
  l.place = place_.data(), l.swept = swept_.data(), l.state = state_.data();
  l.frame = frame_.data(), l.velocity = velocity_.data(), l.bodies = bodies_.data(), l.then = then_.data();
  l.kicked = kicked_.data(), l.outset = outset_.data(), l.at_outset = at_outset_.data(), l.upon = upon_.data();
  l.room = room_.data(), l.wall_slack = wall_slack_.data(), l.strayed = strayed_.data();
  l.hit = hit_.data();
  l.wall_reach = wall_reach_.data(), l.flag = flag_.data(), l.count = count_.data();
  l.colour = colour_.data(), l.order = link_order_.data(), l.best = best_.data(), l.taken = taken_.data();
  l.of_pairs = of_pairs_.data(), l.of_walls = of_walls_.data();
  l.saved = saved_.data(), l.saved_held = saved_held_.data(), l.saved_first = saved_first_.data();
  l.capacity = static_cast<std::uint32_t>(link_capacity_);
  backend_.forget_programs();
}

}  // namespace scree::gpu
