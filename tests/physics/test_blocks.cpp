// Section 8.1 of the Configurational Element Method paper: a block in a corner, two blocks that lean on each other, a
// block on a slope. Against Coulomb friction on rigid bodies.
#include "physics.hpp"

namespace scree::testing {
namespace {

constexpr double gravity = 9.81;

StepSettings large_steps() {
  StepSettings s;
  s.solver = "implicit";
  s.dt = 1.0 / 60;
  s.threads = 1;
  return s;
}

Material block_material(double mu, double stiffness) {
  Material m;
  m.name = "block";
  m.density = 1;
  m.friction = mu;
  m.restitution = 0.2;
  m.stiffness = stiffness;
  return m;
}

Shape block(double width, double height, const std::string& name = "block") {
  Shape s = make_named_shape("box", {{"width", width}, {"height", height}});
  s.name = name;
  return s;
}

// ---- Leaning block -----------------------------------------------------------------------------------------------

// A thin block (a ladder of length 2, thickness 0.06) leans at 0.6 rad from the horizontal in the corner of a floor and
// a wall. A thin ladder slides when mu < tan(45 deg - 0.6/2) = 0.53: all three coefficients of the paper slide.
constexpr double ladder_length = 2, ladder_width = 0.06, ladder_angle = 0.6;

// Rigid ladder sliding down with Coulomb friction at both ends; theta = -inclination. Floor: force (-mu N1, N1) on the
// corner r1; wall: (N2, mu N2) on r2. The corners keep y1 = 0 and x2 = 0.
struct Ladder {
  double mass, inertia, mu;

  double acceleration(double theta, double omega) const {
    const Rotation2d r(theta);
    const Vec2d r1 = r * Vec2d{ladder_length / 2, -ladder_width / 2};
    const Vec2d r2 = r * Vec2d{-ladder_length / 2, -ladder_width / 2};
    // Residual of the moment balance for a given angular acceleration; linear in it.
    const auto residual = [&](double alpha) {
      const double ax = alpha * r2.y + omega * omega * r2.x, ay = -alpha * r1.x + omega * omega * r1.y;
      const double n1 = mass * (ay + gravity - mu * ax) / (1 + mu * mu);
      const double n2 = mass * ax + mu * n1;
      return inertia * alpha - n1 * (r1.x + mu * r1.y) - n2 * (mu * r2.x - r2.y);
    };
    return -residual(0) / (residual(1) - residual(0));
  }

  double angle_after(double time) const {
    double theta = -ladder_angle, omega = 0;
    const int n = 2000;
    const double h = time / n;
    for (int k = 0; k < n; ++k) {  // midpoint rule
      const double mid = acceleration(theta + 0.5 * h * omega, omega + 0.5 * h * acceleration(theta, omega));
      theta += h * (omega + 0.5 * h * mid);
      omega += h * mid;
    }
    return theta;
  }
};

struct Leaning {
  double angle;  // inclination at the end
  Ladder rigid;
};

// Corner of two half-planes, or of two fixed blocks through a contact map.
Leaning lean(double mu, const std::string& kind, const StepSettings& steps, double time) {
  Worlds w(block_material(mu, 4e6));
  const int ladder = w.type(block(ladder_length, ladder_width));
  const Rotation2d r(-ladder_angle);
  const Vec2d foot = r * Vec2d{ladder_length / 2, -ladder_width / 2};
  const Vec2d head = r * Vec2d{-ladder_length / 2, -ladder_width / 2};
  w.body(ladder, {-head.x, -foot.y}, -ladder_angle);
  if (kind == "half-planes") {
    w.half_plane({0, 0}, {0, 1});
    w.half_plane({0, 0}, {1, 0});
  } else {
    const int slab = w.type(block(4, 0.5, "slab"));
    w.body(slab, {1.8, -0.25}, 0, {}, 0, BodyKind::fixed);
    w.body(slab, {-0.25, 1.8}, pi / 2, {}, 0, BodyKind::fixed);
  }
  w.world.gravity.value = {0, -gravity};
  const GrainType& type = w.world.types[0];
  const Ladder rigid{type.mass, type.inertia, mu};
  w.maps(map_kind(kind == "half-planes" ? "exact" : kind), test_pool());
  Simulation sim = w.start(steps);
  run_until(sim, time);
  const bool two_rows = steps.solver == "implicit" && kind != "half-planes";
  EXPECT_EQ(sim.world().contacts.size(), two_rows ? 4u : 2u);
  return {-sim.world().bodies.theta[0], rigid};
}

class LeaningBlock : public ::testing::TestWithParam<std::string> {};

TEST_P(LeaningBlock, SlidesForAllAndLessWithMoreFriction) {
  const double time = 0.2;  // the head stays on the wall until then
  double slid_before = 1e300;
  for (const double mu : {0.1, 0.3, 0.5}) {
    const Leaning l = lean(mu, GetParam(), steps_of(2e-5), time);
    const double slid = ladder_angle - l.angle;
    const double expected = ladder_angle + l.rigid.angle_after(time);
    record("error_at_mu_0." + std::to_string(static_cast<int>(10 * mu)), slid / expected - 1);
    EXPECT_GT(expected, 0.005);
    // Until the friction springs are wound up (sqrt(mu N / (k_t g)) ~ 1 ms) the block falls freely. That weighs most
    // where friction all but holds it.
    EXPECT_NEAR(slid, expected, (mu == 0.5 ? 0.04 : 0.005) * expected) << "mu = " << mu;
    EXPECT_LT(slid, 0.8 * slid_before);
    slid_before = slid;
  }
}

// After the first step a spin of 0.02 rad/s is left, which shows where friction all but holds the block.
TEST_P(LeaningBlock, SlidesByLargeStepsToo) {
  const double time = 0.2;
  double slid_before = 1e300;
  for (const double mu : {0.1, 0.3, 0.5}) {
    const Leaning l = lean(mu, GetParam(), large_steps(), time);
    const double slid = ladder_angle - l.angle, expected = ladder_angle + l.rigid.angle_after(time);
    record("error_at_mu_0." + std::to_string(static_cast<int>(10 * mu)), slid / expected - 1);
    EXPECT_NEAR(slid, expected, 0.02 * time) << "mu = " << mu;
    EXPECT_LT(slid, 0.8 * slid_before);
    slid_before = slid;
  }
}

INSTANTIATE_TEST_SUITE_P(Corners, LeaningBlock, ::testing::Values("half-planes", "exact", "table"), kind_name);

// ---- Triangle ----------------------------------------------------------------------------------------------------

// Two thin blocks, each 15 degrees from the vertical, lean on each other on a plane. By symmetry the force between
// their tops is horizontal, and rigid blocks of length L and width w stand when
//   mu >= (tan 15 deg - w/L) / 2 = 0.119
// at the ground. Sharp tops meet corner on face, whose normal is 15 degrees off the horizontal: tan 15 deg = 0.268.
struct Standing {
  double fall = 0;     // of the left block's centre, length
  double kinetic = 0;  // at the end
};

Standing stand(double mu, const std::string& kind, const StepSettings& steps, double time) {
  const double length = 2, width = 0.06, lean_angle = 15 * pi / 180;
  Worlds w(block_material(mu, 1e5));
  const int type = w.type(block(width, length));
  const Rotation2d r(-lean_angle);
  const Vec2d foot = r * Vec2d{width / 2, -length / 2};
  const Vec2d head = r * Vec2d{width / 2, length / 2};
  w.body(type, {-head.x, -foot.y}, -lean_angle);
  w.body(type, {head.x, -foot.y}, lean_angle);
  w.half_plane({0, 0}, {0, 1});
  w.world.gravity.value = {0, -gravity};
  w.maps(map_kind(kind), test_pool());
  Simulation sim = w.start(steps);
  Standing s;
  const double start = sim.world().bodies.x[0].y;
  while (sim.world().time < time && s.fall < 0.3) {
    sim.step();
    s.fall = start - sim.world().bodies.x[0].y;
  }
  s.kinetic = sim.energy().kinetic;
  return s;
}

class Triangle : public ::testing::TestWithParam<std::string> {};

TEST_P(Triangle, CollapsesOnlyAtLowFriction) {
  EXPECT_GT(stand(0.1, GetParam(), steps_of(1e-4), 3).fall, 0.3);
  for (const double mu : {0.3, 0.5}) {
    const Standing s = stand(mu, GetParam(), steps_of(1e-4), 3);
    // The feet sink by m g / k = 1e-5; the table rounds the corners that meet by a tenth of a node's spacing.
    EXPECT_LT(s.fall, 2e-4) << "mu = " << mu;
    EXPECT_LT(s.kinetic, 1e-20) << "mu = " << mu;
  }
}

TEST_P(Triangle, CollapsesOnlyAtLowFrictionByLargeStepsToo) {
  EXPECT_GT(stand(0.1, GetParam(), large_steps(), 3).fall, 0.3);
  for (const double mu : {0.3, 0.5}) {
    const Standing s = stand(mu, GetParam(), large_steps(), 3);
    record("fall_at_mu_0." + std::to_string(static_cast<int>(10 * mu)), s.fall);
    record("kinetic_at_mu_0." + std::to_string(static_cast<int>(10 * mu)), s.kinetic);
    EXPECT_NEAR(s.fall, -1e-3, 3e-4) << "mu = " << mu;  // surfaces are held a thousandth of the circumradius apart
    EXPECT_LT(s.kinetic, 1e-18) << "mu = " << mu;
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, Triangle, ::testing::Values("exact", "table"), kind_name);

// ---- Inclined plane ----------------------------------------------------------------------------------------------

constexpr double slope = 16 * pi / 180;

struct Slide {
  double distance = 0;      // down the slope in `time`
  double late = 0;          // of it, after the first second
  double acceleration = 0;  // mean after the first second
};

// A block of 1 x 0.5 on a slope: a half-plane, or a long fixed block through a contact map. It settles for half a
// second with gravity square to the slope, then gravity turns upright and the clock starts.
//
// Through a map the whole face is one contact. The map is smooth where the load passes from one corner to the other, so
// the block rocks on it like on a soft foot, and nothing but rotational damping ends that: 20 / s here. Without it the
// block still sticks with the exact map but creeps by 1e-4 with the table.
Slide slide(double mu, const std::string& kind, const StepSettings& steps, double time) {
  const double stiffness = 4e6;
  Worlds w(block_material(mu, stiffness));
  const Rotation2d r(-slope);
  if (kind == "half-plane") {
    w.half_plane({0, 0}, r * Vec2d{0, 1});
  } else {
    w.world.materials[0].rotational_damping = 20;
    w.body(w.type(block(6, 1, "ramp")), r * Vec2d{0, -0.5}, -slope, {}, 0, BodyKind::fixed);
  }
  w.body(w.type(block(1, 0.5)), r * Vec2d{-1, 0.25}, -slope);
  w.world.gravity.value = r * Vec2d{0, -gravity};
  Event upright;
  upright.time = 0.5;
  upright.action = Event::Action::set_gravity;
  upright.gravity = {0, -gravity};
  w.world.events.push_back(upright);
  w.maps(map_kind(kind == "half-plane" ? "exact" : kind), test_pool());

  Simulation sim = w.start(steps);
  const std::size_t me = sim.world().bodies.size() - 1;
  const auto along = [&] { return r.back(sim.world().bodies.x[me]).x; };
  const auto speed = [&] { return r.back(sim.world().bodies.v[me]).x; };
  run_until(sim, 0.5);
  EXPECT_LT(sim.energy().kinetic, steps.solver == "implicit" ? 1e-8 : 1e-20);
  const double start = along();
  run_until(sim, 1.5);
  const double at_one = along(), speed_at_one = speed();
  run_until(sim, time + 0.5);
  return {along() - start, along() - at_one, (speed() - speed_at_one) / (time - 1)};
}

class InclinedPlane : public ::testing::TestWithParam<std::string> {};

// tan 16 deg = 0.2867. What a spring-dashpot contact adds is its start: the block falls freely until the friction
// spring is wound up, and through a map until it has tilted onto its front edge, by 4e-5 rad (exact, epsilon = 1e-3) or
// 4e-3 rad (table, whose nodes are 0.16 rad apart here). The speed gained meanwhile stays; the acceleration is right.
TEST_P(InclinedPlane, SlidesAt028AsCoulombSays) {
  const double time = 3, mu = 0.28;
  const double acceleration = gravity * (std::sin(slope) - mu * std::cos(slope));
  const Slide s = slide(mu, GetParam(), steps_of(2e-5), time);
  EXPECT_NEAR(s.acceleration, acceleration, 1e-3 * acceleration);
  const double start_up = GetParam() == "half-plane" ? 0.01 : GetParam() == "exact" ? 0.04 : 0.3;
  EXPECT_NEAR(s.distance, 0.5 * acceleration * time * time, start_up * 0.5 * acceleration * time * time);
  record("distance_error", s.distance / (0.5 * acceleration * time * time) - 1);
  record("acceleration_error", s.acceleration / acceleration - 1);
}

// No creep: two-point contact comes to rest to the last bit, face contact to the last of its rocking.
TEST_P(InclinedPlane, SticksAt030And032) {
  const double drift = GetParam() == "half-plane" ? 1e-14 : GetParam() == "exact" ? 1e-7 : 1e-5;
  for (const double mu : {0.30, 0.32}) {
    const Slide s = slide(mu, GetParam(), steps_of(2e-5), 4);
    record("drift_at_mu_" + std::to_string(mu).substr(0, 4), s.late);
    EXPECT_LT(std::abs(s.late), drift) << "mu = " << mu;
    EXPECT_LT(s.distance, 0.01) << "mu = " << mu;
  }
}

// What drives it is a hundred and fiftieth of its weight, less than what the normals of the table are off by.
TEST_P(InclinedPlane, SlidesAndSticksByLargeStepsToo) {
  const bool table = GetParam() == "table";
  const double acceleration = gravity * (std::sin(slope) - 0.28 * std::cos(slope));
  const Slide slides = slide(0.28, GetParam(), large_steps(), 3);
  record("distance_error", slides.distance / (0.5 * acceleration * 9) - 1);
  record("acceleration_error", slides.acceleration / acceleration - 1);
  EXPECT_NEAR(slides.acceleration, acceleration, (table ? 0.05 : 1e-3) * acceleration);
  EXPECT_NEAR(slides.distance, 0.5 * acceleration * 9, (table ? 0.15 : 0.02) * 0.5 * acceleration * 9);
  for (const double mu : {0.30, 0.32}) {
    const Slide sticks = slide(mu, GetParam(), large_steps(), 4);
    record("drift_at_mu_" + std::to_string(mu).substr(0, 4), sticks.late);
    EXPECT_LT(std::abs(sticks.late), table ? 2e-4 : 1e-8) << "mu = " << mu;
    EXPECT_LT(sticks.distance, 0.01) << "mu = " << mu;
  }
}

INSTANTIATE_TEST_SUITE_P(Planes, InclinedPlane, ::testing::Values("half-plane", "exact", "table"), kind_name);

}  // namespace
}  // namespace scree::testing
