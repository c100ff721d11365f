#include "scree/shape/convex_grow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace scree {

namespace {

// Outlines have unit circumradius here; this is rounding, far below the promised 1e-9.
constexpr double rounding = 1e-11;

bool all_left(const Line& line, const ConvexPiece& piece) {
  return std::all_of(piece.begin(), piece.end(), [&](Vec2d p) { return line.side(p) >= -rounding; });
}

// The part of segment ab strictly inside a convex polygon, if it has a length.
std::optional<std::pair<Vec2d, Vec2d>> inside_part(const ConvexPiece& piece, Vec2d a, Vec2d b) {
  double from = 0;
  double to = 1;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const Line line = line_through(piece[i], piece[(i + 1) % piece.size()]);
    const double da = line.side(a) - rounding;
    const double db = line.side(b) - rounding;
    if (da <= 0 && db <= 0) return std::nullopt;
    if (da < 0) from = std::max(from, da / (da - db));
    if (db < 0) to = std::min(to, da / (da - db));
  }
  if (to - from <= 0 || (to - from) * norm(b - a) < rounding) return std::nullopt;
  return std::pair{a + from * (b - a), a + to * (b - a)};
}

// The largest rest of `part` that keeps `cell` and loses the segment pq, by a line along an edge of the boundary next
// to pq or along an edge of the cell: one of the latter always separates two convex sets that do not overlap.
ConvexPiece separated(const ConvexPiece& part, const ConvexPiece& cell, Vec2d p, Vec2d q,
                      const std::vector<Line>& neighbours) {
  std::vector<Line> candidates = neighbours;
  for (std::size_t i = 0; i < cell.size(); ++i)
    candidates.push_back(line_through(cell[i], cell[(i + 1) % cell.size()]));
  ConvexPiece best;
  double best_area = -1;
  for (const Line& line : candidates) {
    if (line.side(p) > rounding || line.side(q) > rounding || !all_left(line, cell)) continue;
    ConvexPiece rest = clipped(part, line);
    const double area = rest.size() < 3 ? 0 : signed_area(rest);
    if (area > best_area) {
      best_area = area;
      best = std::move(rest);
    }
  }
  return best_area > 0 ? best : cell;
}

ConvexPiece grow_in_order(const std::vector<OutlineEdge>& edges, const std::vector<std::size_t>& order,
                          const ConvexPiece& cell) {
  constexpr double far = 4;  // beyond a unit circumradius in every direction
  ConvexPiece part = {{-far, -far}, {far, -far}, {far, far}, {-far, far}};
  for (const std::size_t k : order) {
    const OutlineEdge& e = edges[k];
    const auto inside = inside_part(part, e.a, e.b);
    if (!inside) continue;
    const Line line = line_through(e.a, e.b);
    if (all_left(line, cell)) {
      part = clipped(part, line);
      continue;
    }
    std::vector<Line> neighbours;
    for (const std::size_t n : {e.prev, e.next}) neighbours.push_back(line_through(edges[n].a, edges[n].b));
    part = separated(part, cell, inside->first, inside->second, neighbours);
  }
  return strictly_convex(std::move(part));
}

Vec2d middle(const ConvexPiece& piece) {
  Vec2d sum;
  for (const Vec2d p : piece) sum += p;
  return (1.0 / static_cast<double>(piece.size())) * sum;
}

}  // namespace

Line line_through(Vec2d a, Vec2d b) {
  const Vec2d normal = (1 / norm(b - a)) * perp(b - a);
  return {normal, (dot(normal, a) + dot(normal, b)) / 2};
}

ConvexPiece clipped(const ConvexPiece& piece, const Line& line) {
  ConvexPiece out;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const Vec2d a = piece[i];
    const Vec2d b = piece[(i + 1) % piece.size()];
    const double sa = line.side(a);
    const double sb = line.side(b);
    if (sa >= -rounding) out.push_back(a);
    if ((sa > rounding && sb < -rounding) || (sa < -rounding && sb > rounding))
      out.push_back(a + (sa / (sa - sb)) * (b - a));
  }
  return strictly_convex(std::move(out));
}

ConvexPiece strictly_convex(ConvexPiece piece) {
  for (std::size_t i = 0; piece.size() >= 3 && i < piece.size();) {
    const Vec2d a = piece[(i + piece.size() - 1) % piece.size()];
    const Vec2d b = piece[i];
    const Vec2d c = piece[(i + 1) % piece.size()];
    // Height of b over the chord ac: what removing it would lose.
    const double base = norm(c - a);
    const bool flat = base < rounding || cross(b - a, c - b) <= 2 * rounding * base;
    if (!flat) {
      ++i;
      continue;
    }
    piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(i));
    i = i > 0 ? i - 1 : 0;
  }
  return piece;
}

bool convex_contains(const ConvexPiece& outer, const ConvexPiece& inner) {
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const Line line = line_through(outer[i], outer[(i + 1) % outer.size()]);
    for (const Vec2d p : inner)
      if (line.side(p) < -10 * rounding) return false;
  }
  return true;
}

std::vector<ConvexPiece> grow_convex(const std::vector<OutlineEdge>& edges, const ConvexPiece& cell) {
  const Vec2d centre = middle(cell);
  std::vector<std::size_t> order(edges.size());
  std::vector<double> key(edges.size());
  std::vector<ConvexPiece> parts;
  const auto grow_by = [&](auto&& measure) {
    for (std::size_t k = 0; k < edges.size(); ++k) {
      order[k] = k;
      key[k] = measure(edges[k]);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
    ConvexPiece part = grow_in_order(edges, order, cell);
    if (part.size() >= 3) parts.push_back(std::move(part));
  };
  const auto distance = [&](const OutlineEdge& e) { return norm(centre - nearest_on_segment(e.a, e.b, centre)); };
  grow_by(distance);
  grow_by([&](const OutlineEdge& e) { return std::abs(line_through(e.a, e.b).side(centre)); });
  grow_by([&](const OutlineEdge& e) { return distance(e) - norm(e.b - e.a); });
  return parts;
}

}  // namespace scree
