#pragma once
// Contacts -> forces: the contact law over all contacts, then the sum over each body's contacts in a fixed order.
#include <string>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/world/world.hpp"

namespace scree {

enum class FrictionLaw { spring_clamp, algorithm_1 };

std::vector<std::string> law_names();
// Throws Error(input) with the nearest known name.
FrictionLaw law_by_name(const std::string& name);

// Pair parameters for every (type, type) and (type, wall), resolved once.
class ForceTables {
 public:
  explicit ForceTables(const World& world);
  const PairParameters& pair(int type_a, int type_b) const {
    return pairs_[static_cast<std::size_t>(type_a) * types_ + static_cast<std::size_t>(type_b)];
  }
  const PairParameters& wall(int type, int wall) const {
    return walls_[static_cast<std::size_t>(type) * wall_count_ + static_cast<std::size_t>(wall)];
  }

 private:
  std::size_t types_ = 0;
  std::size_t wall_count_ = 0;
  std::vector<PairParameters> pairs_;
  std::vector<PairParameters> walls_;
};

// Inverse mass and inertia of a body: zero when it does not obey forces.
struct Mobility {
  double inverse_mass = 0;
  double inverse_inertia = 0;
};
Mobility mobility(const World& world, std::size_t body);

// Velocities seen by a contact: gap rate v_n, tangential speed u_t, relative spin.
struct ContactVelocity {
  double normal = 0;
  double tangential = 0;
  double spin = 0;
};
ContactVelocity contact_velocity(const World& world, const Contact& c, Vec2d v_a, double omega_a, Vec2d v_b,
                                 double omega_b);

// Runs the law on every contact: forces, spring, energies.
void apply_law(const World& world, const ForceTables& tables, FrictionLaw law, double dt, ThreadPool& pool,
               std::vector<Contact>& contacts);

// Writes force and torque of every body: gravity plus its contacts (pairs as lower index, as higher index, walls).
// `wall_first` as in WallPhase::first().
void gather_forces(World& world, const PairList& list, const std::vector<std::uint32_t>& wall_first, ThreadPool& pool);

}  // namespace scree
