#include "scree/step/energy.hpp"

#include <algorithm>
#include <cmath>

#include "scree/force/work_kernel.hpp"
#include "scree/implicit/books_kernel.hpp"
#include "scree/implicit/link_set.hpp"

namespace scree {

namespace {

ContactWork work_of(const World& world, const ForceTables& tables, const std::vector<Twist>& middle, const Contact& c,
                    double dt) {
  const auto side = [&](std::uint32_t body) {
    return WorkSide{middle[body], world.bodies.kind[body] != BodyKind::moving};
  };
  const PairParameters& p = tables.of(world, c);
  return contact_work(c, {c.normal_force, c.tangential_force, c.spring, c.rotational_torque},
                      c.a == no_body ? WorkSide{wall_twist(world, c), true} : side(c.a), side(c.b), p.stiffness,
                      p.tangential_stiffness, dt);
}

template <class Body>
double sum_bodies(const World& world, ThreadPool& pool, Body body) {
  return reduce_chunks(pool, world.bodies.size(), 0.0, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) {
      if (world.bodies.kind[k] == BodyKind::moving) sum += body(k);
    }
    return sum;
  });
}

template <class Value>
double sum_contacts(const World& world, ThreadPool& pool, Value value) {
  return reduce_chunks(pool, world.contacts.size(), 0.0, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum += value(world.contacts[k]);
    return sum;
  });
}

double body_kinetic(const World& world, std::size_t k, const Twist& velocity) {
  const GrainType& type = world.types[world.bodies.type[k]];
  return 0.5 * type.mass * norm2(velocity.v) + 0.5 * type.inertia * velocity.omega * velocity.omega;
}

double body_kinetic(const World& world, std::size_t k) {
  return body_kinetic(world, k, {world.bodies.v[k], world.bodies.omega[k]});
}

double body_gravity(const World& world, std::size_t k, Vec2d g) {
  return -world.types[world.bodies.type[k]].mass * dot(g, world.unwrapped(k));
}

}  // namespace

double account_kick(World& world, const ForceTables& tables, const std::vector<Twist>& middle, double moved, double dt,
                    ThreadPool& pool) {
  const ContactWork w =
      reduce_chunks(pool, world.contacts.size(), ContactWork{}, [&](std::size_t begin, std::size_t end) {
        ContactWork sum;
        for (std::size_t k = begin; k < end; ++k) sum += work_of(world, tables, middle, world.contacts[k], dt);
        return sum;
      });
  world.ledger.normal_damping += w.normal_damping;
  world.ledger.friction += w.friction;
  world.ledger.rotational_damping += w.rotational;
  world.ledger.wall_work += w.driving;
  world.ledger.moved += w.moved + moved;
  return w.springs;
}

double spring_energy(const World& world, const ForceTables& tables, ThreadPool& pool) {
  return sum_contacts(world, pool, [&](const Contact& c) { return spring_energy(tables.of(world, c), c); });
}

double kinetic_energy(const World& world, ThreadPool& pool) {
  return sum_bodies(world, pool, [&](std::size_t k) { return body_kinetic(world, k); });
}

double gravity_energy(const World& world, ThreadPool& pool) {
  const Vec2d g = world.gravity.at(world.time);
  return sum_bodies(world, pool, [&](std::size_t k) { return body_gravity(world, k, g); });
}

void take_back_gains(World& world, double owed, std::span<const std::uint8_t> pays, std::span<const Outset> outset,
                     ThreadPool& pool) {
  Bodies& b = world.bodies;
  const Vec2d g = world.gravity.at(world.time);
  const auto way = [&](std::size_t k) { return world.separation(outset[k].at.x, b.x[k]); };
  const auto rise = [&](std::size_t k) { return -world.types[b.type[k]].mass * dot(g, way(k)); };
  const auto gain = [&](std::size_t k) {
    return pays[k] ? std::max(0.0, body_kinetic(world, k) - body_kinetic(world, k, outset[k].velocity) + rise(k)) : 0.0;
  };
  const double share = share_given_back(sum_bodies(world, pool, gain), owed);
  if (!(share > 0)) return;
  std::vector<Twist> back(b.size());
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (b.kind[k] != BodyKind::moving || !(gain(k) > 0)) continue;
    const Repayment r = repayment(share * gain(k), body_kinetic(world, k), rise(k));
    b.v[k] *= r.speed_kept, b.omega[k] *= r.speed_kept;
    back[k] = {-r.way_back * way(k), -r.way_back * (b.theta[k] - outset[k].at.theta)};
    b.x[k] += back[k].v;
    b.theta[k] += back[k].omega;
    world.wrap(k);
    world.linked_at[k] = linked_body(b, k);
  }
  for (Link& link : world.links) {
    const Twist &a = back[link.a], &of_b = back[link.b];
    link.taken.x -= static_cast<float>(of_b.v.x - a.v.x), link.taken.y -= static_cast<float>(of_b.v.y - a.v.y);
    link.taken.turn_a -= static_cast<float>(a.omega), link.taken.turn_b -= static_cast<float>(of_b.omega);
  }
}

double elastic_energy(const World& world, const ForceTables& tables, ThreadPool& pool) {
  return sum_contacts(world, pool, [&](const Contact& c) {
    const PairParameters& p = tables.of(world, c);
    return normal_energy(p, c) + spring_energy(p, c);
  });
}

double body_energy(const World& world, std::size_t body) {
  if (world.bodies.kind[body] != BodyKind::moving) return 0;
  return body_kinetic(world, body) + body_gravity(world, body, world.gravity.at(world.time));
}

double contact_energy(const World& world, const Contact& c) {
  const auto material = [&](std::uint32_t body) { return world.types[world.bodies.type[body]].material; };
  const int of_a = c.a == no_body ? world.walls[static_cast<std::size_t>(c.wall)].material : material(c.a);
  const PairParameters p = world.pair_parameters(of_a, material(c.b));
  return normal_energy(p, c) + spring_energy(p, c);
}

}  // namespace scree
