#include "scree/map/grid_minimum_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {
namespace {

constexpr int block = 8;  // grid points a side that one bound covers

int checked_grid(int grid) {
  if (grid < 9 || grid > 4001)
    throw Error(ErrorKind::input, "maps.grid", cat(grid, " is out of range"), "choose 9 to 4001; 201 is the paper's");
  return grid;
}

}  // namespace

DistanceGrid::DistanceGrid(const Outline& outline, double scale, double half, int nodes)
    : half_(half), spacing_(2 * half / (nodes - 1)), nodes_(nodes) {
  const Outline scaled = transformed(outline, scale, 0, {0, 0});
  values_.reserve(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes));
  for (int j = 0; j < nodes; ++j)
    for (int i = 0; i < nodes; ++i)
      values_.push_back(
          static_cast<float>(nearest_boundary(scaled, {i * spacing_ - half_, j * spacing_ - half_}).distance));
}

double DistanceGrid::value(Vec2d p) const {
  // Beyond the grid the field of its rim goes on with slope one.
  const Vec2d c{std::clamp(p.x, -half_, half_), std::clamp(p.y, -half_, half_)};
  const double x = (c.x + half_) / spacing_, y = (c.y + half_) / spacing_;
  const int i = std::min(static_cast<int>(x), nodes_ - 2), j = std::min(static_cast<int>(y), nodes_ - 2);
  const float* row = values_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(nodes_) + i;
  const double u = x - i, v = y - j;
  const double low = row[0] + u * (row[1] - row[0]);
  const double high = row[nodes_] + u * (row[nodes_ + 1] - row[nodes_]);
  return low + v * (high - low) + (p == c ? 0 : norm(p - c));
}

Vec2d DistanceGrid::gradient(Vec2d p) const {
  const double h = spacing_;
  return (0.5 / h) *
         Vec2d{value({p.x + h, p.y}) - value({p.x - h, p.y}), value({p.x, p.y + h}) - value({p.x, p.y - h})};
}

// The fields are sampled twice as finely as the search grid, out to twice each grain's radius.
GridMinimumMap::GridMinimumMap(const ShapePair& pair, int grid)
    : ContactMap(pair.reach()),
      a_(pair.a->outline, 1, 2, 2 * checked_grid(grid) - 1),
      b_(pair.b->outline, pair.ratio, 2 * pair.ratio, 2 * grid - 1),
      ratio_(pair.ratio),
      grid_(grid) {}

// The minimum over all grid points, found block by block: max(phi_A, phi_B) of the sampled fields has slope at most
// sqrt 2, so a block whose middle lies too high holds no minimum.
ContactGeometry GridMinimumMap::query_one(const Pose2d& q) const {
  const Rotation2d turn(q.theta);
  const Vec2d low{std::min(-1.0, q.x.x - ratio_), std::min(-1.0, q.x.y - ratio_)};
  const Vec2d high{std::max(1.0, q.x.x + ratio_), std::max(1.0, q.x.y + ratio_)};
  const Vec2d step{(high.x - low.x) / (grid_ - 1), (high.y - low.y) / (grid_ - 1)};
  const auto objective = [&](Vec2d p) { return std::max(a_.value(p), b_.value(turn.back(p - q.x))); };

  const int blocks = (grid_ + block - 1) / block;
  std::vector<std::pair<double, int>> order;
  order.reserve(static_cast<std::size_t>(blocks * blocks));
  const double middle = 0.5 * (block - 1);
  for (int k = 0; k < blocks * blocks; ++k) {
    const Vec2d p{low.x + step.x * ((k % blocks) * block + middle), low.y + step.y * ((k / blocks) * block + middle)};
    order.emplace_back(objective(p), k);
  }
  std::sort(order.begin(), order.end());
  const double slack = std::sqrt(2.0) * middle * norm(step);
  double best = std::numeric_limits<double>::infinity();
  Vec2d at;
  for (const auto& [value, k] : order) {
    if (value - slack > best) break;
    for (int j = (k / blocks) * block; j < std::min(grid_, (k / blocks + 1) * block); ++j)
      for (int i = (k % blocks) * block; i < std::min(grid_, (k % blocks + 1) * block); ++i) {
        const Vec2d p{low.x + step.x * i, low.y + step.y * j};
        const double e = objective(p);
        if (e < best) {
          best = e;
          at = p;
        }
      }
  }
  const Vec2d in_b = turn.back(at - q.x);
  const Vec2d w = a_.gradient(at) - turn * b_.gradient(in_b);
  const double length = norm(w);
  const Vec2d n = length > 1e-9 ? (1 / length) * w : (norm(q.x) > 0 ? (1 / norm(q.x)) * q.x : Vec2d{1, 0});
  return {a_.value(at) + b_.value(in_b), dot(n, perp(at - q.x)), n, dot(at - 0.5 * q.x, n)};
}

void GridMinimumMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  for (std::size_t i = 0; i < poses.size(); ++i) out[i] = query_one(poses[i]);
}

}  // namespace scree
