#include "scree/implicit/implicit_solver.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace scree {

namespace {

// Of the thinnest feature: with overlaps below a quarter of it, nothing passes through, even if speeds grow within a
// step.
constexpr double thin_stride = 0.2;

constexpr std::size_t rubbed_chunk = 64;  // packs

// Of the types for which `counts` holds, by `before(a, b)`; 1 if there are none.
template <class Before, class Counts>
double first_of(const World& world, double GrainType::*number, Before before, Counts counts) {
  const std::vector<TypeUse> use = type_use(world);
  std::optional<double> first;
  for (std::size_t t = 0; t < world.types.size(); ++t) {
    const double value = world.types[t].*number;
    if (counts(use[t]) && (!first || before(value, *first))) first = value;
  }
  return first.value_or(1);
}

template <class Counts>
double smallest(const World& world, double GrainType::*number, Counts counts) {
  return first_of(world, number, std::less{}, counts);
}

double thinnest_feature(const World& world) {
  return smallest(world, &GrainType::thinnest, [](const TypeUse& use) { return use.moving || use.driven; });
}

}  // namespace

GrainScales scales_of_grains(const World& world) {
  const auto moving = [](const TypeUse& use) { return use.moving; };
  GrainScales grains;
  grains.radius = smallest(world, &GrainType::radius, moving);
  grains.mass_ratio =
      first_of(world, &GrainType::mass, std::greater{}, moving) / smallest(world, &GrainType::mass, moving);
  grains.stride = std::min(large_step::stride * grains.radius, thin_stride * thinnest_feature(world));
  return grains;
}

double resolved_speed(const World& world, const ImplicitSettings& settings, double dt) {
  const int n = settings.substeps > 0 ? settings.substeps : settings.most_substeps;
  return n * scales_of_grains(world).stride / dt;
}

ImplicitSolver::ImplicitSolver(const World& world, const TypeTables& tables, const ForceTables& forces,
                               WallPhase& walls, const ImplicitSettings& settings, double skin)
    : tables_(tables),
      forces_(forces),
      walls_(walls),
      settings_(settings),
      grains_(scales_of_grains(world)),
      finder_(world, tables, forces, walls),
      outlook_(tables, walls, grains_.radius, skin),
      sleepers_(settings.sleep, large_step::quiet * grains_.radius) {
  scales_.offset = large_step::offset * grains_.radius;
  scales_.renewal = large_step::renewal * grains_.radius;
  scales_.below = large_step::below * grains_.radius;
  scales_.turnover = large_step::turnover * grains_.radius;
  scales_.one_plane = settings.one_plane;
}

LoadSum ImplicitSolver::loads(const World& world, ThreadPool& pool) const {
  const Vec2d g = world.gravity.at(world.time);
  const Bodies& b = world.bodies;
  LoadSum sum;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (b.kind[k] != BodyKind::moving) continue;
    const double depth = dot(g, b.x[k]);
    sum.lowest = std::min(sum.lowest, -depth);
    sum.height -= depth;
    sum.bodies += 1;
  }
  std::vector<LoadSum> parts(chunk_count(world.contacts.size(), default_chunk));
  for_chunks(pool, world.contacts.size(), [&](std::size_t begin, std::size_t end, std::size_t k) {
    for (const Contact& c : std::span(world.contacts).subspan(begin, end - begin)) {
      const double kappa = contact_kappa(c, forces_.mobility(world, c.a), forces_.mobility(world, c.b));
      parts[k].squares += c.normal_force * kappa * c.normal_force * kappa;
      parts[k].contacts += 1;
      parts[k].deepest = std::max(parts[k].deepest, -c.gap);
    }
  });
  for (const LoadSum& part : parts) sum.merge(part);
  return sum;
}

void ImplicitSolver::choose_substeps(const World& world, double dt, ThreadPool& pool) {
  const int most = settings_.substeps > 0 ? settings_.substeps : settings_.most_substeps;
  const double fastest = fastest_approach(world, bodies_, tables_, pool).speed;
  // Where that asks for more substeps than there may be, what counts is whether anything is going to meet like that.
  fastest_meeting_ = {};
  if (fastest * dt > most * grains_.stride)
    fastest_meeting_ = outlook_.fastest_meeting(world, bodies_, dt, most * grains_.stride, pool);
  pace_ = pace_of(loads(world, pool), fastest, norm(world.gravity.at(world.time)), dt, grains_, settings_);
  shortest_ = shortest_substep(dt, settings_);
  watches_speeds_ = watches_speeds(pace_, fastest, grains_, settings_);
}

// Links of all that may touch in this step, or until the next look. What wakes has links of its own.
void ImplicitSolver::look_around(World& world, int left, bool first, double wake_speed, ThreadPool& pool) {
  const LinkFinder::Kept kept{links_.of_pairs(), [&](const Link& link) { return links_.least_gap(bodies_, link); },
                              [&](const Link& link) { return links_.shift_since(bodies_, link); }, first};
  do {
    outlook_.look(world, bodies_, pace_.h, left, first, pool);
    queries_ += finder_.find(world, bodies_, scales_, kept, pool, outlook_, found_);
  } while (sleepers_.wake(found_.links, wake_speed, bodies_, world));
  links_.pack(world, forces_, bodies_, found_.links, pool);
}

template <class Visit>
void ImplicitSolver::sweep(std::size_t thread, Barrier& barrier, Visit visit) {
  for (std::size_t phase = 0; phase < links_.order().phases(); ++phase) {
    const auto [first, last] = links_.order().share(phase, thread);
    for (std::size_t k = first; k < last; ++k) visit(links_.packs()[k]);
    barrier.wait();
  }
}

// Of all that moves, by all threads together, when gravity has given it `kick`, if anything: the same for any number of
// threads. Between two calls they must have waited for each other.
double ImplicitSolver::kinetic_energy(std::optional<Vec2d> kick, std::size_t thread, Barrier& barrier) {
  const auto [first, last] = share_of(kinetic_parts_.size(), thread, links_.order().threads());
  for (std::size_t k = first; k < last; ++k) {
    const std::size_t begin = k * default_chunk, end = std::min(begin + default_chunk, bodies_.grains);
    if (kick) bodies_.kick(*kick, begin, end);
    kinetic_parts_[k] = bodies_.kinetic_energy(begin, end);
  }
  barrier.wait();
  return std::accumulate(kinetic_parts_.begin(), kinetic_parts_.end(), 0.0);
}

// Its share of what friction and rolling resistance took.
void ImplicitSolver::find_rubbed(std::size_t thread) {
  const std::vector<LinkPack>& packs = links_.packs();
  const auto [first, last] = share_of(rubbed_parts_.size(), thread, links_.order().threads());
  for (std::size_t k = first; k < last; ++k) {
    Rubbed<double>& part = rubbed_parts_[k] = {};
    for (std::size_t p = k * rubbed_chunk, end = std::min(p + rubbed_chunk, packs.size()); p < end; ++p) {
      const Rubbed<double> more = rubbed(packs[p], bodies_.kicked, bodies_.of);
      part.sliding += more.sliding, part.rolling += more.rolling;
    }
  }
}

// A thread's share of what a substep has changed before anything moves, kept or brought back.
void ImplicitSolver::Beginning::keep(const SolverBodies& bodies, const LinkSet& links, std::size_t thread) {
  const std::size_t threads = links.order().threads();
  const auto [body, last_body] = share_of(bodies.grains, thread, threads);
  for (std::size_t k = body; k < last_body; ++k) std::ranges::copy(bodies.of[k].v, velocities[k].v);
  const auto [pack, last_pack] = share_of(links.packs().size(), thread, threads);
  for (std::size_t k = pack; k < last_pack; ++k) packs[k] = links.packs()[k];
}

void ImplicitSolver::Beginning::bring_back(SolverBodies& bodies, LinkSet& links) const {
  for (std::size_t k = 0; k < bodies.grains; ++k) {
    std::ranges::copy(velocities[k].v, bodies.of[k].v);
    if (bodies.moves[k]) bodies.kicked[k] = velocities[k];
  }
  links.packs() = packs;
}

// Where bodies become so fast in it that they would come too far, all is as it was before, and true is returned: then
// substeps are shorter.
bool ImplicitSolver::substep(World& world, const SweepSettings& s, bool books, double left,
                             const std::function<void()>& drive, ThreadPool& pool) {
  if (watches_speeds_) beginning_.reserve(bodies_, links_);
  bool hurried = false;
  rubbed_parts_.resize(chunk_count(links_.packs().size(), rubbed_chunk));
  const std::size_t threads = links_.order().threads();
  const Vec2d g = world.gravity.at(world.time);
  Barrier barrier(static_cast<int>(threads));
  std::vector<std::uint8_t> strayed(threads, 0), lost(threads, 0);
  std::vector<double> damped(threads, 0);  // the same by all
  std::exception_ptr failure;
  pool.run(threads, [&](std::size_t t) {
    const auto [first, last] = share_of(world.bodies.size(), t, threads);
    if (watches_speeds_) {
      beginning_.keep(bodies_, links_, t);
      barrier.wait();
    }
    const double before = kinetic_energy(pace_.h * g, t, barrier);
    sweep(t, barrier, [&](LinkPack& p) { warm_start(p, impacts_, bodies_.of); });
    sweep(t, barrier, [&](LinkPack& p) { sweep_soft(p, s, impacts_, bodies_.of); });
    const auto alone = [&](const auto& work) {
      if (t == 0) {
        try {
          work();
        } catch (...) {
          failure = std::current_exception();  // the others wait
        }
      }
      barrier.wait();
    };
    if (watches_speeds_) {
      alone([&] {
        hurried = hurry(fastest_approach(world, bodies_, tables_, pool).speed, left, shortest_, grains_, pace_);
      });
      if (hurried) return;
    }
    strayed[t] = bodies_.drift(world, pace_.h, first, last);
    barrier.wait();
    alone([&] { follow(world, drive); });
    double kinetic = 0, gain = 0;  // more than what walls and kinematic bodies put in
    for (int k = 0; k < fewest_rigid_sweeps || (k < most_rigid_sweeps && gain > kinetic_rounding * before); ++k) {
      sweep(t, barrier, [&](LinkPack& p) { sweep_rigid(p, s, impacts_, k == 0, bodies_.of); });
      if (k + 1 < fewest_rigid_sweeps) continue;
      kinetic = kinetic_energy(std::nullopt, t, barrier);
      gain = kinetic - before - links_.driven_work(bodies_);
    }
    if (t == 0) absorbed_ -= gain;
    if (books) find_rubbed(t);
    if (links_.damps_spin()) {
      barrier.wait();
      sweep(t, barrier, [&](LinkPack& p) { damp_spin(p, s, bodies_.of); });
      damped[t] = kinetic - kinetic_energy(std::nullopt, t, barrier);
    }
    lost[t] = outlook_.astray(bodies_, first, last);
  });
  if (failure) std::rethrow_exception(failure);
  if (hurried) {
    beginning_.bring_back(bodies_, links_);
    return true;
  }
  bodies_.kicks += pace_.h * g;
  if (books) {
    for (const Rubbed<double>& part : rubbed_parts_) rubbed_.sliding += part.sliding, rubbed_.rolling += part.rolling;
    rubbed_.rolling += damped[0];
  }
  strayed_ = strayed_ || std::ranges::count(strayed, 1) > 0;
  lost_ = outlook_.over() || std::ranges::count(lost, 1) > 0;
  return false;
}

namespace {

// Of consecutive bodies a share for each thread, with the contacts of which they are the lower ones.
std::vector<NarrowShare> body_shares(const World& world, std::size_t threads) {
  const std::span<const Contact> pairs = std::span(world.contacts).first(world.pair_contacts);
  const auto lower = [](const Contact& c) { return std::min(c.a, c.b); };
  std::vector<NarrowShare> shares(threads);
  for (std::size_t t = 1; t < threads; ++t) {
    const std::size_t first = share_of(pairs.size(), t, threads).first;
    const std::uint32_t body =
        first < pairs.size() ? lower(pairs[first]) : static_cast<std::uint32_t>(world.bodies.size());
    const auto begin = std::ranges::lower_bound(pairs, body, {}, lower) - pairs.begin();
    shares[t].first_body = shares[t - 1].end_body = body;
    shares[t].first_contact = shares[t - 1].end_contact = static_cast<std::size_t>(begin);
  }
  shares.back().end_body = static_cast<std::uint32_t>(world.bodies.size());
  shares.back().end_contact = pairs.size();
  return shares;
}

}  // namespace

void sum_forces(World& world, ThreadPool& pool) {
  Bodies& b = world.bodies;
  const std::span<const Contact> contacts = world.contacts, pairs = contacts.first(world.pair_contacts),
                                 walls = contacts.subspan(world.pair_contacts);
  const bool few = contacts.size() <= default_chunk;
  std::vector<NarrowShare> shares = body_shares(world, few ? 1 : static_cast<std::size_t>(pool.threads()));
  pool.run(shares.size(), [&](std::size_t t) {
    NarrowShare& own = shares[t];
    const auto of_share = pairs.subspan(own.first_contact, own.end_contact - own.first_contact);
    start_forces(world, own.first_body, own.end_body);
    add_to_lower(of_share, b);
    for (const Contact& c : of_share)
      if (std::max(c.a, c.b) >= own.end_body) own.beyond.push_back(c);
  });
  const auto wall_at = [&](std::uint32_t body) { return std::ranges::lower_bound(walls, body, {}, &Contact::b); };
  pool.run(shares.size(), [&](std::size_t t) {
    add_to_higher(pairs, shares, t, b);
    add_to_grain({wall_at(shares[t].first_body), wall_at(shares[t].end_body)}, b);
  });
}

ImplicitSolver::Work ImplicitSolver::step(World& world, double dt, bool books, bool edited,
                                          const std::function<void(double)>& drive, ThreadPool& pool) {
  const double begin = world.time, slow = rest_speed * norm(world.gravity.at(begin)) * dt;
  const float threshold = static_cast<float>(slow);
  sleepers_.start(world, tables_, dt, slow);
  bodies_.start(world, tables_, grains_.radius, scales_.renewal / 4, pool);
  sleepers_.hold(bodies_);
  kinetic_parts_.resize(chunk_count(bodies_.grains, default_chunk));
  choose_substeps(world, dt, pool);
  links_.start(pace_.h, {scales_.renewal, 2 * grains_.stride}, pool, world);
  queries_ = 0;
  rubbed_ = {};
  Work work;
  lost_ = true, strayed_ = false;
  substeps_ = 0;
  absorbed_ = 0;
  double since = begin;  // of substeps as long as they are now
  bool looked = false, hurried = false;
  for (int k = 0; k < pace_.substeps;) {
    if (lost_ || hurried) {
      const bool first = !std::exchange(looked, true);
      if (!first) {
        work.driven += rebound_all(threshold, pool);
        links_.write_contacts(bodies_, scales_.offset, pool, world);
      }
      if (hurried) links_.set_substep(pace_.h);
      look_around(world, pace_.substeps - k, first, slow, pool);
      if (first && edited) work.brought = links_.holdable(bodies_, pace_.load, world.step > 0, pool);
      note_approaches(threshold, pool);
    } else {
      work.driven += renew(world, threshold, pool);
    }
    const auto drive_on = [&] { drive(since + (k + 1) * pace_.h); };
    hurried = substep(world, sweep_settings(), books, begin + dt - world.time, drive_on, pool);
    if (hurried) {
      k = 0;  // of those that are shorter now
      since = world.time;
      continue;
    }
    work.driven += links_.driven_work(bodies_);
    ++k, ++substeps_;
  }
  work.driven += rebound_all(threshold, pool);
  work.friction = rubbed_.sliding;
  work.rolling = rubbed_.rolling;
  work.holdable = links_.holdable(bodies_, pace_.load, false, pool);
  links_.write_contacts(bodies_, scales_.offset, pool, world);
  links_.finish(bodies_, pool, world);
  bodies_.write_velocities(pool, world);
  sum_forces(world, pool);
  return work;
}

SweepSettings ImplicitSolver::sweep_settings() const {
  const auto h = static_cast<float>(pace_.h);
  return {h, static_cast<float>(large_step::push * grains_.radius / pace_.h),
          soft_contact(static_cast<float>(pace_.omega), h)};
}

void ImplicitSolver::note_approaches(float threshold, ThreadPool& pool) {
  std::vector<LinkPack>& packs = links_.packs();
  impacts_ = reduce_chunks(pool, packs.size(), 0, [&](std::size_t begin, std::size_t end) {
               bool any = false;
               for (std::size_t k = begin; k < end; ++k) any = note_approach(packs[k], threshold, bodies_.of) || any;
               return any ? 1 : 0;
             }) > 0;
}

// Returns the work of walls and kinematic bodies. Each pair gives back no more than it has absorbed, but several at a
// body may together give more: then all give less.
double ImplicitSolver::rebound_all(float threshold, ThreadPool& pool) {
  const double absorbed = std::exchange(absorbed_, 0.0);
  if (!impacts_) return 0;
  bodies_.keep_velocities(pool);
  Barrier barrier(static_cast<int>(links_.order().threads()));
  pool.run(links_.order().threads(),
           [&](std::size_t t) { sweep(t, barrier, [&](LinkPack& p) { rebound(p, threshold, bodies_.of); }); });
  const double driven = links_.rebound_work(bodies_);
  const double share = share_to_give(bodies_.gain(pool), absorbed, driven);
  if (share < 1) bodies_.blend_velocities(share, pool);
  return share * driven;
}

// Links whose bodies have moved on. Returns the work of walls and kinematic bodies: of several links of a pair none
// need go on, and an impact that one has seen rebounds before it may be forgotten.
double ImplicitSolver::renew(const World& world, float threshold, ThreadPool& pool) {
  if (!strayed_) return 0;
  constexpr std::size_t chunk = 64;
  std::vector<std::size_t> counts(chunk_count(links_.packs().size(), chunk), 0);
  several_parts_.start(counts.size(), pool, several_);
  for_chunks(
      pool, links_.packs().size(),
      [&](std::size_t begin, std::size_t end, std::size_t k) {
        counts[k] = links_.renew(world, finder_, scales_, forces_, bodies_, begin, end, several_parts_.of(k));
      },
      chunk);
  for (const std::size_t count : counts) queries_ += count;
  several_parts_.gather(pool);
  std::ranges::sort(several_);
  several_.erase(std::ranges::unique(several_).begin(), several_.end());
  double driven = 0;
  if (impacts_ && links_.has_impact(several_, threshold)) {
    driven = rebound_all(threshold, pool);
    note_approaches(threshold, pool);
  }
  links_.renew_several(world, finder_, scales_, forces_, bodies_, several_, pool);
  queries_ += several_.size();
  walls_.place_walls(world);
  links_.renew_walls(world, finder_, outlook_, scales_, forces_, bodies_, pool);
  return driven;
}

// Time moves on, and driven bodies and walls with it.
void ImplicitSolver::follow(World& world, const std::function<void()>& drive) {
  std::vector<Pose2d> before;
  for (const Wall& wall : world.walls) before.push_back(wall.pose);
  drive();
  strayed_ = bodies_.follow_driven(world) || strayed_;
  double most = 0;
  for (std::size_t w = 0; w < before.size(); ++w) {
    const Pose2d& now = world.walls[w].pose;
    most = std::max(most, norm(now.x - before[w].x) + std::abs(now.theta - before[w].theta) * outlook_.wall_reach(w));
  }
  outlook_.pass(most);
}

}  // namespace scree
