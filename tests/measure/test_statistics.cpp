#include <gtest/gtest.h>

#include <cmath>

#include "scree/measure/statistics.hpp"

namespace scree {
namespace {

TEST(Statistics, SpreadOfKnownValues) {
  const Spread s = spread({1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(s.mean, 3);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(14.0 / 3));
  EXPECT_DOUBLE_EQ(s.error(), std::sqrt(14.0 / 3) / 2);
  EXPECT_TRUE(std::isnan(spread({5}).error()));
  EXPECT_EQ(spread({5}).deviation, 0);
}

TEST(Statistics, ClearlyBelowAsksForMoreThanTheError) {
  const Spread low = spread({1, 2, 3}), high = spread({4, 5, 6}), near = spread({1.2, 2.2, 3.2});
  EXPECT_TRUE(clearly_below(low, high));
  EXPECT_FALSE(clearly_below(high, low));
  EXPECT_FALSE(clearly_below(low, near));  // by 0.2, with an error of 0.8
  EXPECT_FALSE(clearly_below(spread({1}), spread({9})));
}

TEST(Statistics, PowerLawsAreFound) {
  const std::vector<double> x = {1, 2, 4, 8};
  std::vector<double> y;
  for (const double v : x) y.push_back(3 * std::pow(v, 0.7));
  const PowerFit fit = fit_power(x, y);
  EXPECT_NEAR(fit.exponent, 0.7, 1e-12);
  EXPECT_NEAR(fit.factor, 3, 1e-12);
  EXPECT_NEAR(fit.error, 0, 1e-7);
  EXPECT_NEAR(fit.at(3), 3 * std::pow(3, 0.7), 1e-12);
}

// Beverloo's law: exact points give all three numbers back, to the step of the scan.
TEST(Statistics, OffsetPowerLawsAreFound) {
  const std::vector<double> x = {4, 5, 6.5, 8, 10};
  std::vector<double> y, error;
  for (const double v : x) {
    y.push_back(0.8 * std::pow(v - 1.5, 1.5));
    error.push_back(0.02 * y.back());
  }
  const OffsetPowerFit fit = fit_offset_power(x, y, error, 0, 3);
  EXPECT_NEAR(fit.exponent, 1.5, 0.01);
  EXPECT_NEAR(fit.offset, 1.5, 0.01);
  EXPECT_NEAR(fit.factor, 0.8, 0.01);
  // Two per cent leave room for exponents a few tenths apart, because the offset can make up for them.
  EXPECT_GT(fit.error, 0.05);
  EXPECT_LT(fit.error, 0.5);
}

// A point that is wrong, and said to be uncertain, changes little; said to be good it changes much.
TEST(Statistics, OffsetPowerLawWeighsByTheErrors) {
  const std::vector<double> x = {4, 5, 6.5, 8, 10};
  std::vector<double> y, error;
  for (const double v : x) {
    y.push_back(std::pow(v - 1, 1.5));
    error.push_back(0.01 * y.back());
  }
  y.back() *= 1.3;
  const double trusted = fit_offset_power(x, y, error, 0, 3).exponent;
  error.back() = 2 * y.back();
  const double doubted = fit_offset_power(x, y, error, 0, 3).exponent;
  EXPECT_NEAR(doubted, 1.5, 0.02);
  EXPECT_GT(std::abs(trusted - 1.5), 0.2);
}

}  // namespace
}  // namespace scree
