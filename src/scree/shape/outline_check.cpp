// checked_outline: everything that can be wrong with an outline a user drew, said so that it can be found and mended.
#include <algorithm>
#include <cmath>
#include <optional>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/shape/edge_grid.hpp"
#include "scree/shape/outline.hpp"

namespace scree {

namespace {

constexpr double largest_coordinate = 1e9;
// Two edges nearer than this, relative to the size of the coordinates, count as touching.
constexpr double relative_gap = 1e-12;

std::string show(Vec2d p) { return cat("(", p.x, ", ", p.y, ")"); }

std::string show_vertex(const Outline& outline, std::size_t loop, std::size_t i) {
  const std::string vertex = cat("vertex ", i, " ", show(outline.loops[loop][i]));
  return outline.loops.size() > 1 ? cat("loop ", loop, ", ", vertex) : vertex;
}

std::string show_edge(const Outline& outline, const OutlineEdge& e) {
  const std::size_t end = (e.start + 1) % outline.loops[e.loop].size();
  const std::string edge = cat("edge ", e.start, "-", end, " from ", show(e.a), " to ", show(e.b));
  return outline.loops.size() > 1 ? cat("loop ", e.loop, ", ", edge) : edge;
}

class Checker {
 public:
  Checker(Outline& outline, const std::string& name) : outline_(outline), where_(cat("shape \"", name, "\"")) {}

  void run() {
    check_count();
    for (std::size_t l = 0; l < outline_.loops.size(); ++l) check_coordinates(l);
    for (std::size_t l = 0; l < outline_.loops.size(); ++l) check_loop(l);
    check_crossings();
    for (std::size_t l = 0; l < outline_.loops.size(); ++l) check_area(l);
    orient();
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw Error(ErrorKind::input, where_, problem, remedy);
  }

  void check_count() const {
    if (outline_.loops.empty()) fail("the outline has no loops", "give at least one closed loop of 3 vertices");
    const std::size_t n = outline_.vertex_count();
    if (n > max_outline_vertices)
      fail(cat("the outline has ", n, " vertices; at most ", max_outline_vertices, " are allowed"),
           "simplify it or use a coarser flattening tolerance");
  }

  void check_coordinates(std::size_t l) {
    for (std::size_t i = 0; i < outline_.loops[l].size(); ++i) {
      const Vec2d v = outline_.loops[l][i];
      if (!std::isfinite(v.x) || !std::isfinite(v.y))
        fail(cat(show_vertex(outline_, l, i), " is not a finite point"), "correct or remove this vertex");
      const double size = std::max(std::abs(v.x), std::abs(v.y));
      if (size > largest_coordinate)
        fail(cat(show_vertex(outline_, l, i), " has a coordinate beyond ", largest_coordinate),
             "draw the outline near the origin, in metres");
      extent_ = std::max(extent_, size);
    }
    gap_ = relative_gap * extent_;
  }

  void check_loop(std::size_t l) {
    Loop& loop = outline_.loops[l];
    if (loop.size() > 1 && loop.front() == loop.back()) loop.pop_back();
    const std::string label = outline_.loops.size() > 1 ? cat("loop ", l) : std::string("the outline");
    if (loop.size() < 3) {
      const std::string at = loop.empty() ? std::string() : cat(", the first at ", show(loop.front()));
      fail(cat(label, " has ", loop.size(), " distinct vertices", at), "a closed loop needs at least 3");
    }
    for (std::size_t i = 0; i < loop.size(); ++i) check_vertex(l, i);
  }

  // After the crossings, so that a figure of eight is reported as what it is.
  void check_area(std::size_t l) const {
    const Loop& loop = outline_.loops[l];
    double perimeter = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) perimeter += norm(loop[(i + 1) % loop.size()] - loop[i]);
    if (std::abs(signed_area(loop)) > gap_ * perimeter) return;
    fail(cat("the loop that starts at ", show_vertex(outline_, l, 0), " encloses no area"),
         "move a vertex or remove the loop");
  }

  void check_vertex(std::size_t l, std::size_t i) const {
    const Loop& loop = outline_.loops[l];
    const std::size_t after = (i + 1) % loop.size();
    const Vec2d a = loop[(i + loop.size() - 1) % loop.size()];
    const Vec2d b = loop[i];
    const Vec2d c = loop[after];
    if (norm(c - b) <= gap_)
      fail(cat(show_vertex(outline_, l, i), " and vertex ", after, " are the same point"), "remove one of the two");
    if (norm(b - a) <= gap_) return;  // reported when its own turn comes
    const bool folds_back = dot(b - a, c - b) < 0;
    const double apart = std::min(norm(c - nearest_on_segment(a, b, c)), norm(a - nearest_on_segment(b, c, a)));
    if (folds_back && apart <= gap_)
      fail(cat(show_vertex(outline_, l, i), " is the tip of a spike without width: the outline runs back on itself"),
           "remove the vertex or give the spike a width");
  }

  // Where two edges come nearer than the gap, if they do.
  std::optional<Vec2d> meeting_point(const OutlineEdge& e, const OutlineEdge& f) const {
    if (std::min(e.a.x, e.b.x) > std::max(f.a.x, f.b.x) + gap_ ||
        std::min(f.a.x, f.b.x) > std::max(e.a.x, e.b.x) + gap_)
      return std::nullopt;
    const double a = cross(e.b - e.a, f.a - e.a);
    const double b = cross(e.b - e.a, f.b - e.a);
    const double c = cross(f.b - f.a, e.a - f.a);
    const double d = cross(f.b - f.a, e.b - f.a);
    if ((a > 0) != (b > 0) && (c > 0) != (d > 0) && c != d) return e.a + (c / (c - d)) * (e.b - e.a);
    for (const Vec2d p : {f.a, f.b})
      if (norm(p - nearest_on_segment(e.a, e.b, p)) <= gap_) return p;
    for (const Vec2d p : {e.a, e.b})
      if (norm(p - nearest_on_segment(f.a, f.b, p)) <= gap_) return p;
    return std::nullopt;
  }

  void check_crossings() const {
    const EdgeGrid grid(outline_edges(outline_));
    grid.for_near_pairs([&](std::size_t i, std::size_t j) {
      const OutlineEdge& e = grid.edges()[i];
      const OutlineEdge& f = grid.edges()[j];
      if (e.next == j || e.prev == j) return true;
      if (const auto p = meeting_point(e, f)) report_crossing(e, f, *p);
      return true;
    });
  }

  [[noreturn]] void report_crossing(const OutlineEdge& e, const OutlineEdge& f, Vec2d p) const {
    const bool same = e.loop == f.loop;
    fail(cat(same ? "the outline meets itself at " : "two loops meet at ", show(p), ": ", show_edge(outline_, e),
             " and ", show_edge(outline_, f)),
         same ? "reorder or move the vertices so that no two edges cross or touch"
              : "keep the loops apart: holes strictly inside, parts strictly outside one another");
  }

  // Loops neither cross nor touch here, so one vertex tells how deep a loop is nested.
  void orient() {
    std::vector<int> depth(outline_.loops.size(), 0);
    for (std::size_t i = 0; i < outline_.loops.size(); ++i)
      for (std::size_t j = 0; j < outline_.loops.size(); ++j)
        if (i != j && contains(Outline{{outline_.loops[j]}}, outline_.loops[i].front())) ++depth[i];
    for (std::size_t i = 0; i < outline_.loops.size(); ++i) {
      Loop& loop = outline_.loops[i];
      const bool outer = depth[i] % 2 == 0;
      if (outer != (signed_area(loop) > 0)) std::reverse(loop.begin() + 1, loop.end());
    }
  }

  Outline& outline_;
  std::string where_;
  double extent_ = 0;  // largest coordinate
  double gap_ = 0;     // length below which points count as one
};

}  // namespace

Outline checked_outline(Outline raw, const std::string& shape_name) {
  Checker(raw, shape_name).run();
  return raw;
}

}  // namespace scree
