#include "scree/map/star_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scree/shape/star.hpp"

namespace scree {
namespace {

constexpr double turn = 2 * std::numbers::pi;
// Entries of a table over a turn: r of the paper's cross is within 1e-6 of the curve between them.
constexpr int table_size = 4096;
constexpr double slack = 1e-6;          // of a spacing, so that corners halfway between two nodes all go the same way
constexpr double farthest_move = 0.25;  // turns

double angle_of(double direction) {
  const double quadrant = std::floor(direction), share = direction - quadrant;
  return 0.5 * std::numbers::pi * quadrant + std::atan2(share, 1 - share);
}

int cyclic(int k, int n) { return ((k % n) + n) % n; }

// Angles of the nodes: equal, but for those that move to the sharpest convex corner of a polygon in their reach. A
// corner is what touches; nodes beside it would let it sink in.
std::vector<double> node_angles(const Radial& radial, int n) {
  const double spacing = turn / n;
  std::vector<double> angles(static_cast<std::size_t>(n)), sharpest(angles.size(), 0);
  for (int k = 0; k < n; ++k) angles[static_cast<std::size_t>(k)] = k * spacing;
  for (const Radial::Corner& corner : radial.corners()) {
    const auto k =
        static_cast<std::size_t>(cyclic(static_cast<int>(std::floor(corner.angle / spacing + 0.5 + slack)), n));
    if (corner.turn <= sharpest[k]) continue;
    sharpest[k] = corner.turn;
    angles[k] = corner.angle;
  }
  return angles;
}

// Where the sides of a polygon meet at unlike slopes, the distance of a point that passes would jump: there the mean
// over one spacing is taken. r itself, and so where contact begins, stays exact.
double squared_slope(const Radial& radial, double angle, int node_count) {
  const auto at = [&](double a) {
    const double slope = radial.at(a).slope;
    return slope * slope;
  };
  if (radial.corners().empty()) return at(angle);
  constexpr int points = 16;
  double sum = 0;
  for (int k = 0; k < points; ++k) sum += at(angle + ((k + 0.5) / points - 0.5) * (turn / node_count));
  return sum / points;
}

int rounded_up(int nodes, int symmetry) {
  const int order = std::max(1, symmetry);
  return (nodes + order - 1) / order * order;
}

}  // namespace

StarSide::StarSide(const Radial& radial, int node_count, double scale) : centre(scale * radial.centre()), bound(0) {
  for (const double angle : node_angles(radial, node_count))
    nodes.push_back(centre + scale * radial.at(angle).r * Vec2d{std::cos(angle), std::sin(angle)});
  for (int k = 0; k <= table_size; ++k) {
    const double angle = angle_of(4.0 * (k % table_size) / table_size), r = radial.at(angle).r;
    table.push_back({scale * r, scale * scale * squared_slope(radial, angle, node_count)});
    bound = std::max(bound, scale * r);
  }
  for (const Vec2d p : nodes) bound = std::max(bound, norm(p - centre));
  for (const StarEntry<double>& e : table) radii.push_back(e.r);
  for (int lap = 0; lap < 2; ++lap)
    for (const Vec2d p : nodes) node_x.push_back(p.x), node_y.push_back(p.y);
}

int StarSide::nearest_node(Vec2d p) const {
  const Vec2d from = p - centre;
  return cyclic(static_cast<int>(std::lround(std::atan2(from.y, from.x) * node_count() / turn)), node_count());
}

// Nodes of either side go to the other's star centre by one turn and one shift.
struct StarMap::Placement {
  Pose2d q;
  Rotation2d rotation;        // of B in A's frame
  Rotation2d turn_a, turn_b;  // of nodes of A into B's frame, and back
  Vec2d shift_a, shift_b;

  Placement(const Pose2d& pose, const StarSide& a, const StarSide& b)
      : q(pose),
        rotation(pose.theta),
        turn_a(rotation.c, -rotation.s),
        turn_b(rotation),
        shift_a(-(turn_a * pose.x) - b.centre),
        shift_b(pose.x - a.centre) {}
  Vec2d from_b(Vec2d p) const { return rotation * p + q.x; }
  Vec2d to_b(Vec2d p) const { return rotation.back(p - q.x); }
  // From the centre of the other star, in its frame.
  Vec2d seen(bool of_a, Vec2d node) const { return of_a ? turn_a * node + shift_a : turn_b * node + shift_b; }
};

struct StarMap::Run {
  bool of_a = true;
  int deepest = 0;
  double distance = 0;     // of the deepest node, < 0
  bool bounded = false;    // false: every node is inside, so there is no crossing
  Vec2d start{}, end{};    // where the outlines cross, in A's frame
  double start_doubt = 0;  // spacing of the nodes around the crossing: how far off it may be
  double end_doubt = 0;
  std::size_t overlap = 0;  // runs of the same overlap share this number
};

StarMap::StarMap(const ShapePair& pair, int nodes, StarDistance distance)
    : ContactMap(pair.reach()),
      a_(Radial(*pair.a), rounded_up(nodes, pair.a->symmetry), 1),
      b_(Radial(*pair.b), rounded_up(nodes, pair.b->symmetry), pair.ratio),
      distance_(distance) {}

std::size_t StarMap::bytes() const {
  const auto side = [](const StarSide& s) {
    return 3 * s.nodes.size() * sizeof(Vec2d) + s.table.size() * (sizeof(StarEntry<double>) + sizeof(double));
  };
  return sizeof *this + side(a_) + side(b_);
}

StarDepth<double> StarMap::depth(bool of_a, int node, const Placement& at) const {
  const Vec2d p = at.seen(of_a, (of_a ? a_ : b_).nodes[static_cast<std::size_t>(node)]);
  const StarTable<double> table = of_a ? b_.view() : a_.view();
  return distance_ == StarDistance::radial ? star_distance<true>(table, p) : star_distance<false>(table, p);
}

// The node is a point fixed to its grain. Moving B by (dtheta, dx) moves a node of B by dx + dtheta S r_B in A's frame,
// and a node of A by the opposite in B's: either way gap_theta = r_B x gap_x, a force through the node.
ContactGeometry StarMap::geometry(bool of_a, int node, const Placement& at) const {
  const auto k = static_cast<std::size_t>(node);
  const StarDepth<double> d = depth(of_a, node, at);
  const Vec2d p = of_a ? a_.nodes[k] : at.from_b(b_.nodes[k]);
  ContactGeometry g;
  g.gap = d.distance;
  g.gap_x = of_a ? -(at.rotation * d.gradient) : d.gradient;
  g.gap_theta = cross(p - at.q.x, g.gap_x);
  const double length = norm(g.gap_x);
  g.arm = length > 0 ? dot(p - 0.5 * at.q.x, g.gap_x) / length : 0;
  return g;
}

void StarMap::find_runs(bool of_a, const Placement& at, std::vector<Run>& runs) const {
  const StarSide &own = of_a ? a_ : b_, &other = of_a ? b_ : a_;
  const Vec2d between = at.from_b(b_.centre) - a_.centre;
  const Vec2d ahead = of_a ? between : at.rotation.back(-between);
  const int n = own.node_count();
  const double half = window_half_angle(norm(ahead), own.bound, other.bound), per_turn = n / turn;
  const double middle = std::atan2(ahead.y, ahead.x) * per_turn, reach = half * per_turn + 0.5 + slack;
  const int low = static_cast<int>(std::floor(middle - reach)), high = static_cast<int>(std::ceil(middle + reach));
  const bool whole = high - low + 1 >= n;
  int first = whole ? 0 : cyclic(low, n);
  const int count = whole ? n : high - low + 1;

  thread_local std::vector<int> inside;
  inside.resize(2 * static_cast<std::size_t>(n));
  star_contains(other.radii.data(), static_cast<int>(other.radii.size()) - 1, own.node_x.data() + first,
                own.node_y.data() + first, count, of_a ? at.turn_a : at.turn_b, of_a ? at.shift_a : at.shift_b,
                inside.data());
  bool bounded = true;
  if (whole) {  // begin at a node outside, so that no run is cut in two
    while (first < n && inside[static_cast<std::size_t>(first)]) ++first;
    bounded = first < n;
    if (!bounded) first = 0;
    std::copy_n(inside.begin(), n, inside.begin() + n);
  }
  const int* flag = inside.data() + (whole ? first : 0);

  const StarTable<double> table = other.view();
  const auto distance = [&](int node) {  // depth() without the gradient
    const Vec2d p = at.seen(of_a, own.nodes[static_cast<std::size_t>(node)]);
    return distance_ == StarDistance::radial ? star_distance<true>(table, p).distance
                                             : star_distance<false>(table, p).distance;
  };
  const auto place = [&](int node) {
    const Vec2d p = own.nodes[static_cast<std::size_t>(node)];
    return of_a ? p : at.from_b(p);
  };
  // Where the outline crosses the other's between a node inside and its neighbour outside.
  const auto crossing = [&](int in, int out, Vec2d& point, double& doubt) {
    const double d_in = distance(in), d_out = distance(out);
    const Vec2d p = place(in), q = place(out);
    point = p + (d_in / (d_in - d_out)) * (q - p);
    doubt = norm(q - p);
  };
  for (int k = 0; k < count; ++k) {
    if (!flag[k]) continue;
    const int begin = k;
    Run run;
    run.of_a = of_a;
    run.bounded = bounded;
    for (; k < count && flag[k]; ++k) {
      const int node = cyclic(first + k, n);
      const double d = distance(node);
      if (k == begin || d < run.distance) run.deepest = node, run.distance = d;
    }
    if (bounded) {
      crossing(cyclic(first + begin, n), cyclic(first + begin - 1, n), run.start, run.start_doubt);
      crossing(cyclic(first + k - 1, n), cyclic(first + k, n), run.end, run.end_doubt);
    }
    runs.push_back(run);
  }
}

PairContact StarMap::contact_of(const Run& run, const Placement& at) const {
  const auto k = static_cast<std::size_t>(run.deepest);
  const int on_a = run.of_a ? run.deepest : a_.nearest_node(at.from_b(b_.nodes[k]));
  const int on_b = run.of_a ? b_.nearest_node(at.to_b(a_.nodes[k])) : run.deepest;
  return {geometry(run.of_a, run.deepest, at),
          static_cast<std::uint32_t>(on_a) << 16 | static_cast<std::uint32_t>(on_b)};
}

void StarMap::touching(const Pose2d& q, std::vector<PairContact>& out) const {
  if (!std::isfinite(q.theta + q.x.x + q.x.y)) return;  // the watchdog finds the grain
  thread_local std::vector<Run> runs;
  const Placement at(q, a_, b_);
  runs.clear();
  find_runs(true, at, runs);
  const std::size_t of_a = runs.size();
  find_runs(false, at, runs);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].overlap = i;
  const auto meet = [](Vec2d p, double doubt_p, Vec2d r, double doubt_r) {
    return norm(p - r) <= 0.5 * (doubt_p + doubt_r);
  };
  // Both outlines run counter-clockwise, so A's leaves an overlap where B's enters it.
  for (std::size_t i = 0; i < of_a; ++i)
    for (std::size_t j = of_a; j < runs.size(); ++j) {
      const Run &a = runs[i], &b = runs[j];
      if (!a.bounded || !b.bounded || a.overlap == b.overlap) continue;
      if (!meet(a.end, a.end_doubt, b.start, b.start_doubt) && !meet(a.start, a.start_doubt, b.end, b.end_doubt))
        continue;
      const std::size_t gone = std::max(a.overlap, b.overlap), kept = std::min(a.overlap, b.overlap);
      for (Run& run : runs)
        if (run.overlap == gone) run.overlap = kept;
    }
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run* deepest = nullptr;
    for (const Run& run : runs)
      if (run.overlap == i && (!deepest || run.distance < deepest->distance)) deepest = &run;
    if (deepest) out.push_back(contact_of(*deepest, at));
  }
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
            [](const PairContact& s, const PairContact& t) { return s.feature < t.feature; });
}

double StarMap::feature_distance(std::uint32_t before, std::uint32_t now) const {
  const auto turns = [](std::uint32_t s, std::uint32_t t, int n) {
    const int apart = std::abs(static_cast<int>(s) - static_cast<int>(t));
    return static_cast<double>(std::min(apart, n - apart)) / n;
  };
  const double moved =
      std::max(turns(before >> 16, now >> 16, a_.node_count()), turns(before & 0xffff, now & 0xffff, b_.node_count()));
  return moved <= farthest_move ? moved : std::numeric_limits<double>::infinity();
}

// Over all nodes, so that the gap is there and continuous without contact too.
void StarMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Placement at(poses[i], a_, b_);
    double least = std::numeric_limits<double>::infinity();
    bool of_a = true;
    int node = 0;
    for (const bool side : {true, false}) {
      const int n = side ? a_.node_count() : b_.node_count();
      for (int k = 0; k < n; ++k) {
        const double d = depth(side, k, at).distance;
        if (d < least) least = d, of_a = side, node = k;
      }
    }
    out[i] = geometry(of_a, node, at);
  }
}

}  // namespace scree
