// The friction law alone: passive, inside Coulomb's cone, continuous.
#include "physics.hpp"
#include "scree/force/law_kernel.hpp"

namespace scree::testing {
namespace {

using Law = LawForce<double> (*)(const LawInput<double>&);

struct NamedLaw {
  const char* name;
  Law law;
};
constexpr NamedLaw spring_clamp{"spring-clamp", spring_clamp_law<double>};
constexpr NamedLaw algorithm_1{"algorithm-1", algorithm_1_law<double>};

LawInput<double> random_input(Rng& rng) {
  LawInput<double> c;
  c.overlap = std::exp(rng.uniform(-12, 0));
  c.normal_speed = rng.normal();
  c.tangential_speed = rng.normal() * std::exp(rng.uniform(-8, 2));
  c.gradient = rng.uniform(0.5, 1.2);
  c.spring = rng.normal() * std::exp(rng.uniform(-10, 0));
  c.stiffness = std::exp(rng.uniform(0, 10));
  c.normal_damping = std::exp(rng.uniform(-3, 4));
  c.tangential_stiffness = rng.uniform(0.2, 1) * c.stiffness;
  c.tangential_damping = rng.below(4) ? rng.uniform(0, 1) * c.normal_damping : 0;
  c.friction = rng.uniform(0, 1.5);
  c.dt = std::exp(rng.uniform(-9, -3));
  return c;
}

double spring_energy(const LawInput<double>& c, double s) { return 0.5 * c.tangential_stiffness * s * s; }

// Energy the law would create in one step: stored after, minus stored before, minus the work u f dt done on it. Work on
// the pair is f_t u dt; what the pair loses, -f_t u dt, must cover the growth of the store. The spring moves by u dt at
// a force that is its end value, which costs k (u dt)^2 / 2 more than it stores: implicit, hence never negative.
double created(const LawInput<double>& c, const LawForce<double>& f) {
  return spring_energy(c, f.spring) - spring_energy(c, c.spring) + f.tangential * c.tangential_speed * c.dt;
}

double scale_of(const LawInput<double>& c, const LawForce<double>& f) {
  return spring_energy(c, c.spring) + spring_energy(c, f.spring) + std::abs(f.tangential * c.tangential_speed * c.dt) +
         1e-300;
}

TEST(FrictionLaw, SpringClampIsPassiveForAnyInput) {
  Rng rng(11);
  for (int k = 0; k < 1000000; ++k) {
    const LawInput<double> c = random_input(rng);
    const LawForce<double> f = spring_clamp.law(c);
    ASSERT_LE(created(c, f), 1e-13 * scale_of(c, f)) << "input " << k;
  }
}

TEST(FrictionLaw, NeverLeavesTheCoulombConeNorPulls) {
  for (const NamedLaw& l : {spring_clamp, algorithm_1}) {
    Rng rng(12);
    for (int k = 0; k < 300000; ++k) {
      const LawInput<double> c = random_input(rng);
      const LawForce<double> f = l.law(c);
      ASSERT_GE(f.normal, 0);
      ASSERT_LE(std::abs(f.tangential), c.friction * f.normal * c.gradient * (1 + 1e-12) + 1e-300) << l.name << k;
    }
  }
}

// The spring is never lengthened beyond its trial value nor turned over by the clamp.
TEST(FrictionLaw, SpringClampOnlyShortensTheSpring) {
  Rng rng(13);
  for (int k = 0; k < 300000; ++k) {
    const LawInput<double> c = random_input(rng);
    const double trial = c.spring + c.tangential_speed * c.dt;
    const double s = spring_clamp.law(c).spring;
    ASSERT_LE(std::abs(s), std::abs(trial));
    ASSERT_GE(s * trial, 0);
  }
}

// A contact driven back and forth under a changing load: over any history the driver puts in at least what is stored.
double least_balance(const NamedLaw& l, std::uint64_t seed) {
  Rng rng(seed, 3);
  LawInput<double> c = random_input(rng);
  c.spring = 0;
  const double amplitude = std::abs(rng.normal()), rate = rng.uniform(0.1, 3), load = rng.uniform(0.1, 3);
  double put_in = 0, least = 0, moved = 0;
  for (int k = 0; k < 400; ++k) {
    const double t = k * c.dt * 20;
    c.tangential_speed = amplitude * std::sin(rate * t) + 0.3 * rng.normal();
    c.overlap = 1e-3 * (1 + std::sin(load * t));
    c.normal_speed = 0;
    const LawForce<double> f = l.law(c);
    put_in -= f.tangential * c.tangential_speed * c.dt;
    moved += std::abs(f.tangential * c.tangential_speed * c.dt);
    c.spring = f.spring;
    least = std::min(least, put_in - spring_energy(c, c.spring));
  }
  return least / moved;
}

TEST(FrictionLaw, SpringClampIsPassiveOverDrivenHistories) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) ASSERT_GE(least_balance(spring_clamp, seed), -1e-12) << seed;
}

// Continuity: a Lipschitz bound. |df| <= (k_t dt + c_t) |du| + k_t |ds| for spring-clamp, through stick, slip and back.
double largest_jump(const NamedLaw& l, double tangential_damping) {
  LawInput<double> c{1e-3, 0, 0, 1, 0, 1e4, 5, 5e3, tangential_damping, 0.4, 1e-4};
  double largest = 0;
  for (const double spring : {-1e-3, -8e-4, -3e-4, 0.0, 3e-4, 8e-4, 1e-3}) {
    c.spring = spring;
    const int n = 20000;
    for (int k = 0; k < n; ++k) {
      c.tangential_speed = -4 + 8.0 * k / n;
      const double here = l.law(c).tangential;
      c.tangential_speed += 8.0 / n;
      largest = std::max(largest, std::abs(l.law(c).tangential - here));
    }
  }
  return largest / (0.4 * 1e4 * 1e-3);  // in units of the Coulomb limit
}

TEST(FrictionLaw, SpringClampIsContinuousBetweenStickAndSlip) {
  const double bound = (5e3 * 1e-4 + 2.5) * (8.0 / 20000) / 4;
  EXPECT_LT(largest_jump(spring_clamp, 2.5), 1.001 * bound);
}

// What the comparison law does instead: at the change of branches its force jumps by a good part of the limit.
TEST(FrictionLaw, Algorithm1Jumps) { EXPECT_GT(largest_jump(algorithm_1, 2.5), 0.1); }

// Both are the same below the limit.
TEST(FrictionLaw, LawsAgreeWhileSticking) {
  Rng rng(14);
  int sticking = 0;
  for (int k = 0; k < 100000; ++k) {
    const LawInput<double> c = random_input(rng);
    const double trial =
        -c.tangential_stiffness * (c.spring + c.tangential_speed * c.dt) - c.tangential_damping * c.tangential_speed;
    const double limit = c.friction * normal_force(c) * c.gradient;
    if (std::abs(trial) > limit || std::abs(c.tangential_damping * c.tangential_speed) > limit) continue;
    ++sticking;
    // The dashpot may push against the spring: spring-clamp then shortens nothing as the sum is inside the cone.
    EXPECT_NEAR(spring_clamp.law(c).tangential, algorithm_1.law(c).tangential, 1e-12 * limit);
  }
  EXPECT_GT(sticking, 1000);
}

}  // namespace
}  // namespace scree::testing
