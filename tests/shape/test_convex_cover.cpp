// The cover by convex pieces: convex, inside the solid, covering it, and few.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace scree
