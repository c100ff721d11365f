// Limits of the law kernels. Whole collisions are in tests/physics.
#include <gtest/gtest.h>

#include <cmath>

#include "scree/base/rng.hpp"
#include "scree/force/law_kernel.hpp"

namespace scree {
namespace {

using Law = LawForce<double> (*)(const LawInput<double>&);
const Law laws[] = {spring_clamp_law<double>, algorithm_1_law<double>};

LawInput<double> random_input(Rng& rng) {
  LawInput<double> in{};
  in.overlap = rng.uniform(0, 0.02);
  in.normal_speed = rng.uniform(-2, 2);
  in.tangential_speed = rng.uniform(-2, 2);
  in.gradient = rng.uniform(0.5, 1.2);
  in.spring = rng.uniform(-0.01, 0.01);
  in.stiffness = 1000;
  in.normal_damping = rng.uniform(0, 5);
  in.tangential_stiffness = 500;
  in.tangential_damping = rng.uniform(0, 5);
  in.friction = rng.uniform(0, 1);
  in.dt = 1e-3;
  return in;
}

TEST(Law, NeverPullsAndStaysOnTheCoulombCone) {
  Rng rng(1);
  for (int k = 0; k < 20000; ++k) {
    const LawInput<double> in = random_input(rng);
    for (const Law law : laws) {
      const LawForce<double> f = law(in);
      ASSERT_GE(f.normal, 0);
      ASSERT_LE(std::abs(f.tangential), in.friction * f.normal * in.gradient * (1 + 1e-12) + 1e-12);
    }
  }
}

TEST(Law, NormalForceIsSpringAndDashpotUntilItWouldPull) {
  LawInput<double> in{};
  in.overlap = 0.01;
  in.stiffness = 1000;
  in.normal_damping = 4;
  in.normal_speed = -1;
  EXPECT_DOUBLE_EQ(normal_force(in), 14);
  in.normal_speed = 2;
  EXPECT_DOUBLE_EQ(normal_force(in), 2);
  in.normal_speed = 3;
  EXPECT_EQ(normal_force(in), 0);
}

TEST(Law, BothAgreeWhileSticking) {
  LawInput<double> in{};
  in.overlap = 0.01;
  in.gradient = 1;
  in.stiffness = 1000;
  in.tangential_stiffness = 500;
  in.tangential_damping = 2;
  in.friction = 0.5;
  in.spring = 0.003;
  in.tangential_speed = 0.2;
  in.dt = 1e-3;
  for (const Law law : laws) {
    const LawForce<double> f = law(in);
    EXPECT_DOUBLE_EQ(f.spring, 0.0032);
    EXPECT_DOUBLE_EQ(f.tangential, -500 * 0.0032 - 2 * 0.2);
  }
}

// Energy in the spring grows by no more than the work put in, whatever the state: friction cannot create energy.
TEST(Law, SpringClampIsPassive) {
  Rng rng(3);
  for (int k = 0; k < 20000; ++k) {
    const LawInput<double> in = random_input(rng);
    const LawForce<double> f = spring_clamp_law(in);
    const double trial = in.spring + in.tangential_speed * in.dt;
    ASSERT_LE(std::abs(f.spring), std::abs(trial) + 1e-18) << "never lengthened by the clamp";
    ASSERT_GE(f.spring * trial, 0) << "never reversed";
  }
}

TEST(Law, SpringClampForceIsContinuousInTheSpeed) {
  // Sweep the speed through stick and slip: steps of the force stay as small as those of the speed allow.
  Rng rng(4);
  for (int k = 0; k < 200; ++k) {
    LawInput<double> in = random_input(rng);
    in.normal_speed = 0;
    const double slope = in.tangential_stiffness * in.dt + in.tangential_damping;
    double last = 0;
    for (int i = 0; i <= 4000; ++i) {
      in.tangential_speed = -2 + 1e-3 * i;
      const double force = spring_clamp_law(in).tangential;
      if (i > 0) { ASSERT_LE(std::abs(force - last), 1.01e-3 * slope + 1e-12); }
      last = force;
    }
  }
}

TEST(Law, SlidingBalancesFriction) {
  LawInput<double> in{};
  in.overlap = 0.01;
  in.gradient = 1;
  in.stiffness = 1000;
  in.tangential_stiffness = 500;
  in.tangential_damping = 0.1;
  in.friction = 0.3;
  in.tangential_speed = 0.5;
  in.dt = 1e-3;
  for (const Law law : laws) {
    LawForce<double> f{};
    for (int k = 0; k < 200; ++k) {
      f = law(in);
      in.spring = f.spring;
    }
    EXPECT_NEAR(f.tangential, -3, 1e-12) << "mu F against the motion";
    in.spring = 0;
  }
}

TEST(Law, NoFrictionWithoutACoefficientOrAForce) {
  LawInput<double> in{};
  in.gradient = 1;
  in.stiffness = 1000;
  in.tangential_stiffness = 500;
  in.spring = 0.01;
  in.tangential_speed = 1;
  in.dt = 1e-3;
  for (const double friction : {0.0, 0.5}) {
    in.friction = friction;
    in.overlap = friction == 0 ? 0.01 : 0;
    for (const Law law : laws) {
      EXPECT_EQ(law(in).tangential, 0);
      EXPECT_EQ(law(in).spring, 0);
    }
  }
}

TEST(Law, SinglePrecisionAgrees) {
  const LawInput<double> d{0.01, -0.3, 0.4, 0.9, 0.002, 1000, 3, 500, 1.5, 0.4, 1e-3};
  const LawInput<float> f{0.01f, -0.3f, 0.4f, 0.9f, 0.002f, 1000, 3, 500, 1.5f, 0.4f, 1e-3f};
  EXPECT_NEAR(spring_clamp_law(d).tangential, spring_clamp_law(f).tangential, 1e-5);
  EXPECT_NEAR(algorithm_1_law(d).tangential, algorithm_1_law(f).tangential, 1e-5);
}

}  // namespace
}  // namespace scree
