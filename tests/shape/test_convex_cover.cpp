// The cover by convex pieces: convex, inside the solid, covering it, and few.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scree/base/rng.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

bool in_piece(const ConvexPiece& piece, Vec2d p) {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const Vec2d a = piece[i];
    const Vec2d b = piece[(i + 1) % piece.size()];
    if (cross(b - a, p - a) < -1e-9 * norm(b - a)) return false;
  }
  return true;
}

bool in_some_piece(const Shape& shape, Vec2d p) {
  for (const ConvexPiece& piece : shape.pieces)
    if (in_piece(piece, p)) return true;
  return false;
}

void expect_valid_cover(const Shape& shape, int points) {
  for (const ConvexPiece& piece : shape.pieces) {
    ASSERT_GE(piece.size(), 3u) << shape.name;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const Vec2d a = piece[i];
      const Vec2d b = piece[(i + 1) % piece.size()];
      const Vec2d c = piece[(i + 2) % piece.size()];
      EXPECT_GT(cross(b - a, c - b), 0) << shape.name << ": piece not strictly convex";
      for (const Vec2d p : {a, 0.5 * (a + b), 0.75 * a + 0.25 * b})
        EXPECT_LT(nearest_boundary(shape.outline, p).distance, 1e-9) << shape.name << " at " << p.x << ", " << p.y;
    }
  }
  Rng rng(7);
  for (int k = 0; k < points; ++k) {
    const Vec2d p{rng.uniform(-1, 1), rng.uniform(-1, 1)};
    const bool solid = contains(shape.outline, p);
    if (solid == in_some_piece(shape, p)) continue;
    EXPECT_LT(std::abs(nearest_boundary(shape.outline, p).distance), 1e-8)
        << shape.name << (solid ? " does not cover " : " covers too much at ") << p.x << ", " << p.y;
  }
}

TEST(ConvexCover, IsValidForEveryNamedShape) {
  for (const ShapeRecipe& recipe : shape_recipes()) expect_valid_cover(make_named_shape(recipe.name), 20000);
}

TEST(ConvexCover, IsSmall) {
  const auto count = [](const char* name) { return make_named_shape(name).pieces.size(); };
  EXPECT_EQ(count("disc"), 1u);
  EXPECT_EQ(count("box"), 1u);
  EXPECT_EQ(count("octagon"), 1u);
  EXPECT_EQ(count("rounded-box"), 1u);
  EXPECT_EQ(count("cross"), 2u);
  EXPECT_EQ(count("u"), 3u);
  EXPECT_LE(count("n"), 4u);
  EXPECT_EQ(count("hash"), 4u);
  EXPECT_LE(count("star"), 5u);
  const Shape ring = make_named_shape("ring");
  EXPECT_LE(ring.pieces.size(), ring.outline.loops[1].size() + 2);
}

// A wiggly blob with wiggly holes: star-shaped loops r(phi) about separate centres never meet.
Outline random_blob(Rng& rng, int vertices) {
  const auto wiggle = [&](Vec2d centre, double low, double high, int n) {
    Loop loop;
    for (int k = 0; k < n; ++k) {
      const double phi = 2 * std::numbers::pi * (k + rng.uniform(-0.3, 0.3)) / n;
      loop.push_back(centre + rng.uniform(low, high) * Vec2d{std::cos(phi), std::sin(phi)});
    }
    return loop;
  };
  Outline outline{{wiggle({0, 0}, 0.7, 1, vertices)}};
  const auto holes = static_cast<int>(rng.below(5));
  for (int h = 0; h < holes; ++h) {
    const double phi = 2 * std::numbers::pi * h / 5;
    const int n = 3 + static_cast<int>(rng.below(9));
    // Within its triangle's incircle of the centre even for n = 3, and apart from its neighbours.
    outline.loops.push_back(wiggle(0.4 * Vec2d{std::cos(phi), std::sin(phi)}, 0.05, 0.15, n));
  }
  return outline;
}

TEST(ConvexCover, RandomBlobsWithHoles) {
  Rng rng(41);
  int built = 0;
  for (int k = 0; k < 60; ++k) {
    const Outline outline = random_blob(rng, 20 + static_cast<int>(rng.below(80)));
    expect_valid_cover(make_shape("blob", outline), 2000);
    ++built;
  }
  EXPECT_EQ(built, 60);
}

// Symmetric drawings put many vertices on one line: the degenerate cases of ray casts and ears.
TEST(ConvexCover, GridsOfHoles) {
  Outline sieve{{{{0, 0}, {9, 0}, {9, 7}, {0, 7}}}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      const double x = 1 + 2 * i;
      const double y = 1 + 2 * j;
      sieve.loops.push_back({{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}});
    }
  const Shape shape = make_shape("sieve", sieve);
  EXPECT_NEAR(shape.area * shape.natural_radius * shape.natural_radius, 63 - 12, 1e-9);
  expect_valid_cover(shape, 20000);
  EXPECT_EQ(shape.pieces.size(), 9u);  // five upright and four level bars
}

TEST(ConvexCover, LargeOutline) {
  // A comb of 8,000 vertices: seconds if any step were cubic.
  Loop comb;
  for (int k = 0; k < 2000; ++k) {
    const double x = k;
    comb.insert(comb.end(), {{x, 0.0}, {x + 0.25, 100.0}, {x + 0.5, 100.0}, {x + 0.75, 0.0}});
  }
  comb.insert(comb.end(), {{2000.0, -1.0}, {0.0, -1.0}});
  const Shape shape = make_shape("comb", {{comb}});
  double covered = 0;
  for (const ConvexPiece& piece : shape.pieces) covered += signed_area(piece);
  EXPECT_NEAR(covered, shape.area, 1e-6);
  EXPECT_NEAR(shape.thinnest * shape.natural_radius, 0.25, 0.02);
}

}  // namespace
}  // namespace scree
