#pragma once
// The energy ledger: what each kick's work went into. docs/theory.md derives the sums.
#include "scree/base/parallel.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Adds the work of all forces over one kick of length dt, which has just been applied: the mean of the velocities
// before and after it makes the change of kinetic energy exact.
void account_kick(World& world, double dt, ThreadPool& pool);

// Adds what the change of tangential springs took from or gave to the store: `before` is the sum of the previous
// contacts' spring energy. Friction work not stored in springs is dissipated.
double spring_energy(const World& world, ThreadPool& pool);

double kinetic_energy(const World& world, ThreadPool& pool);
double gravity_energy(const World& world, ThreadPool& pool);
double elastic_energy(const World& world, ThreadPool& pool);

// Kinetic and gravity energy of one moving body; zero for others.
double body_energy(const World& world, std::size_t body);

}  // namespace scree
