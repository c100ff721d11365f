#pragma once
// DeviceEngine: the world into the memory of the device, and back.
#include "scree/cuda/device_engine.hpp"

namespace scree::gpu {

// Bodies on their way, by slot.
template <class T>
struct HostBodies {
  explicit HostBodies(std::size_t n) : placed(n), moving(n, {{}, {}, 0, gone}), index(n), force(n), torque(n) {}
  std::vector<Placed<T>> placed;
  std::vector<Moving<T>> moving;
  std::vector<std::uint32_t> index;
  std::vector<Vec2<T>> force;
  std::vector<T> torque;
};

// What is in a slot becomes body i.
template <class T>
void put_body(const HostBodies<T>& host, std::size_t slot, std::size_t i, Bodies& b) {
  const Moving<T>& m = host.moving[slot];
  b.x[i] = host.placed[slot].x;
  b.theta[i] = host.placed[slot].theta;
  b.v[i] = {static_cast<double>(m.v.x), static_cast<double>(m.v.y)};
  b.omega[i] = static_cast<double>(m.omega);
  b.force[i] = {static_cast<double>(host.force[slot].x), static_cast<double>(host.force[slot].y)};
  b.torque[i] = static_cast<double>(host.torque[slot]);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::upload(const World& world, std::size_t room) {
  allocate(world.bodies.size() + room);
  upload_bodies(world, 0, count_);
  upload_contacts(world);
  walls_.upload(world, count_);
  Control c;
  c.pairs = touching_;
  c.near = walls_.near();
  c.work = work_of(world.ledger);
  const ForceTables forces(world);
  for (const Contact& contact : world.contacts) c.work.springs += spring_energy(forces.of(world, contact), contact);
  write_control(c);
  std::vector<Zone> zones;
  for (const DeletionZone& z : world.deletion_zones) zones.push_back({z.box, z.outside});
  zones_.resize(zones.size());
  zones_.upload(zones);
  set_views();
}

// Those from `first` to `end`, which are in the slots of their indices; what the world does not have is still to come.
template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::upload_bodies(const World& world, std::size_t first, std::size_t end) {
  const Bodies& b = world.bodies;
  used_ = b.size();
  HostBodies<T> host(end - first);
  std::vector<std::array<std::int32_t, 2>> image(end - first);
  std::vector<std::int32_t> driven(end - first, -1);
  if (first == 0) driven_count_ = 0;
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t k = i - first;
    host.index[k] = static_cast<std::uint32_t>(i);
    if (i >= b.size()) continue;
    host.placed[k] = {b.x[i], b.theta[i], turned_by<T>(b.theta[i])};
    host.moving[k] = {
        {static_cast<T>(b.v[i].x), static_cast<T>(b.v[i].y)}, static_cast<T>(b.omega[i]), b.type[i], b.kind[i]};
    host.force[k] = {static_cast<T>(b.force[i].x), static_cast<T>(b.force[i].y)};
    host.torque[k] = static_cast<T>(b.torque[i]);
    image[k] = b.image[i];
    if (b.kind[i] == BodyKind::kinematic) driven[k] = static_cast<std::int32_t>(driven_count_++);
  }
  bodies_.placed.upload(host.placed, first);
  bodies_.moving.upload(host.moving, first);
  bodies_.index.upload(host.index, first);
  slot_.upload(host.index, first);
  bodies_.force.upload(host.force, first);
  bodies_.torque.upload(host.torque, first);
  image_.upload(image, first);
  if (first > 0 || driven_count_ == 0) return;
  driven_place_.resize(count_);
  driven_place_.upload(driven);
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::append(const World& world, std::size_t first) {
  upload_bodies(world, first, world.bodies.size());
  Control c = read_control();
  c.stale = 1;
  write_control(c);
}

// A restart may have more contacts a pair than there is room for at first.
template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::make_room_for(std::size_t contacts) {
  if (contacts <= several_) return;
  while (several_ < contacts) several_ *= 2;
  pair_capacity_ = 0;
}

// As a list of the pairs that touch: the first list is built from it like any other from the one before.
template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::upload_contacts(const World& world) {
  make_room_for(longest_run(world.contacts, 0, world.pair_contacts, same_pair));
  const std::size_t n = count_, several = several_;
  std::vector<std::array<std::uint32_t, 2>> ends;
  std::vector<Memory<T>> memory;
  std::vector<Record<T>> record;
  std::vector<std::uint32_t> row_first(n + 1, 0), pair_first(n + 1, 0);
  std::size_t within = 0;
  for (std::size_t c = 0; c < world.pair_contacts; ++c) {
    const Contact& now = world.contacts[c];
    const bool goes_on = c > 0 && same_pair(now, world.contacts[c - 1]);
    within = goes_on ? within + 1 : 0;
    if (!goes_on) {
      ends.push_back({now.a, now.b});
      memory.resize(memory.size() + several);
      record.resize(memory.size());
      ++row_first[now.a + 1];
      ++row_first[now.b + 1];
      ++pair_first[std::min(now.a, now.b) + 1];
    }
    memory[(ends.size() - 1) * several + within] = {
        static_cast<T>(now.spring), {static_cast<T>(now.normal.x), static_cast<T>(now.normal.y)}, now.feature};
    record[(ends.size() - 1) * several + within] = record_of<T>(now);
  }
  for (std::size_t k = 0; k < n; ++k) row_first[k + 1] += row_first[k], pair_first[k + 1] += pair_first[k];
  std::vector<std::uint32_t> row(2 * ends.size()), next(row_first.begin(), row_first.end() - 1);
  for (std::uint32_t p = 0; p < ends.size(); ++p) {
    row[next[ends[p][0]]++] = p << 1;
    row[next[ends[p][1]]++] = p << 1 | 1;
  }
  reserve_pairs(row.size(), ends.size());
  set_views();
  list_.row_first.upload(row_first);
  list_.pair_first.upload(pair_first);
  list_.row.upload(row);
  list_.ends.upload(ends);
  list_.clear.upload(std::vector<float>(ends.size(), -1.0f));
  list_.memory.upload(memory);
  if (maps_.any_several()) list_.near.upload(std::vector<NearPose<T>>(ends.size()));
  put(view_.list.record, record);
  touching_ = static_cast<std::uint32_t>(ends.size());
}

template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::upload_inputs(const std::vector<StepInput>& inputs) {
  // Kinematic bodies that no motion moves are not among the inputs: they stay.
  if (script_.reserve(inputs.size(), 1, inputs.front().driven.size())) {
    walls_.reserve_steps(script_.rows());
    set_views();
  }
  script_.upload(inputs);
  walls_.upload_states(inputs);
}

template <class T, class Backend, class Law>
std::vector<std::uint8_t> DeviceEngine<T, Backend, Law>::download(World& world) {
  backend_.finish();
  std::vector<std::uint8_t> taken = download_bodies(world);
  download_contacts(world);
  std::erase_if(world.contacts, [&](const Contact& c) { return taken[c.b] || (c.a != no_body && taken[c.a]); });
  const auto of_wall = [](const Contact& c) { return c.a == no_body; };
  world.pair_contacts =
      static_cast<std::size_t>(std::ranges::find_if(world.contacts, of_wall) - world.contacts.begin());
  return taken;
}

template <class T, class Backend, class Law>
std::vector<std::uint8_t> DeviceEngine<T, Backend, Law>::download_bodies(World& world) {
  Bodies& b = world.bodies;
  HostBodies<T> host(count_);
  bodies_.placed.download(host.placed);
  bodies_.moving.download(host.moving);
  bodies_.index.download(host.index);
  bodies_.force.download(host.force);
  bodies_.torque.download(host.torque);
  image_.download(b.image);
  std::vector<std::uint8_t> taken(b.size(), 0);
  for (std::size_t k = 0; k < count_; ++k) {
    if (host.index[k] >= b.size()) continue;
    put_body(host, k, host.index[k], b);
    taken[host.index[k]] = host.moving[k].kind == gone ? 1 : 0;
  }
  return taken;
}

// Pairs of a body lie together, by the index of the higher one: body after body by index is the order of World.
template <class T, class Backend, class Law>
void DeviceEngine<T, Backend, Law>::download_contacts(World& world) {
  const Control control = read_control();
  const std::size_t n = count_, pairs = control.pairs, several = several_;
  std::vector<std::uint32_t> index(n), slot(n), pair_first(n + 1);
  std::vector<std::array<std::uint32_t, 2>> ends(pairs);
  std::vector<float> clear(pairs);
  std::vector<Memory<T>> memory(pairs * several);
  std::vector<Record<T>> record(pairs * several);
  bodies_.index.download(index);
  list_.pair_first.download(pair_first);
  list_.ends.download(ends);
  list_.clear.download(clear);
  list_.memory.download(memory);
  get(view_.list.record, record);
  // Halted in a step whose contacts were not recorded: what they hand on is known, and the one that went too far.
  const bool all = control.recorded != 0;
  const auto told = static_cast<std::uint32_t>(control.deepest_place);
  for (std::size_t s = 0; s < record.size() && !all; ++s)
    if (control.deepest_place == 0 || s != told) record[s] = remembered(memory[s]);
  for (std::uint32_t k = 0; k < n; ++k) slot[index[k]] = k;
  world.contacts.clear();
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    for (std::uint32_t p = pair_first[slot[i]]; p < pair_first[slot[i] + 1]; ++p) {
      if (!(clear[p] < 0)) continue;
      for (std::size_t s = p * several; s < (p + 1) * several && memory[s].feature != none; ++s)
        world.contacts.push_back(contact_of(record[s], index[ends[p][0]], index[ends[p][1]], memory[s].feature));
    }
  }
  world.pair_contacts = world.contacts.size();
  walls_.download(slot, control.side, world);
}

}  // namespace scree::gpu
