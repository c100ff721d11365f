// Few convex pieces that cover an outline.
//
// 1. Triangles, merged across diagonals while the union stays convex (Hertel and Mehlhorn 1983): at most four times
//    the least number of disjoint pieces.
// 2. Pieces may overlap, and that saves many: a '#' is four bars. So each cell of a fine subdivision is grown into a
//    large convex part of the solid, and the fewest grown parts that hold all cells are picked greedily. Kept when it
//    beats 1; tried only on outlines with few reflex corners, since a curved hole needs a piece per chord anyway.
#include <algorithm>
#include <cmath>
#include <map>

#include "scree/shape/convex_grow.hpp"
#include "scree/shape/edge_grid.hpp"
#include "scree/shape/shape.hpp"
#include "scree/shape/triangulate.hpp"

namespace scree {

namespace {

constexpr std::size_t most_grown_lines = 40;  // distinct lines through reflex corners
constexpr std::size_t most_grown_cells = 1500;

// Merges triangles across shared diagonals. Polygons hold indices of points, counter-clockwise.
class Merger {
 public:
  explicit Merger(const Triangulation& t) : points_(t.points) {
    for (const auto& tri : t.triangles) polygons_.push_back({tri.begin(), tri.end()});
  }

  std::vector<ConvexPiece> run() {
    for (std::size_t k = 0; k < polygons_.size(); ++k)
      for (const auto& edge : edges_of(polygons_[k])) owner_[edge] = k;
    std::vector<Edge> diagonals;
    for (const auto& [edge, polygon] : owner_)
      if (edge.first < edge.second && owner_.count({edge.second, edge.first})) diagonals.push_back(edge);
    // Longest first: it leaves compact pieces.
    std::stable_sort(diagonals.begin(), diagonals.end(), [&](Edge a, Edge b) { return length2(a) > length2(b); });
    for (const Edge& d : diagonals) try_merge(d);
    std::vector<ConvexPiece> pieces;
    for (const auto& polygon : polygons_) {
      ConvexPiece piece;
      for (const std::size_t i : polygon) piece.push_back(points_[i]);
      if (!piece.empty()) pieces.push_back(strictly_convex(std::move(piece)));
    }
    std::erase_if(pieces, [](const ConvexPiece& p) { return p.size() < 3; });
    return pieces;
  }

 private:
  using Polygon = std::vector<std::size_t>;
  using Edge = std::pair<std::size_t, std::size_t>;

  static std::vector<Edge> edges_of(const Polygon& p) {
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < p.size(); ++i) edges.emplace_back(p[i], p[(i + 1) % p.size()]);
    return edges;
  }
  double length2(Edge e) const { return norm2(points_[e.second] - points_[e.first]); }

  bool convex_at(const Polygon& p, std::size_t i) const {
    const Vec2d a = points_[p[(i + p.size() - 1) % p.size()]];
    const Vec2d b = points_[p[i]];
    const Vec2d c = points_[p[(i + 1) % p.size()]];
    // Collinear joints of long chains may come out a rounding error reflex.
    return cross(b - a, c - b) >= -1e-13 * norm(b - a) * norm(c - b);
  }

  void try_merge(Edge diagonal) {
    const std::size_t left = owner_.at(diagonal);
    const std::size_t right = owner_.at({diagonal.second, diagonal.first});
    if (left == right) return;
    const Polygon& a = polygons_[left];
    const Polygon& b = polygons_[right];
    // left runs first -> second; the union walks left from second to first, then right from first to second.
    Polygon joined = turned(a, diagonal.second);
    Polygon other = turned(b, diagonal.first);
    const std::size_t seam = joined.size() - 1;  // position of `first`
    joined.insert(joined.end(), other.begin() + 1, other.end() - 1);
    if (!convex_at(joined, 0) || !convex_at(joined, seam)) return;
    for (const Edge& edge : edges_of(b)) owner_[edge] = left;
    polygons_[left] = std::move(joined);
    polygons_[right].clear();
  }

  // The polygon rotated so that it starts at `start`.
  static Polygon turned(const Polygon& p, std::size_t start) {
    Polygon out = p;
    std::rotate(out.begin(), std::find(out.begin(), out.end(), start), out.end());
    return out;
  }

  const std::vector<Vec2d>& points_;
  std::vector<Polygon> polygons_;
  std::map<Edge, std::size_t> owner_;  // directed edge -> polygon on its left
};

// What a cover costs its user: a Minkowski sum per pair of pieces, linear in their vertices.
std::size_t cost(const std::vector<ConvexPiece>& pieces) {
  std::size_t sum = 0;
  for (const ConvexPiece& piece : pieces) sum += piece.size() + 4;
  return sum;
}

// Lines along the edges at reflex corners, each once.
std::vector<Line> reflex_lines(const std::vector<OutlineEdge>& edges) {
  std::vector<Line> lines;
  const auto add = [&](const OutlineEdge& e) {
    const Line line = line_through(e.a, e.b);
    for (const Line& known : lines)
      if (std::abs(cross(known.normal, line.normal)) < 1e-9 && std::abs(known.side(e.a)) < 1e-9) return;
    lines.push_back(line);
  };
  for (const OutlineEdge& e : edges) {
    const OutlineEdge& after = edges[e.next];
    if (cross(e.b - e.a, after.b - after.a) >= 0) continue;
    add(e);
    add(after);
    if (lines.size() > most_grown_lines) break;
  }
  return lines;
}

// Cuts all pieces along all lines. Empty when there would be too many cells.
std::vector<ConvexPiece> cells_of(std::vector<ConvexPiece> pieces, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    std::vector<ConvexPiece> cut;
    for (const ConvexPiece& piece : pieces) {
      for (const Line& side : {line, line.flipped()}) {
        ConvexPiece half = clipped(piece, side);
        if (half.size() >= 3) cut.push_back(std::move(half));
      }
    }
    pieces = std::move(cut);
    if (pieces.size() > most_grown_cells) return {};
  }
  return pieces;
}

// Greedy set cover: again and again the part that holds most of the area not yet held.
std::vector<ConvexPiece> greedy_cover(const std::vector<ConvexPiece>& cells, const std::vector<ConvexPiece>& parts) {
  std::vector<std::vector<std::size_t>> holds(parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (convex_contains(parts[k], cells[c])) holds[k].push_back(c);
  std::vector<bool> done(cells.size(), false);
  std::vector<ConvexPiece> cover;
  std::size_t left = cells.size();
  while (left > 0) {
    std::size_t best = 0;
    double best_gain = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      double gain = 0;
      for (const std::size_t c : holds[k]) gain += done[c] ? 0 : signed_area(cells[c]);
      if (gain > best_gain * (1 + 1e-9)) {
        best_gain = gain;
        best = k;
      }
    }
    if (best_gain == 0) return {};
    for (const std::size_t c : holds[best]) {
      left -= !done[c];
      done[c] = true;
    }
    cover.push_back(parts[best]);
  }
  return cover;
}

}  // namespace

std::vector<ConvexPiece> convex_cover(const Outline& outline) {
  std::vector<ConvexPiece> merged = Merger(triangulate(outline)).run();
  if (merged.size() < 3) return merged;
  const std::vector<OutlineEdge> edges = outline_edges(outline);
  const std::vector<Line> lines = reflex_lines(edges);
  if (lines.size() > most_grown_lines) return merged;
  const std::vector<ConvexPiece> cells = cells_of(merged, lines);
  if (cells.empty()) return merged;
  std::vector<ConvexPiece> parts;
  for (const ConvexPiece& cell : cells)
    for (ConvexPiece& part : grow_convex(edges, cell)) {
      const bool known =
          std::any_of(parts.begin(), parts.end(), [&](const ConvexPiece& p) { return convex_contains(p, part); });
      if (!known) parts.push_back(std::move(part));
    }
  std::vector<ConvexPiece> cover = greedy_cover(cells, parts);
  return !cover.empty() && cost(cover) < cost(merged) ? cover : merged;
}

}  // namespace scree
