// What needs the whole scene: time step against stiffness, and things that look like mistakes.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"

namespace scree {

namespace {

bool has_grains(const World& world) { return world.bodies.size() > 0 || !world.insertions.empty(); }

void set_stiffness(SceneBuilder& b) {
  if (b.auto_stiffness.empty()) return;
  const StepAdvice advice = advise_step(b.world());
  // Without moving grains nothing can oscillate, and any stiffness will do.
  const double stiffness = advice.kappa_max > 0 ? advice.stiffness_for_dt(b.scene.step.dt) : 1;
  for (const int m : b.auto_stiffness) b.world().materials[static_cast<std::size_t>(m)].stiffness = stiffness;
}

void set_step(SceneBuilder& b) {
  const Fields f = b.section("step");
  StepAdvice& advice = b.scene.advice;
  advice = advise_step(b.world());
  double& dt = b.scene.step.dt;
  if (dt == 0) {
    if (!(advice.dt_advised > 0)) f.fail("dt", "cannot be chosen: nothing moves", "give a number");
    dt = advice.dt_advised;
  }
  // 1e-9: an automatic stiffness sits exactly at the advised step.
  if (advice.dt_limit > 0 && dt > advice.dt_limit) {
    f.fail("dt", cat("= ", dt, " is unstable: contact ", advice.stiffest, " needs less than ", advice.dt_limit),
           cat("use dt = ", advice.dt_advised, " or \"auto\", or a stiffness below ", advice.stiffness_for_dt(dt)));
  }
  if (advice.dt_advised > 0 && dt > advice.dt_advised * (1 + 1e-9)) {
    b.warn(f, cat("dt = ", dt, " resolves contact ", advice.stiffest, " coarsely; advised is ", advice.dt_advised,
                  ", the limit ", advice.dt_limit));
  }
  if (b.scene.run.duration / dt > 1e10) f.fail("dt", cat("makes ", b.scene.run.duration / dt, " steps"), "raise dt");
}

double thinnest_feature_of(const World& world) {
  double w = 1e300;
  for (const GrainType& t : world.types) w = std::min(w, t.thinnest);
  return w;
}

// A grain that crosses more than w / 9 in a step may be pushed out on the wrong side (docs/theory.md).
void warn_fast(SceneBuilder& b) {
  const double w = thinnest_feature_of(b.world());
  const double fastest = w / (9 * b.scene.step.dt);
  const auto check = [&](const std::string& what, double speed) {
    if (speed <= fastest) return;
    b.scene.warnings.push_back(cat(what, " moves at ", speed, ", more than w / (9 dt) = ", fastest,
                                   " for the thinnest feature w = ", w, "; use dt <= ", w / (9 * speed)));
  };
  for (const Insertion& in : b.world().insertions) check("insertion \"" + in.name + "\"", norm(in.velocity));
  for (const Motion& m : b.world().motions) {
    check("motion \"" + m.name + "\"", norm(m.velocity) + 2 * std::numbers::pi * m.frequency * norm(m.amplitude));
  }
  double body = 0;
  for (const Vec2d v : b.world().bodies.v) body = std::max(body, norm(v));
  check("a body", body);
}

void check_colours(const SceneBuilder& b) {
  for (const auto& [grain, colour] : b.scene.render.colours) {
    reference(b.section("render"), "colours", "grain", grain, b.grains);
  }
}

void warn_unused(SceneBuilder& b) {
  const World& world = b.world();
  if (!has_grains(world))
    b.scene.warnings.push_back("the scene has no grains: give [[bodies]], [[arrays]] or [[insert]]");
  std::set<int> used(world.bodies.type.begin(), world.bodies.type.end());
  for (const Insertion& in : world.insertions) {
    for (const MixtureEntry& e : in.mixture) used.insert(e.type);
    used.insert(in.sequence.begin(), in.sequence.end());
    for (const Placement& p : in.list) used.insert(p.type);
  }
  for (const auto& [name, types] : b.grains) {
    const bool any = std::ranges::any_of(types, [&](const MixtureEntry& e) { return used.contains(e.type); });
    if (!any && name.find(':') == std::string::npos) b.scene.warnings.push_back("grain \"" + name + "\" is never used");
  }
}

void check_periodic(SceneBuilder& b) {
  const Periodic& p = b.world().periodic;
  double radius = 0;
  for (const GrainType& t : b.world().types) radius = std::max(radius, t.radius);
  const Fields f = b.section("periodic");
  const auto check = [&](bool on, double length, const char* name) {
    if (on && length < 4 * radius) {
      f.fail(name, cat("is narrower than two grains of the largest size, ", 4 * radius), "make the cell wider");
    }
  };
  check(p.x, p.box.hi.x - p.box.lo.x, "x");
  check(p.y, p.box.hi.y - p.box.lo.y, "y");
}

void check_bounds(SceneBuilder& b) {
  const World& w = b.world();
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    if (w.bounds.contains(w.bodies.x[i])) continue;
    b.section("bounds").fail("x", cat("body ", i, " starts outside, at [", w.bodies.x[i].x, ", ", w.bodies.x[i].y, "]"),
                             "make [bounds] larger");
  }
}

}  // namespace

void finish_scene(SceneBuilder& b) {
  check_colours(b);
  check_periodic(b);
  check_bounds(b);
  set_stiffness(b);
  set_step(b);
  warn_fast(b);
  warn_unused(b);
}

}  // namespace scree
