#pragma once
// Verlet list of grain pairs whose bounding circles are within the skin, with a certificate of when it is stale.
//
// Certificate: a pair outside the list was farther apart than r_i + r_j + skin when the list was built. As long as no
// grain has moved more than skin/2 since, its bounding circles cannot touch. Rotation does not matter to circles.
//
// Within the list a pair has a certificate of its own: |d(now) - d(then)| is at most what the points of both grains
// moved in between, so a pair that a query found well apart need not be asked again until they moved that far. The
// map's error bound counts against it twice: the true gap may be smaller than the answer, and the next answer smaller
// than the gap.
#include <cstdint>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/world/world.hpp"

namespace scree {

struct PairList {
  std::vector<std::uint32_t> first;  // bodies + 1: pairs whose lower body is k are [first[k], first[k + 1])
  std::vector<std::uint32_t> j;      // higher body index; ascending for each lower body
  std::vector<std::int32_t> slot;    // of the pair's first contact in World::contacts, or -1
  std::vector<float> clear;          // a pair cannot touch while moved[i] + moved[j] is less than this, length
  std::vector<NearParts> near;       // but in these parts; empty where no map has several contacts a pair
  std::vector<Vec2d> built_at;       // body positions when the list was built
  std::vector<double> built_theta;
  std::vector<float> moved;  // bound on the way of any point of a body since then, length
  double skin = 0;

  std::size_t size() const { return j.size(); }
  double moved_by(std::size_t a, std::size_t b) const { return static_cast<double>(moved[a]) + moved[b]; }
  // `way`: what the two would have to move together to touch, length.
  void set_clear(std::size_t pair, double way) { clear[pair] = static_cast<float>(way * (1 - rounding)); }

  static constexpr double rounding = 1e-6;  // bounds are held in single precision, on the safe side by this share
};

// All pairs (i < j) with centres closer than r_i + r_j + skin, at least one of them moving; slots from World::contacts.
void build_pair_list(const World& world, const TypeTables& tables, double skin, ThreadPool& pool, PairList& list);

// Reference for tests: the same by testing every pair.
std::vector<std::pair<std::uint32_t, std::uint32_t>> brute_force_pairs(const World& world, const TypeTables& tables,
                                                                       double skin);

// Finds `moved`; returns the largest distance any body's centre has moved since the list was built.
double track_moves(const World& world, const TypeTables& tables, ThreadPool& pool, PairList& list);

}  // namespace scree
