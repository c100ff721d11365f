#include "scree/force/contact_forces.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/force/law_kernel.hpp"

namespace scree {

std::vector<std::string> law_names() {
  return std::apply([](auto... laws) { return std::vector<std::string>{decltype(laws)::name...}; }, FrictionLaws{});
}

FrictionLaw law_by_name(const std::string& name) {
  const std::vector<std::string> names = law_names();
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return static_cast<FrictionLaw>(at - names.begin());
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::input, "step.law", "unknown friction law '" + name + "'",
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(names));
}

ForceTables::ForceTables(const World& world) : types_(world.types.size()), wall_count_(world.walls.size()) {
  for (const GrainType& a : world.types) {
    for (const GrainType& b : world.types) pairs_.push_back(world.pair_parameters(a.material, b.material));
  }
  for (const GrainType& t : world.types) {
    for (const Wall& w : world.walls) walls_.push_back(world.pair_parameters(w.material, t.material));
    mobilities_.push_back({1 / t.mass, 1 / t.inertia, 1 / t.radius});
  }
  const auto resists = [](const PairParameters& p) { return p.rolling_friction > 0; };
  any_rolling_ = std::ranges::any_of(pairs_, resists) || std::ranges::any_of(walls_, resists);
  const auto as_first = [&](const PairParameters& p) { return p == pairs_.front(); };
  everywhere_ = !pairs_.empty() && std::ranges::all_of(pairs_, as_first) && std::ranges::all_of(walls_, as_first);
}

namespace {

// Contacts side by side, so that the square roots and quotients of the law become vectors.
struct LawBlock {
  static constexpr std::size_t most = 16;
  double overlap[most], normal_speed[most], tangential_speed[most], gradient2[most], kappa[most], spring[most];
  double stiffness[most], normal_damping[most], damping_ratio[most];
  double tangential_stiffness[most], tangential_damping_ratio[most], friction[most];
  double normal_force[most], tangential_force[most];

  void set_parameters(const PairParameters& p, std::size_t k) {
    stiffness[k] = p.stiffness;
    normal_damping[k] = p.normal_damping;
    damping_ratio[k] = p.damping_ratio;
    tangential_stiffness[k] = p.tangential_stiffness;
    tangential_damping_ratio[k] = p.tangential_damping_ratio;
  }
};

// `everywhere`: the parameters are set already.
template <bool everywhere>
void set_input(const World& world, const ForceTables& tables, Contact& c, LawBlock& block, std::size_t k) {
  const Bodies& bodies = world.bodies;
  const PairParameters& p = everywhere ? *tables.everywhere() : tables.of(world, c);
  if (!everywhere) block.set_parameters(p, k);
  const Mobility ma = tables.mobility(world, c.a), mb = tables.mobility(world, c.b);
  const Twist a = c.a == no_body ? wall_twist(world, c) : Twist{bodies.v[c.a], bodies.omega[c.a]};
  const ContactVelocity v = contact_velocity(c, a, {bodies.v[c.b], bodies.omega[c.b]});
  block.overlap[k] = -c.gap;
  block.normal_speed[k] = v.normal;
  block.tangential_speed[k] = v.tangential;
  block.gradient2[k] = norm2(c.gap_x);
  block.kappa[k] = contact_kappa(c, ma, mb);
  block.spring[k] = c.spring;
  block.friction[k] = c.normal == Vec2d{} ? 0 : p.friction;
  c.rotational_torque = p.rotational_damping > 0 ? -p.rotational_damping * effective_inertia(ma, mb) * v.spin : 0;
}

template <class Law>
void run_law(double dt, std::size_t count, LawBlock& b) {
  for (std::size_t k = 0; k < count; ++k) {
    const double damping = normal_damping(b.normal_damping[k], b.damping_ratio[k], b.stiffness[k], b.kappa[k]);
    const LawInput<double> in{b.overlap[k],
                              b.normal_speed[k],
                              b.tangential_speed[k],
                              std::sqrt(b.gradient2[k]),
                              b.spring[k],
                              b.stiffness[k],
                              damping,
                              b.tangential_stiffness[k],
                              b.tangential_damping_ratio[k] * damping,
                              b.friction[k],
                              dt};
    const LawForce<double> f = Law::force(in);
    const bool frictionless = b.friction[k] == 0;
    b.normal_force[k] = f.normal;
    b.tangential_force[k] = frictionless ? 0 : f.tangential;
    b.spring[k] = frictionless ? 0 : f.spring;
  }
}

// After the law, whose normal force limits it.
void add_rolling(const World& world, const ForceTables& tables, double dt, Contact& c) {
  const double mu = tables.of(world, c).rolling_friction;
  if (mu == 0) return;
  const Bodies& b = world.bodies;
  const double spin = b.omega[c.b] - (c.a == no_body ? wall_twist(world, c).omega : b.omega[c.a]);
  c.rotational_torque += rolling_torque(mu, c.normal_force * norm(c.gap_x), spin, tables.mobility(world, c.a),
                                        tables.mobility(world, c.b), dt);
}

template <class Law, bool everywhere>
void apply(const World& world, const ForceTables& tables, double dt, std::span<Contact> contacts) {
  LawBlock block;
  if (everywhere) {
    for (std::size_t k = 0; k < LawBlock::most; ++k) block.set_parameters(*tables.everywhere(), k);
  }
  for (std::size_t begin = 0; begin < contacts.size(); begin += LawBlock::most) {
    const auto part = contacts.subspan(begin, std::min(LawBlock::most, contacts.size() - begin));
    for (std::size_t k = 0; k < part.size(); ++k) set_input<everywhere>(world, tables, part[k], block, k);
    run_law<Law>(dt, part.size(), block);
    for (std::size_t k = 0; k < part.size(); ++k) {
      part[k].normal_force = block.normal_force[k];
      part[k].tangential_force = block.tangential_force[k];
      part[k].spring = block.spring[k];
    }
  }
  if (!tables.any_rolling()) return;
  for (Contact& c : contacts) add_rolling(world, tables, dt, c);
}

// Adds what the contact does to one of its bodies. Without a branch: which of the two it is, nobody could foresee.
void add_wrench(const Contact& c, bool on_b, Vec2d& force, double& torque) {
  const double sign = on_b ? 1 : -1;
  const double* gap_theta = on_b ? &c.gap_theta_b : &c.gap_theta_a;
  const double* arm = on_b ? &c.arm_b : &c.arm_a;
  force += sign * (c.normal_force * c.gap_x + c.tangential_force * perp(c.normal));
  torque += c.normal_force * *gap_theta + c.tangential_force * *arm + sign * c.rotational_torque;
}

}  // namespace

void apply_law(const World& world, const ForceTables& tables, FrictionLaw law, double dt, std::span<Contact> contacts) {
  using Apply = void (*)(const World&, const ForceTables&, double, std::span<Contact>);
  constexpr auto all = []<class... Laws>(std::tuple<Laws...>) {
    return std::array<std::array<Apply, 2>, sizeof...(Laws)>{{{apply<Laws, false>, apply<Laws, true>}...}};
  }(FrictionLaws{});
  all[static_cast<std::size_t>(law)][tables.everywhere() ? 1 : 0](world, tables, dt, contacts);
}

void start_forces(World& world, std::size_t begin, std::size_t end) {
  Bodies& bodies = world.bodies;
  const Vec2d g = world.gravity.at(world.time);
  for (std::size_t k = begin; k < end; ++k) bodies.force[k] = world.types[bodies.type[k]].mass * g;
  for (std::size_t k = begin; k < end; ++k) bodies.torque[k] = 0;
}

void add_to_lower(std::span<const Contact> contacts, Bodies& bodies) {
  for (const Contact& c : contacts) {
    const std::uint32_t body = std::min(c.a, c.b);
    add_wrench(c, body == c.b, bodies.force[body], bodies.torque[body]);
  }
}

void add_to_higher(std::span<const Contact> contacts, const std::vector<NarrowShare>& shares, std::size_t share,
                   Bodies& bodies) {
  const NarrowShare& own = shares[share];
  const auto add = [&](const Contact& c) {
    const std::uint32_t body = std::max(c.a, c.b);
    if (body < own.first_body || body >= own.end_body) return;
    add_wrench(c, body == c.b, bodies.force[body], bodies.torque[body]);
  };
  for (std::size_t before = 0; before < share; ++before) std::ranges::for_each(shares[before].beyond, add);
  std::ranges::for_each(contacts.subspan(own.first_contact, own.end_contact - own.first_contact), add);
}

void add_to_grain(std::span<const Contact> contacts, Bodies& bodies) {
  for (const Contact& c : contacts) add_wrench(c, true, bodies.force[c.b], bodies.torque[c.b]);
}

}  // namespace scree
