#pragma once
// Of a pair that touches in several places at once (stars, clumps): which of its contacts become links, and which of
// these goes on as which.
#include <array>
#include <span>
#include <vector>

#include "scree/force/contact_forces.hpp"
#include "scree/map/contact_map.hpp"
#include "scree/world/link.hpp"

namespace scree {

inline constexpr std::size_t most_planes = 6;  // that a pair has

// The deepest contact, and one after the other those that may come farthest below all before them when bodies have come
// `way`, in units of the map, as long as there are any.
class PlaneChoice {
 public:
  void choose(const ContactMap& map, const Pose2d& q, double way);
  std::span<const ContactGeometry> planes() const { return std::span(planes_).first(count_); }

 private:
  std::vector<PairContact> near_;
  std::vector<double> below_;  // all chosen, at most
  std::array<ContactGeometry, most_planes> planes_;
  std::size_t count_ = 0;
};

// Puts links of a pair in such an order that each is the most like the one that was there: forces go on in their place.
void line_up(std::span<const LinkRow> before, const Mobility& a, const Mobility& b, std::span<Link> links);

}  // namespace scree
