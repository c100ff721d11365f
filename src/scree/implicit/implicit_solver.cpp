#include "scree/implicit/implicit_solver.hpp"

#include <algorithm>
#include <cmath>

#include "scree/contact/rotations.hpp"

namespace scree {

namespace {

// In units of the smallest moving grain's circumradius.
constexpr double margin = 0.01;    // a body may move by this beyond what its speed says
constexpr double below = 0.002;    // of planes under the gap that say nothing
constexpr double offset = 0.001;   // between surfaces
constexpr double renewal = 0.004;  // travel after which planes are taken anew
constexpr double stride = 0.06;    // way of two bodies towards each other in a substep
constexpr double push = 0.05;      // overlap that is pushed out in a step

// The skin grows with the way of the fastest grain in a step: fewer looks around, but more pairs to look at.
constexpr double skin_stride = 2;
constexpr double widest_skin = 1;

constexpr std::size_t few_packs = 150;

constexpr int fewest_substeps = 8;
constexpr double rest_speed = 2;    // of what gravity gives in a step: slower impacts do not rebound
constexpr double load_share = 0.8;  // of the tolerated overlap; the rest is the map's error

double smallest_radius(const World& world) {
  const std::vector<TypeUse> use = type_use(world);
  double radius = 0;
  for (std::size_t t = 0; t < world.types.size(); ++t) {
    if (use[t].moving) radius = radius == 0 ? world.types[t].radius : std::min(radius, world.types[t].radius);
  }
  return radius > 0 ? radius : 1;
}

}  // namespace

ImplicitSolver::ImplicitSolver(const World& world, const TypeTables& tables, const ForceTables& forces,
                               WallPhase& walls, const ImplicitSettings& settings, double skin)
    : tables_(tables),
      forces_(forces),
      walls_(walls),
      settings_(settings),
      skin_(skin),
      radius_(smallest_radius(world)),
      finder_(world, tables, forces, walls) {
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

void ImplicitSolver::choose_substeps(const World& world, double dt) {
  if (settings_.substeps > 0) {
    substeps_ = settings_.substeps;
    h_ = dt / substeps_;
    omega_ = stiffest / h_;
    return;
  }
  double fastest = 0;
  const Bodies& b = world.bodies;
  for (std::size_t k = 0; k < b.size(); ++k)
    fastest = std::max(fastest, norm(b.v[k]) + tables_.radius(b.type[k]) * std::abs(b.omega[k]));
  const double way = 2 * (fastest + norm(world.gravity.at(world.time)) * dt) * dt;
  omega_ = std::sqrt(load(world, dt) / (load_share * settings_.overlap * radius_));
  const double wanted =
      std::max({static_cast<double>(fewest_substeps), dt * omega_ / stiffest, way / (stride * radius_)});
  substeps_ = static_cast<int>(std::ceil(std::min(wanted, static_cast<double>(settings_.most_substeps))));
  h_ = dt / substeps_;
  omega_ = std::min(std::max(omega_, 0.5 * stiffest / dt * fewest_substeps), stiffest / h_);
}

double ImplicitSolver::fastest(double dt) const {
  const int n = settings_.substeps > 0 ? settings_.substeps : settings_.most_substeps;
  return 0.5 * n * stride * radius_ / dt;
}

void ImplicitSolver::refresh_lists(const World& world, double wide, ThreadPool& pool) {
  stale_ = stale_ || list_.built_at.size() != world.bodies.size();
  stale_ = stale_ || list_.skin < wide || list_.skin > 2 * wide;
  if (!stale_) {
    const double move = track_moves(world, tables_, pool, list_);
    stale_ = std::max(move, wall_moves(world, walls_.wall_features(), candidates_)) > 0.25 * wide;
  }
  if (!stale_) return;
  build_pair_list(world, tables_, 1.2 * wide, pool, list_);
  build_wall_candidates(world, tables_, walls_.wall_features(), 1.2 * wide, pool, candidates_);
  stale_ = false;
  ++rebuilds_;
}

// Links of all that may touch while every body moves by no more than its slack, which is to last for the time `left`.
// With a quarter of the skin for each of two bodies' moves and slacks, no pair outside the list can meet.
void ImplicitSolver::look_around(const World& world, double dt, double left, ThreadPool& pool) {
  double fastest = 0;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) fastest = std::max(fastest, bodies_.speed(k));
  // Of what is there now, not of what the list happens to have: links must not depend on the past.
  const double wide = std::clamp(skin_stride * fastest * dt, skin_, std::max(skin_, widest_skin * radius_));
  refresh_lists(world, wide, pool);
  const std::size_t n = world.bodies.size(), walls = world.walls.size();
  rotations_.resize(n);
  find_rotations(world, 0, n, rotations_);
  slack_.resize(n);
  std::ranges::fill(bodies_.travel, 0);
  const double fall = norm(world.gravity.at(world.time)) * left * left;
  for (std::size_t k = 0; k < n; ++k) {
    const double way = bodies_.speed(k) * left + (bodies_.moves[k] ? fall : 0);
    slack_[k] = std::min(0.25 * wide, margin * radius_ + way);
  }
  wall_slack_ = 0;
  wall_reach_.assign(walls, 0);
  for (std::size_t w = 0; w < walls; ++w) {
    const Wall& wall = world.walls[w];
    for (std::size_t k = 0; k < n && wall.omega != 0; ++k)
      wall_reach_[w] = std::max(wall_reach_[w], norm(world.bodies.x[k] - wall.pose.x) + bodies_.radius[k]);
    const double speed = norm(wall.velocity) + std::abs(wall.omega) * wall_reach_[w];
    wall_slack_ = std::max(wall_slack_, speed * left);
  }
  wall_slack_ = std::min(0.25 * wide, 2 * wall_slack_);
  wall_travel_ = 0;
  queries_ += finder_.find(world, rotations_, candidates_, slack_, wall_slack_, scales_, pool, list_, links_.links());
  links_.pack(world, forces_, bodies_, h_, renewal * radius_, pool);
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
    sweep(t, threads, barrier, [&](LinkPack& p) { warm_start(p, bodies_.of); });
    sweep(t, threads, barrier, [&](LinkPack& p) { sweep_soft(p, s, bodies_.of); });
    bodies_.drift(world, h_, first, last);
  });
  drive();
  pool.run(threads, [&](std::size_t t) {
    const auto [first, last] = share_of(world.bodies.size(), t, threads);
    sweep(t, threads, barrier, [&](LinkPack& p) { sweep_rigid(p, s, bodies_.of); });
    if (links_.damps_spin()) sweep(t, threads, barrier, [&](LinkPack& p) { damp_spin(p, s, bodies_.of); });
    for (std::size_t k = first; k < last; ++k) {
      const double way = (bodies_.speed(k) + norm(g) * h_) * h_;
      if (bodies_.travel[k] + way > slack_[k]) lost[t] = 1;
    }
  });
  lost_ = wall_travel_ > wall_slack_ || std::ranges::count(lost, 1) > 0;
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
  choose_substeps(world, dt);
  queries_ = 0;
  bodies_.start(world, tables_, radius_);
  const double begin = world.time;
  const float threshold = static_cast<float>(rest_speed * norm(world.gravity.at(begin)) * dt);
  const SweepSettings s{static_cast<float>(h_), static_cast<float>(push * radius_ / dt),
                        soft_contact(static_cast<float>(omega_), static_cast<float>(h_))};
  Work work;
  lost_ = true;
  for (int k = 0; k < substeps_; ++k) {
    if (lost_) {
      if (k > 0) links_.write_contacts(bodies_, scales_.offset, world);
      look_around(world, dt, dt - k * h_, pool);
      for_chunks(
          pool, links_.packs().size(),
          [&](std::size_t first, std::size_t last, std::size_t) {
            for (std::size_t p = first; p < last; ++p) note_approach(links_.packs()[p], bodies_.of);
          },
          128);
    } else {
      renew(world, pool);
    }
    substep(
        world, s, [&] { follow(world, [&] { drive(begin + (k + 1) * h_); }); }, pool);
    work.driven += links_.driven_work(bodies_);
  }
  for (LinkPack& p : links_.packs()) rebound(p, threshold, bodies_.of);
  work.friction = substeps_ * links_.friction_work(bodies_);
  links_.write_contacts(bodies_, scales_.offset, world);
  bodies_.write_velocities(world);
  sum_forces(world);
  return work;
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
  links_.renew_walls(world, finder_, candidates_, slack_, scales_, forces_, bodies_);
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
    most = std::max(most, norm(now.x - before[w].x) + std::abs(now.theta - before[w].theta) * wall_reach_[w]);
  }
  wall_travel_ += most;
}

}  // namespace scree
