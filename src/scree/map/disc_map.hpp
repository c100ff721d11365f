#pragma once
// Two true discs: d = |x| - 1 - ratio, n = x/|x|, c = (1 - ratio)/2. Used whatever kind of map was asked for.
#include "scree/map/contact_map.hpp"

namespace scree {

ContactGeometry disc_contact(Vec2d x, double ratio);

class DiscMap final : public ContactMap {
 public:
  explicit DiscMap(double ratio) : ContactMap(1 + ratio), ratio_(ratio) {}

  std::string_view kind() const override { return "discs"; }
  std::size_t bytes() const override { return sizeof *this; }
  int smoothness() const override { return 2; }  // but for x = 0, where two discs of one size coincide

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override;

 private:
  double ratio_;
};

}  // namespace scree
