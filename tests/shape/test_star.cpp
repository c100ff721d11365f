// Star shapes: Fourier series, samples, fits, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"

namespace scree {
namespace {

constexpr double turn = 2 * std::numbers::pi;

Vec2d polar(double r, double angle) { return r * Vec2d{std::cos(angle), std::sin(angle)}; }

// The paper's cross: r = R (2 + sin 4 angle) / 3.
FourierSeries cross_series(double radius) { return {{2 * radius / 3}, {0, 0, 0, radius / 3}}; }

FourierSeries random_series(Rng& rng) {
  FourierSeries s{{1}, {}};
  for (int k = 1; k < 7; ++k) {
    s.cosines.push_back(rng.uniform(-0.1, 0.1));
    s.sines.push_back(rng.uniform(-0.1, 0.1));
  }
  return s;
}

std::string problem_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_FALSE(e.remedy().empty());
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(FourierStar, SlopeIsTheDerivative) {
  Rng rng(1);
  const FourierSeries s = random_series(rng);
  for (int k = 0; k < 50; ++k) {
    const double angle = rng.uniform(-10, 10), h = 1e-6;
    EXPECT_NEAR(s.at(angle).slope, (s.at(angle + h).r - s.at(angle - h).r) / (2 * h), 1e-8);
  }
}

// Area of r = a_0 + ...: pi a_0^2 + pi/2 sum (a_k^2 + b_k^2). Chords cut off at most the tolerance times the perimeter.
TEST(FourierStar, ThePapersCross) {
  const double radius = 4.37;
  const Shape s = make_fourier_star("cross", cross_series(radius), 1e-4);
  EXPECT_NEAR(s.natural_radius, radius, 1e-6 * radius);
  EXPECT_EQ(s.symmetry, 4);
  const double area = std::numbers::pi * (4.0 / 9 + 0.5 / 9);
  EXPECT_NEAR(s.area, area, 1e-3 * area);
  EXPECT_LT(norm(s.star.centre), 1e-12);
  EXPECT_NEAR(Radial(s).at(turn / 16).r, 1, 1e-9);
  EXPECT_NEAR(Radial(s).at(3 * turn / 16).r, 1.0 / 3, 1e-9);
  EXPECT_NEAR(Radial(s).at(0).slope, 4.0 / 3, 1e-6);
}

TEST(FourierStar, OutlineFollowsTheCurveWithinTheTolerance) {
  Rng rng(2);
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    const FourierSeries series = random_series(rng);
    const Shape s = make_fourier_star("blob", series, tolerance);
    const Radial radial(s);
    for (int k = 0; k < 2000; ++k) {
      const double angle = turn * k / 2000;
      // The curve as stored is the series, moved to the centroid and scaled.
      EXPECT_NEAR(radial.at(angle).r * s.natural_radius, series.at(angle).r, 1e-6);
      const Vec2d on_curve = s.star.centre + polar(radial.at(angle).r, angle);
      EXPECT_LT(std::abs(nearest_boundary(s.outline, on_curve).distance), 1.05 * tolerance);
    }
  }
}

TEST(SampledStar, GoesThroughItsSamplesAndConverges) {
  const auto wave = [](double angle) { return 2 + std::sin(4 * angle) + 0.2 * std::cos(angle); };
  double before = 0;
  for (const int n : {32, 64}) {
    std::vector<double> radii;
    for (int k = 0; k < n; ++k) radii.push_back(wave(turn * k / n));
    const Shape s = make_sampled_star("blob", radii);
    const Radial radial(s);
    double worst = 0;
    for (int k = 0; k < 40 * n; ++k) {
      const double angle = turn * k / (40 * n), r = radial.at(angle).r * s.natural_radius;
      if (k % 40 == 0) { EXPECT_NEAR(r, wave(angle), 1e-9); }
      worst = std::max(worst, std::abs(r - wave(angle)));
    }
    if (before > 0) { EXPECT_NEAR(std::log2(before / worst), 4, 0.7); }  // cubic splines are of order four
    before = worst;
  }
}

TEST(FittedStar, FindsTheSeriesItWasDrawnFrom) {
  const FourierSeries series = cross_series(3);
  const StarFit fit = fit_star(make_fourier_star("cross", series), 6);
  EXPECT_LT(fit.error, 1e-6);
  EXPECT_NEAR(fit.series.cosines[0], 2, 1e-6);
  EXPECT_NEAR(fit.series.sines[3], 1, 1e-6);
  EXPECT_EQ(fit.series.sines[1], 0);
}

TEST(FittedStar, HigherOrdersComeNearerToAPolygonAndKeepItsSymmetry) {
  const Shape box = make_named_shape("box", {{"width", 3}, {"height", 3}});
  double before = 1;
  for (const int order : {4, 8, 16, 32}) {
    const StarFit fit = fit_star(box, order);
    EXPECT_LT(fit.error, 0.7 * before);
    before = fit.error;
    const Shape s = make_fourier_star("soft box", fit.series);
    EXPECT_EQ(s.symmetry, 4);
    EXPECT_NEAR(s.natural_radius, box.natural_radius, 2 * fit.error * box.natural_radius);
  }
  EXPECT_LT(before, 0.02);
}

TEST(RadialFunction, OfAPolygonIsTheRaysLength) {
  Rng rng(4);
  for (const char* name : {"box", "star", "cross", "heart", "octagon"}) {
    const Shape s = make_named_shape(name);
    const Radial radial(s);
    EXPECT_EQ(radial.corners().size(), s.outline.loops[0].size());
    for (int k = 0; k < 200; ++k) {
      const double angle = rng.uniform(-7, 7), h = 1e-7;
      const RadialValue v = radial.at(angle);
      EXPECT_LT(std::abs(nearest_boundary(s.outline, polar(v.r, angle)).distance), 1e-12) << name;
      const double ahead = radial.at(angle + h).r, behind = radial.at(angle - h).r;
      if (std::abs(ahead - 2 * v.r + behind) > 1e-10) continue;  // a corner lies between
      EXPECT_NEAR(v.slope, (ahead - behind) / (2 * h), 1e-5) << name;
    }
  }
}

TEST(RadialFunction, OfADiscIsConstant) {
  const Radial radial(make_disc("disc", 3));
  EXPECT_EQ(radial.at(0.3).r, 1);
  EXPECT_EQ(radial.at(0.3).slope, 0);
}

TEST(StarRefusals, NameTheShapeAndTheDirection) {
  const std::string u = problem_of([] { Radial radial(make_named_shape("u")); });
  EXPECT_NE(u.find("\"u\""), std::string::npos) << u;
  EXPECT_NE(u.find("not star-shaped"), std::string::npos) << u;
  EXPECT_NE(u.find("degrees"), std::string::npos) << u;
  EXPECT_NE(problem_of([] { Radial radial(make_named_shape("ring")); }).find("2 loops"), std::string::npos);
  // r = 1 + 1.2 cos: negative around 180 degrees.
  const std::string r = problem_of([] { make_fourier_star("bad", {{1, 1.2}, {}}); });
  EXPECT_NE(r.find("180 degrees"), std::string::npos) << r;
  EXPECT_NE(r.find("\"bad\""), std::string::npos) << r;
  const std::string s = problem_of([] { make_sampled_star("bad", {1, 1, -1, 1}); });
  EXPECT_NE(s.find("180 degrees"), std::string::npos) << s;
  problem_of([] { make_fourier_star("bad", {{}, {1}}); });
  problem_of([] { make_fourier_star("bad", {{1, std::nan("")}, {}}); });
  problem_of([] { make_fourier_star("bad", {std::vector<double>(500, 1), {}}); });
  problem_of([] { make_sampled_star("bad", {1, 1, 1}); });
  problem_of([] { make_sampled_star("bad", {1, 1, std::numeric_limits<double>::infinity(), 1}); });
  problem_of([] { fit_star(make_named_shape("box"), 0); });
}

// A ray that meets the outline twice is named where it does: the notch of this U opens upwards, at 90 degrees.
TEST(StarRefusals, TheDirectionIsRight) {
  const Shape s = make_named_shape("u");
  const std::string text = problem_of([&] { Radial radial(s); });
  const std::size_t at = text.find("the ray at ");
  ASSERT_NE(at, std::string::npos);
  const double degrees = std::stod(text.substr(at + 11));
  int crossings = 0;
  for (const double shift : {-0.3, 0.3}) {
    const double angle = (degrees + shift) * turn / 360;
    int count = 0;
    bool inside = true;
    for (double r = 0; r < 1.1; r += 1e-4) {
      const bool now = contains(s.outline, polar(r, angle));
      if (now != inside) ++count;
      inside = now;
    }
    crossings = std::max(crossings, count);
  }
  EXPECT_GT(crossings, 1) << degrees;
}

}  // namespace
}  // namespace scree
