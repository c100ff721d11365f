// Neural maps on the GPU against the nets in double precision. Needs a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cuda/random_poses.hpp"
#include "map/mlp_reference.hpp"
#include "scree/base/rng.hpp"
#include "scree/cuda/neural_query.hpp"

namespace scree {
namespace {

struct Net {
  const char* name;
  Activation activation;
  bool periodic;
  int hidden, gap_width, arm_width;
};
const Net nets[] = {{"silu-5x64", Activation::silu, true, 5, 64, 32},
                    {"relu-5x64", Activation::relu, false, 5, 64, 64},
                    {"relu-3x32", Activation::relu, false, 3, 32, 32}};

NeuralMap make_map(const Net& n, int order = 3, double reach = 2.5) {
  const PoseEncoding encoding{n.periodic, order};
  const int inputs = encoding.inputs();
  return {reach, n.name, encoding, test::random_net({inputs, n.hidden, n.gap_width, n.activation}, 1),
          test::random_net({inputs, n.hidden, n.arm_width, n.activation}, 2)};
}

using test::Poses;
using test::random_poses;

// Gap, gap_theta, gap_x, gap_y and arm, in arrays that were poisoned with NaN before.
using Answers = std::array<std::vector<float>, 5>;

Answers query(const NeuralMapSet& set, const Poses& poses, const std::vector<PoseRange>& ranges,
              NeuralAnswer answer = NeuralAnswer::all) {
  const std::size_t n = poses.x.size();
  const DeviceBuffer<float> x(std::span(poses.x)), y(std::span(poses.y)), theta(std::span(poses.theta));
  const DeviceBuffer<PoseRange> where{std::span<const PoseRange>(ranges)};
  std::array<DeviceBuffer<float>, 5> out;
  for (auto& array : out) {
    array = DeviceBuffer<float>(n);
    array.fill_bytes(0xff);
  }
  set.query({x.data(), y.data(), theta.data()}, where.data(), n,
            {out[0].data(), out[1].data(), out[2].data(), out[3].data(), out[4].data()}, answer);
  Answers answers;
  for (std::size_t i = 0; i < 5; ++i) answers[i] = out[i].download();
  return answers;
}

Answers query(const NeuralMap& map, const Poses& poses, NeuralAnswer answer = NeuralAnswer::all) {
  const NeuralMap* one = &map;
  return query(NeuralMapSet(std::span(&one, 1)), poses, {{0, static_cast<std::uint32_t>(poses.x.size())}}, answer);
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct Exact {
  double gap, gap_theta, gap_x, gap_y, arm;
};

Exact exact(const NeuralMap& map, const Poses& poses, std::size_t i) {
  std::vector<double> in = {poses.x[i], poses.y[i], poses.theta[i]};
  const int k = map.encoding().order;
  if (map.encoding().periodic) in = {in[0], in[1], std::cos(k * in[2]), std::sin(k * in[2])};
  const auto d = test::evaluate_reference(map.gap_net().shape, test::widened(map.gap_net().parameters), in);
  const auto c = test::evaluate_reference(map.arm_net().shape, test::widened(map.arm_net().parameters), in);
  const double turn = map.encoding().periodic ? k * (d.gradient[3] * in[2] - d.gradient[2] * in[3]) : d.gradient[2];
  return {d.value, turn, d.gradient[0], d.gradient[1], c.value};
}

// Sizes around the tile of 16 and the block. Gap: 22-bit products, like a 32-bit evaluation. Gradient: slopes in 16-bit
// fixed point. Arm: single halves, 2^-11 a product.
TEST(NeuralQuery, AgreesWithTheNetsInDoublePrecision) {
  std::uint64_t seed = 100;
  for (const Net& n : nets) {
    const NeuralMap map = make_map(n);
    for (const std::size_t count : {1u, 7u, 15u, 16u, 17u, 257u, 2999u}) {
      const Poses poses = random_poses(count, map.reach(), ++seed);
      const Answers out = query(map, poses);
      for (std::size_t i = 0; i < count; ++i) {
        const Exact e = exact(map, poses, i);
        const double length = std::hypot(e.gap_theta, e.gap_x, e.gap_y);
        ASSERT_NEAR(out[0][i], e.gap, 1e-5) << n.name << " " << i << " of " << count;
        ASSERT_LE(std::hypot(out[1][i] - e.gap_theta, out[2][i] - e.gap_x, out[3][i] - e.gap_y), 1e-3 * (length + 0.1));
        ASSERT_NEAR(out[4][i], e.arm, 5e-3);
      }
    }
  }
}

TEST(NeuralQuery, SameBitsInEveryRunAndPlace) {
  for (const Net& n : nets) {
    const NeuralMap map = make_map(n);
    const Poses poses = random_poses(100003, map.reach(), 5);
    const Answers first = query(map, poses), second = query(map, poses);
    Poses moved;
    moved.x.assign(poses.x.begin() + 77, poses.x.end());
    moved.y.assign(poses.y.begin() + 77, poses.y.end());
    moved.theta.assign(poses.theta.begin() + 77, poses.theta.end());
    const Answers third = query(map, moved);
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_TRUE(same_bits(first[k], second[k]));
      EXPECT_TRUE(same_bits({first[k].begin() + 77, first[k].end()}, third[k]));
    }
  }
}

TEST(NeuralQuery, AnswersSeveralMapsAndNothingElse) {
  std::vector<NeuralMap> maps;
  std::vector<const NeuralMap*> all;
  for (const Net& n : nets) maps.push_back(make_map(n, 2));
  for (const Net& n : nets) maps.push_back(make_map(n, 5));
  for (const NeuralMap& map : maps) all.push_back(&map);
  const Poses poses = random_poses(2000, 2.5, 8);
  // One range is empty, and poses 0..9 and 1900.. belong to none.
  const std::vector<PoseRange> ranges = {{10, 300}, {310, 1}, {311, 0}, {311, 689}, {1000, 333}, {1333, 567}};
  const Answers out = query(NeuralMapSet(all), poses, ranges);
  std::vector<bool> answered(2000, false);
  for (std::size_t m = 0; m < maps.size(); ++m) {
    const Answers alone = query(maps[m], poses);
    for (std::size_t i = ranges[m].first; i < ranges[m].first + ranges[m].count; ++i) {
      answered[i] = true;
      for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(out[k][i], alone[k][i]) << m << " " << i;
    }
  }
  for (std::size_t i = 0; i < 2000; ++i) EXPECT_EQ(std::isnan(out[0][i]), !answered[i]) << i;
}

TEST(NeuralQuery, TouchingSkipsWholeTilesOnly) {
  const NeuralMap map = make_map(nets[0]);
  const Poses poses = random_poses(5000, map.reach(), 21);
  const Answers all = query(map, poses), touching = query(map, poses, NeuralAnswer::touching);
  EXPECT_TRUE(same_bits(all[0], touching[0]));
  std::size_t touched = 0;
  for (std::size_t i = 0; i < 5000; ++i) {
    if (all[0][i] >= 0) continue;
    ++touched;
    for (std::size_t k = 1; k < 5; ++k) EXPECT_EQ(all[k][i], touching[k][i]);
  }
  EXPECT_GT(touched, 100u);
}

TEST(NeuralQuery, BeyondReachTheCertifiedBoundAnswers) {
  const NeuralMap map = make_map(nets[0]);
  const Poses poses{{3.0f, 1.0f, 0.0f}, {4.0f, 0.0f, 1.0f}, {0.5f, std::nanf(""), 0.2f}};
  const Answers out = query(map, poses);
  const ContactGeometry g = map.query({0.5, {3, 4}});
  EXPECT_FLOAT_EQ(out[0][0], static_cast<float>(g.gap));
  EXPECT_FLOAT_EQ(out[2][0], static_cast<float>(g.gap_x.x));
  EXPECT_FLOAT_EQ(out[3][0], static_cast<float>(g.gap_x.y));
  EXPECT_FLOAT_EQ(out[4][0], static_cast<float>(g.arm));
  EXPECT_EQ(out[1][0], 0.0f);
  EXPECT_TRUE(std::isnan(out[0][1]));  // the watchdog's business
  EXPECT_NEAR(out[0][2], map.query({poses.theta[2], {0, 1}}).gap, 1e-5);
}

TEST(NeuralQuery, RefusesNetsWithoutAKernel) {
  const PoseEncoding encoding{true, 1};
  const NeuralMap map(2, "odd", encoding, test::random_net({4, 4, 64, Activation::silu}, 1),
                      test::random_net({4, 2, 32, Activation::silu}, 2));
  const NeuralMap* one = &map;
  EXPECT_THROW(NeuralMapSet(std::span(&one, 1)), Error);
}

}  // namespace
}  // namespace scree
