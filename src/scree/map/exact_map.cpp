#include "scree/map/exact_map.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>

#include "scree/base/spline.hpp"

namespace scree {
namespace {

constexpr double turn = 2 * std::numbers::pi;
constexpr double finest = 1e-6;  // lattice spacing below which differences of d are rounding
std::atomic<std::uint64_t> last_id{0};

struct MemoEntry {
  std::uint64_t map = 0;
  std::uint64_t used = 0;
  double theta = 0;
  std::shared_ptr<const ExactSlice> slice;
};

// Few enough to search in a row, enough for the four slices of a handful of contacts.
struct Memo {
  std::array<MemoEntry, 32> entries;
  std::uint64_t clock = 0;
};
thread_local Memo memo;

}  // namespace

ExactMap::ExactMap(const ShapePair& pair, double epsilon)
    : ContactMap(pair.reach()),
      geometry_(pair),
      epsilon_(epsilon),
      lattice_(epsilon > 0 ? static_cast<int>(std::ceil(turn / std::clamp(0.5 * epsilon, finest, 0.5))) : 0),
      id_(++last_id) {}

std::size_t ExactMap::bytes() const {
  const auto side = [](const PairSide& s) {
    std::size_t n = s.edges.size() * sizeof(PairEdge) + s.vertices.size() * sizeof(ConvexVertex);
    for (const ConvexPiece& p : s.pieces) n += p.size() * sizeof(Vec2d);
    return n;
  };
  return sizeof *this + side(geometry_.a) + side(geometry_.b);
}

double ExactMap::smoothing_bound() const { return lattice_ > 0 ? 0.55 * (turn / lattice_) * (geometry_.reach - 1) : 0; }

std::shared_ptr<const ExactSlice> ExactMap::slice(double theta) const {
  MemoEntry* oldest = &memo.entries[0];
  for (MemoEntry& e : memo.entries) {
    if (e.map == id_ && e.theta == theta) {
      e.used = ++memo.clock;
      return e.slice;
    }
    if (e.used < oldest->used) oldest = &e;
  }
  *oldest = {id_, ++memo.clock, theta, std::make_shared<const ExactSlice>(geometry_, theta, false)};
  return oldest->slice;
}

ContactGeometry ExactMap::smoothed(const Pose2d& q) const {
  const double u = q.theta / turn * lattice_;
  const double base = std::floor(u);
  const CubicWeights w(u - base);
  ContactGeometry sum;
  for (int k = 0; k < 4; ++k) {
    const int node = static_cast<int>(std::remainder(base + k - 1, lattice_));
    const ContactGeometry g = slice(node * (turn / lattice_))->query(q.x);
    const auto i = static_cast<std::size_t>(k);
    sum.gap += w.value[i] * g.gap;
    sum.gap_theta += w.slope[i] * (lattice_ / turn) * g.gap;
    sum.gap_x += w.value[i] * g.gap_x;
    sum.arm += w.value[i] * g.arm;
  }
  return sum;
}

void ExactMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  for (std::size_t i = 0; i < poses.size(); ++i)
    out[i] = lattice_ > 0 ? smoothed(poses[i]) : slice(poses[i].theta)->query(poses[i].x);
}

}  // namespace scree
