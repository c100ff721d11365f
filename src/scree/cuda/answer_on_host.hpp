#pragma once
// What a device asks of maps, answered by the maps themselves.
#include <span>
#include <vector>

#include "scree/cuda/views.hpp"
#include "scree/map/contact_map.hpp"

namespace scree::gpu {

template <class Real>
void answer_on_host(std::span<const ContactMap* const> maps, const AskView<Real>& ask) {
  std::vector<Pose2d> poses;
  std::vector<ContactGeometry> answers;
  for (std::size_t m = 0; m < maps.size(); ++m) {
    const auto [first, count] = ask.ranges[m];
    poses.resize(count);
    answers.resize(count);
    for (std::uint32_t k = 0; k < count; ++k)
      poses[k] = {static_cast<double>(ask.theta[first + k]),
                  {static_cast<double>(ask.x[first + k]), static_cast<double>(ask.y[first + k])}};
    maps[m]->query_batch(poses, answers);
    for (std::uint32_t k = 0; k < count; ++k) {
      const ContactGeometry& g = answers[k];
      ask.answers.gap[first + k] = static_cast<Real>(g.gap);
      ask.answers.gap_theta[first + k] = static_cast<Real>(g.gap_theta);
      ask.answers.gap_x[first + k] = static_cast<Real>(g.gap_x.x);
      ask.answers.gap_y[first + k] = static_cast<Real>(g.gap_x.y);
      ask.answers.arm[first + k] = static_cast<Real>(g.arm);
    }
  }
}

}  // namespace scree::gpu
