#include "scree/map/slice_boundary.hpp"

#include <algorithm>
#include <numeric>

namespace scree {
namespace {

constexpr double hair = 1e-7;   // how far outside a part the inside test looks
constexpr double speck = 1e-9;  // parts and gaps shorter than this are rounding
constexpr double parallel = 1e-10;

bool in_cone(const ConvexVertex& v, Vec2d d) {
  constexpr double slack = -1e-9;  // segments too many cost time only: the inside test drops them
  return cross(v.before, d) >= slack && cross(d, v.after) >= slack;
}

// Convolution segments that do not lie deep inside one convex sum.
std::vector<BoundarySegment> convolution(const PairSide& a, const PairSide& c, const PieceSums& sums) {
  std::vector<BoundarySegment> out;
  const auto add = [&](const PairEdge& e, const ConvexVertex& v, bool edge_of_a) {
    BoundarySegment s;
    s.from = e.from + v.at;
    s.direction = e.direction;
    s.length = e.length;
    s.anchor = v.at;
    s.edge_of_a = edge_of_a;
    s.parent = static_cast<int>(out.size());
    if (!sums.contains_segment(s.from, s.to(), 2 * hair)) out.push_back(s);
  };
  for (const PairEdge& e : a.edges)
    for (const ConvexVertex& v : c.vertices)
      if (in_cone(v, e.direction)) add(e, v, true);
  for (const PairEdge& e : c.edges)
    for (const ConvexVertex& v : a.vertices)
      if (in_cone(v, e.direction)) add(e, v, false);
  return out;
}

struct Cut {
  int segment;
  double at;  // length from its start
};

void cut_pair(const std::vector<BoundarySegment>& segments, int i, int j, std::vector<Cut>& cuts) {
  const BoundarySegment& s = segments[static_cast<std::size_t>(i)];
  const BoundarySegment& t = segments[static_cast<std::size_t>(j)];
  const Vec2d w = t.from - s.from;
  const double det = cross(s.direction, t.direction);
  const auto cut = [&](int k, double at, double length) {
    if (at > speck && at < length - speck) cuts.push_back({k, at});
  };
  if (std::abs(det) < parallel) {
    if (std::abs(cross(s.direction, w)) > speck) return;
    cut(i, dot(w, s.direction), s.length);
    cut(i, dot(t.to() - s.from, s.direction), s.length);
    cut(j, -dot(w, t.direction), t.length);
    cut(j, dot(s.to() - t.from, t.direction), t.length);
    return;
  }
  const double at_s = cross(w, t.direction) / det;
  const double at_t = cross(w, s.direction) / det;
  if (at_s < -speck || at_s > s.length + speck || at_t < -speck || at_t > t.length + speck) return;
  cut(i, at_s, s.length);
  cut(j, at_t, t.length);
}

struct Box {
  double x0, x1, y0, y1;
};

// All crossings, by a sweep over x: a few hundred segments, of which few overlap in both directions.
std::vector<Cut> crossings(const std::vector<BoundarySegment>& segments) {
  const std::size_t n = segments.size();
  std::vector<Box> boxes(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2d p = segments[i].from, q = segments[i].to();
    boxes[i] = {std::min(p.x, q.x) - speck, std::max(p.x, q.x) + speck, std::min(p.y, q.y) - speck,
                std::max(p.y, q.y) + speck};
  }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto box = [&](int k) -> const Box& { return boxes[static_cast<std::size_t>(k)]; };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return box(i).x0 < box(j).x0; });
  std::vector<Cut> cuts;
  for (std::size_t u = 0; u < n; ++u) {
    const Box& b = box(order[u]);
    for (std::size_t v = u + 1; v < n && box(order[v]).x0 <= b.x1; ++v)
      if (box(order[v]).y0 <= b.y1 && box(order[v]).y1 >= b.y0) cut_pair(segments, order[u], order[v], cuts);
  }
  std::sort(cuts.begin(), cuts.end(),
            [](const Cut& p, const Cut& q) { return p.segment != q.segment ? p.segment < q.segment : p.at < q.at; });
  return cuts;
}

std::vector<BoundarySegment> outer_parts(const std::vector<BoundarySegment>& segments, const PieceSums& sums) {
  const std::vector<Cut> cuts = crossings(segments);
  std::vector<BoundarySegment> kept;
  std::size_t k = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const BoundarySegment& s = segments[i];
    double start = 0;
    const auto part = [&](double end) {
      if (end - start < speck) return;
      if (!sums.contains(s.from + 0.5 * (start + end) * s.direction + hair * s.normal())) {
        kept.push_back(s);
        kept.back().from = s.from + start * s.direction;
        kept.back().length = end - start;
        kept.back().parent = static_cast<int>(i);
      }
      start = end;
    };
    for (; k < cuts.size() && cuts[k].segment == static_cast<int>(i); ++k) part(cuts[k].at);
    part(s.length);
  }
  return kept;
}

// Parallel faces give the same part twice, from different vertices: keep the first.
void drop_twins(std::vector<BoundarySegment>& parts) {
  const auto middle = [&](const BoundarySegment& s) { return s.from + 0.5 * s.length * s.direction; };
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const double x = middle(parts[i]).x, y = middle(parts[j]).x;
    return x != y ? x < y : i < j;
  });
  std::vector<char> twin(parts.size(), 0);
  for (std::size_t u = 0; u < order.size(); ++u) {
    const Vec2d m = middle(parts[order[u]]);
    for (std::size_t v = u + 1; v < order.size(); ++v) {
      const Vec2d w = middle(parts[order[v]]) - m;
      if (w.x > 4 * speck) break;
      const bool same = std::abs(w.y) < 4 * speck && dot(parts[order[u]].direction, parts[order[v]].direction) > 0.9;
      if (same) twin[std::max(order[u], order[v])] = 1;
    }
  }
  std::size_t out = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!twin[i]) parts[out++] = parts[i];
  parts.resize(out);
}

// Joins neighbouring parts of one convolution segment; they come in order.
void join_parts(std::vector<BoundarySegment>& parts) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (out > 0 && parts[out - 1].parent == parts[i].parent) {
      BoundarySegment& last = parts[out - 1];
      const double gap = dot(parts[i].from - last.from, last.direction) - last.length;
      if (gap < 2 * speck) {
        last.length += gap + parts[i].length;
        continue;
      }
    }
    parts[out++] = parts[i];
  }
  parts.resize(out);
}

void link(std::vector<BoundarySegment>& segments) {
  constexpr double near = 1e-8;
  std::vector<int> order(segments.size());
  std::iota(order.begin(), order.end(), 0);
  const auto start = [&](int i) { return segments[static_cast<std::size_t>(i)].from; };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return start(i).x < start(j).x; });
  std::vector<int> arrivals(segments.size(), 0);
  for (BoundarySegment& s : segments) {
    const Vec2d end = s.to();
    auto it =
        std::lower_bound(order.begin(), order.end(), end.x - near, [&](int i, double x) { return start(i).x < x; });
    int found = 0;
    for (; it != order.end() && start(*it).x <= end.x + near; ++it)
      if (std::abs(start(*it).y - end.y) <= near) {
        ++found;
        s.next = *it;
        ++arrivals[static_cast<std::size_t>(*it)];
      }
    if (found != 1) s.next = -1;
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const int next = segments[i].next;
    if (next < 0) continue;
    if (arrivals[static_cast<std::size_t>(next)] == 1)
      segments[static_cast<std::size_t>(next)].prev = static_cast<int>(i);
    else
      segments[i].next = -1;
  }
}

}  // namespace

std::vector<BoundarySegment> obstacle_boundary(const PairSide& a, const PairSide& c, const PieceSums& sums) {
  std::vector<BoundarySegment> parts = outer_parts(convolution(a, c, sums), sums);
  drop_twins(parts);
  join_parts(parts);
  link(parts);
  return parts;
}

}  // namespace scree
