#include <gtest/gtest.h>

#include "scree/base/pose.hpp"
#include "scree/base/rng.hpp"
#include "scree/base/sincos_kernel.hpp"
#include "scree/base/text.hpp"

namespace scree {
namespace {

TEST(Pose, WrapStaysInHalfOpenInterval) {
  constexpr double pi = std::numbers::pi;
  EXPECT_EQ(wrap_angle(pi), -pi);
  EXPECT_EQ(wrap_angle(-pi), -pi);
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const double angle = rng.uniform(-100, 100);
    const double w = wrap_angle(angle);
    EXPECT_GE(w, -pi);
    EXPECT_LT(w, pi);
    EXPECT_NEAR(std::cos(w), std::cos(angle), 1e-12);
    EXPECT_NEAR(std::sin(w), std::sin(angle), 1e-12);
  }
}

TEST(Pose, RelativePoseMapsBPointsToAFrame) {
  Rng rng(2);
  for (int i = 0; i < 100; ++i) {
    const Pose2d a{rng.uniform(-9, 9), {rng.uniform(-1, 1), rng.uniform(-1, 1)}};
    const Pose2d b{rng.uniform(-9, 9), {rng.uniform(-1, 1), rng.uniform(-1, 1)}};
    const Vec2d p{rng.uniform(-1, 1), rng.uniform(-1, 1)};
    const Vec2d difference = a * (relative_pose(a, b) * p) - b * p;
    EXPECT_LT(norm(difference), 1e-14);
    const Vec2d there_and_back = inverse(relative_pose(a, b)) * (relative_pose(a, b) * p) - p;
    EXPECT_LT(norm(there_and_back), 1e-14);
  }
}

TEST(Text, SuggestsTheNearestName) {
  EXPECT_EQ(nearest_name("fricton", {"friction", "density", "restitution"}), "friction");
  EXPECT_EQ(nearest_name("zzzzzzzz", {"friction", "density"}), "");
}

TEST(SineCosine, AgreesWithTheLibraryToTheLastPlaces) {
  Rng rng(5);
  const auto places = [](double a, double b) {
    return std::abs(a - b) / (std::nextafter(std::abs(b), 2) - std::abs(b));
  };
  for (const double range : {1.0, 10.0, 1000.0, largest_angle}) {
    for (int k = 0; k < 20000; ++k) {
      const double x = rng.uniform(-range, range);
      double s = 0, c = 0;
      sine_cosine(x, s, c);
      ASSERT_LE(places(s, std::sin(x)), 3) << x;
      ASSERT_LE(places(c, std::cos(x)), 3) << x;
    }
  }
  for (const double x : {0.0, 1e-300, -0.25, std::numbers::pi / 4, std::numbers::pi, -std::numbers::pi}) {
    double s = 0, c = 0;
    sine_cosine(x, s, c);
    EXPECT_NEAR(s, std::sin(x), 3e-16);
    EXPECT_NEAR(c, std::cos(x), 3e-16);
  }
}

}  // namespace
}  // namespace scree
