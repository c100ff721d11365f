#include "scree/contact/narrow_phase.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scree/base/stopwatch.hpp"
#include "scree/contact/contact_kernel.hpp"

namespace scree {

namespace {

constexpr std::size_t pairs_per_chunk = 512;

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
    chunk.candidates.push_back({static_cast<std::uint32_t>(p), a, b, 0, &types});
    chunk.poses.push_back({wrap_angle(bodies.theta[b] - bodies.theta[a]), rotations[a].back(to_unit * from_a)});
  }
}

// Stable counting sort of the candidates by map, so that each map is asked once per chunk.
void sort_by_map(int map_count, NarrowChunk& chunk) {
  chunk.bucket.assign(static_cast<std::size_t>(map_count) + 1, 0);
  chunk.maps.assign(static_cast<std::size_t>(map_count), nullptr);
  for (const auto& c : chunk.candidates) {
    const auto m = static_cast<std::size_t>(c.types->map_index);
    chunk.maps[m] = c.types->map.map;
    ++chunk.bucket[m + 1];
  }
  for (std::size_t m = 0; m + 1 < chunk.bucket.size(); ++m) chunk.bucket[m + 1] += chunk.bucket[m];
  chunk.sorted_poses.resize(chunk.candidates.size());
  for (std::size_t k = 0; k < chunk.candidates.size(); ++k) {
    auto& c = chunk.candidates[k];
    c.place = chunk.bucket[static_cast<std::size_t>(c.types->map_index)]++;
    chunk.sorted_poses[c.place] = chunk.poses[k];
  }
}

void query(int map_count, NarrowChunk& chunk) {
  sort_by_map(map_count, chunk);
  chunk.answers.resize(chunk.candidates.size());
  // After the sort bucket[m] is the end of map m's run.
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

Contact& add_contact(Rotation2d rotation_a, const NarrowChunk::Candidate& c, const Pose2d& pose,
                     const ContactGeometry& g, NarrowChunk& chunk) {
  const double scale = c.types->map.scale;
  const auto w = world_geometry(g.gap, g.gap_theta, g.gap_x, g.arm, scale, scale * pose.x, rotation_a);
  Contact& contact = chunk.contacts.emplace_back();
  contact.a = c.a;
  contact.b = c.b;
  contact.gap = w.gap;
  contact.gap_x = w.gap_x;
  contact.gap_theta_a = w.gap_theta_a;
  contact.gap_theta_b = w.gap_theta_b;
  contact.normal = w.normal;
  contact.arm_a = w.arm_a;
  contact.arm_b = w.arm_b;
  chunk.contact_pair.push_back(c.pair);
  return contact;
}

// The contacts of the pair whose first one in the last step was `slot` go on in those from `first` on: nearest features
// first, so that a contact which slides on keeps its spring and one which splits gives it to its nearer half.
void carry_over_several(const ContactMemory& memory, const ContactMap& map, std::int32_t slot, std::size_t first,
                        NarrowChunk& chunk) {
  if (slot < 0) return;
  std::vector<Contact>& contacts = chunk.contacts;
  const auto before = static_cast<std::size_t>(slot);
  std::size_t end = before;
  while (end < memory.size() && memory[end].a == memory[before].a && memory[end].b == memory[before].b) ++end;
  chunk.taken.assign(end - before, 0);
  chunk.served.assign(contacts.size() - first, 0);
  for (;;) {
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t from = 0, to = 0;
    for (std::size_t o = before; o < end; ++o)
      for (std::size_t k = first; k < contacts.size(); ++k) {
        if (chunk.taken[o - before] || chunk.served[k - first]) continue;
        const double distance = map.feature_distance(memory[o].feature, contacts[k].feature);
        if (distance < nearest) nearest = distance, from = o, to = k;
      }
    if (nearest == std::numeric_limits<double>::infinity()) return;
    contacts[to].spring = carried_spring(memory[from], contacts[to].normal);
    chunk.taken[from - before] = chunk.served[to - first] = 1;
  }
}

// Appends the contacts of one candidate whose map tells several apart.
void emit_several(const ContactMemory& memory, Rotation2d rotation_a, const NarrowChunk::Candidate& c,
                  const Pose2d& pose, std::int32_t slot, NarrowChunk& chunk) {
  const ContactMap& map = *c.types->map.map;
  chunk.several.clear();
  map.touching(pose, chunk.several);
  const std::size_t first = chunk.contacts.size();
  for (const PairContact& p : chunk.several) add_contact(rotation_a, c, pose, p.geometry, chunk).feature = p.feature;
  carry_over_several(memory, map, slot, first, chunk);
}

void emit(const std::vector<Rotation2d>& rotations, const ContactMemory& memory, PairList& list, NarrowChunk& chunk) {
  chunk.contacts.clear();
  chunk.contact_pair.clear();
  for (std::size_t k = 0; k < chunk.candidates.size(); ++k) {
    const NarrowChunk::Candidate& c = chunk.candidates[k];
    const std::int32_t slot = list.slot[c.pair];
    if (c.types->several) {
      emit_several(memory, rotations[c.a], c, chunk.poses[k], slot, chunk);
      continue;
    }
    const ContactGeometry& g = chunk.answers[c.place];
    if (!(g.gap < 0) && std::isfinite(g.gap)) {
      list.clear[c.pair] = c.types->map.scale * g.gap - c.types->doubt - (list.moved[c.a] + list.moved[c.b]);
      continue;
    }
    Contact& contact = add_contact(rotations[c.a], c, chunk.poses[k], g, chunk);
    if (slot >= 0) contact.spring = carried_spring(memory[static_cast<std::size_t>(slot)], contact.normal);
  }
}

}  // namespace

std::size_t NarrowPhase::chunks(const PairList& list) { return chunk_count(list.size(), pairs_per_chunk); }

std::unique_ptr<NarrowChunk> NarrowPhase::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<NarrowChunk>();
  std::unique_ptr<NarrowChunk> chunk = std::move(idle_.back());
  idle_.pop_back();
  return chunk;
}

void NarrowPhase::hand_over(std::size_t k, std::unique_ptr<NarrowChunk> chunk, PairList& list,
                            std::vector<Contact>& out) {
  const std::lock_guard lock(mutex_);
  early_[k] = std::move(chunk);
  for (; turn_ < early_.size() && early_[turn_]; ++turn_) {
    const NarrowChunk& next = *early_[turn_];
    for (std::size_t c = next.contact_pair.size(); c-- > 0;) {
      list.slot[next.contact_pair[c]] = static_cast<std::int32_t>(out.size() + c);
    }
    out.insert(out.end(), next.contacts.begin(), next.contacts.end());
    queries_ += next.candidates.size();
    times_ += next.times;
    idle_.push_back(std::move(early_[turn_]));
  }
}

std::size_t NarrowPhase::run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations,
                             const ContactMemory& memory, bool skip, PairList& list, ThreadPool& pool,
                             const FinishContacts& finish, std::vector<Contact>& out) {
  out.clear();
  out.reserve(memory.size() + memory.size() / 16);  // contacts come and go by few
  early_.clear();
  early_.resize(chunks(list));
  turn_ = queries_ = 0;
  for_chunks(
      pool, list.size(),
      [&](std::size_t begin, std::size_t end, std::size_t k) {
        Stopwatch watch;
        std::unique_ptr<NarrowChunk> chunk = take();
        collect(world, tables, rotations, skip, list, begin, end, *chunk);
        chunk->times.collect = watch.lap();
        query(tables.map_count(), *chunk);
        chunk->times.query = watch.lap();
        emit(rotations, memory, list, *chunk);
        std::fill(list.slot.begin() + static_cast<std::ptrdiff_t>(begin),
                  list.slot.begin() + static_cast<std::ptrdiff_t>(end), -1);
        chunk->times.emit = watch.lap();
        finish(k, chunk->contacts);
        chunk->times.finish = watch.lap();
        hand_over(k, std::move(chunk), list, out);
      },
      pairs_per_chunk);
  return queries_;
}

}  // namespace scree
