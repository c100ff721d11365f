#include <gtest/gtest.h>

#include <cmath>

#include "scree/map/disc_map.hpp"
#include "scree/shape/library.hpp"
#include "scree/world/world.hpp"

namespace scree {
namespace {

// Shapes 0: box, 1: disc, 2: ring; one material of density 2.
World world_of_shapes() {
  World w;
  for (const char* name : {"box", "disc", "ring"})
    w.shapes.push_back(std::make_shared<const Shape>(make_named_shape(name)));
  Material m;
  m.density = 2;
  w.materials.push_back(m);
  return w;
}

int add_type(World& w, int shape, double radius) {
  GrainType t;
  t.shape = shape;
  t.radius = radius;
  return w.add_type(t);
}

TEST(World, TypesScaleMassInertiaAndWidth) {
  World w = world_of_shapes();
  const int small = add_type(w, 1, 1);
  const int big = add_type(w, 1, 3);
  const GrainType& a = w.types[static_cast<std::size_t>(small)];
  const GrainType& b = w.types[static_cast<std::size_t>(big)];
  EXPECT_NEAR(a.mass, 2 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(a.inertia, 0.5 * a.mass, 1e-12) << "of a disc of radius 1";
  EXPECT_NEAR(b.mass / a.mass, 9, 1e-12);
  EXPECT_NEAR(b.inertia / a.inertia, 81, 1e-12);
  EXPECT_NEAR(b.thinnest / a.thinnest, 3, 1e-12);
}

TEST(World, OrderOfAPairIsShapeThenLargerThenIndex) {
  World w = world_of_shapes();
  const int box = add_type(w, 0, 1);
  const int disc = add_type(w, 1, 5);
  const int small_box = add_type(w, 0, 0.5);
  EXPECT_TRUE(w.in_order(box, disc, 7, 3)) << "lower shape index, whatever the size and body";
  EXPECT_FALSE(w.in_order(disc, box, 3, 7));
  EXPECT_TRUE(w.in_order(box, small_box, 7, 3)) << "larger first";
  EXPECT_FALSE(w.in_order(small_box, box, 3, 7));
  EXPECT_TRUE(w.in_order(box, box, 3, 7));
  EXPECT_FALSE(w.in_order(box, box, 7, 3));
}

TEST(World, NeededMapsShareRepeatedRatios) {
  World w = world_of_shapes();
  // 0.1 : 0.3 and 0.3 : 0.9 are one ratio though not one double.
  for (const double r : {0.1, 0.3, 0.9}) w.add_body(add_type(w, 1, r), 0, BodyKind::moving, {}, 0);
  ASSERT_NE(0.1 / 0.3, 0.3 / 0.9);
  const std::vector<MapNeed> needs = needed_maps(w);
  ASSERT_EQ(needs.size(), 3u) << "1, 1/3, 1/9";
  for (const MapNeed& need : needs) EXPECT_LE(need.ratio, 1) << "of one shape the larger is A";

  for (const MapNeed& need : needs) assign_map(w, need, std::make_shared<DiscMap>(need.ratio));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const MapRef ref = w.map_of(i, j);
      ASSERT_NE(ref.map, nullptr) << i << " " << j;
      EXPECT_EQ(ref.map, w.map_of(j, i).map);
      const double larger =
          std::max(w.types[static_cast<std::size_t>(i)].radius, w.types[static_cast<std::size_t>(j)].radius);
      EXPECT_EQ(ref.scale, larger);
      const double sum = w.types[static_cast<std::size_t>(i)].radius + w.types[static_cast<std::size_t>(j)].radius;
      EXPECT_NEAR(ref.scale * ref.map->reach(), sum, 1e-9 * sum);
    }
  }
  EXPECT_EQ(w.map_of(0, 1).map, w.map_of(1, 2).map) << "similar pairs share one map";
}

TEST(World, MixedShapesNeedAMapPerRatio) {
  World w = world_of_shapes();
  const int box = add_type(w, 0, 1);
  const int disc = add_type(w, 1, 2);
  const int small_disc = add_type(w, 1, 0.5);
  for (const int t : {box, disc, small_disc}) w.add_body(t, 0, BodyKind::moving, {}, 0);
  const std::vector<MapNeed> needs = needed_maps(w);
  // box-box, box-disc 2, box-disc 0.5, disc-disc 1, disc-disc 1/4.
  ASSERT_EQ(needs.size(), 5u);
  for (const MapNeed& n : needs) {
    const GrainType& a = w.types[static_cast<std::size_t>(n.type_a)];
    const GrainType& b = w.types[static_cast<std::size_t>(n.type_b)];
    EXPECT_LE(a.shape, b.shape);
    EXPECT_DOUBLE_EQ(n.ratio, b.radius / a.radius);
  }
}

TEST(World, DrivenPairsNeedNoMapUntilReleased) {
  World w = world_of_shapes();
  const int box = add_type(w, 0, 1);
  const int ring = add_type(w, 2, 1);
  const int unused = add_type(w, 1, 1);
  w.groups.push_back("drum");
  w.add_body(box, 1, BodyKind::fixed, {}, 0);
  w.add_body(box, 1, BodyKind::kinematic, {3, 0}, 0);
  EXPECT_TRUE(needed_maps(w).empty()) << "nothing moves freely";
  w.add_body(ring, 0, BodyKind::moving, {6, 0}, 0);
  EXPECT_EQ(needed_maps(w).size(), 2u) << "box-ring and ring-ring, not box-box";
  Insertion in;
  in.mixture = {{unused, 1}};
  w.insertions.push_back(in);
  EXPECT_EQ(needed_maps(w).size(), 5u) << "what will be inserted meets all and itself";
  Event release;
  release.action = Event::Action::release_group;
  release.targets = {1};
  w.events.push_back(release);
  EXPECT_EQ(needed_maps(w).size(), 6u) << "released boxes meet each other";
}

TEST(World, SeparationIsToTheNearestImage) {
  World w;
  w.periodic = {true, false, {{-1, -1}, {3, 1}}};
  const Vec2d d = w.separation({-0.9, 0}, {2.9, 5});
  EXPECT_NEAR(d.x, -0.2, 1e-15);
  EXPECT_EQ(d.y, 5);
  w.periodic.y = true;
  EXPECT_NEAR(w.separation({0, 0.9}, {0, -0.9}).y, 0.2, 1e-15);
  EXPECT_NEAR(w.separation({0, 0}, {17.5, 0}).x, 1.5, 1e-12) << "over several periods";
}

TEST(World, WrappingKeepsTheUnwrappedPlace) {
  World w = world_of_shapes();
  const int t = add_type(w, 1, 1);
  w.periodic = {true, true, {{-2, 0}, {3, 4}}};
  for (const Vec2d x : {Vec2d{7.3, -0.5}, {-2, 4}, {3, 0}, {-22.1, 17}, {0, 0}}) {
    w.add_body(t, 0, BodyKind::moving, x, 0);
    const std::size_t k = w.bodies.size() - 1;
    w.wrap(k);
    EXPECT_GE(w.bodies.x[k].x, -2);
    EXPECT_LT(w.bodies.x[k].x, 3);
    EXPECT_GE(w.bodies.x[k].y, 0);
    EXPECT_LT(w.bodies.x[k].y, 4);
    EXPECT_NEAR(norm(w.unwrapped(k) - x), 0, 1e-13);
    const Vec2d once = w.bodies.x[k];
    w.wrap(k);
    EXPECT_EQ(w.bodies.x[k], once) << "again changes nothing";
  }
  // The largest number below lo: subtracting a period rounds to hi itself.
  w.add_body(t, 0, BodyKind::moving, {std::nextafter(-2.0, -3.0), 1}, 0);
  w.wrap(w.bodies.size() - 1);
  EXPECT_LT(w.bodies.x.back().x, 3);
}

TEST(Bodies, RemoveKeepsOrderAndEveryArray) {
  World w = world_of_shapes();
  const int t = add_type(w, 1, 1);
  for (int k = 0; k < 6; ++k) {
    w.add_body(t, 0, k % 2 ? BodyKind::fixed : BodyKind::moving, {1.0 * k, 2.0 * k}, 0.1 * k, {3.0 * k, 0}, 4.0 * k);
    w.bodies.force.back() = {5.0 * k, 0};
    w.bodies.torque.back() = 6.0 * k;
    w.bodies.image.back() = {k, -k};
  }
  w.bodies.remove({1, 0, 0, 1, 0, 1});
  ASSERT_EQ(w.bodies.size(), 3u);
  const int left[] = {1, 2, 4};
  for (std::size_t i = 0; i < 3; ++i) {
    const int k = left[i];
    EXPECT_EQ(w.bodies.id[i], static_cast<std::uint32_t>(k));
    EXPECT_EQ(w.bodies.kind[i], k % 2 ? BodyKind::fixed : BodyKind::moving);
    EXPECT_EQ(w.bodies.x[i].y, 2.0 * k);
    EXPECT_EQ(w.bodies.theta[i], 0.1 * k);
    EXPECT_EQ(w.bodies.v[i].x, 3.0 * k);
    EXPECT_EQ(w.bodies.omega[i], 4.0 * k);
    EXPECT_EQ(w.bodies.force[i].x, 5.0 * k);
    EXPECT_EQ(w.bodies.torque[i], 6.0 * k);
    EXPECT_EQ(w.bodies.image[i][1], -k);
  }
  EXPECT_EQ(w.add_body(t, 0, BodyKind::moving, {}, 0), 6u) << "ids are never used again";
}

TEST(Gravity, TurnsAtItsRate) {
  Gravity g;
  g.value = {0, -10};
  g.turn_rate = 0.5;
  g.since = 1;
  EXPECT_EQ(g.at(1).y, -10);
  EXPECT_NEAR(g.at(1 + std::numbers::pi).x, 10, 1e-14) << "a quarter counter-clockwise: down becomes right";
  EXPECT_NEAR(norm(g.at(7.7)), 10, 1e-14);
}

}  // namespace
}  // namespace scree
