#include <gtest/gtest.h>

#include <cmath>

#include "scree/base/rng.hpp"
#include "scree/world/world.hpp"

namespace scree {
namespace {

Material material(double friction, double restitution, double stiffness) {
  Material m;
  m.friction = friction;
  m.restitution = restitution;
  m.stiffness = stiffness;
  return m;
}

TEST(Material, MixesByGeometricMeansInEitherOrder) {
  Material a = material(0.2, 0.4, 1000);
  Material b = material(0.8, 0.9, 4000);
  a.rotational_damping = 1, b.rotational_damping = 9;
  a.rolling_friction = 0.01, b.rolling_friction = 0.04;
  a.tangential_ratio = 0.25, b.tangential_ratio = 1;
  const PairParameters ab = mix(a, b, {}, 0, 1);
  const PairParameters ba = mix(b, a, {}, 1, 0);
  EXPECT_DOUBLE_EQ(ab.friction, 0.4);
  EXPECT_DOUBLE_EQ(ab.stiffness, 2000);
  EXPECT_DOUBLE_EQ(ab.tangential_stiffness, 1000);
  EXPECT_DOUBLE_EQ(ab.rotational_damping, 3);
  EXPECT_DOUBLE_EQ(ab.rolling_friction, 0.02);
  EXPECT_NEAR(restitution_of(ab.damping_ratio), 0.6, 1e-12);
  EXPECT_LT(ab.normal_damping, 0) << "restitution rules unless c_n is given";
  EXPECT_EQ(ab.friction, ba.friction);
  EXPECT_EQ(ab.stiffness, ba.stiffness);
  EXPECT_EQ(ab.damping_ratio, ba.damping_ratio);
}

TEST(Material, GivenDampingReplacesRestitution) {
  Material a = material(0.5, 0.5, 100);
  Material b = a;
  a.normal_damping = 4;
  EXPECT_DOUBLE_EQ(mix(a, b, {}, 0, 1).normal_damping, 4);
  b.normal_damping = 9;
  EXPECT_DOUBLE_EQ(mix(a, b, {}, 0, 1).normal_damping, 6);
}

TEST(Material, OverridesReplaceWhatTheyNameAndNothingElse) {
  const Material a = material(0.2, 0.4, 1000);
  const Material b = material(0.8, 0.9, 4000);
  PairOverride o;
  o.material_a = 1;
  o.material_b = 0;
  o.friction = 0.05;
  o.stiffness = 500;
  const PairParameters plain = mix(a, b, {}, 0, 1);
  const PairParameters ab = mix(a, b, {o}, 0, 1);
  EXPECT_EQ(ab.friction, 0.05);
  EXPECT_EQ(ab.stiffness, 500);
  EXPECT_EQ(ab.tangential_stiffness, 250) << "k_t follows k_n";
  EXPECT_EQ(ab.damping_ratio, plain.damping_ratio);
  EXPECT_EQ(mix(a, a, {o}, 0, 0).friction, 0.2) << "another pair keeps its own";

  PairOverride damped = o;
  damped.normal_damping = 7;
  EXPECT_EQ(mix(a, b, {damped}, 0, 1).normal_damping, 7);
  Material dashpot = a;
  dashpot.normal_damping = 3;
  PairOverride bouncy = o;
  bouncy.restitution = 0.9;
  EXPECT_LT(mix(dashpot, b, {bouncy}, 0, 1).normal_damping, 0) << "a stated restitution wins over a material's c_n";
  EXPECT_NEAR(restitution_of(mix(dashpot, b, {bouncy}, 0, 1).damping_ratio), 0.9, 1e-12);
}

// The impact itself, integrated finely: m = 1, k = 1, v0 = -1, force clamped at 0.
double integrated_restitution(double zeta) {
  double x = 0;
  double v = -1;
  const double h = 1e-5;
  for (;;) {
    const double force = -x - 2 * zeta * v;
    if (x < 0 && force <= 0) return v;  // it would pull: the contact is over
    v += h * force;
    x += h * v;
    if (x >= 0) return v;
  }
}

TEST(Material, RestitutionOfAClampedDashpotMatchesItsImpact) {
  for (const double zeta : {0.05, 0.3, 0.7, 0.999, 1.0, 1.5, 4.0}) {
    EXPECT_NEAR(restitution_of(zeta), integrated_restitution(zeta), 3e-4) << zeta;
  }
}

TEST(Material, DampingRatioInvertsRestitution) {
  EXPECT_EQ(damping_ratio_for(1), 0);
  double last = 0;
  for (const double e : {0.99, 0.7, 0.3, 0.1, 0.01, 1e-4}) {
    const double zeta = damping_ratio_for(e);
    EXPECT_NEAR(restitution_of(zeta) / e, 1, 1e-9) << e;
    EXPECT_GT(zeta, last) << "less bounce needs more damping";
    last = zeta;
  }
}

}  // namespace
}  // namespace scree
