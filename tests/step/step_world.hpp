#pragma once
// Discs in a box: cheap worlds for the tests of the step.
#include <gtest/gtest.h>

#include "scree/base/error.hpp"
#include "scree/step/drive.hpp"
#include "support.hpp"

namespace scree::testing {

inline Material soft(double friction = 0.3, double restitution = 0.5) {
  Material m;
  m.name = "soft";
  m.stiffness = 1000;
  m.friction = friction;
  m.restitution = restitution;
  return m;
}

inline StepSettings quick(double dt = 1e-3) {
  StepSettings s;
  s.dt = dt;
  s.threads = 1;
  return s;
}

// A world with one type, a disc of radius 0.5, mass pi/4.
struct Discs : Worlds {
  int disc;
  explicit Discs(Material m = soft()) : Worlds(std::move(m)), disc(type(make_disc("disc", 0.5))) {}

  Simulation start(StepSettings settings = quick()) {
    ThreadPool pool(1);
    maps(map_kind("exact"), pool);
    return Worlds::start(std::move(settings));
  }
  double mass() const { return world.types[static_cast<std::size_t>(disc)].mass; }
  Event& event(double time, Event::Action action, std::vector<int> targets = {}) {
    Event e;
    e.time = time;
    e.action = action;
    e.targets = std::move(targets);
    world.events.push_back(e);
    return world.events.back();
  }
};

inline void run(Simulation& s, int steps) {
  for (int k = 0; k < steps; ++k) s.step();
}

inline void run_until(Simulation& s, double time) {
  while (s.world().time < time - 1e-9) s.step();
}

// The Error that `action` throws; fails the test when it throws none.
template <class Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& e) { return e; }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorKind::system, "", "");
}

inline bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace scree::testing
