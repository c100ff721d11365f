#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scree/world/motion.hpp"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

// Velocities must be the rates of the displacement: central differences, error of order h^2.
void expect_rates(const Motion& m, double t, const std::string& what) {
  const double h = 1e-5;
  const MotionState before = motion_state(m, t - h);
  const MotionState now = motion_state(m, t);
  const MotionState after = motion_state(m, t + h);
  EXPECT_NEAR(now.omega, (after.angle - before.angle) / (2 * h), 1e-6) << what << " at " << t;
  EXPECT_NEAR(now.velocity.x, (after.shift.x - before.shift.x) / (2 * h), 1e-6) << what << " at " << t;
  EXPECT_NEAR(now.velocity.y, (after.shift.y - before.shift.y) / (2 * h), 1e-6) << what << " at " << t;
}

TEST(Motion, ConstantWithARampStartsFromRest) {
  Motion m;
  m.velocity = {2, -1};
  m.ramp = 0.5;
  m.start = 1;
  EXPECT_EQ(motion_state(m, 0.99).shift.x, 0);
  EXPECT_EQ(motion_state(m, 1).velocity.x, 0);
  EXPECT_NEAR(motion_state(m, 1.25).shift.x, 2 * 0.25 * 0.25 / (2 * 0.5), 1e-15);
  EXPECT_NEAR(motion_state(m, 1.25).velocity.x, 1, 1e-15);
  EXPECT_NEAR(motion_state(m, 3).shift.x, 2 * (2 - 0.25), 1e-15) << "half the ramp is lost";
  for (const double t : {1.1, 1.49, 1.6, 5.0}) expect_rates(m, t, "ramp");
  m.ramp = 0;
  EXPECT_EQ(motion_state(m, 1).velocity.x, 2) << "without a ramp the speed is there at once";
  EXPECT_EQ(motion_state(m, 2.5).shift.y, -1.5);
}

TEST(Motion, RotationGoesRoundItsCentre) {
  Motion m;
  m.kind = Motion::Kind::rotation;
  m.centre = {1, 2};
  m.omega = pi / 2;
  const Pose2d turned = motion_state(m, 1).apply({0.3, {2, 2}});
  EXPECT_NEAR(turned.x.x, 1, 1e-15);
  EXPECT_NEAR(turned.x.y, 3, 1e-15);
  EXPECT_NEAR(turned.theta, 0.3 + pi / 2, 1e-15);
  m.ramp = 0.2;
  for (const double t : {0.1, 0.5}) expect_rates(m, t, "rotation");
}

TEST(Motion, OscillationStartsWhereTheThingIs) {
  Motion m;
  m.kind = Motion::Kind::oscillation;
  m.amplitude = {0.1, 0.3};
  m.angular_amplitude = 0.2;
  m.frequency = 2;
  m.phase = 0.7;
  m.start = 0.4;
  EXPECT_EQ(motion_state(m, 0.4).shift.x, 0);
  EXPECT_EQ(motion_state(m, 0.4).angle, 0);
  EXPECT_NEAR(motion_state(m, 0.9).shift.y, 0, 1e-14) << "a whole period later";
  const double t = 0.53;
  EXPECT_NEAR(motion_state(m, t).shift.y, 0.3 * (std::sin(4 * pi * (t - 0.4) + 0.7) - std::sin(0.7)), 1e-15);
  for (const double at : {0.41, 0.6, 0.77}) expect_rates(m, at, "oscillation");
}

TEST(Motion, KeyframesPassThroughTheirFramesAndRestAtTheEnds) {
  Motion m;
  m.kind = Motion::Kind::keyframes;
  m.start = 2;
  m.keyframes = {{0, 0, {0, 0}}, {1, 0.5, {2, 0}}, {1.5, 0.7, {2, 1}}, {4, -0.2, {0, 3}}};
  for (const Keyframe& k : m.keyframes) {
    const MotionState s = motion_state(m, 2 + k.time);
    EXPECT_NEAR(s.angle, k.angle, 1e-14);
    EXPECT_NEAR(s.shift.x, k.shift.x, 1e-14);
    EXPECT_NEAR(s.shift.y, k.shift.y, 1e-14);
  }
  for (const double end : {2.0, 6.0, 99.0}) {
    EXPECT_EQ(motion_state(m, end).omega, 0);
    EXPECT_EQ(norm(motion_state(m, end).velocity), 0);
  }
  EXPECT_LT(norm(motion_state(m, 2 + 1e-6).velocity), 1e-4) << "it speeds up from rest";
  EXPECT_LT(norm(motion_state(m, 6 - 1e-6).velocity), 1e-4) << "and slows down to rest";
  EXPECT_EQ(motion_state(m, 99).shift.y, 3) << "and stays at the last frame";
  for (const double t : {2.3, 2.99, 3.2, 4.4, 5.9}) expect_rates(m, t, "keyframes");
  // The velocity is continuous at the inner frames.
  for (const double t : {3.0, 3.5}) {
    EXPECT_NEAR(motion_state(m, t - 1e-9).velocity.x, motion_state(m, t + 1e-9).velocity.x, 1e-6);
  }
}

TEST(Motion, ASingleKeyframeIsAPlace) {
  Motion m;
  m.kind = Motion::Kind::keyframes;
  m.keyframes = {{0.5, 0.1, {1, 0}}};
  EXPECT_EQ(motion_state(m, 0.7).shift.x, 1);
  EXPECT_EQ(motion_state(m, 0.7).velocity.x, 0);
}

TEST(Motion, StopsAfterItsDurationAndStays) {
  for (const Motion::Kind kind : {Motion::Kind::constant, Motion::Kind::rotation, Motion::Kind::oscillation}) {
    Motion m;
    m.kind = kind;
    m.velocity = {1, 1};
    m.omega = 2;
    m.amplitude = {1, 0};
    m.frequency = 0.3;
    m.duration = 1.5;
    const MotionState end = motion_state(m, 1.5);
    const MotionState later = motion_state(m, 20);
    EXPECT_EQ(end.omega, 0);
    EXPECT_EQ(norm(end.velocity), 0);
    EXPECT_EQ(later.angle, end.angle);
    EXPECT_EQ(later.shift, end.shift);
    EXPECT_NEAR(motion_state(m, 1.5 - 1e-9).shift.x, end.shift.x, 1e-8) << "without a jump";
  }
}

TEST(Motion, VelocityOfAPointIsTheRateOfItsPlace) {
  Motion m;
  m.kind = Motion::Kind::oscillation;
  m.centre = {0.5, -1};
  m.amplitude = {0.4, 0.2};
  m.angular_amplitude = 0.8;
  m.frequency = 1.3;
  const Pose2d anchor{0.2, {2, 1}};
  const double t = 0.31;
  const double h = 1e-6;
  const Pose2d before = motion_state(m, t - h).apply(anchor);
  const Pose2d after = motion_state(m, t + h).apply(anchor);
  const MotionState s = motion_state(m, t);
  const Vec2d v = s.velocity_at(s.apply(anchor).x);
  EXPECT_NEAR(v.x, (after.x.x - before.x.x) / (2 * h), 1e-8);
  EXPECT_NEAR(v.y, (after.x.y - before.x.y) / (2 * h), 1e-8);
  EXPECT_NEAR(s.omega, (after.theta - before.theta) / (2 * h), 1e-8);
}

TEST(Motion, OneThatHasNotStartedMovesNothing) {
  Motion m;
  m.velocity = {1, 0};
  m.running = false;
  EXPECT_EQ(motion_state(m, 3).shift.x, 0);
  EXPECT_EQ(motion_state(m, 3).velocity.x, 0);
}

}  // namespace
}  // namespace scree
