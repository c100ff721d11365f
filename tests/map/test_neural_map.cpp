// The neural map: encodings, seams, gradients, batches, and its tensors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "map/mlp_reference.hpp"
#include "scree/base/error.hpp"
#include "scree/map/neural_map.hpp"

namespace scree {
namespace {

constexpr double pi = std::numbers::pi;

NeuralMap make_map(bool periodic, int order, Activation kind = Activation::silu) {
  const PoseEncoding encoding{periodic, order};
  return {2.5, "test", encoding, test::random_net({encoding.inputs(), 5, 64, kind}, 1),
          test::random_net({encoding.inputs(), 3, 32, kind}, 2)};
}

std::vector<Pose2d> random_poses(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Pose2d> poses(n);
  for (Pose2d& q : poses) q = {rng.uniform(-pi, pi), {rng.uniform(-1.7, 1.7), rng.uniform(-1.7, 1.7)}};
  return poses;
}

bool same_bits(const ContactGeometry& a, const ContactGeometry& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// The map by the slow evaluation, in double precision throughout.
double slow_gap(const NeuralMap& map, const Pose2d& q) {
  std::vector<double> input = {q.x.x, q.x.y};
  const int k = map.encoding().order;
  if (map.encoding().periodic) {
    input.insert(input.end(), {std::cos(k * q.theta), std::sin(k * q.theta)});
  } else {
    input.push_back(q.theta);
  }
  return test::evaluate_reference(map.gap_net().shape, test::widened(map.gap_net().parameters), input).value;
}

TEST(NeuralMap, ABatchOfAnySizeGivesTheBitsOfSingleQueries) {
  for (const bool periodic : {false, true}) {
    const NeuralMap map = make_map(periodic, 3);
    const std::vector<Pose2d> poses = random_poses(50, 4);
    std::vector<ContactGeometry> single;
    for (const Pose2d& q : poses) single.push_back(map.query(q));
    for (std::size_t begin = 0; begin < 20; ++begin) {
      for (const std::size_t n : {1u, 2u, 15u, 16u, 17u, 30u}) {
        std::vector<ContactGeometry> out(n);
        map.query_batch(std::span(poses).subspan(begin, n), out);
        for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(same_bits(out[i], single[begin + i])) << begin << " " << n;
      }
    }
  }
}

// Central differences in double precision, step 1e-5; the map itself works in 32 bits, good to about 1e-5 here.
TEST(NeuralMap, GradientIsThatOfTheGap) {
  constexpr double h = 1e-5;
  for (const bool periodic : {false, true}) {
    for (const Activation kind : {Activation::relu, Activation::silu}) {
      const NeuralMap map = make_map(periodic, 4, kind);
      for (const Pose2d& q : random_poses(100, 9)) {
        const auto slope = [&](Pose2d step) {
          const Pose2d up{q.theta + step.theta, q.x + step.x}, down{q.theta - step.theta, q.x - step.x};
          return (slow_gap(map, up) - slow_gap(map, down)) / (2 * h);
        };
        const ContactGeometry g = map.query(q);
        EXPECT_NEAR(g.gap, slow_gap(map, q), 2e-5);
        EXPECT_NEAR(g.gap_x.x, slope({0, {h, 0}}), 1e-4);
        EXPECT_NEAR(g.gap_x.y, slope({0, {0, h}}), 1e-4);
        EXPECT_NEAR(g.gap_theta, slope({h, {0, 0}}), 4e-4);  // k = 4 times larger
      }
    }
  }
}

TEST(NeuralMap, PeriodicEncodingHasNoSeamAndKnowsTheSymmetryOfB) {
  const NeuralMap map = make_map(true, 4);
  for (Pose2d q : random_poses(20, 2)) {
    q.theta = pi;
    Pose2d other = q;
    other.theta = -pi;
    EXPECT_NEAR(map.query(q).gap, map.query(other).gap, 1e-5);
    other.theta = pi - 2 * pi / 4;
    EXPECT_NEAR(map.query(q).gap, map.query(other).gap, 1e-5);
  }
}

TEST(NeuralMap, RawEncodingWrapsTheAngle) {
  const NeuralMap map = make_map(false, 1);
  for (Pose2d q : random_poses(20, 2)) {
    const ContactGeometry g = map.query(q);
    q.theta += 2 * pi;
    EXPECT_NEAR(map.query(q).gap, g.gap, 1e-5);
  }
}

TEST(NeuralMap, ADiscAsBMakesTheAngleIrrelevant) {
  const NeuralMap map = make_map(true, 0);
  for (Pose2d q : random_poses(20, 2)) {
    const ContactGeometry g = map.query(q);
    q.theta = 0.123;
    EXPECT_TRUE(same_bits(map.query(q), g));
    EXPECT_EQ(g.gap_theta, 0);
  }
}

TEST(NeuralMap, SmoothnessFollowsTheActivation) {
  EXPECT_EQ(make_map(true, 1, Activation::silu).smoothness(), 2);
  EXPECT_EQ(make_map(true, 1, Activation::relu).smoothness(), 0);
  EXPECT_EQ(make_map(true, 1).bytes(), 4 * (17025u + 2305u));
}

TEST(NeuralMap, RefusesANetThatDoesNotFitTheEncoding) {
  const Mlp three = test::random_net({3, 3, 32, Activation::silu}, 1);
  EXPECT_THROW(NeuralMap(2, "test", {true, 1}, three, three), Error);
}

TEST(NeuralMap, TensorsRoundTripToTheSameBits) {
  for (const bool periodic : {false, true}) {
    const NeuralMap map = make_map(periodic, 5);
    TensorFile file;
    map.store(file);
    const std::vector<std::int64_t> shape = {64, map.encoding().inputs()};
    EXPECT_EQ(file.tensors.at("gap.layers.0.weight").shape, shape);
    EXPECT_EQ(file.tensors.at("gap.layers.5.bias").shape, std::vector<std::int64_t>{1});
    const auto back = NeuralMap::load(file, "memory");
    EXPECT_EQ(back->reach(), map.reach());
    EXPECT_EQ(back->name(), map.name());
    for (const Pose2d& q : random_poses(40, 6)) EXPECT_TRUE(same_bits(back->query(q), map.query(q)));
  }
}

TEST(NeuralMap, DamagedTensorsAreRefusedByName) {
  const NeuralMap map = make_map(true, 2);
  TensorFile whole;
  map.store(whole);
  const auto expect_refused = [](const TensorFile& file, const std::string& word) {
    try {
      NeuralMap::load(file, "a.safetensors");
      ADD_FAILURE() << "accepted; expected a message about " << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_EQ(error.where(), "a.safetensors");
      EXPECT_NE(error.problem().find(word), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  };
  for (const auto& [key, value] : whole.metadata) {
    TensorFile file = whole;
    file.metadata.erase(key);
    expect_refused(file, key);
    if (key == "neural.net") continue;
    file.metadata[key] = "-1x";
    expect_refused(file, key);
  }
  for (const auto& [name, tensor] : whole.tensors) {
    TensorFile file = whole;
    file.tensors.erase(name);
    expect_refused(file, name);
    file.tensors[name] = tensor;
    file.tensors[name].shape.push_back(1);
    expect_refused(file, name);
    file.tensors[name] = tensor;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(file.tensors[name].data.data(), &nan, sizeof nan);
    expect_refused(file, name);
  }
  TensorFile odd = whole;
  odd.metadata["neural.gap.width"] = "48";
  expect_refused(odd, "cannot be evaluated");
}

}  // namespace
}  // namespace scree
