#include "scree/force/contact_forces.hpp"

#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/force/law_kernel.hpp"

namespace scree {

std::vector<std::string> law_names() { return {"spring-clamp", "algorithm-1"}; }

FrictionLaw law_by_name(const std::string& name) {
  if (name == "spring-clamp") return FrictionLaw::spring_clamp;
  if (name == "algorithm-1") return FrictionLaw::algorithm_1;
  const std::string near = nearest_name(name, law_names());
  throw Error(ErrorKind::input, "step.law", "unknown friction law '" + name + "'",
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(law_names()));
}

ForceTables::ForceTables(const World& world) : types_(world.types.size()), wall_count_(world.walls.size()) {
  for (const GrainType& a : world.types) {
    for (const GrainType& b : world.types) pairs_.push_back(world.pair_parameters(a.material, b.material));
  }
  for (const GrainType& t : world.types) {
    for (const Wall& w : world.walls) walls_.push_back(world.pair_parameters(w.material, t.material));
    mobilities_.push_back({1 / t.mass, 1 / t.inertia});
  }
}

namespace {

double effective_inertia(const Mobility& a, const Mobility& b) {
  const double inverse = a.inverse_inertia + b.inverse_inertia;
  return inverse > 0 ? 1 / inverse : 0;
}

void apply_to(const World& world, const ForceTables& tables, FrictionLaw law, double dt, Contact& c) {
  const Bodies& bodies = world.bodies;
  const PairParameters& p = tables.of(world, c);
  const Mobility ma = tables.mobility(world, c.a), mb = tables.mobility(world, c.b);
  const Twist a = c.a == no_body ? wall_twist(world, c) : Twist{bodies.v[c.a], bodies.omega[c.a]};
  const ContactVelocity v = contact_velocity(c, a, {bodies.v[c.b], bodies.omega[c.b]});
  const double damping =
      p.normal_damping >= 0 ? p.normal_damping
                            : 2 * p.damping_ratio * std::sqrt(p.stiffness / std::max(contact_kappa(c, ma, mb), 1e-300));
  const LawInput<double> in{-c.gap,
                            v.normal,
                            v.tangential,
                            norm(c.gap_x),
                            c.spring,
                            p.stiffness,
                            damping,
                            p.tangential_stiffness,
                            p.tangential_damping_ratio * damping,
                            p.friction,
                            dt};
  const bool frictionless = p.friction == 0 || c.normal == Vec2d{};
  const LawForce<double> f = frictionless                       ? LawForce<double>{normal_force(in), 0, 0}
                             : law == FrictionLaw::spring_clamp ? spring_clamp_law(in)
                                                                : algorithm_1_law(in);
  c.normal_force = f.normal;
  c.tangential_force = f.tangential;
  c.spring = f.spring;
  c.rotational_torque = p.rotational_damping > 0 ? -p.rotational_damping * effective_inertia(ma, mb) * v.spin : 0;
}

void add_wrench(const Contact& c, bool on_b, Vec2d& force, double& torque) {
  const Vec2d f = c.normal_force * c.gap_x + c.tangential_force * perp(c.normal);
  if (on_b) {
    force += f;
    torque += c.normal_force * c.gap_theta_b + c.tangential_force * c.arm_b + c.rotational_torque;
  } else {
    force -= f;
    torque += c.normal_force * c.gap_theta_a + c.tangential_force * c.arm_a - c.rotational_torque;
  }
}

}  // namespace

void apply_law(const World& world, const ForceTables& tables, FrictionLaw law, double dt, std::span<Contact> contacts) {
  for (Contact& c : contacts) apply_to(world, tables, law, dt, c);
}

void gather_forces(World& world, const PairList& list, const std::vector<std::uint32_t>& wall_first, ThreadPool& pool) {
  Bodies& bodies = world.bodies;
  const Vec2d g = world.gravity.at(world.time);
  const auto add_pair = [&](std::size_t pair, std::uint32_t body, Vec2d& force, double& torque) {
    if (list.slot[pair] < 0) return;
    const auto first = static_cast<std::size_t>(list.slot[pair]);
    for (std::size_t k = first; k < world.pair_contacts && same_pair(world.contacts[k], world.contacts[first]); ++k)
      add_wrench(world.contacts[k], world.contacts[k].b == body, force, torque);
  };
  for_chunks(pool, bodies.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto body = static_cast<std::uint32_t>(k);
      Vec2d force = world.types[bodies.type[k]].mass * g;
      double torque = 0;
      for (std::size_t p = list.first[k]; p < list.first[k + 1]; ++p) add_pair(p, body, force, torque);
      for (std::size_t p = list.back_first[k]; p < list.back_first[k + 1]; ++p) {
        add_pair(list.back_pair[p], body, force, torque);
      }
      for (std::size_t c = wall_first[k]; c < wall_first[k + 1]; ++c)
        add_wrench(world.contacts[c], true, force, torque);
      bodies.force[k] = force;
      bodies.torque[k] = torque;
    }
  });
}

}  // namespace scree
