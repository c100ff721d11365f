#include "scree/map/pair_geometry.hpp"

namespace scree {

PairSide make_side(const Outline& outline, const std::vector<ConvexPiece>& pieces, double scale) {
  constexpr double straight = 1e-12;  // sine of a turn that counts as none
  PairSide side;
  for (const Loop& loop : outline.loops) {
    const std::size_t n = loop.size();
    const std::size_t first = side.edges.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Vec2d from = scale * loop[i];
      const Vec2d d = scale * loop[(i + 1) % n] - from;
      const double length = norm(d);
      side.edges.push_back({from, (1 / length) * d, length});
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Vec2d before = side.edges[first + (i + n - 1) % n].direction;
      const Vec2d after = side.edges[first + i].direction;
      if (cross(before, after) > straight) side.vertices.push_back({scale * loop[i], before, after});
    }
  }
  side.pieces = pieces;
  for (ConvexPiece& piece : side.pieces)
    for (Vec2d& v : piece) v *= scale;
  return side;
}

PairSide mirrored(const PairSide& b, double theta) {
  const Rotation2d turn(-std::cos(theta), -std::sin(theta));
  PairSide c = b;
  for (PairEdge& e : c.edges) {
    e.from = turn * e.from;
    e.direction = turn * e.direction;
  }
  for (ConvexVertex& v : c.vertices) v = {turn * v.at, turn * v.before, turn * v.after};
  for (ConvexPiece& piece : c.pieces)
    for (Vec2d& v : piece) v = turn * v;
  return c;
}

PairGeometry::PairGeometry(const ShapePair& pair)
    : a(make_side(pair.a->outline, pair.a->pieces, 1)),
      b(make_side(pair.b->outline, pair.b->pieces, pair.ratio)),
      ratio(pair.ratio),
      reach(pair.reach()) {}

}  // namespace scree
