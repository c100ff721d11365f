// The packed form of neural maps, evaluated on the CPU as the tensor cores would: it needs no GPU.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "map/mlp_reference.hpp"
#include "scree/base/error.hpp"
#include "scree/cuda/neural_pack.hpp"
#include "scree/map/half.hpp"

namespace scree {
namespace {

NeuralMap make_map(bool periodic, int width, int hidden, double reach, std::uint64_t seed) {
  const PoseEncoding encoding{periodic, 3};
  return {reach, "test", encoding, test::random_net({encoding.inputs(), hidden, width, Activation::silu}, seed),
          test::random_net({encoding.inputs(), 3, 32, Activation::silu}, seed + 1)};
}

// Reads a packed net back.
class Unpacked {
 public:
  Unpacked(const std::uint32_t* words, NetLayout layout) : words_(words), layout_(layout) {}

  double half(int word, int index) const {
    return from_half(static_cast<std::uint16_t>(words_[word + index / 2] >> (16 * (index % 2))));
  }
  double number(int word) const { return std::bit_cast<float>(words_[word]); }

  // z of the first layer by the one product over 16 columns, x the scaled inputs.
  double first(int unit, const std::vector<float>& x) const {
    double columns[16] = {};
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float high = from_half(to_half(x[i]));
      columns[i] = columns[8 + i] = high;
      columns[4 + i] = from_half(to_half(x[i] - high));
    }
    columns[12] = columns[13] = 1;
    double z = 0;
    for (int k = 0; k < 16; ++k) z += columns[k] * half(layout_.first(), unit * NetLayout::first_row + k);
    return z;
  }

  // z of a hidden layer by the three products of split halves.
  double hidden(int layer, int unit, const std::vector<double>& a) const {
    double z = number(layout_.bias(layer) + unit);
    for (int i = 0; i < layout_.width; ++i) {
      const auto x = static_cast<float>(a[static_cast<std::size_t>(i)]);
      const float high = from_half(to_half(x)), low = from_half(to_half(x - high));
      const double wh = half(layout_.high(layer), layout_.half(unit, i));
      const double wl = layout_.split ? half(layout_.low(layer), layout_.half(unit, i)) : 0;
      z += wh * high + wl * high + wh * low;
    }
    return z;
  }

  double value(const std::vector<float>& x) const {
    std::vector<double> a(static_cast<std::size_t>(layout_.width)), next(a.size());
    const auto silu = [](double z) { return z / (1 + std::exp(-z)); };
    for (int u = 0; u < layout_.width; ++u) a[static_cast<std::size_t>(u)] = silu(first(u, x));
    for (int l = 1; l < layout_.hidden; ++l) {
      for (int u = 0; u < layout_.width; ++u) next[static_cast<std::size_t>(u)] = silu(hidden(l, u, a));
      a = next;
    }
    double sum = 0;
    for (int u = 0; u < layout_.width; ++u) sum += number(layout_.last() + u) * a[static_cast<std::size_t>(u)];
    return sum;
  }

 private:
  const std::uint32_t* words_;
  NetLayout layout_;
};

// 22 bits a number: what is left is the rounding of about 64 products a unit, over five layers.
TEST(NeuralPack, ThreeProductsOfHalvesGiveTheGap) {
  Rng rng(5);
  for (const double reach : {0.02, 2.0, 300.0}) {
    for (const bool periodic : {false, true}) {
      NeuralMap map = make_map(periodic, 64, 5, reach, 1);
      Mlp gap = map.gap_net(), arm = map.arm_net();
      for (Mlp* net : {&gap, &arm}) {  // as trained nets are: first weights in 1 / reach
        const auto columns = static_cast<std::size_t>(net->shape.inputs);
        for (std::size_t i = 0; i < net->weight(0).size(); ++i) {
          if (i % columns < 2) net->weight(0)[i] = static_cast<float>(net->weight(0)[i] / reach);
        }
      }
      map = NeuralMap(reach, "test", map.encoding(), gap, arm);
      const PackedNeuralMap packed = pack_neural_map(map);
      const Unpacked gap_net(packed.words.data(), packed.kind.gap());
      for (int trial = 0; trial < 50; ++trial) {
        const Pose2d q{rng.uniform(-3, 3), {reach * rng.uniform(-0.7, 0.7), reach * rng.uniform(-0.7, 0.7)}};
        std::vector<float> in(static_cast<std::size_t>(map.encoding().inputs()));
        map.encoding().encode(q, in.data());
        const double expected =
            test::evaluate_reference(gap.shape, test::widened(gap.parameters), {in.begin(), in.end()}).value;
        in[0] *= packed.constants.length;
        in[1] *= packed.constants.length;
        EXPECT_NEAR(packed.constants.gap_scale * gap_net.value(in) + packed.constants.gap_bias, expected, 5e-6);
      }
    }
  }
}

TEST(NeuralPack, ScalesArePowersOfTwoAndKeepNumbersNearOne) {
  for (const double reach : {0.3, 1.5, 2.0, 77.0}) {
    const PackedNeuralMap packed = pack_neural_map(make_map(true, 64, 5, reach, 3));
    int exponent = 0;
    EXPECT_EQ(std::frexp(packed.constants.length, &exponent), 0.5f);
    EXPECT_LE(reach * packed.constants.length, 1);
    EXPECT_GE(reach * packed.constants.length, 0.25);
    EXPECT_EQ(std::frexp(packed.constants.gap_scale, &exponent), 0.5f);
  }
}

TEST(NeuralPack, LayoutHasNoOverlapsAndSuitsTensorCores) {
  for (const int width : {32, 64}) {
    for (const bool split : {false, true}) {
      const NetLayout layout{5, width, split};
      EXPECT_EQ(layout.first(), layout.high(4) + (split ? 2 : 1) * layout.part());
      EXPECT_EQ(layout.bias(1), layout.first() + width * NetLayout::first_row / 2);
      EXPECT_GE(layout.words(), layout.bias(1) + 4 * width + width);
      EXPECT_EQ(layout.words() * 4 % 1024, 0);
      EXPECT_EQ(layout.part() * 4 % 1024, 0);
    }
  }
}

// Eight rows of a piece of eight columns are read at once: their 16 bytes must lie in different banks.
TEST(NeuralPack, PiecesOfAColumnLieInDifferentBanks) {
  for (const int width : {32, 64}) {
    const NetLayout layout{5, width, true};
    std::set<int> halves;
    for (int column = 0; column < width; column += 8) {
      for (int row = 0; row < width; row += 8) {
        std::set<int> banks;
        for (int i = 0; i < 8; ++i) {
          banks.insert(layout.half(row + i, column) / 8 % 8);
          for (int k = 0; k < 8; ++k) halves.insert(layout.half(row + i, column + k));
          EXPECT_EQ(layout.half(row + i, column + 5), layout.half(row + i, column) + 5);
        }
        EXPECT_EQ(banks.size(), 8u) << width << ": rows from " << row << ", columns from " << column;
      }
    }
    EXPECT_EQ(static_cast<int>(halves.size()), width * width);
    EXPECT_EQ(*halves.rbegin(), width * width - 1);
  }
}

TEST(NeuralPack, RefusesWhatHalvesCannotHold) {
  NeuralMap map = make_map(true, 64, 5, 2, 4);
  Mlp gap = map.gap_net();
  gap.weight(2)[17] = 1e6f;
  EXPECT_THROW(pack_neural_map(NeuralMap(2, "test", map.encoding(), gap, map.arm_net())), Error);
  Mlp arm = map.arm_net();
  arm.shape.activation = Activation::relu;
  EXPECT_THROW(pack_neural_map(NeuralMap(2, "test", map.encoding(), map.gap_net(), arm)), Error);
}

}  // namespace
}  // namespace scree
