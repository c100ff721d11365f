#include <cstdio>
#include <numbers>

#include "scree/base/pose.hpp"
#include "scree/shape/library.hpp"

int main() {
  // A looks up the y axis and B stands two lengths to its right, turned by one radian more.
  const scree::Pose2d a{std::numbers::pi / 2, {0, 0}};
  const scree::Pose2d b{std::numbers::pi / 2 + 1, {2, 0}};
  const scree::Pose2d q = relative_pose(a, b);
  std::printf("relative pose: theta %.3f x %.3f %.3f\n", q.theta, q.x.x, q.x.y);

  const scree::Shape box = scree::make_named_shape("box");
  std::printf("%s: symmetry %d, %zu vertices\n", box.name.c_str(), box.symmetry, box.outline.vertex_count());
}
