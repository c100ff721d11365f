#pragma once
// Contacts -> forces: the contact law over all contacts, then the sum over each body's contacts in a fixed order.
#include <span>
#include <string>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/narrow_phase.hpp"
#include "scree/force/contact_force_kernel.hpp"
#include "scree/world/world.hpp"

namespace scree {

enum class FrictionLaw : std::size_t {};  // place in FrictionLaws (law_kernel.hpp)

std::vector<std::string> law_names();
// Throws Error(input) with the nearest known name.
FrictionLaw law_by_name(const std::string& name);

using Mobility = MobilityOf<double>;
using Twist = TwistOf<double>;
using ContactVelocity = ContactVelocityOf<double>;

// Pair parameters for every (type, type) and (type, wall), and mobilities of types, resolved once.
class ForceTables {
 public:
  explicit ForceTables(const World& world);
  const PairParameters& pair(int type_a, int type_b) const {
    return pairs_[static_cast<std::size_t>(type_a) * types_ + static_cast<std::size_t>(type_b)];
  }
  const PairParameters& wall(int type, int wall) const {
    return walls_[static_cast<std::size_t>(type) * wall_count_ + static_cast<std::size_t>(wall)];
  }
  const PairParameters& of(const World& world, const Contact& c) const {
    const int type_b = world.bodies.type[c.b];
    return c.a == no_body ? wall(type_b, c.wall) : pair(world.bodies.type[c.a], type_b);
  }
  // The parameters, where they are the same for whatever touches; else none.
  const PairParameters* everywhere() const { return everywhere_ ? &pairs_.front() : nullptr; }
  bool any_rolling() const { return any_rolling_; }  // some of them resist rolling
  Mobility mobility(const World& world, std::uint32_t body) const {
    return body != no_body && world.bodies.kind[body] == BodyKind::moving ? mobilities_[world.bodies.type[body]]
                                                                          : Mobility{};
  }

 private:
  std::size_t types_ = 0;
  std::size_t wall_count_ = 0;
  bool everywhere_ = false;
  bool any_rolling_ = false;
  std::vector<PairParameters> pairs_;
  std::vector<PairParameters> walls_;
  std::vector<Mobility> mobilities_;
};

// Of the wall of a wall contact.
inline Twist wall_twist(const World& world, const Contact& c) {
  const Wall& wall = world.walls[static_cast<std::size_t>(c.wall)];
  return {wall.velocity, wall.omega};
}

inline ContactVelocity contact_velocity(const Contact& c, const Twist& a, const Twist& b) {
  return contact_velocity<Contact, double>(c, a, b);
}

// What a contact stores: k_n delta^2 / 2 and k_t s^2 / 2.
inline double normal_energy(const PairParameters& p, const Contact& c) { return 0.5 * (p.stiffness * -c.gap) * -c.gap; }
inline double spring_energy(const PairParameters& p, const Contact& c) {
  return 0.5 * p.tangential_stiffness * c.spring * c.spring;
}

// Runs the law on contacts: forces and springs.
void apply_law(const World& world, const ForceTables& tables, FrictionLaw law, double dt, std::span<Contact> contacts);

// Force and torque of every body: gravity, its contacts with bodies of higher index, of lower index, with walls, each
// in the order of World::contacts. First start_forces(); then contacts of pairs through add_to_lower(), those of a
// share in their order; when all are there add_to_higher() for each share, which may run side by side; then those of
// walls through add_to_grain().
void start_forces(World& world, std::size_t first_body, std::size_t end_body);
void add_to_lower(std::span<const Contact> contacts, Bodies& bodies);
void add_to_higher(std::span<const Contact> contacts, const std::vector<NarrowShare>& shares, std::size_t share,
                   Bodies& bodies);
void add_to_grain(std::span<const Contact> contacts, Bodies& bodies);

}  // namespace scree
