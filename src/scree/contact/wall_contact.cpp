#include "scree/contact/wall_contact.hpp"

#include <algorithm>
#include <cmath>

#include "scree/contact/contact_kernel.hpp"
#include "scree/contact/wall_probe.hpp"

namespace scree {

WallPhase::WallPhase(const World& world) {
  for (const auto& shape : world.shapes) shapes_.push_back(features_of(shape->outline, shape->is_disc));
  for (const Wall& wall : world.walls) walls_.push_back(features_of(wall, world.periodic));
}

namespace {

// Previous wall contacts of one body, to find a spring by (wall, feature).
double spring_of(const World& world, std::size_t begin, std::size_t end, const Contact& now) {
  for (std::size_t c = begin; c < end; ++c) {
    const Contact& old = world.contacts[c];
    if (old.wall == now.wall && old.feature == now.feature) {
      return old.spring * std::max(0.0, dot(old.normal, now.normal));
    }
  }
  return 0;
}

// First previous wall contact of each chunk's first body: contacts are sorted by body.
std::size_t first_of_body(const World& world, std::size_t body) {
  const auto begin = world.contacts.begin() + static_cast<std::ptrdiff_t>(world.pair_contacts);
  const auto it =
      std::lower_bound(begin, world.contacts.end(), body, [](const Contact& c, std::size_t b) { return c.b < b; });
  return static_cast<std::size_t>(it - world.contacts.begin());
}

}  // namespace

void WallPhase::run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations,
                    const WallCandidates& candidates, ThreadPool& pool, std::vector<Contact>& out) {
  const std::size_t n = world.bodies.size();
  first_.assign(n + 1, 0);
  chunks_.resize(chunk_count(n, default_chunk));
  if (world.walls.empty()) {
    std::fill(first_.begin(), first_.end(), static_cast<std::uint32_t>(out.size()));
    return;
  }
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t k) {
    std::vector<Contact>& found = chunks_[k];
    found.clear();
    std::size_t old = first_of_body(world, begin);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = found.size();
      if (world.bodies.kind[i] == BodyKind::moving) {
        const ShapeFeatures& shape = shapes_[static_cast<std::size_t>(world.types[world.bodies.type[i]].shape)];
        const WallProbe probe{world, walls_, shape, tables.radius(world.bodies.type[i]), rotations[i], i};
        probe.touch_walls(
            std::span(candidates.entries).subspan(candidates.first[i], candidates.first[i + 1] - candidates.first[i]),
            found);
      }
      std::size_t old_end = old;
      while (old_end < world.contacts.size() && world.contacts[old_end].b == i) ++old_end;
      for (std::size_t c = before; c < found.size(); ++c) found[c].spring = spring_of(world, old, old_end, found[c]);
      old = old_end;
      first_[i + 1] = static_cast<std::uint32_t>(found.size() - before);
    }
  });
  first_[0] = static_cast<std::uint32_t>(out.size());
  for (std::size_t i = 0; i < n; ++i) first_[i + 1] += first_[i];
  for (const auto& chunk : chunks_) out.insert(out.end(), chunk.begin(), chunk.end());
}

}  // namespace scree
