#include "scree/implicit/implicit_solver.hpp"

#include <algorithm>
#include <cmath>

#include "scree/contact/rotations.hpp"

namespace scree {

namespace {

// In units of the smallest moving grain's circumradius.
constexpr double margin = 0.01;    // a body may move by this beyond what its speed says
constexpr double above = 0.002;    // of planes over the gap
constexpr double offset = 0.001;   // between surfaces
constexpr double renewal = 0.004;  // travel after which planes are taken anew
constexpr double stride = 0.06;    // way of two bodies towards each other in a substep
constexpr double push = 0.05;      // overlap that is pushed out in a step

constexpr int fewest_substeps = 8;
constexpr double rest_speed = 2;    // of what gravity gives in a step: slower impacts do not rebound
constexpr double load_share = 0.6;  // of the tolerated overlap; the rest is the map's error

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
      finder_(tables, forces, walls) {
  scales_.offset = offset * radius_;
  scales_.above = above * radius_;
}

// The largest F kappa to be expected, an acceleration. Of a bed under gravity it follows from the depth, which is twice
// the mean height: forces peak at five times their mean, and kappa is about four times the inverse mass. Other loads
// show in the contacts. Both change slowly, or the stiffness would shake the bed.
double ImplicitSolver::load(const World& world) const {
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
  return std::max(of_depth, 4 * std::sqrt(squares / contacts));
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
  omega_ = std::sqrt(load(world) / (load_share * settings_.overlap * radius_));
  const double wanted =
      std::max({static_cast<double>(fewest_substeps), dt * omega_ / stiffest, way / (stride * radius_)});
  substeps_ = static_cast<int>(std::ceil(std::min(wanted, static_cast<double>(settings_.most_substeps))));
  h_ = dt / substeps_;
  omega_ = std::clamp(omega_, 0.5 * stiffest / dt * fewest_substeps, stiffest / h_);
}

double ImplicitSolver::fastest(double dt) const {
  const int n = settings_.substeps > 0 ? settings_.substeps : settings_.most_substeps;
  return 0.5 * n * stride * radius_ / dt;
}

void ImplicitSolver::start(const World& world) {
  const Bodies& b = world.bodies;
  const std::size_t n = b.size(), walls = world.walls.size();
  bodies_.assign(n + walls + 1, {});
  moves_.assign(bodies_.size(), 0);
  driven_at_.resize(n + walls);
  for (std::size_t k = 0; k < n; ++k) {
    moves_[k] = b.kind[k] == BodyKind::moving;
    bodies_[k].v[0] = static_cast<float>(b.v[k].x);
    bodies_[k].v[1] = static_cast<float>(b.v[k].y);
    bodies_[k].v[2] = static_cast<float>(b.omega[k]);
    driven_at_[k] = {b.theta[k], b.x[k]};
  }
  for (std::size_t w = 0; w < walls; ++w) {
    const Wall& wall = world.walls[w];
    bodies_[n + w].v[0] = static_cast<float>(wall.velocity.x);
    bodies_[n + w].v[1] = static_cast<float>(wall.velocity.y);
    bodies_[n + w].v[2] = static_cast<float>(wall.omega);
    driven_at_[n + w] = wall.pose;
  }
  if (travel_.size() != bodies_.size()) stale_ = true;
}

void ImplicitSolver::refresh_lists(const World& world, ThreadPool& pool) {
  stale_ = stale_ || list_.built_at.size() != world.bodies.size();
  if (!stale_) {
    const double move = track_moves(world, tables_, pool, list_);
    stale_ = std::max(move, wall_moves(world, walls_.wall_features(), candidates_)) > 0.25 * skin_;
  }
  if (!stale_) return;
  build_pair_list(world, tables_, skin_, pool, list_);
  build_wall_candidates(world, tables_, walls_.wall_features(), skin_, pool, candidates_);
  stale_ = false;
  ++rebuilds_;
}

// Links of all that may touch while every body moves by no more than its slack, which is to last for the time `left`.
void ImplicitSolver::look_around(World& world, double left, ThreadPool& pool) {
  refresh_lists(world, pool);
  const std::size_t n = world.bodies.size();
  rotations_.resize(n);
  find_rotations(world, 0, n, rotations_);
  slack_.resize(n);
  travel_.assign(bodies_.size(), 0);
  const double fall = norm(world.gravity.at(world.time)) * left * left;
  for (std::size_t k = 0; k < n; ++k) {
    const float* v = bodies_[k].v;
    const double speed = std::hypot(v[0], v[1]) + tables_.radius(world.bodies.type[k]) * std::abs(v[2]);
    slack_[k] = std::min(0.25 * skin_, margin * radius_ + speed * left + (moves_[k] ? fall : 0));
  }
  finder_.find(world, rotations_, candidates_, slack_, scales_, pool, list_, links_);
  queries_ += list_.size();
  pair_links_ = 0;
  while (pair_links_ < links_.size() && links_[pair_links_].a < n) ++pair_links_;
  pack(world);
}

void ImplicitSolver::pack(const World& world) {
  colour(links_, moves_, colouring_);
  const auto nobody = static_cast<std::uint32_t>(bodies_.size() - 1);
  packs_.clear();
  pack_ends_.clear();
  lane_of_.resize(links_.size());
  limit_.assign(links_.size(), renewal * radius_);
  std::uint32_t at = 0;
  for (const std::uint32_t end : colouring_.ends) {
    while (at < end) {
      LinkPack& p = packs_.emplace_back();
      for (std::size_t lane = 0; lane < pack_lanes; ++lane) {
        if (at >= end) {
          p.clear(lane, nobody);
          continue;
        }
        lane_of_[colouring_.order[at]] = static_cast<std::uint32_t>((packs_.size() - 1) * pack_lanes + lane);
        set_lane(world, colouring_.order[at++]);
      }
    }
    pack_ends_.push_back(packs_.size());
  }
}

void ImplicitSolver::set_lane(const World& world, std::size_t k) {
  const Link& link = links_[k];
  const auto n = static_cast<std::uint32_t>(world.bodies.size());
  const Mobility of_a = link.a < n ? forces_.mobility(world, link.a) : Mobility{};
  packs_[lane_of_[k] / pack_lanes].set(lane_of_[k] % pack_lanes, link, of_a, forces_.mobility(world, link.b), bodies_,
                                       h_);
}

// Planes of links whose bodies have moved on.
void ImplicitSolver::renew_links(const World& world) {
  const auto read = [&](std::size_t k) {
    packs_[lane_of_[k] / pack_lanes].read_forces(lane_of_[k] % pack_lanes, h_, links_[k]);
  };
  const auto moved = [&](std::size_t k) { return travel_[links_[k].a] + travel_[links_[k].b]; };
  for (std::size_t k = 0; k < pair_links_; ++k) {
    const double way = moved(k);
    if (way < limit_[k]) continue;
    read(k);
    finder_.renew(world, scales_, links_[k]);
    set_lane(world, k);
    limit_[k] = way + renewal * radius_;
    ++queries_;
  }
  walls_.find_turns(world);
  for (std::size_t k = pair_links_, end = k; k < links_.size(); k = end) {
    double way = 0;
    bool due = false;
    for (; end < links_.size() && links_[end].b == links_[k].b; ++end) {
      way = moved(end);
      due = due || way >= limit_[end];
    }
    if (!due) continue;
    for (std::size_t m = k; m < end; ++m) read(m);
    const std::uint32_t body = links_[k].b;
    finder_.renew_walls(world, Rotation2d(world.bodies.theta[body]), candidates_, slack_[body], scales_,
                        std::span(links_).subspan(k, end - k));
    for (std::size_t m = k; m < end; ++m) {
      set_lane(world, m);
      limit_[m] = moved(m) + renewal * radius_;
    }
  }
}

void ImplicitSolver::read_forces() {
  for (std::size_t k = 0; k < links_.size(); ++k)
    packs_[lane_of_[k] / pack_lanes].read_forces(lane_of_[k] % pack_lanes, h_, links_[k]);
}

void ImplicitSolver::sweep(const std::function<void(LinkPack&)>& visit, ThreadPool& pool) {
  std::size_t begin = 0;
  constexpr std::size_t chunk = 32;
  for (const std::size_t end : pack_ends_) {
    if (pool.threads() == 1 || end - begin < 2 * chunk) {
      for (std::size_t k = begin; k < end; ++k) visit(packs_[k]);
    } else {
      for_chunks(
          pool, end - begin,
          [&](std::size_t from, std::size_t to, std::size_t) {
            for (std::size_t k = begin + from; k < begin + to; ++k) visit(packs_[k]);
          },
          chunk);
    }
    begin = end;
  }
}

void ImplicitSolver::kick(const World& world, double h) {
  const Vec2d dv = h * world.gravity.at(world.time);
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (!moves_[k]) continue;
    bodies_[k].v[0] += static_cast<float>(dv.x);
    bodies_[k].v[1] += static_cast<float>(dv.y);
  }
}

void ImplicitSolver::drift(World& world, double h) {
  Bodies& b = world.bodies;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (!moves_[k]) continue;
    SolverBody& s = bodies_[k];
    const Vec2d dx{h * s.v[0], h * s.v[1]};
    const double turn = h * s.v[2];
    b.x[k] += dx;
    b.theta[k] += turn;
    world.wrap(k);
    s.moved[0] += static_cast<float>(dx.x);
    s.moved[1] += static_cast<float>(dx.y);
    s.moved[2] += static_cast<float>(turn);
    travel_[k] += norm(dx) + tables_.radius(b.type[k]) * std::abs(turn);
  }
}

// Walls and kinematic bodies where their motion has brought them.
void ImplicitSolver::follow_driven(const World& world) {
  const Bodies& b = world.bodies;
  const auto follow = [&](std::size_t k, Pose2d now, Vec2d v, double omega, double radius) {
    SolverBody& s = bodies_[k];
    const Vec2d dx = now.x - driven_at_[k].x;
    const double turn = now.theta - driven_at_[k].theta;
    s.moved[0] += static_cast<float>(dx.x);
    s.moved[1] += static_cast<float>(dx.y);
    s.moved[2] += static_cast<float>(turn);
    s.v[0] = static_cast<float>(v.x), s.v[1] = static_cast<float>(v.y), s.v[2] = static_cast<float>(omega);
    travel_[k] += norm(dx) + radius * std::abs(turn);
    driven_at_[k] = now;
  };
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (!moves_[k]) follow(k, {b.theta[k], b.x[k]}, b.v[k], b.omega[k], tables_.radius(b.type[k]));
  }
  for (std::size_t w = 0; w < world.walls.size(); ++w) {
    const Wall& wall = world.walls[w];
    follow(b.size() + w, wall.pose, wall.velocity, wall.omega, radius_);
  }
}

void ImplicitSolver::write_contacts(World& world) const {
  const auto n = static_cast<std::uint32_t>(world.bodies.size());
  world.contacts.clear();
  for (std::size_t k = 0; k < links_.size(); ++k) {
    if (k == pair_links_) world.pair_contacts = world.contacts.size();
    const Link& link = links_[k];
    const float* ma = bodies_[link.a].moved;
    const float* mb = bodies_[link.b].moved;
    const LinkPack& p = packs_[lane_of_[k] / pack_lanes];
    const std::size_t lane = lane_of_[k] % pack_lanes;
    double total = 0;
    for (int r = 0; r < link.row_count; ++r) total += link.rows[static_cast<std::size_t>(r)].force;
    for (int r = 0; r < link.row_count; ++r) {
      const LinkRow& row = link.rows[static_cast<std::size_t>(r)];
      if (row.force <= 0) continue;
      Contact& c = world.contacts.emplace_back();
      c.a = link.a < n ? link.a : no_body;
      c.b = link.b;
      c.wall = link.a < n ? -1 : static_cast<std::int32_t>(link.a - n);
      c.feature = link.a < n ? static_cast<std::uint32_t>(r) : link.feature;
      c.gap = p.row[r].s[lane] + row.gap_x.x * (double(mb[0]) - ma[0]) + row.gap_x.y * (double(mb[1]) - ma[1]) +
              row.gap_theta_a * ma[2] + row.gap_theta_b * mb[2] + scales_.offset;
      c.gap_x = row.gap_x;
      c.gap_theta_a = row.gap_theta_a;
      c.gap_theta_b = row.gap_theta_b;
      c.normal = link.normal;
      c.arm_a = link.arm_a;
      c.arm_b = link.arm_b;
      c.normal_force = row.force;
      c.tangential_force = link.tangential_force * (row.force / total);
    }
  }
  if (pair_links_ == links_.size()) world.pair_contacts = world.contacts.size();
}

void ImplicitSolver::finish(World& world) const {
  Bodies& b = world.bodies;
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (!moves_[k]) continue;
    b.v[k] = {bodies_[k].v[0], bodies_[k].v[1]};
    b.omega[k] = bodies_[k].v[2];
  }
  start_forces(world, 0, b.size());
  const std::span<const Contact> contacts = world.contacts, pairs = contacts.first(world.pair_contacts);
  NarrowShare all;
  all.end_body = static_cast<std::uint32_t>(b.size());
  all.end_contact = pairs.size();
  add_to_lower(pairs, b);
  add_to_higher(pairs, {all}, 0, b);
  add_to_grain(contacts.subspan(world.pair_contacts), b);
}

void ImplicitSolver::step(World& world, double dt, const std::function<void(double)>& drive, ThreadPool& pool) {
  choose_substeps(world, dt);
  queries_ = 0;
  start(world);
  const double begin = world.time, gravity = norm(world.gravity.at(world.time));
  const SweepSettings s{static_cast<float>(h_), static_cast<float>(push * radius_ / dt),
                        soft_contact(static_cast<float>(omega_), static_cast<float>(h_))};
  bool lost = true;  // bodies may meet that have no link
  for (int k = 0; k < substeps_; ++k) {
    if (lost) {
      if (k > 0) read_forces(), write_contacts(world);
      look_around(world, dt - k * h_, pool);
      sweep([&](LinkPack& p) { note_approach(p, bodies_); }, pool);
    } else {
      renew_links(world);
    }
    kick(world, h_);
    sweep([&](LinkPack& p) { warm_start(p, bodies_); }, pool);
    sweep([&](LinkPack& p) { sweep_soft(p, s, bodies_); }, pool);
    drift(world, h_);
    drive(begin + (k + 1) * h_);
    follow_driven(world);
    sweep([&](LinkPack& p) { sweep_rigid(p, s, bodies_); }, pool);
    lost = false;
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      const double way = (std::hypot(bodies_[i].v[0], bodies_[i].v[1]) + gravity * h_) * h_;
      lost = lost || travel_[i] + way > slack_[i];
    }
  }
  sweep([&](LinkPack& p) { rebound(p, static_cast<float>(rest_speed * gravity * dt), bodies_); }, pool);
  read_forces();
  write_contacts(world);
  finish(world);
}

}  // namespace scree
