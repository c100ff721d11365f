#pragma once
// "exact": the reference map. Builds a slice of the configuration obstacle for every theta it is asked about.
#include <cstdint>
#include <memory>

#include "scree/map/exact_slice.hpp"

namespace scree {

// epsilon = 0: the raw signed distance; its gradient jumps where the nearest contact changes.
// epsilon > 0: d is smoothed over rotations, so that two flat faces meet without chatter. With B3 the cubic B-spline
// on the lattice theta_k = k Delta, Delta = epsilon/2 (rounded so that the lattice closes over a turn):
//   d~(theta, x) = sum_k B3((theta - theta_k) / Delta) d(theta_k, x)
// It is C2 in theta, and gap_theta is exactly its derivative. Since |d_theta| <= ratio where d is continuous, and
// sum_k B3(u - k) |u - k| <= 0.542, it moves no value by more than 0.55 Delta ratio.
class ExactMap final : public ContactMap {
 public:
  ExactMap(const ShapePair& pair, double epsilon);

  std::string_view kind() const override { return "exact"; }
  std::size_t bytes() const override;
  int smoothness() const override { return 0; }
  double epsilon() const { return epsilon_; }
  // How far smoothing moves the gap at most: 0.55 Delta ratio.
  double smoothing_bound() const;

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override;

 private:
  // The slice at theta, from this thread's memo of recent slices.
  std::shared_ptr<const ExactSlice> slice(double theta) const;
  ContactGeometry smoothed(const Pose2d& q) const;

  PairGeometry geometry_;
  double epsilon_;
  int lattice_;       // nodes over a turn; 0 without smoothing
  std::uint64_t id_;  // of this map among all that ever lived, for the memo
};

}  // namespace scree
