#include "scree/step/energy.hpp"

#include <cmath>

#include "scree/force/contact_forces.hpp"

namespace scree {

namespace {

struct Work {
  double normal_damping = 0;
  double friction = 0;
  double rotational = 0;
  double wall = 0;
  double moved = 0;
  Work& operator+=(const Work& o) {
    normal_damping += o.normal_damping;
    friction += o.friction;
    rotational += o.rotational;
    wall += o.wall;
    moved += o.moved;
    return *this;
  }
};

struct Twist {
  Vec2d v;
  double omega = 0;
};

// Velocity in the middle of the kick that has just ended.
Twist middle(const World& world, std::size_t body, double dt) {
  const Mobility m = mobility(world, body);
  return {world.bodies.v[body] - (0.5 * dt * m.inverse_mass) * world.bodies.force[body],
          world.bodies.omega[body] - 0.5 * dt * m.inverse_inertia * world.bodies.torque[body]};
}

// Power that a body which does not obey forces puts into the contact.
double driving_power(const World& world, const Contact& c, const Twist& a, const Twist& b) {
  const Vec2d force = c.normal_force * c.gap_x + c.tangential_force * perp(c.normal);
  if (c.a == no_body) {
    return dot(force, c.wall_velocity) + c.rotational_torque * world.walls[static_cast<std::size_t>(c.wall)].omega;
  }
  double power = 0;
  if (world.bodies.kind[c.a] != BodyKind::moving) {
    const double torque = c.normal_force * c.gap_theta_a + c.tangential_force * c.arm_a - c.rotational_torque;
    power += dot(force, a.v) - torque * a.omega;
  }
  if (world.bodies.kind[c.b] != BodyKind::moving) {
    const double torque = c.normal_force * c.gap_theta_b + c.tangential_force * c.arm_b + c.rotational_torque;
    power -= dot(force, b.v) + torque * b.omega;
  }
  return power;
}

Work contact_work(const World& world, const Contact& c, double dt) {
  const Twist a = c.a == no_body ? Twist{} : middle(world, c.a, dt);
  const Twist b = middle(world, c.b, dt);
  const ContactVelocity v = contact_velocity(world, c, a.v, a.omega, b.v, b.omega);
  Work w;
  w.normal_damping = -(c.normal_force - c.elastic_force) * v.normal * dt;
  w.friction = -c.tangential_force * v.tangential * dt;
  w.rotational = -c.rotational_torque * v.spin * dt;
  w.wall = driving_power(world, c, a, b) * dt;
  w.moved = std::abs(c.normal_force * v.normal * dt) + std::abs(w.friction) + std::abs(w.rotational);
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

void account_kick(World& world, double dt, ThreadPool& pool) {
  const Work w = reduce_chunks(pool, world.contacts.size(), Work{}, [&](std::size_t begin, std::size_t end) {
    Work sum;
    for (std::size_t k = begin; k < end; ++k) sum += contact_work(world, world.contacts[k], dt);
    return sum;
  });
  const Vec2d g = world.gravity.at(world.time);
  world.ledger.normal_damping += w.normal_damping;
  world.ledger.friction += w.friction;
  world.ledger.rotational_damping += w.rotational;
  world.ledger.wall_work += w.wall;
  world.ledger.moved += w.moved + sum_bodies(world, pool, [&](std::size_t k) {
                          return std::abs(world.types[world.bodies.type[k]].mass * dot(g, middle(world, k, dt).v) * dt);
                        });
}

double spring_energy(const World& world, ThreadPool& pool) {
  return sum_contacts(world, pool, [](const Contact& c) { return c.spring_energy; });
}

double kinetic_energy(const World& world, ThreadPool& pool) {
  return sum_bodies(world, pool, [&](std::size_t k) { return body_kinetic(world, k); });
}

double gravity_energy(const World& world, ThreadPool& pool) {
  const Vec2d g = world.gravity.at(world.time);
  return sum_bodies(world, pool, [&](std::size_t k) { return body_gravity(world, k, g); });
}

double elastic_energy(const World& world, ThreadPool& pool) {
  return sum_contacts(world, pool, [](const Contact& c) { return c.elastic_energy + c.spring_energy; });
}

double body_energy(const World& world, std::size_t body) {
  if (world.bodies.kind[body] != BodyKind::moving) return 0;
  return body_kinetic(world, body) + body_gravity(world, body, world.gravity.at(world.time));
}

}  // namespace scree
