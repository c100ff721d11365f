#pragma once
// ImplicitEngine: the world into the memory of the device, and back.
#include "scree/cuda/implicit_engine.hpp"

namespace scree::gpu {

template <class Backend>
void ImplicitEngine<Backend>::upload(const World& world) {
  allocate(world.bodies.size());
  upload_bodies(world);
  walls_.upload(world);
  motions_ = !world.motions.empty();
  turns_ = world.gravity.turn_rate != 0;
  upload_contacts(world);
  std::vector<Zone> zones;
  for (const DeletionZone& z : world.deletion_zones) zones.push_back({z.box, z.outside});
  zones_.resize(zones.size());
  zones_.upload(zones);
  Control fresh;
  fresh.work.held = world.ledger.elastic;
  fresh.opening = world.step == 0;
  control_.upload({&fresh, 1});
  set_views();
}

template <class Backend>
void ImplicitEngine<Backend>::upload_bodies(const World& world) {
  const Bodies& b = world.bodies;
  std::vector<Placed<float>> placed(n_);
  std::vector<Moving<float>> moving(n_);
  std::vector<std::uint32_t> index(n_);
  std::vector<std::int32_t> driven(n_, -1);
  driven_count_ = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    placed[k] = {b.x[k], b.theta[k], turned_by<float>(b.theta[k])};
    moving[k] = {{static_cast<float>(b.v[k].x), static_cast<float>(b.v[k].y)},
                 static_cast<float>(b.omega[k]),
                 b.type[k],
                 b.kind[k]};
    index[k] = static_cast<std::uint32_t>(k);
    if (b.kind[k] == BodyKind::kinematic) driven[k] = static_cast<std::int32_t>(driven_count_++);
  }
  placed_.upload(placed);
  moving_.upload(moving);
  index_.upload(index);
  image_.upload(b.image);
  if (driven_count_ == 0) return;
  driven_place_.resize(n_);
  driven_place_.upload(driven);
}

// As the links of the last look.
template <class Backend>
void ImplicitEngine<Backend>::upload_contacts(const World& world) {
  std::vector<std::uint32_t> first;
  std::vector<Held> held;
  const auto add = [&](std::size_t body, std::size_t other, std::uint32_t feature) {
    Held& h = held.emplace_back();
    h.body = static_cast<std::uint32_t>(body), h.other = static_cast<std::uint32_t>(other), h.feature = feature;
  };
  const std::vector<Contact>& contacts = world.contacts;
  std::size_t p = 0, q = world.pair_contacts;
  for (std::size_t k = 0; k < n_; ++k) {
    first.push_back(static_cast<std::uint32_t>(held.size()));
    for (; p < world.pair_contacts && std::min(contacts[p].a, contacts[p].b) == k; ++p) {
      const std::uint32_t other = std::max(contacts[p].a, contacts[p].b);
      if (held.size() == first.back() || held.back().other != other) add(k, other, 0);
      held.back().row[std::min(contacts[p].feature, 1u)] = record_of<float>(contacts[p]);
    }
    for (; q < contacts.size() && contacts[q].b == k; ++q) {
      add(k, n_ + static_cast<std::size_t>(contacts[q].wall), contacts[q].feature);
      held.back().row[0] = record_of<float>(contacts[q]);
    }
  }
  first.push_back(static_cast<std::uint32_t>(held.size()));
  reserve(5 * n_ + 32, std::max(held.size(), 4 * n_ + 64));
  sides_[0].first.upload(first);
  sides_[0].held.upload(held);
  Frame f;
  f.links = static_cast<std::uint32_t>(held.size());
  frame_.upload({&f, 1});
}

template <class Backend>
void ImplicitEngine<Backend>::upload_inputs(const std::vector<StepInput>& inputs) {
  if (script_.reserve(inputs.size(), 1, inputs.front().driven.size())) {
    walls_.reserve_steps(script_.rows());
    set_views();
  }
  script_.upload(inputs);
  walls_.upload_states(inputs);
}

template <class Backend>
std::vector<std::uint8_t> ImplicitEngine<Backend>::download(World& world) {
  backend_.finish();
  Bodies& b = world.bodies;
  std::vector<Placed<float>> placed(n_);
  std::vector<Moving<float>> moving(n_);
  placed_.download(placed);
  moving_.download(moving);
  image_.download(b.image);
  std::vector<std::uint8_t> taken(n_, 0);
  for (std::size_t k = 0; k < n_; ++k) {
    if (moving[k].kind == BodyKind::kinematic) continue;  // the host moves them too, in double precision
    b.x[k] = placed[k].x;
    b.theta[k] = placed[k].theta;
    b.v[k] = {static_cast<double>(moving[k].v.x), static_cast<double>(moving[k].v.y)};
    b.omega[k] = static_cast<double>(moving[k].omega);
    taken[k] = moving[k].kind == gone ? 1 : 0;
  }
  download_contacts(world);
  std::erase_if(world.contacts, [&](const Contact& c) { return taken[c.b] || (c.a != no_body && taken[c.a]); });
  const auto of_wall = [](const Contact& c) { return c.a == no_body; };
  world.pair_contacts =
      static_cast<std::size_t>(std::ranges::find_if(world.contacts, of_wall) - world.contacts.begin());
  ThreadPool alone(1);
  sum_forces(world, alone);
  return taken;
}

template <class Backend>
void ImplicitEngine<Backend>::download_contacts(World& world) {
  const Frame f = read(frame_);
  std::vector<Held> held(f.links);
  sides_[f.side].held.download(held);
  const auto n = static_cast<std::uint32_t>(n_);
  std::vector<Contact>& out = world.contacts;
  out.clear();
  const auto add = [&](const Held& h, std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t r = 0; r < 2; ++r) {
      if (!(h.row[r].force.normal > 0)) continue;
      out.push_back(contact_of(h.row[r], a, b, a == no_body ? h.feature : r));
      if (a == no_body) out.back().wall = static_cast<std::int32_t>(h.other - n);
    }
  };
  for (const Held& h : held) {
    if (h.other >= n) continue;
    const std::size_t types = world.types.size();
    const bool lower_is_a = lower_is_a_[world.bodies.type[h.body] * types + world.bodies.type[h.other]];
    add(h, lower_is_a ? h.body : h.other, lower_is_a ? h.other : h.body);
  }
  const std::size_t pairs = out.size();
  for (const Held& h : held)
    if (h.other >= n) add(h, no_body, h.body);
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(pairs), out.end(), [](const Contact& c, const Contact& d) {
    return std::tuple(c.b, c.wall, c.feature) < std::tuple(d.b, d.wall, d.feature);
  });
}

}  // namespace scree::gpu
