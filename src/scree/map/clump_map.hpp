#pragma once
// "clump": both grains stand as clumps of discs (shape/clump.hpp), and every overlapping pair of discs is a contact of
// its own. Their energies add up, so forces have a potential; where discs of a grain overlap each other, one touch can
// count more than once.
#include <vector>

#include "scree/map/clump_kernel.hpp"
#include "scree/map/contact_map.hpp"
#include "scree/shape/clump.hpp"

namespace scree {

class ClumpMap final : public ContactMap {
 public:
  ClumpMap(const ShapePair& pair, const ClumpSettings& settings);

  std::string_view kind() const override { return "clump"; }
  std::size_t bytes() const override;
  int smoothness() const override { return 0; }

  bool several() const override { return true; }
  // A feature is the pair of discs: (index in A) 2^16 + index in B.
  void touching(const Pose2d& q, NearParts parts, std::vector<PairContact>& out) const override;

  void nearest(const Pose2d& q, double way, std::vector<PairContact>& out) const override;

  const Clump& a() const { return a_; }
  const Clump& b() const { return b_; }  // in units of A's circumradius
  ClumpView<double> view() const;        // valid as long as the map

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override;

 private:
  Clump a_;
  Clump b_;
  double reach_b_ = 0;
};

}  // namespace scree
