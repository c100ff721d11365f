#pragma once
// The contact map of a pair of shapes: relative pose -> gap, its gradient, and the arm. Conventions and formulas:
// docs/conventions.md. Lengths are in units of A's circumradius; B's circumradius is `ratio`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scree/base/pose.hpp"
#include "scree/map/contact_geometry.hpp"
#include "scree/shape/shape.hpp"

namespace scree {

// d_BA(q^-1) and its gradient and arm, from those of d_AB at q: the swap rules of docs/conventions.md.
ContactGeometry swapped(const ContactGeometry& g, const Pose2d& q);

struct ShapePair {
  const Shape* a = nullptr;
  const Shape* b = nullptr;
  double ratio = 1;  // circumradius of B over circumradius of A

  double reach() const { return 1 + ratio; }  // centres farther apart than this cannot touch
};

// Measured against the exact map, lengths in units of A's circumradius.
struct MapError {
  double band = 0.1;  // the figures below are over samples with |exact gap| <= band
  double gap_rmse = 0;
  // A bound the engine relies on: the measured maximum times a safety factor. Beyond the band it bounds by how much the
  // map may see too much room. Where the exact gap jumps, it is the distance to the interval that the jump leaves open.
  double gap_max = 0;
  double gap_jump = 0;      // largest such interval met; 0 where the exact gap is continuous
  double angle_median = 0;  // between exact and mapped gradient, degrees
  double arm_rmse = 0;
  std::size_t samples = 0;
};

class ContactMap {
 public:
  virtual ~ContactMap() = default;

  // One query. Poses with |x| > reach() get the certified lower bound |x| - reach() with the radial gradient.
  ContactGeometry query(const Pose2d& q) const;
  // The same for many poses; out[i] does not depend on the other poses, bit for bit.
  void query_batch(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const;
  // At q, and at q turned by +tilt and -tilt. Agrees with query() up to rounding.
  void query_tilted(const Pose2d& q, double tilt, std::span<ContactGeometry, 3> out) const;
  // Asks the memory for what query_tilted will read.
  virtual void prefetch(const Pose2d&, double /*tilt*/) const {}

  // True when a pose can have several contacts at once. query() then answers for the one of smallest gap.
  virtual bool several() const { return false; }
  // Appends every contact with gap < 0 at q, |x| <= reach(), by ascending feature, among the given parts. Only where
  // several().
  virtual void touching(const Pose2d& q, NearParts parts, std::vector<PairContact>& out) const;
  // Appends the contact of smallest gap, be it apart or not, and all that may come below it when points of the grains
  // come `way`, and no plane of which lies below the gap. Only where several().
  virtual void nearest(const Pose2d& q, double way, std::vector<PairContact>& out) const;
  // The same as touching() for many poses: ends[k] is where the contacts of pose k end in `out`.
  virtual void touching_batch(std::span<const Pose2d> poses, std::span<const NearParts> parts,
                              std::vector<PairContact>& out, std::vector<std::uint32_t>& ends) const;
  // The parts that may touch at q, and at any pose that the grains reach while their points move by no more than
  // `margin`, both together. None: there is no contact until then.
  virtual NearParts near_parts(const Pose2d& q, double margin) const;
  // How far a contact moved over the grain if it was `before` and is `now`: its history goes to the nearest, and
  // unrelated ones are infinitely far. Only where several().
  virtual double feature_distance(std::uint32_t before, std::uint32_t now) const;

  virtual std::string_view kind() const = 0;  // "exact", "table", ...
  virtual std::size_t bytes() const = 0;      // memory of the map itself
  virtual int smoothness() const = 0;         // 2: gap is C2 everywhere; 0: only continuous
  double reach() const { return reach_; }
  const MapError& error() const { return error_; }
  void set_error(const MapError& error) { error_ = error; }

 protected:
  static constexpr double nearest_within = 3;  // times the way: slopes differ by no more, or little more
  explicit ContactMap(double reach) : reach_(reach) {}
  // |x| <= reach() holds for every pose handed to these.
  virtual void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const = 0;
  virtual void query_tilted_impl(const Pose2d& q, double tilt, std::span<ContactGeometry, 3> out) const;

 private:
  double reach_;
  MapError error_;
};

}  // namespace scree
