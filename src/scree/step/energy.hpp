#pragma once
// The energy ledger: what each kick's work went into. docs/theory.md derives the sums.
#include <cstdint>
#include <span>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/force/contact_forces.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Adds the work of all forces over one kick of length dt, which has just been applied: the mean of the velocities
// before and after it makes the change of kinetic energy exact. `middle`: velocities of the bodies in the middle of the
// kick; `moved`: what gravity moved. Returns the energy of the tangential springs.
double account_kick(World& world, const ForceTables& tables, const std::vector<Twist>& middle, double moved, double dt,
                    ThreadPool& pool);

// Of the tangential springs alone. Friction work that they do not store is dissipated.
double spring_energy(const World& world, const ForceTables& tables, ThreadPool& pool);

double kinetic_energy(const World& world, ThreadPool& pool);
double gravity_energy(const World& world, ThreadPool& pool);
double elastic_energy(const World& world, const ForceTables& tables, ThreadPool& pool);

// A body when a step began.
struct Outset {
  Pose2d at;
  Twist velocity;
};

// Bodies for which `pays` holds give back `owed`, each the same share of what it has more than at its outset: of its
// motion, and what that does not cover on the way that it has come. Links that World keeps go along.
void take_back_gains(World& world, double owed, std::span<const std::uint8_t> pays, std::span<const Outset> outset,
                     ThreadPool& pool);

// Kinetic and gravity energy of one moving body; zero for others.
double body_energy(const World& world, std::size_t body);

// Elastic energy of one contact; for the few that leave with their grain or wall.
double contact_energy(const World& world, const Contact& c);

}  // namespace scree
