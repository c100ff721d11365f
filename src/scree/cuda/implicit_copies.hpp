#pragma once
// ImplicitEngine: the world into the memory of the device, and back.
#include "scree/cuda/implicit_engine.hpp"

namespace scree::gpu {

inline Vec2<float> in_single(Vec2d v) { return {static_cast<float>(v.x), static_cast<float>(v.y)}; }
inline Vec2d in_double(Vec2<float> v) { return {static_cast<double>(v.x), static_cast<double>(v.y)}; }

// Planes of a link that World keeps between steps, exactly as they came from a device. Forces are those of contacts.
inline Planes planes_of(const Link& link) {
  const auto f = [](double v) { return static_cast<float>(v); };
  Planes planes;
  planes.row_count = link.row_count;
  for (std::size_t r = 0; r < link.rows.size(); ++r) {
    const LinkRow& row = link.rows[r];
    planes.rows[r] = {in_single(row.gap_x), f(row.gap_theta_a), f(row.gap_theta_b), f(row.gap), 0};
  }
  planes.normal = in_single(link.normal), planes.arm_a = f(link.arm_a), planes.arm_b = f(link.arm_b);
  planes.turn = {in_single(link.turn.x), f(link.turn.theta_a), f(link.turn.theta_b), f(link.turn.force)};
  planes.sure = f(link.sure);
  planes.since = {-link.taken.x, -link.taken.y, -link.taken.turn_a, -link.taken.turn_b};
  return planes;
}

// The other way round.
inline Link world_link(const Planes& planes, std::uint32_t a, std::uint32_t b) {
  const auto d = [](float v) { return static_cast<double>(v); };
  Link link;
  link.a = a, link.b = b;
  link.row_count = planes.row_count;
  for (std::size_t r = 0; r < link.rows.size(); ++r) {
    const LinkRowOf<float>& row = planes.rows[r];
    link.rows[r] = {in_double(row.gap_x), d(row.gap_theta_a), d(row.gap_theta_b), d(row.gap), d(row.force)};
  }
  link.normal = in_double(planes.normal), link.arm_a = d(planes.arm_a), link.arm_b = d(planes.arm_b);
  link.tangential_force = d(planes.tangential_force), link.rolling_torque = d(planes.rolling_torque);
  link.turn = {in_double(planes.turn.x), d(planes.turn.theta_a), d(planes.turn.theta_b), d(planes.turn.force)};
  link.sure = d(planes.sure);
  link.taken = {-planes.since.x, -planes.since.y, -planes.since.turn_a, -planes.since.turn_b};
  return link;
}

// Forces and gaps of the contacts of a pair, or of one at a wall, and where its planes are not known their gradients
// too. Friction is shared out among them; a sum in double gives back what it was, to the last bit.
inline void add_contacts(std::span<const Contact> contacts, Held& held) {
  const auto f = [](double v) { return static_cast<float>(v); };
  Planes& planes = held.planes;
  const std::uint32_t last = held.serves ? static_cast<std::uint32_t>(planes.row_count) - 1 : 1u;
  double tangential = 0, rolling = 0;
  for (const Contact& c : contacts) {
    const std::uint32_t r = c.a == no_body ? 0 : std::min(c.feature, last);
    LinkRowOf<float>& row = planes.rows[r];
    if (!held.serves) {
      row = {in_single(c.gap_x), f(c.gap_theta_a), f(c.gap_theta_b), 0, 0};
      planes.row_count = std::max(planes.row_count, static_cast<int>(r) + 1);
      planes.normal = in_single(c.normal), planes.arm_a = f(c.arm_a), planes.arm_b = f(c.arm_b);
    }
    held.gap[r] = f(c.gap);
    row.force += f(c.normal_force);
    tangential += c.tangential_force, rolling += c.rotational_torque;
  }
  planes.tangential_force = f(tangential), planes.rolling_torque = f(rolling);
}

template <class Backend>
void ImplicitEngine<Backend>::upload(const World& world, std::size_t room) {
  allocate(world.bodies.size() + room);
  upload_bodies(world, 0, n_);
  walls_.upload(world, n_);
  motions_ = !world.motions.empty();
  turns_ = world.gravity.turn_rate != 0;
  upload_contacts(world);
  std::vector<Zone> zones;
  for (const DeletionZone& z : world.deletion_zones) zones.push_back({z.box, z.outside});
  zones_.resize(zones.size());
  zones_.upload(zones);
  Control fresh;
  fresh.work = work_of(world.ledger);
  fresh.work.held = world.ledger.elastic;
  control_.upload({&fresh, 1});
  set_views();
}

// Those from `first` to `end`; what the world does not have is still to come.
template <class Backend>
void ImplicitEngine<Backend>::upload_bodies(const World& world, std::size_t first, std::size_t end) {
  const Bodies& b = world.bodies;
  used_ = b.size();
  const std::size_t n = end - first;
  std::vector<Placed<float>> placed(n);
  std::vector<Moving<float>> moving(n, {{}, 0, 0, gone});  // velocities are elsewhere
  std::vector<TwistOf<double>> velocity(n);
  std::vector<std::uint32_t> index(n);
  std::vector<std::array<std::int32_t, 2>> image(n);
  std::vector<std::int32_t> driven(n, -1);
  if (first == 0) driven_count_ = 0;
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t k = i - first;
    index[k] = static_cast<std::uint32_t>(i);
    if (i >= b.size()) continue;
    placed[k] = {b.x[i], b.theta[i], turned_by<float>(b.theta[i])};
    moving[k] = {{}, 0, b.type[i], b.kind[i]};
    velocity[k] = {b.v[i], b.omega[i]};
    image[k] = b.image[i];
    if (b.kind[i] == BodyKind::kinematic) driven[k] = static_cast<std::int32_t>(driven_count_++);
  }
  placed_.upload(placed, first);
  moving_.upload(moving, first);
  velocity_.upload(velocity, first);
  index_.upload(index, first);
  image_.upload(image, first);
  if (first > 0 || driven_count_ == 0) return;
  driven_place_.resize(n_);
  driven_place_.upload(driven);
}

template <class Backend>
void ImplicitEngine<Backend>::append(const World& world, std::size_t first) {
  upload_bodies(world, first, world.bodies.size());
  Control c = read(control_);
  c.stale = 1;
  control_.upload({&c, 1});
}

// As the links of the last look: those that World keeps, of bodies that are where the last step left them, and
// contacts.
template <class Backend>
void ImplicitEngine<Backend>::upload_contacts(const World& world) {
  std::vector<std::uint32_t> first;
  std::vector<Held> held;
  const auto add = [&](std::size_t body, std::size_t other, std::uint32_t feature) -> Held& {
    Held& h = held.emplace_back();
    h.body = static_cast<std::uint32_t>(body), h.other = static_cast<std::uint32_t>(other), h.feature = feature;
    return h;
  };
  const auto displaced = [&](std::uint32_t k) {
    return k >= world.linked_at.size() || linked_body(world.bodies, k) != world.linked_at[k];
  };
  const auto lower = [](const auto& e) { return std::min(e.a, e.b); };
  const auto higher = [](const auto& e) { return std::max(e.a, e.b); };
  const std::vector<Contact>& contacts = world.contacts;
  const std::vector<Link>& links = world.links;
  std::size_t p = 0, q = world.pair_contacts, s = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    first.push_back(static_cast<std::uint32_t>(held.size()));
    const auto more = [&] { return p < world.pair_contacts && lower(contacts[p]) == k; };
    while (more() || (s < links.size() && lower(links[s]) == k)) {
      const bool of_link =
          s < links.size() && lower(links[s]) == k && !(more() && higher(contacts[p]) < higher(links[s]));
      Held& h = add(k, of_link ? higher(links[s]) : higher(contacts[p]), 0);
      if (of_link && !displaced(links[s].a) && !displaced(links[s].b)) h.serves = 1, h.planes = planes_of(links[s]);
      const std::size_t before = p;
      while (more() && higher(contacts[p]) == h.other) ++p;
      add_contacts(std::span(contacts).subspan(before, p - before), h);
      s += of_link ? 1 : 0;
    }
    for (; q < contacts.size() && contacts[q].b == k; ++q) {
      Held& h = add(k, n_ + static_cast<std::size_t>(contacts[q].wall), contacts[q].feature);
      add_contacts(std::span(contacts).subspan(q, 1), h);
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
  std::vector<TwistOf<double>> velocity(n_);
  placed_.download(placed);
  moving_.download(moving);
  velocity_.download(velocity);
  image_.download(b.image);
  std::vector<std::uint8_t> taken(b.size(), 0);
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (moving[k].kind == BodyKind::kinematic) continue;  // the host moves them too, in double precision
    b.x[k] = placed[k].x;
    b.theta[k] = placed[k].theta;
    b.v[k] = velocity[k].v;
    b.omega[k] = velocity[k].omega;
    taken[k] = moving[k].kind == gone ? 1 : 0;
  }
  download_contacts(world);
  const auto gone_with = [&](const auto& e) { return taken[e.b] || (e.a != no_body && taken[e.a]); };
  std::erase_if(world.contacts, gone_with);
  std::erase_if(world.links, gone_with);
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
  world.links.clear();
  const auto add = [&](const Held& h, const Link& link) {
    for (int r = 0; r < link.row_count; ++r) {
      const double gap = static_cast<double>(h.gap[r]);
      if (link.rows[static_cast<std::size_t>(r)].force > 0) out.push_back(contact_of(link, r, gap, n_));
    }
  };
  for (const Held& h : held) {
    if (h.other >= n) continue;
    const std::size_t types = world.types.size();
    const bool lower_is_a = lower_is_a_[world.bodies.type[h.body] * types + world.bodies.type[h.other]];
    const std::uint32_t a = lower_is_a ? h.body : h.other, b = lower_is_a ? h.other : h.body;
    const Link link = world_link(h.planes, a, b);
    add(h, link);
    if (h.serves) world.links.push_back(link);
  }
  const std::size_t pairs = out.size();
  for (const Held& h : held) {
    if (h.other < n) continue;
    Link link = world_link(h.planes, h.other, h.body);
    link.feature = h.feature;
    add(h, link);
  }
  std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(pairs), out.end(), [](const Contact& c, const Contact& d) {
    return std::tuple(c.b, c.wall, c.feature) < std::tuple(d.b, d.wall, d.feature);
  });
  world.linked_at.resize(world.bodies.size());
  for (std::size_t k = 0; k < world.linked_at.size(); ++k) world.linked_at[k] = linked_body(world.bodies, k);
}

}  // namespace scree::gpu
