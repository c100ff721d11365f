// Well-formed scenes: what they become.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scene_text.hpp"
#include "scree/scene/size_classes.hpp"

namespace scree::test {

namespace {

constexpr double pi = std::numbers::pi;

TEST(Scene, DefaultsAreThoseOfTheSchema) {
  const Scene s = read(small_scene);
  EXPECT_EQ(s.world.materials.size(), 1u);
  EXPECT_EQ(s.world.materials[0].name, "default");
  EXPECT_DOUBLE_EQ(s.world.materials[0].friction, 0.5);
  EXPECT_DOUBLE_EQ(s.world.materials[0].restitution, 0.3);
  EXPECT_DOUBLE_EQ(s.run.frame_interval, 1.0 / 200);
  EXPECT_DOUBLE_EQ(s.run.state_interval, 0.1);
  EXPECT_EQ(s.step.integrator, "symplectic-euler");
  EXPECT_EQ(s.step.law, "spring-clamp");
  EXPECT_EQ(s.maps.kind, "table");
  EXPECT_EQ(s.render.width, 1280);
  EXPECT_EQ(s.world.gravity.value, (Vec2d{0, 0}));
  EXPECT_FALSE(s.world.periodic.x || s.world.periodic.y);
  EXPECT_TRUE(s.warnings.empty());
}

// The settings' own defaults and the schema's must agree, or Python and scene files would differ.
TEST(Scene, DefaultsAgreeWithTheStructs) {
  const Scene s = read(small_scene);
  const MapSettings maps;
  EXPECT_EQ(s.maps.nodes, maps.nodes);
  EXPECT_EQ(s.maps.epsilon, maps.epsilon);
  EXPECT_EQ(s.maps.storage, maps.storage);
  EXPECT_EQ(s.maps.net, maps.net);
  EXPECT_EQ(s.maps.grid, maps.grid);
  EXPECT_EQ(s.maps.seed, maps.seed);
  const Material m;
  const Material& r = s.world.materials[0];
  EXPECT_EQ(r.density, m.density);
  EXPECT_EQ(r.friction, m.friction);
  EXPECT_EQ(r.restitution, m.restitution);
  EXPECT_EQ(r.tangential_ratio, m.tangential_ratio);
  EXPECT_EQ(r.tangential_damping_ratio, m.tangential_damping_ratio);
  EXPECT_EQ(r.rolling_friction, m.rolling_friction);
  const StepSettings step;
  EXPECT_EQ(s.step.integrator, step.integrator);
  EXPECT_EQ(s.step.law, step.law);
  EXPECT_EQ(s.step.watchdog.max_overlap, step.watchdog.max_overlap);
  const RenderSettings render;
  EXPECT_EQ(s.render.width, render.width);
  EXPECT_EQ(s.render.fps, render.fps);
  EXPECT_EQ(s.render.colour, render.colour);
  EXPECT_EQ(s.render.background, render.background);
}

TEST(Scene, AutomaticStiffnessSitsAtTheAdvisedStep) {
  const Scene s = read(small_scene);
  EXPECT_NEAR(s.advice.omega_max * s.step.dt, 0.33, 1e-12);
  EXPECT_NEAR(s.advice.dt_advised, s.step.dt, 1e-15);
}

TEST(Scene, AutomaticStepResolvesTheStiffestContact) {
  const Scene s = read(small_scene + "[materials.a]\nstiffness = 1e4\n", {"step.dt=auto"});
  EXPECT_GT(s.step.dt, 0);
  EXPECT_NEAR(s.advice.omega_max * s.step.dt, 0.33, 1e-12);
}

TEST(Scene, ACoarseStepIsAWarningWithNumbers) {
  const Scene fine = read(small_scene);
  const double k = fine.world.materials[0].stiffness * 4;
  const Scene s = read(small_scene, {"materials.default.stiffness=" + std::to_string(k)});
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_NE(s.warnings[0].find("coarsely"), std::string::npos) << s.warnings[0];
}

TEST(Scene, AnEndBetweenStepsIsAWarning) {
  const auto warnings = [](const std::string& duration) {
    return read(small_scene, {"run.duration=" + duration}).warnings;
  };
  EXPECT_TRUE(warnings("0.3").empty());
  ASSERT_EQ(warnings("0.3003").size(), 1u);
  EXPECT_NE(warnings("0.3003")[0].find("ends at 0.301"), std::string::npos) << warnings("0.3003")[0];
  EXPECT_TRUE(warnings("0").empty()) << "no step is made";
}

TEST(Scene, WhatTheOtherSolverReadsIsTold) {
  for (const std::string setting : {"sleep=0.5", "overlap=0.02", "substeps=8", "most_substeps=9", "one_plane=true"}) {
    const std::vector<std::string> warnings = read(small_scene, {"step." + setting}).warnings;
    ASSERT_EQ(warnings.size(), 1u) << setting;
    const std::string told = "step." + setting.substr(0, setting.find('=')) + " has no effect";
    EXPECT_NE(warnings[0].find(told), std::string::npos) << warnings[0];
  }
}

TEST(Scene, PlanesOfAPairThatTouchesInSeveralPlacesAreNotChosen) {
  const auto warnings = [](const std::string& kind) {
    return read(small_scene, {"step.solver=implicit", "step.dt=1e-3", "step.one_plane=true", "maps.kind=" + kind})
        .warnings;
  };
  const auto told = [&](const std::string& kind) {
    return std::ranges::count_if(warnings(kind), [](const std::string& w) { return w.find("one_plane") != w.npos; });
  };
  EXPECT_EQ(told("table"), 0);
  EXPECT_EQ(told("clump"), 1);
}

TEST(Scene, SubstepsAreAWholeNumber) {
  EXPECT_THROW(read(small_scene, {"step.solver=implicit", "step.substeps=1.5"}), Error);
}

TEST(Scene, ALargeStepThatAFallOutrunsIsTold) {
  const auto told = [](const std::string& dt) {
    const Scene s = read(small_scene + "[[bodies]]\ngrain = \"disc\"\nposition = [0, 9]\n",
                         {"step.solver=implicit", "gravity.g=[0,-9.81]", "step.dt=" + dt});
    return std::ranges::count_if(s.warnings, [](const std::string& w) { return w.find("all the way") != w.npos; });
  };
  EXPECT_EQ(told("auto"), 0);  // it arrives at 12.5, and 64 substeps of 0.045 radii resolve 52
  EXPECT_EQ(told("0.02"), 0);
  EXPECT_EQ(told("0.025"), 1);
}

TEST(Scene, AStepLongerThanTheRunIsAnErrorAndAnAutomaticOneIsShortened) {
  EXPECT_TRUE(read(small_scene, {"run.duration=1e-3"}).warnings.empty()) << "one step";
  try {
    read(small_scene, {"run.duration=1e-4"});
    FAIL() << "a step of ten times the run was taken";
  } catch (const Error& e) {
    EXPECT_NE(e.where().find("dt"), std::string::npos) << e.where();
    EXPECT_NE(e.problem().find("longer than the run"), std::string::npos) << e.problem();
    EXPECT_NE(e.remedy().find("dt = 0.0001"), std::string::npos) << e.remedy();
  }
  const std::string stiff = "[materials.a]\nstiffness = 1e4\n";
  EXPECT_EQ(read(small_scene + stiff, {"run.duration=1e-6", "step.dt=auto"}).step.dt, 1e-6);
}

TEST(Scene, GravityByMagnitudeAndAngle) {
  const Scene s = read(small_scene + "[gravity]\nmagnitude = 2\nangle = \"90 deg\"\nturn_rate = \"180 deg\"\n");
  EXPECT_NEAR(s.world.gravity.value.x, 2, 1e-15);
  EXPECT_NEAR(s.world.gravity.value.y, 0, 1e-15);
  EXPECT_NEAR(s.world.gravity.turn_rate, pi, 1e-15);
}

TEST(Scene, GrainsHaveMassOfShapeSizeAndMaterial) {
  const Scene s = read(small_scene +
                       "[materials.default]\ndensity = 3\n[shapes.tile]\nrecipe = \"box\"\nwidth = 2\nheight = 1\n"
                       "[grains.tile]\nscale = 0.5\n");
  const GrainType& tile = s.world.types[1];
  EXPECT_EQ(tile.name, "tile");
  EXPECT_NEAR(tile.mass, 3 * 1 * 0.5, 1e-12);  // 2 x 1 at half size
  EXPECT_NEAR(tile.radius, 0.5 * std::hypot(1, 0.5), 1e-12);
  EXPECT_NEAR(tile.inertia, tile.mass * (1 * 1 + 0.5 * 0.5) / 12, 1e-12);
  EXPECT_EQ(s.warnings.size(), 1u);  // tile is never used
}

TEST(Scene, StarsBySeriesSamplesAndFit) {
  const Scene s = read(small_scene +
                       "[maps]\nkind = \"star\"\nstar_nodes = 60\nstar_distance = \"radial\"\n"
                       "[shapes.cross]\ncosines = [2.91]\nsines = [0, 0, 0, 1.455]\n"
                       "[shapes.pebble]\nradii = [3, 4, 3, 4, 3, 5, 3, 4]\n"
                       "[shapes.soft]\nrecipe = \"box\"\nwidth = 6\nfourier_order = 8\n"
                       "[grains.cross]\nscale = 1\n[grains.pebble]\nscale = 1\n[grains.soft]\nscale = 1\n");
  EXPECT_EQ(s.maps.kind, "star");
  EXPECT_EQ(s.maps.star_nodes, 60);
  EXPECT_EQ(s.maps.star_distance, StarDistance::radial);
  const auto shape = [&](const std::string& name) -> const Shape& {
    for (const auto& known : s.world.shapes)
      if (known->name == name) return *known;
    throw std::runtime_error(name);
  };
  EXPECT_NEAR(shape("cross").natural_radius, 4.365, 1e-6);
  EXPECT_EQ(shape("cross").symmetry, 4);
  EXPECT_EQ(shape("pebble").symmetry, 1);
  EXPECT_EQ(shape("soft").symmetry, 4);
  for (const char* name : {"cross", "pebble", "soft"}) EXPECT_FALSE(shape(name).star.empty()) << name;
}

TEST(SizeClasses, SharesAddUpAndMomentsAreNear) {
  for (const std::string name : {"uniform", "normal", "lognormal"}) {
    const std::vector<SizeClass> classes = size_classes(name, 2, 0.4, 9);
    double total = 0, mean = 0, square = 0;
    for (const SizeClass& c : classes) {
      total += c.fraction;
      mean += c.fraction * c.radius;
      square += c.fraction * c.radius * c.radius;
    }
    EXPECT_NEAR(total, 1, 1e-14) << name;
    EXPECT_NEAR(mean, 2, 0.01) << name;
    // Tails beyond two deviations are drawn in to the outer class, which takes up to 7 % off the deviation.
    const double expected = name == "uniform" ? 0.4 / std::sqrt(3.0) : 0.4;
    EXPECT_NEAR(std::sqrt(square - mean * mean), expected, 0.08 * expected) << name;
  }
}

TEST(SizeClasses, LognormalClassesAreSpacedByAFactor) {
  const std::vector<SizeClass> c = size_classes("lognormal", 1, 0.3, 5);
  for (std::size_t i = 2; i < c.size(); ++i) {
    EXPECT_NEAR(c[i].radius / c[i - 1].radius, c[1].radius / c[0].radius, 1e-12);
  }
}

TEST(Scene, ASizeDistributionBecomesSeveralTypes) {
  const Scene s = read(small_scene +
                       "[grains.box]\nradius = {distribution = \"classes\", radii = [0.1, 0.2], fractions = [3, 1]}\n"
                       "[[insert]]\nmethod = \"poisson\"\nmixture = {box = 1, disc = 1}\nx = [2, 5]\ny = [2, 5]\n"
                       "[[bodies]]\ngrain = \"box:2\"\nposition = [-3, 0]\n");
  ASSERT_EQ(s.world.types.size(), 3u);
  EXPECT_EQ(s.world.types[0].name, "box:1");
  const std::vector<MixtureEntry>& mixture = s.world.insertions[0].mixture;
  ASSERT_EQ(mixture.size(), 3u);
  EXPECT_NEAR(mixture[0].fraction, 0.375, 1e-15);
  EXPECT_NEAR(mixture[1].fraction, 0.125, 1e-15);
  EXPECT_NEAR(mixture[2].fraction, 0.5, 1e-15);
  EXPECT_EQ(s.world.bodies.type[1], 1);
}

TEST(Scene, ARingLaysGrainsAlongItsTangent) {
  const Scene s = read(small_scene +
                       "[grains.box]\nradius = 0.1\n[[arrays]]\nalong = \"ring\"\ngrain = \"box\"\n"
                       "centre = [1, 2]\nradius = 3\ncount = 547\nkind = \"kinematic\"\ngroup = \"drum\"\n"
                       "[[motions]]\nkind = \"rotation\"\ngroups = \"drum\"\nomega = 1\ncentre = [1, 2]\n");
  const World& w = s.world;
  ASSERT_EQ(w.bodies.size(), 548u);
  ASSERT_EQ(w.groups, (std::vector<std::string>{"grains", "drum"}));
  for (std::size_t i = 1; i < 548; ++i) {
    const Vec2d r = w.bodies.x[i] - Vec2d{1, 2};
    EXPECT_NEAR(norm(r), 3, 1e-12);
    EXPECT_NEAR(dot(r, Rotation2d(w.bodies.theta[i]) * Vec2d{1, 0}), 0, 1e-12);
    EXPECT_EQ(w.bodies.kind[i], BodyKind::kinematic);
    EXPECT_EQ(w.bodies.group[i], 1);
  }
  EXPECT_EQ(w.motions[0].groups, std::vector<int>{1});
}

TEST(Scene, ArraysAlongLinesAndArcs) {
  const Scene s = read(small_scene +
                       "[[arrays]]\nalong = \"line\"\ngrain = \"disc\"\nfrom = [3, 0]\nto = [5, 0]\n"
                       "spacing = 0.3\n"
                       "[[arrays]]\nalong = \"polyline\"\ngrain = \"disc\"\npoints = [[3, 3], [4, 3], [4, 4]]\n"
                       "count = 3\n"
                       "[[arrays]]\nalong = \"arc\"\ngrain = \"disc\"\nradius = 9\nstart = \"180 deg\"\n"
                       "end = \"360 deg\"\ncount = 3\n");
  const Bodies& b = s.world.bodies;
  ASSERT_EQ(b.size(), 1u + 8u + 3u + 3u);
  EXPECT_EQ(b.x[1], (Vec2d{3, 0}));
  EXPECT_NEAR(b.x[8].x, 5, 1e-12);
  EXPECT_NEAR(b.x[10].x, 4, 1e-12);
  EXPECT_NEAR(b.x[11].y, 4, 1e-12);
  EXPECT_NEAR(b.theta[11], pi / 2, 1e-12);
  EXPECT_NEAR(b.x[13].y, -9, 1e-12);
  EXPECT_NEAR(wrap_angle(b.theta[13]), 0, 1e-12);
  EXPECT_EQ(b.kind[1], BodyKind::fixed);
}

TEST(Scene, ABoxIsFourHalfPlanesUnderOneName) {
  const Scene s = read(small_scene +
                       "[[walls]]\nkind = \"box\"\nname = \"box\"\nx = [-1, 2]\ny = [0, 3]\n"
                       "[[events]]\ntime = 0.5\naction = \"remove-wall\"\ntargets = [\"box.top\"]\n"
                       "[[events]]\ntime = 0.2\naction = \"remove-wall\"\ntargets = [\"box\"]\n");
  ASSERT_EQ(s.world.walls.size(), 4u);
  for (const Wall& wall : s.world.walls) {
    // The inside, (0.5, 1.5), is on the free side.
    EXPECT_GT(dot(wall.normal, Vec2d{0.5, 1.5} - wall.pose.x), 0) << wall.name;
  }
  ASSERT_EQ(s.world.events.size(), 2u);
  EXPECT_EQ(s.world.events[0].targets.size(), 4u);  // in order of time
  EXPECT_EQ(s.world.walls[static_cast<std::size_t>(s.world.events[1].targets[0])].name, "box.top");
}

TEST(Scene, WallsOfEveryKind) {
  const Scene s = read(small_scene +
                       "[[walls]]\nkind = \"half-plane\"\ntilt = \"90 deg\"\n"
                       "[[walls]]\nkind = \"circle-inside\"\nradius = 5\ncentre = [1, 1]\n"
                       "[[walls]]\nkind = \"segment\"\nfrom = [0, 0]\nto = [2, 0]\nthickness = 0.2\n"
                       "[[walls]]\nkind = \"polyline\"\npoints = [[0, 0], [1, 0], [1, 1]]\nclosed = true\n"
                       "[[walls]]\nkind = \"outline\"\nshape = \"hash\"\nsize = 4\nposition = [9, 9]\nangle = 1\n"
                       "[[walls]]\nkind = \"outline\"\nloops = [[[5, 5], [6, 5], [6, 6]]]\n");
  const std::vector<Wall>& w = s.world.walls;
  ASSERT_EQ(w.size(), 6u);
  EXPECT_NEAR(w[0].normal.x, -1, 1e-15);
  EXPECT_EQ(w[1].kind, WallKind::circle_inside);
  EXPECT_EQ(w[1].pose.x, (Vec2d{1, 1}));
  EXPECT_DOUBLE_EQ(w[2].radius, 0.1);
  EXPECT_EQ(w[2].pose.x + w[2].points[1], (Vec2d{2, 0}));
  EXPECT_TRUE(w[3].closed);
  double farthest = 0;
  for (const Vec2d p : w[4].outline.loops[0]) farthest = std::max(farthest, norm(p));
  EXPECT_NEAR(farthest, 4, 1e-9);
  EXPECT_EQ(w[5].outline.loops[0].size(), 3u);
  for (const Wall& wall : w) EXPECT_EQ(wall.anchor.x, wall.pose.x);
}

TEST(Scene, SeedsFollowFromTheRunsSeed) {
  const std::string text = small_scene +
                           "[[insert]]\nmethod = \"poisson\"\ngrain = \"disc\"\nx = [2, 5]\ny = [2, 5]\n"
                           "[[insert]]\nmethod = \"poisson\"\ngrain = \"disc\"\nx = [2, 5]\ny = [6, 9]\n";
  const Scene a = read(text);
  const Scene b = read(text, {"run.seed=2"});
  EXPECT_NE(a.world.insertions[0].seed, a.world.insertions[1].seed);
  EXPECT_NE(a.world.insertions[0].seed, b.world.insertions[0].seed);
  EXPECT_EQ(read(text, {"insert[1].seed=7"}).world.insertions[1].seed, 7u);
}

TEST(Scene, AnSvgFileIsFoundBesideTheScene) {
  const std::string base = std::string(SCREE_SOURCE_DIR) + "/scenes/x.toml";
  const Scene s = parse_scene(small_scene + "[shapes.gear]\nsvg = \"shapes/gear.svg\"\n", base);
  ASSERT_EQ(s.files.size(), 1u);
  EXPECT_EQ(s.files[0].name, "gear.svg");
  EXPECT_NE(s.text.find("gear.svg"), std::string::npos);
  EXPECT_EQ(s.text.find("shapes/gear.svg"), std::string::npos);
}

namespace {

// What is said of `small_scene` by large steps with `changes`, once for each warning that has `words`.
std::ptrdiff_t warnings_with(const std::string& words, std::vector<std::string> changes) {
  changes.insert(changes.end(), {"step.solver=implicit", "gravity.g=[0,-9.81]"});
  return std::ranges::count_if(read(small_scene, changes).warnings,
                               [&](const std::string& w) { return w.find(words) != w.npos; });
}

}  // namespace

TEST(Scene, WarnsOfAWallWithoutThickness) {
  const std::string wall = "[[walls]]\nkind = \"segment\"\nname = \"ledge\"\nfrom = [0, 0]\nto = [1, 0]\n";
  const auto warned = [&](const std::vector<std::string>& changes) {
    return std::ranges::any_of(read(small_scene + wall, changes).warnings,
                               [](const std::string& w) { return w.find("\"ledge\" has no thickness") != w.npos; });
  };
  EXPECT_FALSE(warned({})) << "a disc has no corners";
  EXPECT_TRUE(warned({"grains.disc.shape=box"}));
  EXPECT_FALSE(warned({"grains.disc.shape=box", "walls[ledge].thickness=0.01"}));
}

TEST(Scene, LargeStepsSayWhatTheyDoNotRead) {
  EXPECT_EQ(warnings_with("step.integrator has no effect", {"step.dt=auto", "step.integrator=velocity-verlet"}), 1);
  EXPECT_EQ(warnings_with("step.law has no effect", {"step.dt=auto", "step.law=algorithm-1"}), 1);
  EXPECT_EQ(warnings_with("has no effect", {"step.dt=auto"}), 0);
}

TEST(Scene, LargeStepsWarnOfAStepMeantForSprings) {
  EXPECT_EQ(warnings_with("as many steps as large steps need", {"step.dt=1e-4"}), 1);
  EXPECT_EQ(warnings_with("as many steps as large steps need", {"step.dt=auto"}), 0);
}

TEST(Scene, LargeStepsWarnOfStatedSpeeds) {
  const std::string meets = "and the watchdog stops what moves or meets anything faster than";
  EXPECT_EQ(warnings_with(meets, {"step.dt=auto"}), 0);
  EXPECT_EQ(warnings_with(meets, {"step.dt=auto", "bodies[0].velocity=[0,-300]"}), 1);
}

TEST(Scene, FramesOfLargeStepsAreEven) {
  const std::string uneven = "they come at uneven times";
  EXPECT_EQ(warnings_with(uneven, {"step.dt=0.004", "run.frames=0.01"}), 1);
  EXPECT_EQ(warnings_with(uneven, {"step.dt=0.0025", "run.frames=0.01"}), 0);
  EXPECT_EQ(warnings_with(uneven, {"step.dt=0.004"}), 0);
  const Scene left = read(small_scene, {"step.solver=implicit", "gravity.g=[0,-9.81]", "step.dt=0.004"});
  const double steps = left.run.frame_interval / 0.004;
  EXPECT_NEAR(steps, std::round(steps), 1e-9);
  EXPECT_EQ(left.run.series_interval, left.run.frame_interval);
}

TEST(Scene, LargeStepsRefuseADampingThatSaysNothing) {
  const std::vector<std::string> large = {"step.solver=implicit", "gravity.g=[0,-9.81]", "step.dt=auto"};
  const auto error = [&](std::vector<std::string> changes) {
    changes.insert(changes.end(), large.begin(), large.end());
    return error_of(small_scene, changes);
  };
  EXPECT_NE(error({"materials.default.normal_damping=200"}).find("normal_damping"), std::string::npos);
  EXPECT_EQ(error({"materials.default.normal_damping=200", "materials.default.stiffness=1e6"}), "");
  EXPECT_EQ(error({}), "");
}

TEST(Scene, WarnsOfAFallThatEndsInsideTheFloor) {
  const std::string text = R"(
[run]
duration = 1
[step]
dt = 5e-4
[gravity]
g = [0, -9.81]
[grains.hash]
radius = 0.1
[[insert]]
method = "lattice"
grain = "hash"
x = [0, 1]
y = [0, 5]
)";
  const auto count = [](const Scene& scene) {
    return std::ranges::count_if(scene.warnings,
                                 [](const std::string& w) { return w.find("falls all the way") != w.npos; });
  };
  EXPECT_EQ(count(parse_scene(text, "fall.toml")), 1);
  EXPECT_EQ(count(parse_scene(text, "fall.toml", {"step.dt=5e-5"})), 0);
  EXPECT_EQ(count(parse_scene(text, "fall.toml", {"gravity.g=[0, 0]"})), 0);
  // A stiffness that the scene gives does not follow dt, even where another material's does.
  const auto sand = [&](const std::string& stiffness, const std::string& dt) {
    return parse_scene(text + "[materials.sand]\nstiffness = " + stiffness, "fall.toml",
                       {"grains.hash.material=sand", "step.dt=" + dt});
  };
  const Scene soft = sand("1000", "auto");
  ASSERT_EQ(count(soft), 1);
  const std::string& warning = soft.warnings[0];
  const std::string advice = "raise the stiffness of material \"sand\" to ";
  ASSERT_NE(warning.find(advice), warning.npos) << warning;
  EXPECT_EQ(warning.find("dt <="), warning.npos) << warning;
  EXPECT_EQ(count(sand(warning.substr(warning.find(advice) + advice.size()), "auto")), 0) << "the advice works";
  const std::string fixed = sand("1000", "4e-4").warnings[0];
  EXPECT_NE(fixed.find(" and use dt <= "), fixed.npos) << fixed;
}

}  // namespace

}  // namespace scree::test
