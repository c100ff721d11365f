// What a step costs at least, counted by hand for a bed of two grains.
#include <gtest/gtest.h>

#include "map/mlp_reference.hpp"
#include "scree/cuda/step_floor.hpp"
#include "scree/cuda/views.hpp"
#include "support.hpp"

namespace scree::gpu {
namespace {

StepCounts two_grains() {
  StepCounts c;
  c.bodies = 2;
  c.pairs = c.queries = c.touching = c.contacts = 1;
  return c;
}

// A body: 2 x 32 (place) + 2 x 16 (velocity) + 12 (force, torque) + 24 (place in the list) + 8 (way) + 8 (rows). A
// pair: 8 + 4 + 8 in the list, 2 x 16 of memory, 2 x 16 of wrench.
TEST(StepFloor, CountsEveryByteOnce) {
  const StepFloor floor = step_floor(two_grains());
  EXPECT_EQ(floor.bytes, 2 * 148 + 20 + 32 + 32);
  EXPECT_EQ(floor.operations, 0);
}

TEST(StepFloor, DoublePrecisionMovesMore) {
  StepCounts c = two_grains();
  c.in_double = true;
  const double more = 2.0 * (2 * (sizeof(Placed<double>) - sizeof(Placed<float>)) +
                             2 * (sizeof(Moving<double>) - sizeof(Moving<float>)) + 12) +
                      2.0 * (sizeof(Memory<double>) - sizeof(Memory<float>)) + 32;
  EXPECT_EQ(step_floor(c).bytes, step_floor(two_grains()).bytes + more);
}

TEST(StepFloor, NoPartOfATableIsReadTwice) {
  StepCounts c = two_grains();
  const double bare = step_floor(c).bytes;
  c.query_bytes = 272;
  c.map_bytes = 1000;
  EXPECT_EQ(step_floor(c).bytes, bare + 272);
  c.queries = 1000;
  EXPECT_EQ(step_floor(c).bytes, bare + 1000);
}

TEST(StepFloor, TakesTheSlowerOfMemoryAndArithmetic) {
  const StepFloor floor{2e9, 3e12};
  EXPECT_DOUBLE_EQ(floor.milliseconds(1e12, 1e15), 3);
  EXPECT_DOUBLE_EQ(floor.milliseconds(1e11, 1e15), 20);
  EXPECT_DOUBLE_EQ(floor.milliseconds(1e12, 0), 2);  // a card of unknown arithmetic
}

// 3 x 32 on four inputs: 4 32 + 2 32 32 + 32 = 2208 weights; the gap's go both ways.
TEST(StepFloor, OperationsOfNets) {
  const PoseEncoding encoding{true, 1};
  const MlpShape shape{encoding.inputs(), 3, 32, Activation::relu};
  const NeuralMap map(2, "test", encoding, test::random_net(shape, 1), test::random_net(shape, 2));
  EXPECT_EQ(operations_of(map), 2 * 3 * 2208);
}

TEST(StepFloor, CountsTheContactsOfAWorld) {
  testing::Worlds w(Material{});
  const int disc = w.type(make_named_shape("disc"));
  for (const double x : {0.0, 1.9, 3.8}) w.body(disc, {x, 0});
  Contact c;
  for (const auto& [a, b] : {std::pair{0u, 1u}, {0u, 1u}, {1u, 2u}}) {
    c.a = a, c.b = b;
    w.world.contacts.push_back(c);
  }
  const StepCounts counts = step_counts(w.world, 5, 4, false);
  EXPECT_EQ(counts.bodies, 3u);
  EXPECT_EQ(counts.pairs, 5u);
  EXPECT_EQ(counts.queries, 4u);
  EXPECT_EQ(counts.contacts, 3u);
  EXPECT_EQ(counts.touching, 2u);
}

}  // namespace
}  // namespace scree::gpu
