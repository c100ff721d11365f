#include "scree/step/resolve.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/cuda/card.hpp"

namespace scree {

std::vector<std::string> integrator_names() { return {"symplectic-euler", "velocity-verlet"}; }

std::vector<std::string> solver_names() { return {"explicit", "implicit"}; }

std::vector<std::string> device_names() { return {"cpu", "cuda", "serial"}; }

std::vector<std::string> precision_names() { return {"single", "double"}; }

namespace {

// Of `known`, or Error(input) with the nearest.
std::size_t place_of(const std::string& name, const std::vector<std::string>& known, const char* field,
                     const char* what) {
  const auto at = std::ranges::find(known, name);
  if (at != known.end()) return static_cast<std::size_t>(at - known.begin());
  const std::string near = nearest_name(name, known);
  throw Error(ErrorKind::input, field, cat("unknown ", what, " '", name, "'"),
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(known));
}

double resolved_dt(const World& world, double asked) {
  if (!std::isfinite(asked)) {
    throw Error(ErrorKind::input, "step.dt", "is not a number", "give step.dt a value, or \"auto\"");
  }
  const StepAdvice advice = advise_step(world);
  if (asked <= 0 && advice.dt_advised <= 0) {
    throw Error(ErrorKind::input, "step.dt", "cannot be chosen: no contact stiffness in the scene",
                "give step.dt a value");
  }
  if (asked <= 0) return advice.dt_advised;
  if (advice.dt_limit > 0 && asked >= advice.dt_limit) {
    throw Error(ErrorKind::input, "step.dt",
                cat("dt = ", asked, " is unstable: the stiffest contact (", advice.stiffest, ") allows at most ",
                    advice.dt_limit),
                cat("use dt <= ", advice.dt_advised,
                    " (advised), dt = \"auto\", or stiffness <= ", advice.stiffness_for_dt(asked)));
  }
  return asked;
}

double resolved_large_step(const World& world, double asked) {
  if (!std::isfinite(asked)) {
    throw Error(ErrorKind::input, "step.dt", "is not a number", "give step.dt a value, or \"auto\"");
  }
  if (asked > 0) return asked;
  const double chosen = advise_large_step(world);
  if (chosen > 0) return chosen;
  throw Error(ErrorKind::input, "step.dt", cat("cannot be chosen: ", why_no_large_step(world)), "give step.dt a value");
}

}  // namespace

bool is_implicit(const std::string& name) { return place_of(name, solver_names(), "step.solver", "solver") == 1; }

Integrator integrator_by_name(const std::string& name) {
  return static_cast<Integrator>(place_of(name, integrator_names(), "step.integrator", "integrator"));
}

namespace {

enum class Device { cpu, cuda, serial };  // in the order of device_names()

Device device_by_name(const std::string& name) {
  return static_cast<Device>(place_of(name, device_names(), "step.device", "device"));
}

gpu::Precision precision_by_name(const std::string& name) {
  const bool in_double = place_of(name, precision_names(), "step.precision", "precision") == 1;
  return in_double ? gpu::Precision::double_ : gpu::Precision::single_;
}

gpu::EngineSettings engine_settings(const StepSettings& s, double advised_speed) {
  gpu::EngineSettings e;
  e.dt = s.dt;
  e.skin = s.skin;
  e.velocity_verlet = integrator_by_name(s.integrator) == Integrator::velocity_verlet;
  e.skip = s.skip_queries;
  e.law = law_by_name(s.law);
  e.ledger = s.ledger;
  e.watch = s.watchdog.enabled;
  e.most_speed = s.watchdog.max_speed > 0 ? s.watchdog.max_speed : 4.5 * advised_speed;
  if (!(e.most_speed > 0)) e.most_speed = 1e300;
  e.most_overlap = s.watchdog.max_overlap;
  return e;
}

}  // namespace

void require_device(const StepSettings& s) {
  if (device_by_name(s.device) == Device::cuda) gpu::require_card();
}

std::unique_ptr<gpu::Engine> engine_for(const World& world, const StepSettings& s, double advised_speed) {
  const Device device = device_by_name(s.device);
  const gpu::Precision precision = precision_by_name(s.precision);
  if (device == Device::cpu) return nullptr;
  const gpu::EngineSettings e = engine_settings(s, advised_speed);
  if (is_implicit(s.solver)) {
    if (precision == gpu::Precision::double_) {
      throw Error(ErrorKind::input, "step.precision", "large steps are computed in single precision on a GPU",
                  "leave it out, or use solver = \"explicit\"");
    }
    return device == Device::cuda ? gpu::make_cuda_implicit_engine(world, e, s.implicit)
                                  : gpu::make_serial_implicit_engine(world, e, s.implicit);
  }
  return device == Device::cuda ? gpu::make_cuda_engine(world, e, precision)
                                : gpu::make_serial_engine(world, e, precision);
}

std::unique_ptr<gpu::ManyEngine> many_engine_for(const World& world, std::size_t worlds, const StepSettings& s,
                                                 double advised_speed) {
  if (is_implicit(s.solver)) {
    throw Error(ErrorKind::input, "step.solver", "many worlds at once have no large steps on '" + s.device + "'",
                "use solver = \"explicit\", or device = \"cpu\"");
  }
  const gpu::EngineSettings e = engine_settings(s, advised_speed);
  const auto make = device_by_name(s.device) == Device::cuda ? gpu::make_cuda_many : gpu::make_serial_many;
  return make(world, worlds, e, precision_by_name(s.precision));
}

double resolved_step(const World& world, const StepSettings& settings) {
  return is_implicit(settings.solver) ? resolved_large_step(world, settings.dt) : resolved_dt(world, settings.dt);
}

void demand_maps(const World& world) {
  for (const MapNeed& need : needed_maps(world)) {
    if (!world.map_table.empty() && world.map_of(need.type_a, need.type_b).map) continue;
    throw Error(ErrorKind::input, "maps",
                "no contact map for " + world.types[static_cast<std::size_t>(need.type_a)].name + " on " +
                    world.types[static_cast<std::size_t>(need.type_b)].name,
                "call assign_map for every entry of needed_maps(world)");
  }
}

void demand_wide_period(const World& world) {
  double reach = 0;
  for (const GrainType& type : world.types) reach = std::max(reach, 2 * type.radius);
  const Vec2d period = world.periodic.box.hi - world.periodic.box.lo;
  const auto demand = [&](bool on, double length, const char* axis) {
    if (!on || length >= 2 * reach) return;
    throw Error(ErrorKind::input, cat("periodic.", axis),
                cat("the period ", length, " is less than two diameters of the largest grain, ", 2 * reach),
                "make the cell wider");
  };
  demand(world.periodic.x, period.x, "x");
  demand(world.periodic.y, period.y, "y");
}

double default_skin(const World& world) {
  double smallest = 0;
  for (const GrainType& type : world.types) smallest = smallest == 0 ? type.radius : std::min(smallest, type.radius);
  return 0.25 * smallest;
}

}  // namespace scree
