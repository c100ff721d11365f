#include <cstdio>
#include <numbers>

#include "scree/base/parallel.hpp"
#include "scree/base/pose.hpp"

// A looks up the y axis and B stands two lengths to its right, turned by one radian more.
int main() {
  const scree::Pose2d a{std::numbers::pi / 2, {0, 0}};
  const scree::Pose2d b{std::numbers::pi / 2 + 1, {2, 0}};
  const scree::Pose2d q = relative_pose(a, b);
  scree::ThreadPool pool(2);  // the library's own code, linked with its threads
  double sum = 0;
  sum = scree::reduce_chunks(pool, 1000, sum, [](std::size_t first, std::size_t last) { return double(last - first); });
  std::printf("relative pose: theta %.3f x %.3f %.3f\n", q.theta, q.x.x, q.x.y);
  return sum == 1000 ? 0 : 1;
}
