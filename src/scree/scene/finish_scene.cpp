// What needs the whole scene: time step against stiffness, and things that look like mistakes.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/implicit/implicit_solver.hpp"
#include "scree/scene/builder.hpp"
#include "scree/shape/clump.hpp"
#include "scree/shape/star.hpp"

namespace scree {

namespace {

// The shapes that may meet another grain.
std::set<int> meeting_shapes(const World& world) {
  std::set<int> shapes;
  for (const MapNeed& need : needed_maps(world)) {
    for (const int type : {need.type_a, need.type_b}) shapes.insert(world.types[static_cast<std::size_t>(type)].shape);
  }
  return shapes;
}

// Shapes that the kind of contact cannot have are found here, not by the run.
void check_contact_kind(SceneBuilder& b) {
  const MapSettings& maps = b.scene.maps;
  for (const int k : meeting_shapes(b.world())) {
    const Shape& shape = *b.world().shapes[static_cast<std::size_t>(k)];
    if (shape.is_disc) continue;
    try {
      if (maps.kind == "star") static_cast<void>(Radial(shape));
      if (maps.kind == "clump") static_cast<void>(fit_clump(shape, {maps.clump_discs, maps.clump_tolerance}));
    } catch (const Error& e) {
      b.section("maps").fail("kind",
                             cat("= \"", maps.kind, "\" does not suit shape \"", shape.name, "\": ", e.problem()),
                             maps.kind == "star" ? "use kind = \"table\", or \"clump\""
                                                 : "raise maps.clump_tolerance, or use kind = \"table\"");
    }
  }
}

// Large steps on a GPU do less than on the CPU. A scene that asks for the rest is told before a GPU is looked for.
void check_device(SceneBuilder& b) {
  const StepSettings& step = b.scene.step;
  if (step.solver != "implicit" || step.device == "cpu") return;
  const Fields f = b.section("step");
  if (step.implicit.sleep > 0) f.fail("sleep", "grains do not sleep on a GPU", "leave it out, or use device = \"cpu\"");
  if (step.precision == "double") {
    f.fail("precision", "large steps are computed in single precision on a GPU",
           "leave it out, or use device = \"cpu\"");
  }
  const std::string& kind = b.scene.maps.kind;
  const auto is_disc = [&](int k) { return b.world().shapes[static_cast<std::size_t>(k)]->is_disc; };
  if (kind != "table" && !std::ranges::all_of(meeting_shapes(b.world()), is_disc)) {
    b.section("maps").fail("kind", cat("= \"", kind, "\" is not there for large steps on a GPU"),
                           "use kind = \"table\", or use device = \"cpu\"");
  }
}

bool has_grains(const World& world) { return world.bodies.size() > 0 || !world.insertions.empty(); }

void set_stiffness(SceneBuilder& b) {
  if (b.auto_stiffness.empty()) return;
  const StepAdvice advice = advise_step(b.world());
  // Without moving grains nothing can oscillate, and any stiffness will do.
  const double stiffness = advice.kappa_max > 0 && b.scene.step.dt > 0 ? advice.stiffness_for_dt(b.scene.step.dt) : 1;
  for (const int m : b.auto_stiffness) b.world().materials[static_cast<std::size_t>(m)].stiffness = stiffness;
}

// A run makes whole steps. An end that is off by a thousandth shows in results; an automatic dt promises no exact one.
void warn_end(SceneBuilder& b, bool automatic) {
  const double dt = b.scene.step.dt;
  const double duration = b.scene.run.duration;
  const double end = dt * std::max(0.0, std::ceil(duration / dt - 1e-6));
  if (!automatic && std::abs(end - duration) > 1e-3 * duration) {
    b.warn(b.section("run"),
           cat("duration = ", duration, " is not a whole number of steps of dt = ", dt, "; the run ends at ", end));
  }
}

// One step would pass the end: an automatic one is shortened, a given one must be a mistake. A run of no duration makes
// no step.
void refuse_step_beyond_run(SceneBuilder& b, bool automatic) {
  double& dt = b.scene.step.dt;
  const double duration = b.scene.run.duration;
  if (!(duration > 0) || dt <= duration * (1 + 1e-9)) return;
  if (!automatic)
    b.section("step").fail("dt", cat("= ", dt, " is longer than the run, run.duration = ", duration),
                           cat("use dt = ", duration, " or less, or a longer duration"));
  dt = duration;
}

void set_step(SceneBuilder& b) {
  const Fields f = b.section("step");
  StepAdvice& advice = b.scene.advice;
  advice = advise_step(b.world());
  double& dt = b.scene.step.dt;
  const bool automatic = dt == 0, large_steps = b.scene.step.solver == "implicit";
  if (large_steps) advice.dt_advised = advise_large_step(b.world()), advice.dt_limit = 0;
  if (automatic) {
    const std::string why = large_steps ? why_no_large_step(b.world()) : "nothing moves";
    if (!(advice.dt_advised > 0)) f.fail("dt", cat("cannot be chosen: ", why), "give a number");
    dt = advice.dt_advised;
  }
  // 1e-9: an automatic stiffness sits exactly at the advised step.
  if (!large_steps && advice.dt_limit > 0 && dt > advice.dt_limit) {
    f.fail("dt", cat("= ", dt, " is unstable: contact ", advice.stiffest, " needs less than ", advice.dt_limit),
           cat("use dt = ", advice.dt_advised, " or \"auto\", or a stiffness below ", advice.stiffness_for_dt(dt)));
  }
  if (!large_steps && advice.dt_advised > 0 && dt > advice.dt_advised * (1 + 1e-9)) {
    b.warn(f, cat("dt = ", dt, " resolves contact ", advice.stiffest, " coarsely; advised is ", advice.dt_advised,
                  ", the limit ", advice.dt_limit));
  }
  if (b.scene.run.duration / dt > most_steps) {
    f.fail("dt", cat("makes ", b.scene.run.duration / dt, " steps"), "raise dt");
  }
  refuse_step_beyond_run(b, automatic);
  warn_end(b, automatic);
}

double thinnest_feature_of(const World& world) {
  double w = 1e300;
  for (const GrainType& t : world.types) w = std::min(w, t.thinnest);
  return w;
}

// Of all speeds that the scene states: check(what, speed).
template <class Check>
void check_stated_speeds(SceneBuilder& b, Check check) {
  for (const Insertion& in : b.world().insertions) check("insertion \"" + in.name + "\"", norm(in.velocity));
  for (const Motion& m : b.world().motions) {
    check("motion \"" + m.name + "\"", norm(m.velocity) + 2 * std::numbers::pi * m.frequency * norm(m.amplitude));
  }
  double body = 0;
  for (const Vec2d v : b.world().bodies.v) body = std::max(body, norm(v));
  check("a body", body);
}

// A grain that crosses more than w / 9 in a step may be pushed out on the wrong side (docs/theory.md).
void warn_fast(SceneBuilder& b) {
  const double w = thinnest_feature_of(b.world());
  const double fastest = w / (9 * b.scene.step.dt);
  check_stated_speeds(b, [&](const std::string& what, double speed) {
    if (speed <= fastest) return;
    b.scene.warnings.push_back(cat(what, " moves at ", speed, ", more than w / (9 dt) = ", fastest,
                                   " for the thinnest feature w = ", w, "; use dt <= ", w / (9 * speed)));
  });
}

// Height of the highest grain above the lowest thing, against gravity. Walls without an extent count with their origin.
double drop_height(const World& world, Vec2d up) {
  double lowest = 1e300;
  double highest = -1e300;
  const auto reach = [&](Vec2d p, bool grain) {
    lowest = std::min(lowest, dot(p, up));
    if (grain) highest = std::max(highest, dot(p, up));
  };
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    reach(world.bodies.x[k], world.bodies.kind[k] == BodyKind::moving);
  }
  for (const Insertion& in : world.insertions) {
    for (const Placement& p : in.list) reach(p.x, true);
    if (!in.list.empty()) continue;
    for (const Vec2d corner : {in.region.lo, in.region.hi}) reach(corner, true);
  }
  for (const Wall& wall : world.walls) {
    reach(wall.pose.x, false);
    for (const Vec2d p : wall.points) reach(wall.pose * p, false);
  }
  return std::max(0.0, highest - lowest);
}

// What brings an overlap of `worst` thinnest features down to half of one: 4 worst^2 times the stiffness. An automatic
// one follows dt; one that the scene gives is to be raised, and a given dt with it.
std::string impact_remedy(const SceneBuilder& b, int material, double worst) {
  const double dt = b.scene.step.dt;
  if (std::ranges::count(b.auto_stiffness, material) > 0) return cat("use dt <= ", dt / (2 * worst));
  const double stiffness = b.scene.world.pair_parameters(material, material).stiffness;
  const double advised = b.scene.advice.dt_advised;
  const bool dt_given = dt != advised;
  return cat("raise the stiffness of material \"", b.scene.world.materials[static_cast<std::size_t>(material)].name,
             "\" to ", 4 * worst * worst * stiffness,
             dt_given && dt > advised / (2 * worst) ? cat(" and use dt <= ", advised / (2 * worst)) : "");
}

// A grain of mass m that falls all the way arrives at v = sqrt(2 g h) and overlaps by about v sqrt(m / k). Well beyond
// its thinnest feature it will go through what it hits, unless others break its fall.
void warn_hard_impact(SceneBuilder& b) {
  const World& world = b.world();
  const double g = norm(world.gravity.value);
  if (!(g > 0)) return;
  const double height = drop_height(world, (-1 / g) * world.gravity.value);
  const double speed = std::sqrt(2 * g * height);
  const std::vector<TypeUse> use = type_use(world);
  double worst = 1;
  std::size_t grain = world.types.size();
  for (std::size_t t = 0; t < world.types.size(); ++t) {
    if (!use[t].moving) continue;
    const GrainType& type = world.types[t];
    const double stiffness = world.pair_parameters(type.material, type.material).stiffness;
    const double relative = speed * std::sqrt(type.mass / stiffness) / type.thinnest;
    if (relative > worst) worst = relative, grain = t;
  }
  if (grain == world.types.size()) return;
  const std::string remedy = impact_remedy(b, world.types[grain].material, worst);
  b.scene.warnings.push_back(cat("a grain \"", world.types[grain].name, "\" that falls all the way, ", height,
                                 ", arrives at ", speed, " and would overlap by ", worst,
                                 " of its thinnest feature; the watchdog stops at ", b.scene.step.watchdog.max_overlap,
                                 ": ", remedy));
}

// The same for large steps: grains that meet faster than substeps resolve stop the run, unless the scene says
// otherwise.
void warn_fast_meetings(SceneBuilder& b) {
  constexpr double room = 0.9;  // for what gravity and others add
  const World& world = b.world();
  if (!has_grains(world)) return;
  const WatchdogLimits& watchdog = b.scene.step.watchdog;
  const double dt = b.scene.step.dt, resolved = resolved_speed(world, b.scene.step.implicit, dt);
  const bool stops = watchdog.enabled && (watchdog.max_speed == 0 || watchdog.max_speed < resolved);
  const double fastest = stops && watchdog.max_speed > 0 ? watchdog.max_speed : resolved;
  const auto check = [&](const std::string& what, double speed) {
    if (speed <= fastest) return;
    const std::string limit = stops ? cat("the watchdog stops what moves or meets anything faster than ", fastest)
                                    : cat("substeps resolve no meeting faster than ", fastest);
    const std::string remedy = fastest < resolved ? "raise watchdog.max_speed"
                                                  : cat("use dt <= ", room * dt * fastest / speed,
                                                        ", or raise step.most_substeps, or step.substeps where given");
    b.scene.warnings.push_back(cat(what, " at ", speed, ", and ", limit, ": ", remedy));
  };
  check_stated_speeds(b, [&](const std::string& what, double speed) { check(what + " moves", speed); });
  const double g = norm(world.gravity.value);
  if (!(g > 0)) return;
  const double height = drop_height(world, (-1 / g) * world.gravity.value);
  check(cat("a grain that falls all the way, ", height, ", arrives"), std::sqrt(2 * g * height));
}

// A step that was meant for springs costs as much as they do.
void warn_short_step(SceneBuilder& b) {
  constexpr double far_too_short = 0.1;
  const double dt = b.scene.step.dt, advised = b.scene.advice.dt_advised;
  if (dt < far_too_short * advised)
    b.warn(b.section("step"),
           cat("dt = ", dt, " makes ", advised / dt, " times as many steps as large steps need; use dt = \"auto\""));
}

// Frames come after whole steps. Where these are large, times between them differ; those that the scene leaves to the
// program do not.
void even_out_frames(SceneBuilder& b) {
  constexpr double most_uneven = 8;  // steps
  const Fields f = b.section("run");
  RunSettings& run = b.scene.run;
  const double dt = b.scene.step.dt, steps = run.frame_interval / dt;
  if (!(run.duration > 0) || steps > most_uneven || std::abs(steps - std::round(steps)) < 1e-3) return;
  if (f.maybe_number("frames")) {
    b.warn(f,
           cat("frames = ", run.frame_interval, " is not a whole number of steps of dt = ", dt,
               ": they come at uneven times; step.dt = ", run.frame_interval / std::ceil(steps), " makes them even"));
  } else {
    run.frame_interval = dt * std::max(1.0, std::round(steps));
    if (!f.maybe_number("series")) run.series_interval = run.frame_interval;
  }
}

// Settings that the solver does not read, given by someone who expects something of them.
void warn_other_solver(SceneBuilder& b) {
  const StepSettings normal, &step = b.scene.step;
  const char* other = step.solver == "explicit" ? "implicit" : "explicit";
  const auto warn = [&](const char* field) {
    b.scene.warnings.push_back(cat("step.", field, " has no effect: it is for solver = \"", other, "\""));
  };
  if (step.solver == "implicit") {
    if (step.integrator != normal.integrator) warn("integrator");
    if (step.law != normal.law) warn("law");
    const std::string& kind = b.scene.maps.kind;
    if (step.implicit.one_plane && (kind == "star" || kind == "clump"))
      b.warn(b.section("step"),
             "one_plane = true has no effect: pairs of kind = \"" + kind + "\" have as many contacts as they touch in");
    return;
  }
  const ImplicitSettings &defaults = normal.implicit, &given = step.implicit;
  if (given.sleep != defaults.sleep) warn("sleep");
  if (given.overlap != defaults.overlap) warn("overlap");
  if (given.substeps != defaults.substeps) warn("substeps");
  if (given.most_substeps != defaults.most_substeps) warn("most_substeps");
  if (given.one_plane != defaults.one_plane) warn("one_plane");
}

// The middle of a wall is as deep as a corner can get into it.
void warn_thin_walls(SceneBuilder& b) {
  const World& world = b.world();
  if (!has_grains(world)) return;
  const std::vector<TypeUse> use = type_use(world);
  double thinnest = 0;
  for (std::size_t t = 0; t < world.types.size(); ++t) {
    const GrainType& type = world.types[t];
    if (!use[t].moving || world.shapes[static_cast<std::size_t>(type.shape)]->is_disc) continue;
    thinnest = thinnest > 0 ? std::min(thinnest, type.thinnest) : type.thinnest;
  }
  if (thinnest == 0) return;
  for (const Wall& wall : world.walls) {
    if (wall.kind != WallKind::polyline || wall.radius > 0) continue;
    b.scene.warnings.push_back(cat("wall \"", wall.name,
                                   "\" has no thickness: a corner that crosses it is lost to it, and "
                                   "the run stops; give it thickness = ",
                                   0.5 * thinnest, ", for one"));
  }
}

void check_colours(SceneBuilder& b) {
  const std::vector<std::string>& groups = b.world().groups;
  for (const auto& [name, colour] : b.scene.render.colours) {
    if (b.scene.render.colour == "group") {
      if (std::ranges::find(groups, name) == groups.end())
        b.section("render").fail("colours", "unknown group \"" + name + "\"", suggestion(name, groups));
    } else {
      reference(b.section("render"), "colours", "grain", name, b.grains);
    }
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
  check_device(b);
  check_contact_kind(b);
  check_periodic(b);
  check_bounds(b);
  set_stiffness(b);
  const bool automatic = b.scene.step.dt == 0;
  set_step(b);
  if (b.scene.step.solver == "explicit") {
    warn_fast(b);
    warn_hard_impact(b);
  } else {
    warn_fast_meetings(b);
    if (!automatic) warn_short_step(b);
    even_out_frames(b);
  }
  warn_other_solver(b);
  warn_thin_walls(b);
  warn_unused(b);
}

}  // namespace scree
