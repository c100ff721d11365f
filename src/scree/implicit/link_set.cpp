#include "scree/implicit/link_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>

#include "scree/implicit/books_kernel.hpp"

namespace scree {

namespace {

// What the bodies of a link do along a gradient.
struct LinkMotion {
  const float* a;
  const float* b;
  double along(Vec2d x, double theta_a, double theta_b) const {
    return x.x * (static_cast<double>(b[0]) - a[0]) + x.y * (static_cast<double>(b[1]) - a[1]) + theta_a * a[2] +
           theta_b * b[2];
  }
  double spin() const { return static_cast<double>(b[2]) - a[2]; }
};

bool any_strayed(const SolverBodies& bodies, const LinkPack& pack) {
  int any = 0;
  for (std::size_t k = 0; k < pack_lanes; ++k) any |= bodies.strayed[pack.a[k]] | bodies.strayed[pack.b[k]];
  return any != 0;
}

// The order of World::contacts.
bool precedes(const Contact& c, const Contact& d) {
  const auto key = [](const Contact& e) {
    return e.a == no_body ? std::tuple(true, e.b, static_cast<std::uint32_t>(e.wall), e.feature)
                          : std::tuple(false, std::min(e.a, e.b), std::max(e.a, e.b), e.feature);
  };
  return key(c) < key(d);
}

}  // namespace

double LinkSet::way_since(const SolverBodies& bodies, const Link& link, Shift& by) const {
  const Shift now = bodies.shift(link.a, link.b), then = link.taken;
  by = {now.x - then.x, now.y - then.y, now.turn_a - then.turn_a, now.turn_b - then.turn_b};
  return way_of(by, bodies.radius[link.a], bodies.radius[link.b]);
}

bool LinkSet::moved_on(const SolverBodies& bodies, const Link& link) const {
  Shift by;
  const double way = way_since(bodies, link, by);
  if (way < limits_.renewal) return false;
  double least = link.sure - way;
  for (int r = 0; r < link.row_count; ++r) {
    const LinkRow& row = link.rows[static_cast<std::size_t>(r)];
    least = std::min(least, row.gap + row.along(by));
  }
  return planes_are_due(way, least, limits_);
}

std::optional<double> LinkSet::least_gap(const SolverBodies& bodies, const Link& link) const {
  if (displaced_[link.a] || displaced_[link.b] || moved_on(bodies, link)) return std::nullopt;
  Shift by;
  return link.sure - way_since(bodies, link, by);
}

std::optional<Shift> LinkSet::shift_since(const SolverBodies& bodies, const Link& link) const {
  if (displaced_[link.a] || displaced_[link.b]) return std::nullopt;
  Shift by;
  way_since(bodies, link, by);
  return by;
}

void LinkSet::set_lane(const World& world, const ForceTables& forces, const SolverBodies& bodies, std::size_t k) {
  const Link& link = links_[k];
  const auto mobility = [&](std::uint32_t end) { return bodies.moves[end] ? forces.mobility(world, end) : Mobility{}; };
  pack_of(k).set(lane(k), link, bodies.shift(link.a, link.b), mobility(link.a), mobility(link.b), h_);
  PackWatch& watch = watches_[order_.lane_of(k) / pack_lanes];
  if (k >= pair_links_) return watch.clear(lane(k));  // of a wall: renew_walls()
  const double radius_a = bodies.radius[link.a], radius_b = bodies.radius[link.b];
  watch.set(lane(k), link, radius_a, radius_b,
            way_until_due(link.sure, link.rows, link.row_count, radius_a, radius_b, limits_));
}

LinkedBody linked_body(const Bodies& b, std::size_t k) { return {b.id[k], b.theta[k], b.x[k]}; }

Contact contact_of(const Link& link, int r, double gap, std::size_t grains) {
  const LinkRow& row = link.rows[static_cast<std::size_t>(r)];
  double total = 0;
  for (int k = 0; k < link.row_count; ++k) total += link.rows[static_cast<std::size_t>(k)].force;
  const double turned = total > 0 ? link.turn.force / total : 0, share = row.force > 0 ? row.force / total : 0;
  const bool wall = link.a >= grains;
  Contact c;
  c.a = wall ? no_body : link.a;
  c.b = link.b;
  c.wall = wall ? static_cast<std::int32_t>(link.a - grains) : -1;
  c.feature = link.feature + static_cast<std::uint32_t>(r);
  c.gap = gap;
  c.gap_x = row.gap_x + turned * link.turn.x;
  c.gap_theta_a = row.gap_theta_a + turned * link.turn.theta_a;
  c.gap_theta_b = row.gap_theta_b + turned * link.turn.theta_b;
  c.normal = link.normal;
  c.arm_a = link.arm_a;
  c.arm_b = link.arm_b;
  c.normal_force = row.force;
  c.tangential_force = link.tangential_force * share;
  c.rotational_torque = link.rolling_torque * share;
  return c;
}

void LinkSet::start(double h, const LinkLimits& limits, ThreadPool& pool, World& world) {
  h_ = h;
  limits_ = limits;
  links_.swap(world.links);
  const std::size_t n = world.bodies.size();
  const std::size_t known = world.linked_at.size();  // bodies that came since then are behind these
  if (known > n) links_.clear();
  pair_links_ = links_.size();
  displaced_.assign(n, 0);
  if (links_.empty()) return;
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k)
      displaced_[k] = k >= known || linked_body(world.bodies, k) != world.linked_at[k];
  });
}

void LinkSet::finish(const SolverBodies& bodies, ThreadPool& pool, World& world) {
  const std::size_t n = world.bodies.size();
  links_.resize(pair_links_);
  for_chunks(pool, pair_links_, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      Shift& taken = links_[k].taken;
      const Shift now = bodies.shift(links_[k].a, links_[k].b);
      taken = {taken.x - now.x, taken.y - now.y, taken.turn_a - now.turn_a, taken.turn_b - now.turn_b};
    }
  });
  world.linked_at.resize(n);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) world.linked_at[k] = linked_body(world.bodies, k);
  });
  links_.swap(world.links);
}

void LinkSet::pack(const World& world, const ForceTables& forces, const SolverBodies& bodies, std::vector<Link>& links,
                   ThreadPool& pool) {
  links_.swap(links);
  displaced_.assign(world.bodies.size(), 0);
  sort_out(world.bodies.size(), bodies, pool);
  order_.arrange(links_, world.bodies.x, bodies.moves, pool);
  packs_.resize(order_.packs());
  watches_.resize(packs_.size());
  for_chunks(
      pool, packs_.size(),
      [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t k = begin * pack_lanes; k < end * pack_lanes; ++k) {
          const std::uint32_t link = order_.link_at(k);
          if (link == SweepOrder::no_link) {
            packs_[k / pack_lanes].clear(k % pack_lanes, bodies.nobody());
            watches_[k / pack_lanes].clear(k % pack_lanes);
          } else {
            set_lane(world, forces, bodies, link);
          }
        }
      },
      64);
}

// How many links are of pairs, those with walls by body, and those of driven bodies.
void LinkSet::sort_out(std::size_t grains, const SolverBodies& bodies, ThreadPool& pool) {
  const auto of_pair = [&](const Link& link) { return link.a < grains; };
  pair_links_ = static_cast<std::size_t>(std::ranges::partition_point(links_, of_pair) - links_.begin());
  wall_bodies_.clear();
  for (std::size_t k = pair_links_; k < links_.size(); ++k)
    if (k == pair_links_ || links_[k].b != links_[k - 1].b) wall_bodies_.push_back(k);
  wall_bodies_.push_back(links_.size());
  std::vector<std::uint8_t> damped(chunk_count(links_.size(), default_chunk), 0);
  driven_parts_.start(damped.size(), pool, driven_);
  for_chunks(pool, links_.size(), [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    for (std::size_t k = begin; k < end; ++k) {
      const Link& link = links_[k];
      if (!bodies.moves[link.a] || !bodies.moves[link.b])
        driven_parts_.of(chunk).push_back(static_cast<std::uint32_t>(k));
      damped[chunk] |= link.spin_damping > 0;
    }
  });
  driven_parts_.gather(pool);
  damps_spin_ = std::ranges::find(damped, 1) != damped.end();
}

std::size_t LinkSet::renew(const World& world, const LinkFinder& finder, const LinkScales& scales,
                           const ForceTables& forces, const SolverBodies& bodies, std::size_t begin, std::size_t end,
                           std::vector<std::uint32_t>& several) {
  struct Due {
    std::uint32_t link;
    LinkFinder::Place place;
  };
  std::vector<Due> due;
  for (std::size_t p = begin; p < end; ++p) {
    if (!any_strayed(bodies, packs_[p])) continue;
    for (std::uint32_t lanes = may_be_due(watches_[p], packs_[p], bodies.of); lanes != 0; lanes &= lanes - 1) {
      const std::uint32_t k = order_.link_at(p * pack_lanes + static_cast<std::size_t>(std::countr_zero(lanes)));
      if (!moved_on(bodies, links_[k])) continue;
      if (links_[k].of_pair > 1) {
        several.push_back(k - links_[k].feature);
        continue;
      }
      due.push_back({k, finder.place_of(world, links_[k])});
      if (due.size() <= LinkFinder::prefetched) due.back().place.prefetch(scales);
    }
  }
  for (std::size_t n = 0; n < due.size(); ++n) {
    if (n + LinkFinder::prefetched < due.size()) due[n + LinkFinder::prefetched].place.prefetch(scales);
    renew_pair(world, finder, due[n].place, scales, bodies, due[n].link);
    set_lane(world, forces, bodies, due[n].link);
  }
  return due.size();
}

bool LinkSet::has_impact(std::span<const std::uint32_t> firsts, float threshold) const {
  return std::ranges::any_of(firsts, [&](std::size_t first) {
    for (std::size_t k = first; k < first + links_[first].of_pair; ++k) {
      const PackRow& row = pack_of(k).row[0];
      if (row.approach[lane(k)] < -threshold && row.absorbed[lane(k)] > 0) return true;
    }
    return false;
  });
}

void LinkSet::renew_pair(const World& world, const LinkFinder& finder, const LinkFinder::Place& at,
                         const LinkScales& scales, const SolverBodies& bodies, std::size_t first) {
  const auto links = std::span(links_).subspan(first, links_[first].of_pair);
  for (std::size_t k = 0; k < links.size(); ++k) pack_of(first + k).read_forces(lane(first + k), h_, links[k]);
  Shift by;
  way_since(bodies, links[0], by);
  finder.renew(world, at, scales, by, links);
  for (Link& link : links) link.taken = bodies.shift(link.a, link.b);
}

void LinkSet::renew_several(const World& world, const LinkFinder& finder, const LinkScales& scales,
                            const ForceTables& forces, const SolverBodies& bodies,
                            std::span<const std::uint32_t> firsts, ThreadPool& pool) {
  constexpr std::size_t chunk = 32;
  for_chunks(
      pool, firsts.size(),
      [&](std::size_t begin, std::size_t end, std::size_t) {
        for (const std::uint32_t k : firsts.subspan(begin, end - begin))
          renew_pair(world, finder, finder.place_of(world, links_[k]), scales, bodies, k);
      },
      chunk);
  for (const std::uint32_t first : firsts)  // a pack may have links of two threads
    for (std::size_t k = first; k < first + links_[first].of_pair; ++k) set_lane(world, forces, bodies, k);
}

void LinkSet::renew_walls(const World& world, const LinkFinder& finder, const Outlook& outlook,
                          const LinkScales& scales, const ForceTables& forces, const SolverBodies& bodies,
                          ThreadPool& pool) {
  const auto renew_body = [&](std::size_t first, std::size_t end) {
    bool due = false;
    for (std::size_t k = first; k < end; ++k) due = due || moved_on(bodies, links_[k]);
    if (!due) return false;
    for (std::size_t k = first; k < end; ++k) pack_of(k).read_forces(lane(k), h_, links_[k]);
    finder.renew_walls(world, outlook, scales, std::span(links_).subspan(first, end - first));
    return true;
  };
  constexpr std::size_t chunk = 32;
  std::vector<std::uint8_t> renewed(wall_bodies_.size() - 1);
  for_chunks(
      pool, renewed.size(),
      [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t n = begin; n < end; ++n) renewed[n] = renew_body(wall_bodies_[n], wall_bodies_[n + 1]);
      },
      chunk);
  for (std::size_t n = 0; n < renewed.size(); ++n) {  // a pack may have links of two threads
    for (std::size_t k = wall_bodies_[n]; renewed[n] && k < wall_bodies_[n + 1]; ++k) {
      links_[k].taken = bodies.shift(links_[k].a, links_[k].b);
      set_lane(world, forces, bodies, k);
    }
  }
}

void LinkSet::write_contacts(const SolverBodies& bodies, double offset, ThreadPool& pool, World& world) {
  const auto grains = std::span(bodies.moves).first(world.bodies.size());
  std::size_t kept = 0;  // as a rule
  if (std::ranges::find(grains, 0) != grains.end()) {
    std::erase_if(world.contacts,
                  [&](const Contact& c) { return bodies.moves[c.b] || (c.a != no_body && bodies.moves[c.a]); });
    kept = world.contacts.size();
  }
  const std::size_t chunks = chunk_count(links_.size(), default_chunk);
  std::vector<std::size_t> ends(chunks + 1, kept);
  for_chunks(pool, links_.size(), [&](std::size_t begin, std::size_t end, std::size_t part) {
    std::size_t& rows = ends[part + 1] = 0;
    for (std::size_t k = begin; k < end; ++k) {
      pack_of(k).read_forces(lane(k), h_, links_[k]);
      for (int r = 0; r < links_[k].row_count; ++r) rows += is_contact(bodies, k, r, offset);
    }
  });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  world.contacts.resize(ends.back());
  for_chunks(pool, links_.size(), [&](std::size_t begin, std::size_t end, std::size_t part) {
    Contact* out = world.contacts.data() + ends[part];
    for (std::size_t k = begin; k < end; ++k) out = add_contacts(bodies, world.bodies.size(), offset, k, out);
  });
  std::inplace_merge(world.contacts.begin(), world.contacts.begin() + static_cast<std::ptrdiff_t>(kept),
                     world.contacts.end(), precedes);
  const auto of_pair = [](const Contact& c) { return c.a != no_body; };
  world.pair_contacts =
      static_cast<std::size_t>(std::ranges::partition_point(world.contacts, of_pair) - world.contacts.begin());
}

double LinkSet::gap_now(const SolverBodies& bodies, std::size_t k, int r, double offset) const {
  const Link& link = links_[k];
  const LinkRow& row = link.rows[static_cast<std::size_t>(r)];
  const LinkMotion moved{bodies.of[link.a].moved, bodies.of[link.b].moved};
  return pack_of(k).row[r].s[lane(k)] + moved.along(row.gap_x, row.gap_theta_a, row.gap_theta_b) + offset;
}

bool LinkSet::is_contact(const SolverBodies& bodies, std::size_t k, int r, double offset) const {
  return links_[k].rows[static_cast<std::size_t>(r)].force > 0 || gap_now(bodies, k, r, offset) < -limits_.stride;
}

Contact* LinkSet::add_contacts(const SolverBodies& bodies, std::size_t grains, double offset, std::size_t k,
                               Contact* out) const {
  const Link& link = links_[k];
  for (int r = 0; r < link.row_count; ++r) {
    if (!is_contact(bodies, k, r, offset)) continue;
    *out++ = contact_of(link, r, gap_now(bodies, k, r, offset), grains);
  }
  return out;
}

// work(link, its pack, its lane, the velocities of those of its ends that are driven).
template <class Work>
double LinkSet::sum_driven(const SolverBodies& bodies, Work work) const {
  static constexpr float still[3] = {};
  if (!bodies.anything_driven()) return 0;
  double sum = 0;
  for (const std::uint32_t k : driven_) {
    const Link& link = links_[k];
    sum += work(link, pack_of(k), lane(k),
                LinkMotion{bodies.moves[link.a] ? still : bodies.of[link.a].v,
                           bodies.moves[link.b] ? still : bodies.of[link.b].v});
  }
  return sum;
}

// The impulse on a driven end, against that end's velocity.
double LinkSet::driven_work(const SolverBodies& bodies) const {
  return sum_driven(bodies, [](const Link& link, const LinkPack& p, std::size_t at, const LinkMotion& v) {
    double work = 0;
    for (int r = 0; r < link.row_count; ++r) {
      const LinkRow& row = link.rows[static_cast<std::size_t>(r)];
      work -= static_cast<double>(p.row[r].impulse[at]) * v.along(row.gap_x, row.gap_theta_a, row.gap_theta_b);
    }
    work -= static_cast<double>(p.tangent_impulse[at]) * v.along(perp(link.normal), link.arm_a, link.arm_b);
    work -= static_cast<double>(p.turn_impulse[at]) * v.along(link.turn.x, link.turn.theta_a, link.turn.theta_b);
    return work - static_cast<double>(p.roll_impulse[at]) * v.spin();
  });
}

double LinkSet::rebound_work(const SolverBodies& bodies) const {
  return sum_driven(bodies, [](const Link& link, const LinkPack& p, std::size_t at, const LinkMotion& v) {
    double work = 0;
    for (int r = 0; r < link.row_count; ++r) {
      const LinkRow& row = link.rows[static_cast<std::size_t>(r)];
      work -= static_cast<double>(p.row[r].absorbed[at]) * v.along(row.gap_x, row.gap_theta_a, row.gap_theta_b);
    }
    return work;
  });
}

double LinkSet::holdable(const SolverBodies& bodies, double load, bool fresh, ThreadPool& pool) const {
  return reduce_chunks(pool, links_.size(), 0.0, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) {
      if (fresh && !links_[k].fresh) continue;
      for (int r = 0; r < links_[k].row_count; ++r) {
        const PackRow& row = pack_of(k).row[r];
        sum += may_hold(row.impulse[lane(k)] / h_, -gap_now(bodies, k, r, 0), row.mass[lane(k)], load);
      }
    }
    return sum;
  });
}

}  // namespace scree
