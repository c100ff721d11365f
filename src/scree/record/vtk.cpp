#include "scree/record/vtk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "scree/record/canvas.hpp"
#include "scree/record/view.hpp"
#include "scree/record/vtk_xml.hpp"
#include "scree/record/wall_outline.hpp"
#include "scree/shape/triangulate.hpp"

namespace scree {

namespace {

using vtk::data_array;
using vtk::PolyData;

// Of a grain's radius: how far its outline may be from the shape's, as far as curves are from the shape by default.
constexpr double outline_tolerance = 1e-3;
// Of the radius of the smallest grain: coordinates that single precision tells so well are written in it.
constexpr double single_tolerance = 1e-4;

std::vector<float> in_space(const std::vector<Vec2d>& vectors) {
  std::vector<float> out;
  for (const Vec2d v : vectors) out.insert(out.end(), {static_cast<float>(v.x), static_cast<float>(v.y), 0.0f});
  return out;
}

// The value of a grain or wall for each of its cells.
template <class Out, class Value>
std::vector<Out> repeated(const std::vector<std::uint32_t>& owners, Value value) {
  std::vector<Out> out;
  out.reserve(owners.size());
  for (const std::uint32_t i : owners) out.push_back(static_cast<Out>(value(i)));
  return out;
}

// Everything known of the grains that own the cells or points.
std::string grain_data(const Statics& statics, const Frame& f, const std::vector<std::uint32_t>& owners) {
  const std::vector<double> forces = grain_forces(f);
  const std::vector<std::int32_t> partners = grain_partners(f);
  const auto put = [&]<class T>(const char* name, T, auto value) {
    return data_array<T>(name, repeated<T>(owners, value));
  };
  std::string out;
  out += put("id", std::int64_t{}, [&](auto i) { return f.id[i]; });
  out += put("type", std::int32_t{}, [&](auto i) { return f.type[i]; });
  out += put("group", std::int32_t{}, [&](auto i) { return f.group[i]; });
  out += put("kind", std::uint8_t{}, [&](auto i) { return f.kind[i]; });
  out += put("radius", float{}, [&](auto i) { return statics.types[f.type[i]].radius; });
  std::vector<Vec2d> velocity;
  for (const std::uint32_t i : owners) velocity.push_back(f.v[i]);
  out += data_array<float>("velocity", in_space(velocity), 3);
  out += put("speed", float{}, [&](auto i) { return norm(f.v[i]); });
  out += put("spin", float{}, [&](auto i) { return f.omega[i]; });
  out += put("angle", float{}, [&](auto i) { return f.theta[i]; });
  out += put("force", float{}, [&](auto i) { return forces[i]; });
  return out + put("coordination", std::int32_t{}, [&](auto i) { return partners[i]; });
}

// A solid as cells: one polygon where it is convex, else triangles, because VTK's own filters want those.
struct Mesh {
  std::vector<Vec2d> points;
  std::vector<std::vector<std::size_t>> polygons;
};

bool convex(const Outline& outline) {
  if (outline.loops.size() != 1) return false;
  const Loop& p = outline.loops[0];
  const std::size_t n = p.size();
  for (std::size_t k = 0; k < n; ++k)
    if (cross(p[(k + 1) % n] - p[k], p[(k + 2) % n] - p[(k + 1) % n]) < 0) return false;
  return signed_area(p) > 0;
}

Mesh mesh_of(const Outline& outline) {
  if (convex(outline)) {
    std::vector<std::size_t> all(outline.loops[0].size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return {outline.loops[0], {all}};
  }
  const Triangulation triangles = triangulate(outline);
  Mesh mesh{triangles.points, {}};
  for (const auto& corners : triangles.triangles) mesh.polygons.emplace_back(corners.begin(), corners.end());
  return mesh;
}

void add_solid(PolyData& data, const Mesh& mesh, const Pose2d& pose, double scale) {
  const auto first = static_cast<std::int32_t>(data.points.size());
  const Rotation2d turn(pose.theta);
  for (const Vec2d p : mesh.points) data.points.push_back(turn * (scale * p) + pose.x);
  for (const auto& polygon : mesh.polygons) {
    for (const std::size_t corner : polygon) data.poly_points.push_back(first + static_cast<std::int32_t>(corner));
    data.poly_ends.push_back(static_cast<std::int32_t>(data.poly_points.size()));
  }
}

void add_lines(PolyData& data, const Outline& outline, const Pose2d& pose, double scale) {
  for (const Loop& loop : transformed(outline, scale, pose.theta, pose.x).loops) data.add_line(loop, true);
}

}  // namespace

struct VtkWriter::Impl {
  const Statics& statics;
  Box view;
  std::vector<Outline> outlines;       // per shape, unit radius
  std::vector<Mesh> solids;            // of them
  std::vector<Outline> wall_outlines;  // per wall, in its frame
  std::vector<Mesh> wall_solids;       // of them; empty for half-planes and containers
  double smallest = 0;                 // radius of a grain

  Impl(const Statics& s, const Box& v) : statics(s), view(v) {
    for (const Shape& shape : statics.shapes) {
      outlines.push_back(simplified(shape.outline, outline_tolerance));
      solids.push_back(mesh_of(outlines.back()));
    }
    for (const Wall& wall : statics.walls) {
      wall_outlines.push_back(wall_outline(wall));
      wall_solids.push_back(wall.kind == WallKind::circle_inside ? Mesh{} : mesh_of(wall_outlines.back()));
    }
    for (const GrainType& t : statics.types) smallest = smallest > 0 ? std::min(smallest, t.radius) : t.radius;
  }

  std::string grains(const Frame& f, PolyData& data, bool solid) const {
    std::vector<std::uint32_t> owners;
    for (std::uint32_t i = 0; i < f.id.size(); ++i) {
      const GrainType& type = statics.types[f.type[i]];
      const auto shape = static_cast<std::size_t>(type.shape);
      const Pose2d pose{f.theta[i], f.x[i]};
      if (solid) add_solid(data, solids[shape], pose, type.radius);
      if (!solid) add_lines(data, outlines[shape], pose, type.radius);
      owners.resize(solid ? data.poly_ends.size() : data.line_ends.size(), i);
    }
    return grain_data(statics, f, owners);
  }

  static std::vector<std::uint32_t> centres(const Frame& f, PolyData& data) {
    std::vector<std::uint32_t> owners;
    data.points = f.x;
    for (std::uint32_t i = 0; i < f.id.size(); ++i)
      data.verts.push_back(static_cast<std::int32_t>(i)), owners.push_back(i);
    return owners;
  }

  std::string contacts(const Frame& f, PolyData& data) const {
    std::vector<std::int64_t> a, b;
    std::vector<std::int32_t> wall;
    std::vector<float> normal_force, tangential_force;
    std::vector<Vec2d> force, normal, point;
    const auto centre = [&](std::uint32_t id, Vec2d near) {
      const std::size_t i = find_grain(f, id);
      return i < f.id.size() ? nearest_image(statics.periodic, f.x[i], near) : near;
    };
    for (const FrameContact& c : f.contacts) {
      data.add_line(std::array{centre(c.a, c.point), centre(c.b, c.point)}, false);
      a.push_back(c.a == no_body ? -1 : std::int64_t{c.a}), b.push_back(c.b), wall.push_back(c.wall);
      normal_force.push_back(static_cast<float>(c.normal_force));
      tangential_force.push_back(static_cast<float>(c.tangential_force));
      force.push_back(c.normal_force * c.normal + c.tangential_force * perp(c.normal));
      normal.push_back(c.normal), point.push_back(c.point);
    }
    return data_array<std::int64_t>("a", a) + data_array<std::int64_t>("b", b) +
           data_array<std::int32_t>("wall", wall) + data_array<float>("normal_force", normal_force) +
           data_array<float>("tangential_force", tangential_force) + data_array<float>("force", in_space(force), 3) +
           data_array<float>("normal", in_space(normal), 3) + data_array<float>("point", in_space(point), 3);
  }

  // A half-plane as far as it passes the view, with the solid on the left; one that does not pass it is no shorter than
  // the view.
  std::array<Vec2d, 2> surface(const Wall& wall, const Pose2d& pose) const {
    const Vec2d n = Rotation2d(pose.theta) * wall.normal;
    const Vec2d centre = 0.5 * (view.lo + view.hi);
    const Vec2d foot = centre - dot(centre - pose.x, n) * n;
    const Vec2d along = perp(n);
    double first = -0.5 * norm(view.hi - view.lo), last = -first;
    const auto cut = [&](double at, double slope, double lo, double hi) {
      if (slope == 0) return;
      const auto [from, to] = std::minmax({(lo - at) / slope, (hi - at) / slope});
      if (from < last && to > first) first = std::max(first, from), last = std::min(last, to);
    };
    cut(foot.x, along.x, view.lo.x, view.hi.x);
    cut(foot.y, along.y, view.lo.y, view.hi.y);
    return {foot + first * along, foot + last * along};
  }

  std::string walls(const Frame& f, PolyData& data) const {
    std::vector<std::uint32_t> line_owners, solid_owners;
    for (std::uint32_t w = 0; w < statics.walls.size(); ++w) {
      if (!f.wall_active[w]) continue;
      const Wall& wall = statics.walls[w];
      if (wall.kind == WallKind::half_plane) data.add_line(surface(wall, f.wall_pose[w]), false);
      add_lines(data, wall_outlines[w], f.wall_pose[w], 1);
      add_solid(data, wall_solids[w], f.wall_pose[w], 1);
      line_owners.resize(data.line_ends.size(), w);
      solid_owners.resize(data.poly_ends.size(), w);
    }
    line_owners.insert(line_owners.end(), solid_owners.begin(), solid_owners.end());
    return data_array<std::int32_t>("wall", repeated<std::int32_t>(line_owners, [](auto w) { return w; }));
  }

  bool needs_double(const std::vector<Vec2d>& points) const {
    double largest = 0;
    for (const Vec2d p : points) largest = std::max({largest, std::abs(p.x), std::abs(p.y)});
    return largest * std::numeric_limits<float>::epsilon() > single_tolerance * smallest;
  }

  std::string field_data(VtkPart part, const Frame& f) const {
    const auto names = [](const auto& things) {
      std::vector<std::string> out;
      for (const auto& thing : things) out.push_back(thing.name);
      return out;
    };
    std::string out = data_array<double>("TimeValue", std::array{f.time});
    if (part == VtkPart::contacts) return out;
    if (part == VtkPart::walls) return out + vtk::text_array("wall_names", names(statics.walls));
    return out + vtk::text_array("type_names", names(statics.types)) + vtk::text_array("group_names", statics.groups);
  }

  std::string text(VtkPart part, const Frame& f) const {
    PolyData data;
    data.field_data = field_data(part, f);
    switch (part) {
      case VtkPart::grains:
      case VtkPart::outlines:
        data.cell_data = grains(f, data, part == VtkPart::grains);
        break;
      case VtkPart::centres:
        data.point_data = grain_data(statics, f, centres(f, data));
        break;
      case VtkPart::contacts:
        data.cell_data = contacts(f, data);
        break;
      case VtkPart::walls:
        data.cell_data = walls(f, data);
        break;
    }
    data.double_points = needs_double(data.points);
    return data.text();
  }
};

VtkWriter::VtkWriter(const Statics& statics, const Box& view) : impl_(std::make_unique<Impl>(statics, view)) {}
VtkWriter::~VtkWriter() = default;
VtkWriter::VtkWriter(VtkWriter&&) noexcept = default;
std::string VtkWriter::text(VtkPart part, const Frame& frame) const { return impl_->text(part, frame); }

std::string vtk_collection(const std::vector<double>& times, const std::vector<std::string>& files) {
  std::string out = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
  for (std::size_t k = 0; k < files.size(); ++k)
    out += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", times[k], files[k]);
  return out + "</Collection>\n</VTKFile>\n";
}

}  // namespace scree
