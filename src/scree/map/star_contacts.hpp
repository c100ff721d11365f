#pragma once
// The contacts of many pairs of stars at once. Each stage runs over all pairs before the next begins, so that the loops
// over nodes are long and regular.
#include <array>
#include <span>
#include <vector>

#include "scree/base/macros.hpp"
#include "scree/base/sincos_kernel.hpp"
#include "scree/map/contact_map.hpp"
#include "scree/map/settings.hpp"
#include "scree/map/star_side.hpp"

namespace scree {

using StarPlacement = StarPlacementOf<double>;

StarPlacement star_placement(const Pose2d& q, const StarSide& a, const StarSide& b);

class StarContacts {
 public:
  // As ContactMap::touching_batch. The object is working memory: what it holds does not matter to the next call.
  void find(const StarSide& a, const StarSide& b, StarDistance distance, std::span<const Pose2d> poses,
            std::span<const NearParts> parts, std::vector<PairContact>& out, std::vector<std::uint32_t>& ends);

 private:
  // A group of nodes of a pair that is tried.
  struct Tried {
    std::uint32_t pair;
    int first;  // of its nodes
  };
  // Nodes of one side. Those that are tried, group after group, in single precision: only those that may be inside
  // are looked at closer.
  struct Search {
    std::size_t tried_count = 0;  // groups
    std::vector<Tried> tried;
    std::vector<float> x, y;            // from the centre of the other star, in its frame
    std::vector<float> excess;          // rho^2 - r^2
    std::vector<std::uint32_t> inside;  // indices of the above, ascending
    std::vector<int> node;              // the rest: of `inside`
    std::vector<double> in_x, in_y;
    std::vector<double> depth;        // signed distance
    std::vector<std::uint32_t> ends;  // by pair: where its nodes end in `inside`
  };
  // Consecutive nodes of one side inside the other.
  struct Run {
    bool of_a = true;
    bool bounded = false;                            // false: every node is inside, so the outlines do not cross
    std::uint32_t first = 0, last = 0, deepest = 0;  // indices in `inside`
    double distance = 0;                             // of the deepest node, < 0
    std::size_t overlap = 0;                         // runs of the same overlap share this number
  };
  // Where a run begins or ends: its node inside and, if it comes to that, the place between it and the node outside
  // where the outlines cross. From the star centre of A, in its frame.
  struct RunEnd {
    std::uint32_t inside;  // index in `inside`
    bool last;
    Vec2d at;
    double spacing;  // of the two nodes
  };
  // A contact to come.
  struct Chosen {
    std::uint32_t pair;
    bool of_a;
    std::uint32_t place;  // in Depths
  };
  // The chosen nodes of one side, as seen from the other star.
  struct Depths {
    std::vector<int> node;
    std::vector<double> x, y;
    std::vector<StarDepth<double>> depth;
    std::vector<int> entry;
  };

  const StarSide& side(bool of_a) const { return of_a ? *a_ : *b_; }
  Search& search(bool of_a) { return searches_[of_a ? 0 : 1]; }
  const Search& search(bool of_a) const { return searches_[of_a ? 0 : 1]; }
  Depths& depths(bool of_a) { return depths_[of_a ? 0 : 1]; }

  void place(std::span<const Pose2d> poses);
  void search_side(bool of_a, std::span<const NearParts> parts);
  void find_inside(bool of_a, std::size_t pairs);
  SCREE_INLINE void add_runs(bool of_a, std::size_t pair);
  SCREE_INLINE RunEnd end_of(const Run& run, bool last) const;
  SCREE_INLINE Vec2d crossing(bool of_a, const RunEnd& end, const StarPlacement& at) const;
  SCREE_INLINE bool meet(const RunEnd& a, const RunEnd& b, const StarPlacement& at) const;
  SCREE_INLINE bool same_overlap(const StarPlacement& at, const Run& a, const Run& b) const;
  SCREE_INLINE void join_runs(const StarPlacement& at);
  SCREE_INLINE void choose(std::size_t pair);
  void find_depths(bool of_a);
  void add_contacts(std::size_t pairs, std::vector<PairContact>& out, std::vector<std::uint32_t>& ends);

  const StarSide* a_ = nullptr;
  const StarSide* b_ = nullptr;
  StarDistance distance_ = StarDistance::first_order;
  std::vector<StarPlacement> places_;
  std::array<Search, 2> searches_;  // of A and of B
  std::vector<Run> runs_;           // of one pair: those of A first
  std::size_t runs_of_a_ = 0;
  std::vector<Chosen> chosen_;  // of all pairs
  std::array<Depths, 2> depths_;
};

}  // namespace scree
