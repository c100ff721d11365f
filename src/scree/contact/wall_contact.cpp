#include "scree/contact/wall_contact.hpp"

#include <algorithm>
#include <cmath>

#include "scree/contact/wall_probe_kernel.hpp"

namespace scree {

WallPhase::WallPhase(const World& world) {
  for (const auto& shape : world.shapes) shapes_.push_back(features_of(shape->outline, shape->is_disc));
  for (const Wall& wall : world.walls) walls_.push_back(features_of(wall, world.periodic));
}

namespace {

// The spring of a body's wall contact, found by wall and feature among those remembered of that body.
double spring_of(std::span<const RememberedContact> of_body, const Contact& now) {
  for (const RememberedContact& old : of_body) {
    if (old.wall == now.wall && old.feature == now.feature) return carried_spring(old, now.normal);
  }
  return 0;
}

}  // namespace

void WallPhase::place_walls(const World& world) {
  views_.clear();
  for (std::size_t w = 0; w < walls_.size(); ++w) views_.push_back(walls_[w].view(world.walls[w]));
}

void WallPhase::touch(const World& world, const TypeTables& tables, std::size_t body, Rotation2d rotation,
                      const WallCandidates& candidates, double margin, std::vector<Contact>& out) const {
  const std::size_t first = candidates.first[body], count = candidates.first[body + 1] - first;
  const Bodies& bodies = world.bodies;
  if (count == 0 || bodies.kind[body] != BodyKind::moving) return;
  const std::uint16_t type = bodies.type[body];
  const ShapeFeatures& shape = shapes_[static_cast<std::size_t>(world.types[type].shape)];
  const GrainView grain{bodies.x[body], bodies.image[body], tables.radius(type), rotation, shape.view()};
  const auto add = [&](const WallTouch& touch) {
    Contact& c = out.emplace_back();
    c.b = static_cast<std::uint32_t>(body);
    c.wall = touch.wall;
    c.feature = touch.feature;
    c.gap = touch.geometry.gap;
    c.gap_x = touch.geometry.gap_x;
    c.gap_theta_a = touch.geometry.gap_theta_a;
    c.gap_theta_b = touch.geometry.gap_theta_b;
    c.normal = touch.geometry.normal;
    c.arm_a = touch.geometry.arm_a;
    c.arm_b = touch.geometry.arm_b;
  };
  probe_walls(grain, world.periodic, views_.data(), candidates.entries.data() + first, static_cast<int>(count), margin,
              add);
}

void WallPhase::run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations,
                    const WallCandidates& candidates, std::span<const RememberedContact> of_walls, ThreadPool& pool,
                    const FinishContacts& finish, std::vector<Contact>& out) {
  const std::size_t n = world.bodies.size();
  if (world.walls.empty()) return;
  chunks_.resize(chunk_count(n, default_chunk));
  place_walls(world);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t k) {
    std::vector<Contact>& found = chunks_[k];
    found.clear();
    auto old = std::lower_bound(of_walls.begin(), of_walls.end(), begin,
                                [](const RememberedContact& c, std::size_t body) { return c.b < body; });
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = found.size();
      touch(world, tables, i, rotations[i], candidates, 0, found);
      const auto old_begin = old;
      while (old != of_walls.end() && old->b == i) ++old;
      for (std::size_t c = before; c < found.size(); ++c) found[c].spring = spring_of({old_begin, old}, found[c]);
    }
    finish(k, found);
  });
  std::size_t count = out.size();
  for (const auto& chunk : chunks_) count += chunk.size();
  reserve_contacts(count, out);
  for (const auto& chunk : chunks_) out.insert(out.end(), chunk.begin(), chunk.end());
}

}  // namespace scree
