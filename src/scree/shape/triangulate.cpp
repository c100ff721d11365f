#include "scree/shape/triangulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {

namespace {

using Ring = std::vector<std::size_t>;  // indices of points, a closed walk; bridges visit a vertex twice

double turn(Vec2d a, Vec2d b, Vec2d c) { return cross(b - a, c - b); }

bool in_triangle(Vec2d a, Vec2d b, Vec2d c, Vec2d p) {
  return cross(b - a, p - a) >= 0 && cross(c - b, p - b) >= 0 && cross(a - c, p - c) >= 0;
}

// Does direction p - v point into the solid at walk position k? (The walk has the solid on its left.)
bool points_inside(const std::vector<Vec2d>& points, const Ring& ring, std::size_t k, Vec2d p) {
  const Vec2d v = points[ring[k]];
  const Vec2d before = points[ring[(k + ring.size() - 1) % ring.size()]];
  const Vec2d after = points[ring[(k + 1) % ring.size()]];
  const bool left_of_next = cross(after - v, p - v) >= 0;
  const bool left_of_prev = cross(v - before, p - v) >= 0;
  return turn(before, v, after) >= 0 ? left_of_next && left_of_prev : left_of_next || left_of_prev;
}

// The position on `ring` of a vertex that sees point m, looking to the right from m.
std::size_t visible_position(const std::vector<Vec2d>& points, const Ring& ring, Vec2d m) {
  double hit_x = std::numeric_limits<double>::infinity();
  std::size_t best = ring.size();
  for (std::size_t k = 0; k < ring.size(); ++k) {
    const std::size_t after = (k + 1) % ring.size();
    const Vec2d a = points[ring[k]];
    const Vec2d b = points[ring[after]];
    // The solid is on the left, so the edge that bounds it on the right of m runs upwards.
    if (a.y > m.y || b.y < m.y || a.y == b.y) continue;
    const double x = a.x + (m.y - a.y) / (b.y - a.y) * (b.x - a.x);
    if (x < m.x || x >= hit_x) continue;
    hit_x = x;
    best = a.x > b.x ? k : after;
  }
  if (best == ring.size()) return 0;
  // Vertices inside the triangle m, hit, best would hide `best`: take the one nearest in angle to the ray instead.
  const Vec2d hit{hit_x, m.y};
  const Vec2d corner = points[ring[best]];
  const bool up = corner.y > m.y;
  double best_slope = corner == hit ? -1 : std::abs(corner.y - m.y) / (corner.x - m.x);
  double best_x = corner.x;
  for (std::size_t k = 0; k < ring.size(); ++k) {
    const Vec2d p = points[ring[k]];
    if (p.x <= m.x || k == best || !points_inside(points, ring, k, m)) continue;
    if (!(up ? in_triangle(m, hit, corner, p) : in_triangle(m, corner, hit, p))) continue;
    const double slope = std::abs(p.y - m.y) / (p.x - m.x);
    if (slope > best_slope || (slope == best_slope && p.x > best_x)) continue;
    if (slope == best_slope && p.x == best_x) continue;
    best_slope = slope;
    best_x = p.x;
    best = k;
  }
  return best;
}

// A vertex may be visited several times by the walk once bridges exist: use the visit whose corner opens towards m.
std::size_t facing_visit(const std::vector<Vec2d>& points, const Ring& ring, std::size_t position, Vec2d m) {
  for (std::size_t k = 0; k < ring.size(); ++k)
    if (points[ring[k]] == points[ring[position]] && points_inside(points, ring, k, m)) return k;
  return position;
}

void join_hole(const std::vector<Vec2d>& points, Ring& ring, const Ring& hole) {
  const auto rightmost = std::max_element(hole.begin(), hole.end(),
                                          [&](std::size_t a, std::size_t b) { return points[a].x < points[b].x; });
  const Vec2d m = points[*rightmost];
  const std::size_t at = facing_visit(points, ring, visible_position(points, ring, m), m);
  Ring bridge(rightmost, hole.end());
  bridge.insert(bridge.end(), hole.begin(), rightmost);
  bridge.push_back(*rightmost);
  bridge.push_back(ring[at]);
  ring.insert(ring.begin() + static_cast<std::ptrdiff_t>(at) + 1, bridge.begin(), bridge.end());
}

class EarClipper {
 public:
  EarClipper(const std::vector<Vec2d>& points, const Ring& ring) : points_(points), ring_(ring), n_(ring.size()) {
    prev_.resize(n_);
    next_.resize(n_);
    for (std::size_t k = 0; k < n_; ++k) {
      prev_[k] = (k + n_ - 1) % n_;
      next_[k] = (k + 1) % n_;
    }
    reflex_.resize(n_);
    for (std::size_t k = 0; k < n_; ++k)
      if ((reflex_[k] = corner(k) < 0)) reflex_list_.push_back(k);
  }

  void run(std::vector<std::array<std::size_t, 3>>& out) {
    std::size_t left = n_;
    std::size_t k = 0;
    std::size_t tried = 0;
    while (left > 3) {
      // After a whole round without an ear only rounding can be to blame: cut the sharpest convex corner.
      const bool stuck = tried > left;
      if (stuck) k = least_bad(k);
      if (stuck || is_ear(k)) {
        emit(k, out);
        const std::size_t after = next_[k];
        remove(k);
        --left;
        tried = 0;
        k = next_[after];  // leaving a gap keeps the triangles fat
      } else {
        k = next_[k];
        ++tried;
      }
    }
    emit(k, out);
  }

 private:
  Vec2d at(std::size_t k) const { return points_[ring_[k]]; }
  double corner(std::size_t k) const { return turn(at(prev_[k]), at(k), at(next_[k])); }

  bool is_ear(std::size_t k) const {
    const Vec2d a = at(prev_[k]);
    const Vec2d b = at(k);
    const Vec2d c = at(next_[k]);
    const double area2 = turn(a, b, c);
    if (area2 < 0) return false;
    if (area2 == 0) return dot(b - a, c - b) > 0 || a == c;
    const double left = std::min({a.x, b.x, c.x});
    const double right = std::max({a.x, b.x, c.x});
    for (const std::size_t r : reflex_list_) {
      if (!reflex_[r]) continue;
      const Vec2d p = at(r);
      if (p.x < left || p.x > right || p == a || p == b || p == c) continue;
      if (in_triangle(a, b, c, p)) return false;
    }
    return true;
  }

  std::size_t least_bad(std::size_t from) const {
    std::size_t best = from;
    double best_area = std::numeric_limits<double>::infinity();
    for (std::size_t k = next_[from]; k != from; k = next_[k]) {
      const double area = std::abs(corner(k));
      if (area < best_area) {
        best_area = area;
        best = k;
      }
    }
    return best;
  }

  void emit(std::size_t k, std::vector<std::array<std::size_t, 3>>& out) const {
    if (corner(k) > 0) out.push_back({ring_[prev_[k]], ring_[k], ring_[next_[k]]});
  }

  void remove(std::size_t k) {
    next_[prev_[k]] = next_[k];
    prev_[next_[k]] = prev_[k];
    reflex_[k] = false;
    for (const std::size_t side : {prev_[k], next_[k]})
      if (reflex_[side] && corner(side) >= 0) reflex_[side] = false;
    if (++removed_ % 256 == 0) std::erase_if(reflex_list_, [&](std::size_t r) { return !reflex_[r]; });
  }

  const std::vector<Vec2d>& points_;
  const Ring& ring_;
  std::size_t n_;
  std::vector<std::size_t> prev_;
  std::vector<std::size_t> next_;
  std::vector<bool> reflex_;
  std::vector<std::size_t> reflex_list_;  // superset of the reflex positions, cleaned now and then
  std::size_t removed_ = 0;
};

// The smallest outer loop around each hole: holes do not touch, so one vertex decides.
std::size_t owner_of(const Outline& outline, const Loop& hole) {
  std::size_t best = 0;
  double best_area = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < outline.loops.size(); ++l) {
    const double area = signed_area(outline.loops[l]);
    if (area <= 0 || area >= best_area || !contains(Outline{{outline.loops[l]}}, hole.front())) continue;
    best_area = area;
    best = l;
  }
  return best;
}

}  // namespace

Triangulation triangulate(const Outline& outline) {
  Triangulation out;
  std::vector<Ring> rings;
  for (const Loop& loop : outline.loops) {
    Ring& ring = rings.emplace_back();
    for (const Vec2d v : loop) {
      ring.push_back(out.points.size());
      out.points.push_back(v);
    }
  }
  std::vector<std::vector<std::size_t>> holes(rings.size());
  for (std::size_t l = 0; l < rings.size(); ++l)
    if (signed_area(outline.loops[l]) < 0) holes[owner_of(outline, outline.loops[l])].push_back(l);
  const auto right = [&](std::size_t l) {
    double x = -std::numeric_limits<double>::infinity();
    for (const Vec2d v : outline.loops[l]) x = std::max(x, v.x);
    return x;
  };
  for (std::size_t l = 0; l < rings.size(); ++l) {
    if (signed_area(outline.loops[l]) < 0) continue;
    // From the right, so that a bridge never has to cross a hole that is not joined yet.
    std::sort(holes[l].begin(), holes[l].end(), [&](std::size_t a, std::size_t b) { return right(a) > right(b); });
    for (const std::size_t hole : holes[l]) join_hole(out.points, rings[l], rings[hole]);
    EarClipper(out.points, rings[l]).run(out.triangles);
  }
  return out;
}

}  // namespace scree
