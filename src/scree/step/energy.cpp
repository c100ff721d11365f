#include "scree/step/energy.hpp"

#include <cmath>

namespace scree {

namespace {

struct Work {
  double normal_damping = 0;
  double friction = 0;
  double rotational = 0;
  double wall = 0;
  double moved = 0;
  double springs = 0;  // their energy
  Work& operator+=(const Work& o) {
    normal_damping += o.normal_damping;
    friction += o.friction;
    rotational += o.rotational;
    wall += o.wall;
    moved += o.moved;
    springs += o.springs;
    return *this;
  }
};

// Power that a wall, or a body which does not obey forces, puts into the contact.
double driving_power(const World& world, const Contact& c, const Twist& a, const Twist& b) {
  const Vec2d force = c.normal_force * c.gap_x + c.tangential_force * perp(c.normal);
  double power = 0;
  if (c.a == no_body || world.bodies.kind[c.a] != BodyKind::moving) {
    const double torque = c.normal_force * c.gap_theta_a + c.tangential_force * c.arm_a - c.rotational_torque;
    power += dot(force, a.v) - torque * a.omega;
  }
  if (world.bodies.kind[c.b] != BodyKind::moving) {
    const double torque = c.normal_force * c.gap_theta_b + c.tangential_force * c.arm_b + c.rotational_torque;
    power -= dot(force, b.v) + torque * b.omega;
  }
  return power;
}

Work contact_work(const World& world, const ForceTables& tables, const std::vector<Twist>& middle, const Contact& c,
                  double dt) {
  const Twist a = c.a == no_body ? wall_twist(world, c) : middle[c.a];
  const Twist& b = middle[c.b];
  const ContactVelocity v = contact_velocity(c, a, b);
  const PairParameters& p = tables.of(world, c);
  const double elastic_force = p.stiffness * -c.gap;
  Work w;
  w.normal_damping = -(c.normal_force - elastic_force) * v.normal * dt;
  w.friction = -c.tangential_force * v.tangential * dt;
  w.rotational = -c.rotational_torque * v.spin * dt;
  w.wall = driving_power(world, c, a, b) * dt;
  w.moved = std::abs(c.normal_force * v.normal * dt) + std::abs(w.friction) + std::abs(w.rotational);
  w.springs = spring_energy(p, c);
  return w;
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
  const Work w = reduce_chunks(pool, world.contacts.size(), Work{}, [&](std::size_t begin, std::size_t end) {
    Work sum;
    for (std::size_t k = begin; k < end; ++k) sum += contact_work(world, tables, middle, world.contacts[k], dt);
    return sum;
  });
  world.ledger.normal_damping += w.normal_damping;
  world.ledger.friction += w.friction;
  world.ledger.rotational_damping += w.rotational;
  world.ledger.wall_work += w.wall;
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
