#include "scree/implicit/find_links.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "scree/implicit/several_planes.hpp"
#include "scree/implicit/turn_kernel.hpp"

namespace scree {

namespace {

// The force of a row goes on in the same row.
void hand_on(const LinkRow& from, std::size_t row, const Mobility& a, const Mobility& b, Link& link) {
  if (link.row_count == 0) return;
  LinkRow& to = link.rows[std::min(row, static_cast<std::size_t>(link.row_count) - 1)];
  to.force += handed_on(from, to, a, b);
}

void hand_on_friction(Vec2d normal, double force, Link& link) {
  link.tangential_force += force * std::max(0.0, dot(normal, link.normal));
}

void hand_on(const Link& old, const Mobility& a, const Mobility& b, Link& link) {
  for (std::size_t r = 0; r < static_cast<std::size_t>(old.row_count); ++r) hand_on(old.rows[r], r, a, b, link);
  hand_on_friction(old.normal, old.tangential_force, link);
  link.rolling_torque = old.rolling_torque;
}

LinkRow row_of(const Contact& c) { return {c.gap_x, c.gap_theta_a, c.gap_theta_b, c.gap, c.normal_force}; }

void hand_on(const Contact& old, std::size_t row, const Mobility& a, const Mobility& b, Link& link) {
  hand_on(row_of(old), row, a, b, link);
  hand_on_friction(old.normal, old.tangential_force, link);
  link.rolling_torque += old.rotational_torque;
}

// Of the very planes that the contacts were written from.
void take_back(std::span<const Contact> contacts, Link& link) {
  for (LinkRow& row : link.rows) row.force = 0;
  link.tangential_force = link.rolling_torque = 0;
  for (const Contact& c : contacts) {
    const std::size_t row = c.feature - link.feature;
    if (row >= static_cast<std::size_t>(link.row_count)) continue;
    link.rows[row].force += c.normal_force;
    hand_on_friction(c.normal, c.tangential_force, link);
    link.rolling_torque += c.rotational_torque;
  }
}

// Returns whether there were any.
bool take_wall_forces(const World& world, const ForceTables& forces, std::uint32_t wall, Link& link) {
  const auto contacts = std::span(world.contacts).subspan(world.pair_contacts);
  const auto before = [](const Contact& c, std::uint32_t body) { return c.b < body; };
  for (auto c = std::lower_bound(contacts.begin(), contacts.end(), link.b, before);
       c != contacts.end() && c->b == link.b; ++c) {
    if (static_cast<std::uint32_t>(c->wall) != wall || c->feature != link.feature) continue;
    hand_on(*c, 0, {}, forces.mobility(world, link.b), link);
    return true;
  }
  return false;
}

// Of a pair that has `count` links, if their planes serve.
std::optional<double> least_gap(const LinkFinder::Kept& kept, std::span<const Link> of_pair, std::size_t count) {
  if (of_pair.size() != count) return std::nullopt;
  std::optional<double> least;
  for (const Link& link : of_pair) {
    const auto gap = kept.least_gap(link);
    if (!gap) return std::nullopt;
    least = std::min(gap, least ? least : gap);
  }
  return least;
}

}  // namespace

template <class Element>
class LinkFinder::ByPair {
 public:
  explicit ByPair(std::span<const Element> all) : all_(all) {}

  // Those of a pair lie next to each other.
  std::span<const Element> of(std::uint32_t a, std::uint32_t b) {
    const Key wanted{std::min(a, b), std::max(a, b)};
    if (!begun_ || (at_ > 0 && !(key(all_[at_ - 1]) < wanted))) {
      at_ = static_cast<std::size_t>(std::ranges::lower_bound(all_, wanted, {}, key) - all_.begin());
      begun_ = true;
    }
    while (at_ < all_.size() && key(all_[at_]) < wanted) ++at_;
    std::size_t end = at_;
    while (end < all_.size() && key(all_[end]) == wanted) ++end;
    return all_.subspan(at_, end - at_);
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  static Key key(const Element& e) { return {std::min(e.a, e.b), std::max(e.a, e.b)}; }

  std::span<const Element> all_;
  std::size_t at_ = 0;
  bool begun_ = false;
};

void LinkFinder::take_forces(const World& world, std::span<const Contact> contacts, std::span<Link> links) const {
  const Mobility a = forces_.mobility(world, links[0].a), b = forces_.mobility(world, links[0].b);
  if (links.size() == 1) {
    for (const Contact& c : contacts) hand_on(c, c.feature, a, b, links[0]);
    return;
  }
  std::array<LinkRow, most_planes> before;
  const auto ours = [&](const Contact& c) { return c.feature < links.size(); };  // not of the explicit solver
  for (const Contact& c : contacts)
    if (ours(c)) before[c.feature] = row_of(c);
  line_up(before, a, b, links);
  for (const Contact& c : contacts)
    if (ours(c)) hand_on(c, 0, a, b, links[c.feature]);
}

LinkFinder::LinkFinder(const World& world, const TypeTables& tables, const ForceTables& forces, WallPhase& walls)
    : tables_(tables), forces_(forces), walls_(walls), types_(world.types.size()), wall_count_(world.walls.size()) {
  for (int a = 0; a < static_cast<int>(types_); ++a) {
    for (int b = 0; b < static_cast<int>(types_); ++b)
      of_pairs_.push_back(restitution_of(forces.pair(a, b).damping_ratio));
    for (int w = 0; w < static_cast<int>(wall_count_); ++w)
      of_walls_.push_back(restitution_of(forces.wall(a, w).damping_ratio));
  }
}

// A given damping has the restitution that it has in the explicit solver.
void LinkFinder::set_parameters(const PairParameters& p, double restitution, double kappa, double curvature,
                                Link& link) const {
  link.friction = p.friction;
  link.spin_damping = p.rotational_damping;
  link.rolling_lever = curvature > 0 ? p.rolling_friction / curvature : 0;
  link.restitution = p.normal_damping < 0 || kappa <= 0
                         ? restitution
                         : restitution_of(0.5 * p.normal_damping * std::sqrt(kappa / p.stiffness));
}

void LinkFinder::set_pair_parameters(const World& world, const LinkRow& along, Link& link) const {
  const int type_a = world.bodies.type[link.a], type_b = world.bodies.type[link.b];
  const Mobility a = forces_.mobility(world, link.a), b = forces_.mobility(world, link.b);
  set_parameters(forces_.pair(type_a, type_b),
                 of_pairs_[static_cast<std::size_t>(type_a) * types_ + static_cast<std::size_t>(type_b)],
                 inverse_mass_along(along.gap_x, along.gap_theta_a, along.gap_theta_b, a, b),
                 a.inverse_radius + b.inverse_radius, link);
}

void LinkFinder::find_place(const World& world, std::uint32_t i, std::uint32_t j, Rotation2d rotation_i,
                            Rotation2d rotation_j, Place& at) const {
  const Bodies& b = world.bodies;
  const TypePair& types = tables_.pair(b.type[i], b.type[j]);
  const OrderedPair pair = ordered(types, i, j, world.separation(b.x[i], b.x[j]));
  at.types = &types;
  at.a = pair.a, at.b = pair.b;
  at.rotation_a = pair.a == i ? rotation_i : rotation_j;
  at.x_ab = at.rotation_a.back(pair.from_a);
  at.pose = {wrap_angle(b.theta[pair.b] - b.theta[pair.a]), (1 / types.map.scale) * at.x_ab};
  at.excess = {};
  const double reach = types.map.map->reach() * (1 - 1e-9), far = norm(at.pose.x);
  if (far <= reach) return;
  at.excess = (1 - reach / far) * at.pose.x;
  at.pose.x = (reach / far) * at.pose.x;
}

double LinkFinder::look(const World& world, const Place& at, double slack, const LinkScales& scales,
                        std::span<Link> links) const {
  const double sure = take_planes(at, slack, scales, links);
  if (sure > slack) return sure;
  for (std::size_t k = 0; k < links.size(); ++k) {
    Link& link = links[k];
    link.a = at.a, link.b = at.b;
    link.feature = static_cast<std::uint32_t>(k), link.of_pair = static_cast<std::uint32_t>(links.size());
    link.sure = sure;
    set_pair_parameters(world, link.rows[0], link);
  }
  return sure;
}

Link LinkFinder::wall_link(const World& world, const Contact& c, const LinkScales& scales) const {
  Link link;
  link.a = static_cast<std::uint32_t>(world.bodies.size()) + static_cast<std::uint32_t>(c.wall);
  link.b = c.b;
  link.feature = c.feature;
  link.rows[0] = row_of(c);
  link.rows[0].gap -= scales.offset;
  link.sure = link.rows[0].gap;
  link.row_count = 1;
  link.normal = c.normal, link.arm_a = c.arm_a, link.arm_b = c.arm_b;
  const std::size_t type = world.bodies.type[c.b];
  const Mobility grain = forces_.mobility(world, c.b);
  set_parameters(forces_.wall(world.bodies.type[c.b], c.wall),
                 of_walls_[type * wall_count_ + static_cast<std::size_t>(c.wall)], contact_kappa(c, {}, grain),
                 grain.inverse_radius, link);
  return link;
}

std::size_t LinkFinder::find(const World& world, const SolverBodies& bodies, const LinkScales& scales, const Kept& kept,
                             ThreadPool& pool, Outlook& outlook, FoundLinks& found) const {
  const std::size_t n = world.bodies.size();
  constexpr std::size_t chunk = 128;
  std::vector<std::size_t> looks(chunk_count(n, chunk), 0);
  found.pair_parts.start(looks.size(), pool, found.links);
  found.wall_parts.start(looks.size(), pool, found.at_walls);
  for_chunks(
      pool, n,
      [&](std::size_t begin, std::size_t end, std::size_t k) {
        ByPair<Link> kept_links(kept.links);
        std::vector<Candidate> candidates;
        candidates.reserve(2 * (end - begin));  // as in a bed at rest
        for (std::size_t i = begin; i < end; ++i) {
          find_candidates(world, bodies, static_cast<std::uint32_t>(i), kept, kept_links, outlook, candidates);
          find_walls(world, bodies, static_cast<std::uint32_t>(i), scales, outlook, found.wall_parts.of(k));
        }
        looks[k] = look_at(world, bodies, candidates, kept, scales, outlook, found.pair_parts.of(k));
      },
      chunk);
  found.pair_parts.gather(pool);
  found.wall_parts.gather(pool);
  found.links.insert(found.links.end(), found.at_walls.begin(), found.at_walls.end());
  return std::accumulate(looks.begin(), looks.end(), std::size_t{0});
}

void LinkFinder::find_candidates(const World& world, const SolverBodies& bodies, std::uint32_t i, const Kept& kept,
                                 ByPair<Link>& kept_links, const Outlook& outlook,
                                 std::vector<Candidate>& candidates) const {
  const Bodies& b = world.bodies;
  const PairList& list = outlook.list();
  const std::vector<Rotation2d>& rotations = outlook.rotations();
  for (std::size_t p = list.first[i]; p < list.first[i + 1]; ++p) {
    const std::uint32_t j = list.j[p];
    if (outlook.out_of_reach(world, i, j) || (bodies.rests(i) && bodies.rests(j))) continue;
    const double slack = outlook.slack(i, j);
    const TypePair& types = tables_.pair(b.type[i], b.type[j]);
    if (norm(world.separation(b.x[i], b.x[j])) - types.reach > slack) continue;
    // Before anything else that is remembered: after a restart there is nothing but links.
    const std::span<const Link> of_pair = kept_links.of(i, j);
    const auto gap = least_gap(kept, of_pair, links_of(types));
    if (gap ? *gap > slack : outlook.clear(p, i, j, slack)) continue;
    candidates.push_back({p, {}, {}, slack, {}});
    (gap ? candidates.back().old : candidates.back().gone) = of_pair;
    if (!gap) find_place(world, i, j, rotations[i], rotations[j], candidates.back().place);
  }
}

std::size_t LinkFinder::look_at(const World& world, const SolverBodies& bodies, std::span<const Candidate> candidates,
                                const Kept& kept, const LinkScales& scales, Outlook& outlook,
                                std::vector<Link>& links) const {
  std::size_t looks = 0, next = 0;
  const auto prefetch_next = [&] {
    while (next < candidates.size() && !candidates[next].old.empty()) ++next;
    if (next < candidates.size()) candidates[next++].place.prefetch(scales);
  };
  for (std::size_t k = 0; k < prefetched; ++k) prefetch_next();
  ByPair<Contact> contacts(std::span(world.contacts).first(world.pair_contacts));
  for (const Candidate& c : candidates) {
    const std::size_t first = links.size();
    if (!c.old.empty()) {
      links.insert(links.end(), c.old.begin(), c.old.end());
      for (std::size_t k = first; k < links.size(); ++k) {
        Link& link = links[k];
        link.fresh = false;
        if (!kept.from_last_step) continue;
        link.feature = static_cast<std::uint32_t>(k - first), link.of_pair = static_cast<std::uint32_t>(c.old.size());
        set_pair_parameters(world, link.rows[0], link);
        take_back(contacts.of(link.a, link.b), link);
      }
      continue;
    }
    prefetch_next();
    ++looks;
    links.resize(first + links_of(*c.place.types));
    const auto of_pair = std::span(links).subspan(first);
    const double gap = look(world, c.place, c.slack, scales, of_pair);
    if (gap > c.slack) {
      links.resize(first);
      outlook.found(c.pair, std::min(c.place.a, c.place.b), std::max(c.place.a, c.place.b), gap - c.place.types->doubt);
      continue;
    }
    const auto known = contacts.of(c.place.a, c.place.b);
    take_forces(world, known, of_pair);
    for (Link& link : of_pair) {
      if (c.gone.size() == of_pair.size())
        if (const Link& gone = c.gone[link.feature]; const auto by = kept.shift_since(gone))
          foresee_turn(world, scales, gone, *by, link);
      link.fresh = c.gone.empty() && known.empty();
      link.taken = bodies.shift(link.a, link.b);
    }
  }
  return looks;
}

void LinkFinder::find_walls(const World& world, const SolverBodies& bodies, std::uint32_t i, const LinkScales& scales,
                            const Outlook& outlook, std::vector<Link>& links) const {
  const std::size_t n = world.bodies.size();
  if (bodies.rests(i) && outlook.walls_rest()) return;
  std::vector<Contact> touched;
  walls_.touch(world, tables_, i, outlook.rotations()[i], outlook.candidates(), outlook.wall_slack(i) + scales.offset,
               touched);
  for (const Contact& c : touched) {
    if (bodies.rests(i) && bodies.rests(n + static_cast<std::size_t>(c.wall))) continue;
    Link link = wall_link(world, c, scales);
    link.fresh = !take_wall_forces(world, forces_, static_cast<std::uint32_t>(c.wall), link);
    link.taken = bodies.shift(link.a, link.b);
    links.push_back(link);
  }
}

LinkFinder::Place LinkFinder::place_of(const World& world, const Link& link) const {
  const Rotation2d rotation_a(world.bodies.theta[link.a]);  // the only one that is asked for
  Place at;
  find_place(world, std::min(link.a, link.b), std::max(link.a, link.b), rotation_a, rotation_a, at);
  return at;
}

void LinkFinder::foresee_turn(const World& world, const LinkScales& scales, const Link& old, const Shift& by,
                              Link& link) const {
  if (old.row_count != link.row_count || link.row_count == 0) return;
  const Bodies& bodies = world.bodies;
  const Mobility a = forces_.mobility(world, link.a), b = forces_.mobility(world, link.b);
  const double way = way_of(by, tables_.radius(bodies.type[link.a]), tables_.radius(bodies.type[link.b]));
  link.turn = turn_to_come(old.rows.data(), link.rows.data(), link.row_count, by, way, scales.renewal, a, b);
  double most = 0;
  for (const LinkRow& row : link.rows) most += row.force;
  link.turn.force = handed_on(old.turn, link.turn, most, a, b);
}

void LinkFinder::renew(const World& world, const Place& at, const LinkScales& scales, const Shift& by,
                       std::span<Link> links) const {
  std::array<Link, most_planes> old;
  std::array<LinkRow, most_planes> before;
  for (std::size_t k = 0; k < links.size(); ++k) {
    old[k] = std::exchange(links[k], {});
    if (old[k].row_count > 0) before[k] = old[k].rows[0];
  }
  look(world, at, std::numeric_limits<double>::max(), scales, links);
  const Mobility a = forces_.mobility(world, at.a), b = forces_.mobility(world, at.b);
  if (links.size() > 1) line_up(before, a, b, links);
  for (std::size_t k = 0; k < links.size(); ++k) {
    hand_on(old[k], a, b, links[k]);
    foresee_turn(world, scales, old[k], by, links[k]);
  }
}

void LinkFinder::renew_walls(const World& world, const Outlook& outlook, const LinkScales& scales,
                             std::span<Link> links) const {
  std::vector<Contact> touched;
  const auto n = static_cast<std::uint32_t>(world.bodies.size());
  const std::uint32_t body = links.front().b;
  walls_.touch(world, tables_, body, Rotation2d(world.bodies.theta[body]), outlook.candidates(),
               outlook.wall_slack(body) + scales.offset, touched);
  for (Link& link : links) {
    const auto c = std::ranges::find_if(touched, [&](const Contact& t) {
      return n + static_cast<std::uint32_t>(t.wall) == link.a && t.feature == link.feature;
    });
    if (c == touched.end()) continue;
    const Link old = link;
    link = wall_link(world, *c, scales);
    hand_on(old, {}, forces_.mobility(world, body), link);
  }
}

}  // namespace scree
