#include "scree/step/energy.hpp"

#include <algorithm>
#include <cmath>

#include "scree/force/work_kernel.hpp"
#include "scree/implicit/books_kernel.hpp"

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

double body_kinetic(const World& world, std::size_t k) {
  const GrainType& type = world.types[world.bodies.type[k]];
  return 0.5 * type.mass * norm2(world.bodies.v[k]) +
         0.5 * type.inertia * world.bodies.omega[k] * world.bodies.omega[k];
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

double take_from_motion(World& world, double energy, std::span<const std::uint8_t> pays, ThreadPool& pool) {
  if (!(energy > 0)) return 0;
  const double before = sum_bodies(world, pool, [&](std::size_t k) { return pays[k] ? body_kinetic(world, k) : 0.0; });
  const double share = share_kept(before, energy);
  Bodies& b = world.bodies;
  for (std::size_t k = 0; k < b.size(); ++k)
    if (pays[k] && b.kind[k] == BodyKind::moving) b.v[k] *= share, b.omega[k] *= share;
  return std::min(energy, before);
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
