#include "scree/view/mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "scree/record/canvas.hpp"
#include "scree/shape/triangulate.hpp"

namespace scree {

namespace {

constexpr std::array<double, 4> tolerances{3e-4, 3e-3, 2e-2, 6e-2};
constexpr double longest_miter = 2;  // at sharp corners the shrunk solid keeps a little of its tip
constexpr double area_kept = 0.1;    // a level that loses or gains more of the area is no picture of the outline

Vec2d left_of(Vec2d from, Vec2d to) {
  const Vec2d d = to - from;
  return (1 / std::max(norm(d), 1e-300)) * perp(d);
}

void add_inward(const Loop& loop, std::vector<Vec2d>& out) {
  const std::size_t n = loop.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2d before = left_of(loop[(k + n - 1) % n], loop[k]), after = left_of(loop[k], loop[(k + 1) % n]);
    const Vec2d miter = (1 / std::max(1 + dot(before, after), 1e-3)) * (before + after);
    const double length = norm(miter);
    out.push_back(length > longest_miter ? (longest_miter / length) * miter : miter);
  }
}

double area_of(const Mesh& mesh) {
  double sum = 0;
  for (std::size_t k = 0; k < mesh.index.size(); k += 3) {
    const Vec2d a = mesh.points[mesh.index[k]];
    sum += 0.5 * cross(mesh.points[mesh.index[k + 1]] - a, mesh.points[mesh.index[k + 2]] - a);
  }
  return sum;
}

}  // namespace

Mesh mesh_of(const Outline& outline, double tolerance) {
  const Outline drawn = simplified(outline, tolerance);
  Triangulation triangles = triangulate(drawn);
  Mesh mesh;
  mesh.tolerance = tolerance;
  mesh.points = std::move(triangles.points);
  for (const Loop& loop : drawn.loops) {
    mesh.loops.push_back(static_cast<std::uint32_t>(mesh.inward.size()));
    add_inward(loop, mesh.inward);
  }
  for (const auto& corners : triangles.triangles)
    for (const std::size_t corner : corners) mesh.index.push_back(static_cast<std::uint32_t>(corner));
  return mesh;
}

std::vector<Mesh> mesh_levels(const Outline& outline) {
  std::vector<Mesh> levels{mesh_of(outline, tolerances[0])};
  const double area = area_of(levels[0]);
  for (std::size_t k = 1; k < tolerances.size(); ++k) {
    Mesh mesh = mesh_of(outline, tolerances[k]);
    // Simplified so far, thin parts may cross each other: then the finer level stays in use.
    if (mesh.index.empty() || std::abs(area_of(mesh) - area) > area_kept * area) break;
    if (mesh.index.size() < levels.back().index.size()) levels.push_back(std::move(mesh));
  }
  return levels;
}

}  // namespace scree
