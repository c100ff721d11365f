#include "scree/implicit/implicit_solver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace scree {

namespace {

// In units of the smallest moving grain's circumradius.
constexpr double below = 0.002;    // of planes under the gap that say nothing
constexpr double offset = 0.001;   // between surfaces
constexpr double renewal = 0.006;  // travel after which planes are taken anew
constexpr double stride = 0.045;   // way of two bodies towards each other in a substep
constexpr double push = 0.00625;   // overlap that is pushed out in a substep
// Of the thinnest feature: with overlaps below a quarter of it, nothing passes through, even if speeds grow within a
// step.
constexpr double thin_stride = 0.2;

constexpr std::size_t few_packs = 150;

constexpr int fewest_substeps = 8;
constexpr double rest_speed = 2;    // of what gravity gives in a step: slower impacts do not rebound
constexpr double load_share = 0.8;  // of the tolerated overlap; the rest is the map's error
constexpr double too_deep = 4;      // times the tolerated overlap: more substeps are needed than was thought

// The smallest of the types for which `counts` holds; 1 if there are none.
template <class Counts>
double smallest(const World& world, double GrainType::*length, Counts counts) {
  const std::vector<TypeUse> use = type_use(world);
  double least = std::numeric_limits<double>::max();
  for (std::size_t t = 0; t < world.types.size(); ++t) {
    if (counts(use[t])) least = std::min(least, world.types[t].*length);
  }
  return least < std::numeric_limits<double>::max() ? least : 1;
}

double smallest_radius(const World& world) {
  return smallest(world, &GrainType::radius, [](const TypeUse& use) { return use.moving; });
}

double thinnest_feature(const World& world) {
  return smallest(world, &GrainType::thinnest, [](const TypeUse& use) { return use.moving || use.driven; });
}

// Way of two bodies towards each other in a substep, length.
double stride_of(const World& world) {
  return std::min(stride * smallest_radius(world), thin_stride * thinnest_feature(world));
}

}  // namespace

double resolved_speed(const World& world, const ImplicitSettings& settings, double dt) {
  const int n = settings.substeps > 0 ? settings.substeps : settings.most_substeps;
  return n * stride_of(world) / dt;
}

ImplicitSolver::ImplicitSolver(const World& world, const TypeTables& tables, const ForceTables& forces,
                               WallPhase& walls, const ImplicitSettings& settings, double skin)
    : tables_(tables),
      forces_(forces),
      walls_(walls),
      settings_(settings),
      radius_(smallest_radius(world)),
      stride_(stride_of(world)),
      finder_(world, tables, forces, walls),
      outlook_(tables, walls, radius_, skin),
      sleepers_(settings.sleep, renewal * radius_) {
  scales_.offset = offset * radius_;
  scales_.below = below * radius_;
}

// The largest F kappa to be expected, an acceleration. Of a bed under gravity it follows from the depth, which is twice
// the mean height: forces peak at five times their mean, and kappa is about four times the inverse mass. Loads far
// above that show in the contacts, and count in powers of four: a stiffness that followed them would shake the bed.
double ImplicitSolver::load(const World& world, double dt) const {
  const Vec2d g = world.gravity.at(world.time);
  const Bodies& b = world.bodies;
  double lowest = 1e300, mean = 0, count = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (b.kind[k] != BodyKind::moving) continue;
    const double depth = dot(g, b.x[k]);
    lowest = std::min(lowest, -depth);
    mean -= depth;
    count += 1;
  }
  const double of_depth = count > 0 ? 20 * (norm(g) + 2 * (mean / count - lowest) / (1.5 * radius_)) : 0;
  double squares = 0;
  for (const Contact& c : world.contacts) {
    const double kappa = contact_kappa(c, forces_.mobility(world, c.a), forces_.mobility(world, c.b));
    squares += c.normal_force * kappa * c.normal_force * kappa;
  }
  const double contacts = static_cast<double>(std::max<std::size_t>(1, world.contacts.size()));
  const double of_contacts = 4 * std::sqrt(squares / contacts);
  if (of_contacts <= 4 * of_depth) return of_depth;
  const double base = of_depth > 0 ? of_depth : radius_ / (dt * dt);
  return base * std::pow(4.0, std::ceil(std::log2(of_contacts / base) / 2 - 0.5));
}

// How many times as many substeps it takes, in powers of two, because contacts are too deep: thin features, or links of
// a chain that pass on what many others push.
double ImplicitSolver::haste(const World& world) const {
  double deepest = 0;
  for (const Contact& c : world.contacts) deepest = std::max(deepest, -c.gap);
  const double most = std::min(too_deep * settings_.overlap * radius_, stride_);
  return deepest > most ? std::exp2(std::ceil(std::log2(deepest / most))) : 1;
}

void ImplicitSolver::choose_substeps(const World& world, double dt, ThreadPool& pool) {
  const int most = settings_.substeps > 0 ? settings_.substeps : settings_.most_substeps;
  const double fastest = fastest_approach(world, bodies_, tables_).speed;
  // Where that asks for more substeps than there may be, what counts is whether anything is going to meet like that.
  fastest_meeting_ = {};
  if (fastest * dt > most * stride_)
    fastest_meeting_ = outlook_.fastest_meeting(world, bodies_, dt, most * stride_, pool);
  if (settings_.substeps > 0) {
    substeps_ = settings_.substeps;
    h_ = dt / substeps_;
    omega_ = stiffest / h_;
    return;
  }
  const double way = (fastest + norm(world.gravity.at(world.time)) * dt) * dt;
  omega_ = haste(world) * std::sqrt(load(world, dt) / (load_share * settings_.overlap * radius_));
  const double wanted = std::max({static_cast<double>(fewest_substeps), dt * omega_ / stiffest, way / stride_});
  substeps_ = static_cast<int>(std::ceil(std::min(wanted, static_cast<double>(settings_.most_substeps))));
  h_ = dt / substeps_;
  // Substeps that speed asks for serve stiffness too. In powers of two: one that followed speed would shake the bed.
  omega_ =
      std::min(std::max(omega_, 0.5 * stiffest / dt * std::bit_floor(static_cast<unsigned>(substeps_))), stiffest / h_);
}

// Links of all that may touch in this step, or until the next look. What wakes has links of its own.
void ImplicitSolver::look_around(World& world, int left, double wake_speed, ThreadPool& pool) {
  const std::uint64_t rebuilds = outlook_.rebuilds();
  std::vector<Link> links;
  do {
    outlook_.look(world, bodies_, h_, left, left == substeps_, pool);
    const bool same_list = outlook_.rebuilds() == rebuilds;
    queries_ += finder_.find(
        world, bodies_, scales_, [&](std::size_t pair) { return same_list ? links_.kept(bodies_, pair) : nullptr; },
        pool, outlook_, links);
  } while (sleepers_.wake(links, wake_speed, bodies_, world));
  links_.pack(world, forces_, bodies_, std::move(links), outlook_.list().size(), pool);
}

template <class Visit>
void ImplicitSolver::sweep(std::size_t thread, std::size_t threads, Barrier& barrier, Visit visit) {
  for (const LinkSet::Phase& phase : links_.phases()) {
    auto [first, last] = share_of(phase.end - phase.begin, thread, threads);
    if (phase.one_by_one) first = 0, last = thread == 0 ? phase.end - phase.begin : 0;
    for (std::size_t k = phase.begin + first; k < phase.begin + last; ++k) visit(links_.packs()[k]);
    barrier.wait();
  }
}

void ImplicitSolver::substep(World& world, const SweepSettings& s, const std::function<void()>& drive,
                             ThreadPool& pool) {
  // A few links are swept sooner than threads can wait for each other.
  const std::size_t threads = links_.packs().size() < few_packs ? 1 : static_cast<std::size_t>(pool.threads());
  const Vec2d g = world.gravity.at(world.time);
  Barrier barrier(static_cast<int>(threads));
  std::vector<std::uint8_t> lost(threads, 0);
  pool.run(threads, [&](std::size_t t) {
    const auto [first, last] = share_of(world.bodies.size(), t, threads);
    bodies_.kick(h_ * g, first, last);
    barrier.wait();
    sweep(t, threads, barrier, [&](LinkPack& p) { warm_start(p, impacts_, bodies_.of); });
    sweep(t, threads, barrier, [&](LinkPack& p) { sweep_soft(p, s, impacts_, bodies_.of); });
    bodies_.drift(world, h_, first, last);
  });
  drive();
  pool.run(threads, [&](std::size_t t) {
    const auto [first, last] = share_of(world.bodies.size(), t, threads);
    // Twice: what is left of the pushing would lift the bed and be energy from nowhere.
    for (int k = 0; k < 2; ++k)
      sweep(t, threads, barrier, [&](LinkPack& p) { sweep_rigid(p, s, impacts_, bodies_.of); });
    if (links_.damps_spin()) sweep(t, threads, barrier, [&](LinkPack& p) { damp_spin(p, s, bodies_.of); });
    lost[t] = outlook_.astray(bodies_, first, last);
  });
  lost_ = outlook_.over() || std::ranges::count(lost, 1) > 0;
}

// As the explicit solver leaves them, for whoever reads the world.
void ImplicitSolver::sum_forces(World& world) const {
  Bodies& b = world.bodies;
  start_forces(world, 0, b.size());
  const std::span<const Contact> contacts = world.contacts, pairs = contacts.first(world.pair_contacts);
  NarrowShare all;
  all.end_body = static_cast<std::uint32_t>(b.size());
  all.end_contact = pairs.size();
  add_to_lower(pairs, b);
  add_to_higher(pairs, {all}, 0, b);
  add_to_grain(contacts.subspan(world.pair_contacts), b);
}

ImplicitSolver::Work ImplicitSolver::step(World& world, double dt, const std::function<void(double)>& drive,
                                          ThreadPool& pool) {
  const double begin = world.time, slow = rest_speed * norm(world.gravity.at(begin)) * dt;
  const float threshold = static_cast<float>(slow);
  sleepers_.start(world, tables_, dt, slow);
  bodies_.start(world, tables_, radius_, renewal * radius_ / 4);
  sleepers_.hold(bodies_);
  choose_substeps(world, dt, pool);
  links_.start(h_, {renewal * radius_, 2 * stride_});
  queries_ = 0;
  const SweepSettings s{static_cast<float>(h_), static_cast<float>(push * radius_ / h_),
                        soft_contact(static_cast<float>(omega_), static_cast<float>(h_))};
  Work work;
  lost_ = true;
  for (int k = 0; k < substeps_; ++k) {
    if (lost_) {
      if (k > 0) {
        rebound_all(threshold);
        links_.write_contacts(bodies_, scales_.offset, world);
      }
      look_around(world, substeps_ - k, slow, pool);
      impacts_ = false;
      for (LinkPack& p : links_.packs()) impacts_ = note_approach(p, threshold, bodies_.of) || impacts_;
    } else {
      renew(world, pool);
    }
    substep(
        world, s, [&] { follow(world, [&] { drive(begin + (k + 1) * h_); }); }, pool);
    work.driven += links_.driven_work(bodies_);
  }
  rebound_all(threshold);
  const LinkSet::Losses losses = links_.losses(bodies_);
  work.friction = substeps_ * losses.sliding;
  work.rolling = substeps_ * losses.rolling;
  links_.write_contacts(bodies_, scales_.offset, world);
  bodies_.write_velocities(world);
  sum_forces(world);
  return work;
}

void ImplicitSolver::rebound_all(float threshold) {
  for (std::size_t k = 0; impacts_ && k < links_.packs().size(); ++k) rebound(links_.packs()[k], threshold, bodies_.of);
}

// Links whose bodies have moved on.
void ImplicitSolver::renew(const World& world, ThreadPool& pool) {
  constexpr std::size_t chunk = 64;
  std::vector<std::size_t> counts(chunk_count(links_.packs().size(), chunk), 0);
  for_chunks(
      pool, links_.packs().size(),
      [&](std::size_t begin, std::size_t end, std::size_t k) {
        counts[k] = links_.renew(world, finder_, scales_, forces_, bodies_, begin, end);
      },
      chunk);
  for (const std::size_t count : counts) queries_ += count;
  walls_.place_walls(world);
  links_.renew_walls(world, finder_, outlook_, scales_, forces_, bodies_);
}

// Time moves on, and driven bodies and walls with it.
void ImplicitSolver::follow(World& world, const std::function<void()>& drive) {
  std::vector<Pose2d> before;
  for (const Wall& wall : world.walls) before.push_back(wall.pose);
  drive();
  bodies_.follow_driven(world);
  double most = 0;
  for (std::size_t w = 0; w < before.size(); ++w) {
    const Pose2d& now = world.walls[w].pose;
    most = std::max(most, norm(now.x - before[w].x) + std::abs(now.theta - before[w].theta) * outlook_.wall_reach(w));
  }
  outlook_.pass(most);
}

}  // namespace scree
