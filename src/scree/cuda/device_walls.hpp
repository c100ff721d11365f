#pragma once
// Walls in the memory of a device, the grains near them, and what these remember of their contacts.
#include <vector>

#include "scree/contact/wall_features.hpp"
#include "scree/cuda/contact_records.hpp"
#include "scree/cuda/engine.hpp"
#include "scree/cuda/list_stages.hpp"

namespace scree::gpu {

// Arrays of several things end to end.
template <class X, class Backend>
class Joined {
 public:
  std::size_t add(const std::vector<X>& part) {  // returns where it begins
    const std::size_t first = all_.size();
    all_.insert(all_.end(), part.begin(), part.end());
    return first;
  }
  X* finish() {
    array_.resize(all_.size());
    array_.upload(all_);
    return array_.data();
  }

 private:
  std::vector<X> all_;
  typename Backend::template Array<X> array_;
};

template <class T, class Backend>
class DeviceWalls {
 public:
  DeviceWalls(const World& world, std::size_t worlds);

  // Which are there, and the contacts of the last step; so many bodies, with those to come.
  void upload(const World& world, std::size_t bodies);
  void start(std::size_t bodies,
             std::size_t contacts);  // of many worlds, without any; so many of a body are remembered
  void reserve(std::size_t near, std::size_t entries);
  void reserve_steps(std::size_t steps);
  void remember(std::size_t contacts, std::size_t near, std::uint32_t side);  // so many of a body
  void upload_states(const std::vector<StepInput>& inputs);
  void upload_states(const std::vector<WallState>& states, const std::vector<WallGlide>& glides);
  void set_views(WorldView<T>& world, BuildView<T>& build);
  // `first`: of the world's slots, which `slot_of` counts from there.
  void download(const std::vector<std::uint32_t>& slot_of, std::uint32_t side, World& world, std::size_t first = 0);

  std::size_t count() const { return count_; }  // of a world
  std::size_t total() const { return count_ * worlds_; }
  std::size_t slots() const { return slots_; }
  std::size_t near_capacity() const { return near_capacity_; }
  std::size_t entry_capacity() const { return entry_capacity_; }
  std::uint32_t near() const { return near_; }  // bodies with contacts, at the last upload
  std::uint32_t* near_count() { return near_count_.data(); }
  std::uint32_t* near_some() { return near_some_.data(); }

 private:
  template <class X>
  using Array = typename Backend::template Array<X>;

  void join_shapes(const World& world);
  void join_walls(const World& world);

  std::size_t count_ = 0, worlds_ = 1, element_count_ = 0, slots_ = 8, near_capacity_ = 0, entry_capacity_ = 0;
  std::uint32_t near_ = 0;
  std::vector<WallFeatures> features_;
  Joined<Corner, Backend> corners_, wall_corners_;
  Joined<Edge, Backend> edges_, elements_;
  Joined<std::uint32_t, Backend> next_, previous_;
  Joined<std::int32_t, Backend> corner_at_;
  std::vector<WallView> host_views_;
  Array<ShapeView> shapes_;
  Array<WallView> views_;
  Array<WallState> now_, states_;
  Array<WallGlide> glides_;  // of many worlds
  Array<PlacedWallView> placed_;
  Array<PlacedElement> placed_elements_;
  Array<Pose2d> built_at_;
  Array<double> farthest_, extent_;
  Array<WallPair> pairs_;
  Array<std::uint32_t> near_first_, near_rank_, old_near_first_, old_near_rank_, near_body_, near_count_, near_some_;
  Array<NearWall> entries_;
  Array<WallMemory> memory_[2], old_memory_;
  Array<WallWrench> wrench_;
  Array<Record<double>> record_;
};

inline LawParameters<double> law_parameters(const PairParameters& p) {
  return {p.stiffness,      p.tangential_stiffness,     p.friction,           p.damping_ratio,
          p.normal_damping, p.tangential_damping_ratio, p.rotational_damping, p.rolling_friction};
}

inline bool is_disc(const World& world, std::size_t type) {
  return world.shapes[static_cast<std::size_t>(world.types[type].shape)]->is_disc;
}

template <class T, class Backend>
DeviceWalls<T, Backend>::DeviceWalls(const World& world, std::size_t worlds)
    : count_(world.walls.size()), worlds_(worlds) {
  if (count_ == 0) return;
  const ForceTables forces(world);
  std::vector<WallPair> pairs;
  for (std::size_t t = 0; t < world.types.size(); ++t)
    for (std::size_t w = 0; w < count_; ++w)
      pairs.push_back({law_parameters(forces.wall(static_cast<int>(t), static_cast<int>(w))),
                       wall_overlap_limit(world.types[t], is_disc(world, t), world.walls[w])});
  pairs_.resize(pairs.size());
  pairs_.upload(pairs);
  join_shapes(world);
  join_walls(world);
  now_.resize(total()), built_at_.resize(total()), farthest_.resize(total());
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::join_shapes(const World& world) {
  std::vector<ShapeView> views;
  std::vector<std::size_t> first_corner, first_edge;
  for (const auto& shape : world.shapes) {
    const ShapeFeatures f = features_of(shape->outline, shape->is_disc);
    first_corner.push_back(corners_.add(f.corners));
    first_edge.push_back(edges_.add(f.edges));
    views.push_back(f.view());
  }
  const Corner* corners = corners_.finish();
  const Edge* edges = edges_.finish();
  for (std::size_t k = 0; k < views.size(); ++k)
    views[k].corners = corners + first_corner[k], views[k].edges = edges + first_edge[k];
  shapes_.resize(views.size());
  shapes_.upload(views);
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::join_walls(const World& world) {
  std::vector<double> extent;
  struct First {
    std::size_t element, next, previous, corner_at, corner;
  };
  std::vector<First> first;
  for (const Wall& wall : world.walls) {
    const WallFeatures& f = features_.emplace_back(features_of(wall, world.periodic));
    first.push_back({elements_.add(f.elements), next_.add(f.next), previous_.add(f.previous),
                     corner_at_.add(f.corner_at), wall_corners_.add(f.shape.corners)});
    extent.push_back(f.extent);
    element_count_ += f.elements.size();
  }
  for (std::size_t k = count_; k < total(); ++k) extent.push_back(extent[k - count_]);
  const Edge* elements = elements_.finish();
  const std::uint32_t *next = next_.finish(), *previous = previous_.finish();
  const std::int32_t* corner_at = corner_at_.finish();
  const Corner* corners = wall_corners_.finish();
  extent_.resize(total());
  extent_.upload(extent);
  placed_elements_.resize(element_count_ * worlds_);
  std::vector<PlacedWallView> placed(total());
  for (std::size_t w = 0; w < count_; ++w) {
    WallView view = features_[w].view(world.walls[w]);
    view.elements = elements + first[w].element;
    view.next = next + first[w].next;
    view.previous = previous + first[w].previous;
    view.corner_at = corner_at + first[w].corner_at;
    view.corners = corners + first[w].corner;
    host_views_.push_back(view);
    for (std::size_t k = 0; k < worlds_; ++k) {
      PlacedWallView& to = placed[k * count_ + w];
      to.kind = view.kind;
      to.radius = view.radius;
      to.elements = placed_elements_.data() + k * element_count_ + first[w].element;
      to.element_count = static_cast<int>(features_[w].elements.size());
    }
  }
  placed_.resize(total());
  placed_.upload(placed);
  views_.resize(total());
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::upload(const World& world, std::size_t n) {
  if (count_ == 0) return;
  for (std::size_t w = 0; w < count_; ++w) host_views_[w].active = world.walls[w].active;
  views_.upload(host_views_);
  for (auto* a : {&near_first_, &near_rank_, &old_near_first_, &old_near_rank_, &near_count_, &near_some_})
    a->resize(n + 1);
  const auto same_body = [](const Contact& c, const Contact& d) { return c.b == d.b; };
  const std::size_t most = longest_run(world.contacts, world.pair_contacts, world.contacts.size(), same_body);
  while (slots_ < most) slots_ *= 2;
  std::vector<std::uint32_t> first(n + 1, 0), rank(n + 1, 0);
  std::vector<WallMemory> memory;
  std::vector<Record<double>> record;
  near_ = 0;
  std::size_t c = world.pair_contacts;
  for (std::size_t k = 0; k < n; ++k) {
    rank[k] = near_;
    std::size_t slot = 0;
    for (; c < world.contacts.size() && world.contacts[c].b == k; ++c, ++slot) {
      const Contact& contact = world.contacts[c];
      if (slot == 0) memory.resize(memory.size() + slots_), record.resize(memory.size()), ++near_;
      memory[memory.size() - slots_ + slot] = {contact.wall, contact.feature, contact.spring, contact.normal};
      record[record.size() - slots_ + slot] = record_of<double>(contact);
    }
    first[k + 1] = near_;
  }
  near_first_.upload(first);
  near_rank_.upload(rank);
  near_capacity_ = entry_capacity_ = 0;
  reserve(std::max<std::size_t>(near_, n / 16 + 64), n / 8 + 128);
  memory_[0].upload(memory);
  record_.upload(record);
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::start(std::size_t n, std::size_t contacts) {
  if (count_ == 0) return;
  std::vector<WallView> views;
  for (std::size_t k = 0; k < worlds_; ++k) views.insert(views.end(), host_views_.begin(), host_views_.end());
  views_.upload(views);
  glides_.resize(total());
  for (auto* a : {&near_first_, &near_rank_, &old_near_first_, &old_near_rank_, &near_count_, &near_some_})
    a->resize(n + 1);
  const std::vector<std::uint32_t> nothing(n + 1, 0);
  near_first_.upload(nothing);
  near_rank_.upload(nothing);
  slots_ = contacts;
  reserve(n / 16 + 64, n / 8 + 128);
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::reserve(std::size_t near, std::size_t entries) {
  if (count_ == 0) return;
  if (near > near_capacity_) {
    near_capacity_ = near;
    near_body_.grow(near), wrench_.grow(near), record_.grow(near * slots_);
    memory_[0].grow(near * slots_), memory_[1].grow(near * slots_), old_memory_.grow(near * slots_);
  }
  if (entries > entry_capacity_) entries_.grow(entry_capacity_ = entries);
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::remember(std::size_t contacts, std::size_t near, std::uint32_t side) {
  std::size_t wanted = slots_;
  while (wanted < contacts) wanted *= 2;
  if (wanted == slots_) return;
  std::vector<WallMemory> narrow(near * slots_), wide(near * wanted);
  memory_[side].download(narrow);
  for (std::size_t k = 0; k < near; ++k)
    std::copy_n(narrow.begin() + static_cast<std::ptrdiff_t>(k * slots_), slots_,
                wide.begin() + static_cast<std::ptrdiff_t>(k * wanted));
  slots_ = wanted;
  for (auto* a : {&memory_[0], &memory_[1], &old_memory_}) a->resize(near_capacity_ * slots_);
  record_.resize(near_capacity_ * slots_);
  memory_[side].upload(wide);
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::reserve_steps(std::size_t steps) {
  states_.resize(steps * total());
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::upload_states(const std::vector<StepInput>& inputs) {
  std::vector<WallState> states;
  for (const StepInput& in : inputs) states.insert(states.end(), in.walls.begin(), in.walls.end());
  states_.upload(states);
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::upload_states(const std::vector<WallState>& states,
                                            const std::vector<WallGlide>& glides) {
  if (count_ == 0) return;
  states_.upload(states);
  glides_.upload(glides);
}

template <class T, class Backend>
void DeviceWalls<T, Backend>::set_views(WorldView<T>& world, BuildView<T>& build) {
  WallsView& v = world.walls;
  v = {};
  v.count = static_cast<std::uint32_t>(count_), v.total = static_cast<std::uint32_t>(total());
  if (count_ == 0) return;
  v.views = views_.data(), v.now = now_.data(), v.states = states_.data(), v.placed = placed_.data();
  v.glides = glides_.size() > 0 ? glides_.data() : nullptr;
  v.elements = placed_elements_.data(), v.built_at = built_at_.data(), v.farthest = farthest_.data();
  v.extent = extent_.data(), v.shapes = shapes_.data(), v.pairs = pairs_.data();
  v.near_first = near_first_.data(), v.near_rank = near_rank_.data(), v.near_body = near_body_.data();
  v.entries = entries_.data(), v.memory[0] = memory_[0].data(), v.memory[1] = memory_[1].data();
  v.wrench = wrench_.data(), v.record = record_.data();
  v.slots = static_cast<std::uint32_t>(slots_);
  build.near_count = near_count_.data(), build.near_some = near_some_.data();
  build.old_near_first = old_near_first_.data(), build.old_near_rank = old_near_rank_.data();
  build.old_wall_memory = old_memory_.data();
  build.near_capacity = static_cast<std::uint32_t>(near_capacity_);
  build.entry_capacity = static_cast<std::uint32_t>(entry_capacity_);
}

// Appends the contacts with walls, by index of the body.
template <class T, class Backend>
void DeviceWalls<T, Backend>::download(const std::vector<std::uint32_t>& slot_of, std::uint32_t side, World& world,
                                       std::size_t first_slot) {
  if (count_ == 0) return;
  const std::size_t n = slot_of.size();
  std::vector<std::uint32_t> first(n + 1), rank(n + 1);
  near_first_.download(first, first_slot);
  near_rank_.download(rank, first_slot);
  const std::size_t before = rank[0], near = rank[n] - before;
  std::vector<WallMemory> memory(near * slots_);
  std::vector<Record<double>> record(near * slots_);
  memory_[side].download(memory, before * slots_);
  record_.download(record, before * slots_);
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
    const std::uint32_t slot = slot_of[i];
    if (first[slot + 1] == first[slot]) continue;
    const std::size_t begin = (rank[slot] - before) * slots_;
    for (std::size_t s = begin; s < begin + slots_ && memory[s].wall >= 0; ++s) {
      world.contacts.push_back(contact_of(record[s], no_body, i, memory[s].feature));
      world.contacts.back().wall = memory[s].wall;
    }
  }
}

}  // namespace scree::gpu
