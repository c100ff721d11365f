#include "scree/contact/narrow_phase.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scree/base/stopwatch.hpp"
#include "scree/contact/contact_kernel.hpp"

namespace scree {

namespace {

constexpr std::size_t pairs_per_chunk = 1024;

// Pairs that may touch, with their relative pose in units of A's radius: their bounding circles overlap, and no
// certificate says that they are apart.
void collect(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations, bool skip,
             PairList& list, std::size_t begin, std::size_t end, NarrowChunk& chunk) {
  const Bodies& bodies = world.bodies;
  chunk.candidates.clear();
  chunk.poses.clear();
  for (std::size_t p = begin; p < end; ++p) {
    const std::uint32_t i = list.i[p];
    const std::uint32_t j = list.j[p];
    const double moved = list.moved[i] + list.moved[j];
    if (skip && moved < list.clear[p]) continue;
    const TypePair& types = tables.pair(bodies.type[i], bodies.type[j]);
    const Vec2d separation = world.separation(bodies.x[i], bodies.x[j]);
    if (norm2(separation) >= types.reach * types.reach) {
      list.clear[p] = norm(separation) - types.reach - moved;
      continue;
    }
    const bool i_first = types.same_order || types.first;
    const std::uint32_t a = i_first ? i : j;
    const std::uint32_t b = i_first ? j : i;
    const Vec2d from_a = i_first ? separation : -separation;
    const double to_unit = 1 / types.map.scale;
    chunk.candidates.push_back(
        {static_cast<std::uint32_t>(p), a, b, types.map_index, types.map.map, types.map.scale, types.doubt});
    chunk.poses.push_back({wrap_angle(bodies.theta[b] - bodies.theta[a]), rotations[a].back(to_unit * from_a)});
  }
}

// Stable counting sort of the candidates by map, so that each map is asked once per chunk.
void sort_by_map(int map_count, NarrowChunk& chunk) {
  const std::size_t n = chunk.candidates.size();
  chunk.bucket.assign(static_cast<std::size_t>(map_count) + 1, 0);
  for (const auto& c : chunk.candidates) ++chunk.bucket[static_cast<std::size_t>(c.map_index) + 1];
  for (std::size_t m = 0; m + 1 < chunk.bucket.size(); ++m) chunk.bucket[m + 1] += chunk.bucket[m];
  chunk.order.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    chunk.order[k] = chunk.bucket[static_cast<std::size_t>(chunk.candidates[k].map_index)]++;
  }
}

void query(int map_count, NarrowChunk& chunk) {
  sort_by_map(map_count, chunk);
  const std::size_t n = chunk.candidates.size();
  chunk.sorted_poses.resize(n);
  chunk.answers.resize(n);
  for (std::size_t k = 0; k < n; ++k) chunk.sorted_poses[chunk.order[k]] = chunk.poses[k];
  // After the sort bucket[m] is the end of map m's run.
  chunk.maps.assign(static_cast<std::size_t>(map_count), nullptr);
  for (const auto& c : chunk.candidates) chunk.maps[static_cast<std::size_t>(c.map_index)] = c.map;
  std::size_t begin = 0;
  for (std::size_t m = 0; m < chunk.maps.size(); ++m) {
    const std::size_t end = chunk.bucket[m];
    if (end > begin && !chunk.maps[m]->several()) {
      chunk.maps[m]->query_batch(std::span(chunk.sorted_poses).subspan(begin, end - begin),
                                 std::span(chunk.answers).subspan(begin, end - begin));
    }
    begin = end;
  }
}

Contact make_contact(const World& world, Rotation2d rotation_a, const NarrowChunk::Candidate& c, const Pose2d& pose,
                     const ContactGeometry& g) {
  const Vec2d x_a = world.bodies.x[c.a];
  const auto w = world_geometry(g.gap, g.gap_theta, g.gap_x, g.arm, c.scale, c.scale * pose.x, rotation_a, x_a);
  Contact contact;
  contact.a = c.a;
  contact.b = c.b;
  contact.gap = w.gap;
  contact.gap_x = w.gap_x;
  contact.gap_theta_a = w.gap_theta_a;
  contact.gap_theta_b = w.gap_theta_b;
  contact.normal = w.normal;
  contact.arm_a = w.arm_a;
  contact.arm_b = w.arm_b;
  contact.point = w.point;
  return contact;
}

void carry_over(const Contact& before, Contact& now) {
  now.spring = before.spring * std::max(0.0, dot(before.normal, now.normal));
}

// The contacts of the pair whose first one in the last step was `slot` go on in those from `first` on: nearest features
// first, so that a contact which slides on keeps its spring and one which splits gives it to its nearer half.
void carry_over_several(const World& world, const ContactMap& map, std::int32_t slot, std::size_t first,
                        NarrowChunk& chunk) {
  if (slot < 0) return;
  std::vector<Contact>& contacts = chunk.contacts;
  const auto before = static_cast<std::size_t>(slot);
  std::size_t end = before;
  while (end < world.pair_contacts && same_pair(world.contacts[end], world.contacts[before])) ++end;
  chunk.taken.assign(end - before, 0);
  chunk.served.assign(contacts.size() - first, 0);
  for (;;) {
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t from = 0, to = 0;
    for (std::size_t o = before; o < end; ++o)
      for (std::size_t k = first; k < contacts.size(); ++k) {
        if (chunk.taken[o - before] || chunk.served[k - first]) continue;
        const double distance = map.feature_distance(world.contacts[o].feature, contacts[k].feature);
        if (distance < nearest) nearest = distance, from = o, to = k;
      }
    if (nearest == std::numeric_limits<double>::infinity()) return;
    carry_over(world.contacts[from], contacts[to]);
    chunk.taken[from - before] = chunk.served[to - first] = 1;
  }
}

// Appends the contacts of one candidate whose map tells several apart.
void emit_several(const World& world, Rotation2d rotation_a, const NarrowChunk::Candidate& c, const Pose2d& pose,
                  std::int32_t slot, NarrowChunk& chunk) {
  chunk.several.clear();
  c.map->touching(pose, chunk.several);
  const std::size_t first = chunk.contacts.size();
  for (const PairContact& p : chunk.several) {
    chunk.contacts.push_back(make_contact(world, rotation_a, c, pose, p.geometry));
    chunk.contacts.back().feature = p.feature;
    chunk.contact_pair.push_back(c.pair);
  }
  carry_over_several(world, *c.map, slot, first, chunk);
}

void emit(const World& world, const std::vector<Rotation2d>& rotations, PairList& list, NarrowChunk& chunk) {
  chunk.contacts.clear();
  chunk.contact_pair.clear();
  for (std::size_t k = 0; k < chunk.candidates.size(); ++k) {
    const NarrowChunk::Candidate& c = chunk.candidates[k];
    const std::int32_t slot = list.slot[c.pair];
    if (c.map->several()) {
      emit_several(world, rotations[c.a], c, chunk.poses[k], slot, chunk);
      continue;
    }
    const ContactGeometry& g = chunk.answers[chunk.order[k]];
    if (!(g.gap < 0) && std::isfinite(g.gap)) {
      list.clear[c.pair] = c.scale * g.gap - c.doubt - (list.moved[c.a] + list.moved[c.b]);
      continue;
    }
    chunk.contacts.push_back(make_contact(world, rotations[c.a], c, chunk.poses[k], g));
    if (slot >= 0) carry_over(world.contacts[static_cast<std::size_t>(slot)], chunk.contacts.back());
    chunk.contact_pair.push_back(c.pair);
  }
}

}  // namespace

std::size_t NarrowPhase::run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations,
                             bool skip, PairList& list, ThreadPool& pool, std::vector<Contact>& out) {
  const std::size_t used = chunk_count(list.size(), pairs_per_chunk);
  if (chunks_.size() < used) chunks_.resize(used);
  for_chunks(
      pool, list.size(),
      [&](std::size_t begin, std::size_t end, std::size_t k) {
        Stopwatch watch;
        collect(world, tables, rotations, skip, list, begin, end, chunks_[k]);
        chunks_[k].times.collect = watch.lap();
        query(tables.map_count(), chunks_[k]);
        chunks_[k].times.query = watch.lap();
        emit(world, rotations, list, chunks_[k]);
        std::fill(list.slot.begin() + static_cast<std::ptrdiff_t>(begin),
                  list.slot.begin() + static_cast<std::ptrdiff_t>(end), -1);
        chunks_[k].times.emit = watch.lap();
      },
      pairs_per_chunk);

  out.clear();
  std::size_t queries = 0;
  for (std::size_t k = 0; k < used; ++k) {
    queries += chunks_[k].candidates.size();
    times_ += chunks_[k].times;
    for (std::size_t c = 0; c < chunks_[k].contacts.size(); ++c) {
      std::int32_t& slot = list.slot[chunks_[k].contact_pair[c]];
      if (slot < 0) slot = static_cast<std::int32_t>(out.size());
      out.push_back(chunks_[k].contacts[c]);
    }
  }
  return queries;
}

}  // namespace scree
