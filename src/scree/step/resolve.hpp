#pragma once
// What a simulation is asked for, checked and made definite before its first step. All throw Error(input) with remedy.
#include <memory>
#include <string>

#include "scree/cuda/engine.hpp"
#include "scree/step/simulation.hpp"

namespace scree {

enum class Integrator { symplectic_euler, velocity_verlet };  // in the order of integrator_names()

bool is_implicit(const std::string& solver);
Integrator integrator_by_name(const std::string& name);

// Error where the device that settings name is not there: before maps are made and folders begun.
void require_device(const StepSettings& settings);
// The GPU that settings name, or none; refuses what it cannot do.
std::unique_ptr<gpu::Engine> engine_for(const World& world, const StepSettings& settings, double advised_speed);
// The same for many worlds like this one; settings do not name the CPU.
std::unique_ptr<gpu::ManyEngine> many_engine_for(const World& world, std::size_t worlds, const StepSettings& settings,
                                                 double advised_speed);

// dt as asked, or chosen; refuses what cannot be stable.
double resolved_step(const World& world, const StepSettings& settings);
double default_skin(const World& world);

// Every pair of types that can meet has a map.
void demand_maps(const World& world);
// The nearest image is the only one a contact is looked for in, so two images of a grain must not reach the same third.
void demand_wide_period(const World& world);

}  // namespace scree
