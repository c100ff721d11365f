// The perceptron kernels against a slow evaluation in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "map/mlp_reference.hpp"
#include "scree/base/error.hpp"

namespace scree {
namespace {

using test::evaluate_reference;
using test::random_net;
using test::widened;

struct alignas(64) Block {
  std::array<float, MlpShape::max_inputs * mlp_block> input{};
  std::array<float, MlpShape::max_inputs * mlp_block> gradient{};
  std::array<float, mlp_block> value{};

  std::vector<double> sample(int inputs, int lane) const {
    std::vector<double> x;
    for (int i = 0; i < inputs; ++i) x.push_back(input[static_cast<std::size_t>(i * mlp_block + lane)]);
    return x;
  }
};

Block random_block(std::uint64_t seed) {
  Block block;
  Rng rng(seed);
  for (float& x : block.input) x = static_cast<float>(rng.uniform(-2, 2));
  return block;
}

std::vector<MlpShape> all_shapes() {
  std::vector<MlpShape> shapes;
  for (const int inputs : {3, 4}) {
    for (const int width : {32, 64}) {
      for (const int hidden : {1, 2, 3, 5, MlpShape::max_hidden}) {
        for (const Activation kind : {Activation::relu, Activation::silu}) {
          shapes.push_back({inputs, hidden, width, kind});
        }
      }
    }
  }
  return shapes;
}

std::string describe(const MlpShape& s) {
  return std::to_string(s.inputs) + " inputs, " + std::to_string(s.hidden) + "x" + std::to_string(s.width) + " " +
         std::string(to_string(s.activation));
}

TEST(Mlp, OffsetsCoverTheParametersOnce) {
  for (const MlpShape& shape : all_shapes()) {
    std::size_t at = 0;
    for (int l = 0; l < shape.layers(); ++l) {
      EXPECT_EQ(shape.weight_offset(l), at);
      at += static_cast<std::size_t>(shape.rows(l) * shape.columns(l));
      EXPECT_EQ(shape.bias_offset(l), at);
      at += static_cast<std::size_t>(shape.rows(l));
    }
    EXPECT_EQ(shape.parameter_count(), at);
  }
  EXPECT_EQ((MlpShape{4, 5, 64, Activation::silu}.parameter_count()), 17025u);
}

// 64 terms a sum, 8 layers, 24-bit mantissas: a few 1e-6 of the size of the terms.
TEST(Mlp, ValueAndGradientMatchDoublePrecision) {
  for (const MlpShape& shape : all_shapes()) {
    const Mlp net = random_net(shape, 11);
    Block block = random_block(5);
    evaluate_block(net, block.input.data(), block.value.data(), block.gradient.data());
    for (int lane = 0; lane < mlp_block; ++lane) {
      const auto expected = evaluate_reference(shape, widened(net.parameters), block.sample(shape.inputs, lane));
      EXPECT_NEAR(block.value[static_cast<std::size_t>(lane)], expected.value, 2e-5) << describe(shape);
      for (int i = 0; i < shape.inputs; ++i) {
        EXPECT_NEAR(block.gradient[static_cast<std::size_t>(i * mlp_block + lane)],
                    expected.gradient[static_cast<std::size_t>(i)], 5e-5)
            << describe(shape);
      }
    }
  }
}

// Central differences of the slow evaluation, step 1e-5: truncation about 1e-9, rounding about 1e-10. A ReLU kink
// within the step would show; the seed has none.
TEST(Mlp, GradientMatchesFiniteDifferences) {
  constexpr double h = 1e-5;
  for (const MlpShape& shape : all_shapes()) {
    const Mlp net = random_net(shape, 23);
    const std::vector<double> parameters = widened(net.parameters);
    Block block = random_block(7);
    evaluate_block(net, block.input.data(), block.value.data(), block.gradient.data());
    for (int lane = 0; lane < mlp_block; lane += 5) {
      for (int i = 0; i < shape.inputs; ++i) {
        std::vector<double> up = block.sample(shape.inputs, lane), down = up;
        up[static_cast<std::size_t>(i)] += h;
        down[static_cast<std::size_t>(i)] -= h;
        const double slope =
            (evaluate_reference(shape, parameters, up).value - evaluate_reference(shape, parameters, down).value) /
            (2 * h);
        EXPECT_NEAR(block.gradient[static_cast<std::size_t>(i * mlp_block + lane)], slope, 5e-5) << describe(shape);
      }
    }
  }
}

TEST(Mlp, ALaneDependsOnItsOwnSampleAlone) {
  const Mlp net = random_net({4, 5, 64, Activation::silu}, 3);
  Block first = random_block(1);
  evaluate_block(net, first.input.data(), first.value.data(), first.gradient.data());
  for (std::size_t shift = 1; shift < mlp_block; ++shift) {
    Block moved = random_block(100 + shift);  // other neighbours
    for (std::size_t i = 0; i < 4; ++i) moved.input[i * mlp_block + shift] = first.input[i * mlp_block];
    evaluate_block(net, moved.input.data(), moved.value.data(), moved.gradient.data());
    EXPECT_EQ(moved.value[shift], first.value[0]);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(moved.gradient[i * mlp_block + shift], first.gradient[i * mlp_block]);
    }
  }
}

TEST(Mlp, SkippingTheGradientDoesNotChangeTheValue) {
  const Mlp net = random_net({3, 3, 32, Activation::relu}, 3);
  Block with = random_block(1), without = with;
  evaluate_block(net, with.input.data(), with.value.data(), with.gradient.data());
  evaluate_block(net, without.input.data(), without.value.data(), nullptr);
  EXPECT_EQ(with.value, without.value);
}

TEST(Mlp, ExpIsGoodToSixDigits) {
  constexpr std::size_t n = 1 << 16;
  struct alignas(64) Row {
    std::array<float, mlp_block> x;
  };
  double worst = 0;
  for (std::size_t i = 0; i < n; i += mlp_block) {
    Row row{};
    Row in{};
    for (std::size_t k = 0; k < mlp_block; ++k) {
      in.x[k] = static_cast<float>(-87 + 175.0 * static_cast<double>(i + k) / static_cast<double>(n - 1));
    }
    row = in;
    exp_blocks(row.x);
    for (std::size_t k = 0; k < mlp_block; ++k) {
      const double expected = std::exp(static_cast<double>(in.x[k]));
      worst = std::max(worst, std::abs(row.x[k] / expected - 1));
    }
  }
  EXPECT_LT(worst, 1e-6);
  Row far{{-1e30f, -100, 1000, 1e30f, 0}};
  exp_blocks(far.x);
  EXPECT_NEAR(far.x[0], 0, 1e-37);
  EXPECT_NEAR(far.x[1], 0, 1e-37);
  EXPECT_TRUE(std::isfinite(far.x[2]) && far.x[2] > 1e38f);
  EXPECT_EQ(far.x[3], far.x[2]);
  EXPECT_EQ(far.x[4], 1.0f);
}

TEST(Mlp, SiluAndItsDerivative) {
  struct alignas(64) Row {
    std::array<float, mlp_block> x, slope;
  };
  for (double z = -30; z <= 30; z += 0.37) {
    Row row{};
    row.x.fill(static_cast<float>(z));
    const auto exact = static_cast<double>(row.x[0]);
    const auto silu = [](double t) { return t / (1 + std::exp(-t)); };
    const double h = 1e-3;
    silu_blocks(row.x.data(), row.slope.data(), mlp_block);
    EXPECT_NEAR(row.x[0], silu(exact), 2e-6 * std::max(1.0, std::abs(exact)));
    EXPECT_NEAR(row.slope[0], (silu(exact + h) - silu(exact - h)) / (2 * h), 2e-6);
  }
}

TEST(Mlp, RefusesShapesWithoutAKernel) {
  for (const MlpShape& shape : {MlpShape{5, 3, 32}, MlpShape{4, 0, 32}, MlpShape{4, 9, 64}, MlpShape{4, 3, 48}}) {
    EXPECT_THROW(check_shape(shape, "test"), Error);
  }
}

}  // namespace
}  // namespace scree
