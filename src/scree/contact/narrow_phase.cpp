#include "scree/contact/narrow_phase.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "scree/base/macros.hpp"
#include "scree/base/stopwatch.hpp"
#include "scree/contact/contact_kernel.hpp"

namespace scree {

namespace {

constexpr std::size_t pairs_per_chunk = 256;

// Of maps with several contacts a pair: the parts that may touch are looked for again when the two have moved by this
// share of the skin. More would name more parts, less would look more often.
constexpr double parts_margin = 0.1;

// Loops over pairs keep those of interest without a branch: which they are, nobody could foresee.

// Of the pairs [begin, end), at most pairs_per_chunk, the lower bodies. `body`: that of `begin` or one before it; left
// at that of the last. Each writes a few places, the next ones write over those that were too many.
class LowerBodies {
 public:
  LowerBodies(const PairList& list, std::size_t begin, std::size_t end, std::uint32_t& body) : begin_(begin) {
    for (;; ++body) {
      const std::size_t from = std::max<std::size_t>(list.first[body], begin), next = list.first[body + 1];
      std::fill_n(of_.data() + (from - begin), few, body);
      if (next > from + few) std::fill(of_.data() + (from - begin), of_.data() + (std::min(next, end) - begin), body);
      if (next >= end) return;
    }
  }
  std::uint32_t operator[](std::size_t pair) const { return of_[pair - begin_]; }

 private:
  static constexpr std::size_t few = 8;
  std::size_t begin_;
  std::array<std::uint32_t, pairs_per_chunk + few> of_;
};

// The pairs that no certificate says to be apart. Returns how many.
std::size_t open_pairs(const PairList& list, const LowerBodies& lower, bool skip, std::size_t begin, std::size_t end,
                       std::uint32_t* open) {
  const bool parts = !list.near.empty();
  std::size_t count = 0;
  for (std::size_t p = begin; p < end; ++p) {
    const bool certified = skip && list.moved_by(lower[p], list.j[p]) < list.clear[p];
    const bool near = parts && list.near[p] != 0;
    open[count] = static_cast<std::uint32_t>(p);
    count += !certified || near ? 1 : 0;
  }
  return count;
}

// Calls found(candidate, from_a, moved, certified) for pairs whose bounding circles overlap and which no certificate
// says to be apart. from_a: x_B - x_A; moved: bound on the way of their points since the list was built; certified:
// what is known of their parts holds.
template <class Found>
void for_candidates(const World& world, const TypeTables& tables, bool skip, PairList& list, const LowerBodies& lower,
                    std::size_t begin, std::size_t end, Found&& found) {
  const Bodies& bodies = world.bodies;
  std::array<std::uint32_t, pairs_per_chunk> open;
  const std::size_t count = open_pairs(list, lower, skip, begin, end, open.data());
  for (const std::uint32_t p : std::span(open).first(count)) {
    const std::uint32_t i = lower[p];
    const std::uint32_t j = list.j[p];
    const double moved = list.moved_by(i, j);
    const TypePair& types = tables.pair(bodies.type[i], bodies.type[j]);
    const Vec2d separation = world.separation(bodies.x[i], bodies.x[j]);
    if (norm2(separation) >= types.reach * types.reach) {
      list.set_clear(p, norm(separation) - types.reach - moved);
      if (types.several) list.near[p] = 0;
      continue;
    }
    const OrderedPair pair = ordered(types, i, j, separation);
    found({p, pair.a, pair.b, 0, &types}, pair.from_a, moved, skip && moved < list.clear[p]);
  }
}

// Two discs need neither map nor frame, and whether they touch is found out as quickly as whether they can.
struct TouchingDiscs {
  std::size_t count = 0;
  std::array<std::uint32_t, pairs_per_chunk> pair;
  std::array<Vec2d, pairs_per_chunk> separation;  // x_j - x_i
};

void find_touching(const World& world, const TypeTables& tables, const PairList& list, const LowerBodies& lower,
                   std::size_t begin, std::size_t end, TouchingDiscs& discs) {
  const Bodies& bodies = world.bodies;
  std::size_t count = 0;
  for (std::size_t p = begin; p < end; ++p) {
    const std::uint32_t i = lower[p], j = list.j[p];
    const double reach = tables.pair(bodies.type[i], bodies.type[j]).reach;
    const Vec2d separation = world.separation(bodies.x[i], bodies.x[j]);
    discs.pair[count] = static_cast<std::uint32_t>(p);
    discs.separation[count] = separation;
    count += norm2(separation) < reach * reach ? 1 : 0;
  }
  discs.count = count;
}

// The candidates with their pose: of B in A's frame, in units of A's radius; of two discs as above.
void collect(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations, bool skip,
             PairList& list, const LowerBodies& lower, std::size_t begin, std::size_t end, NarrowChunk& chunk) {
  const std::vector<double>& theta = world.bodies.theta;
  const auto add = [&](const NarrowChunk::Candidate& c, Vec2d from_a, double moved, bool certified) {
    const TypePair& types = *c.types;
    Pose2d pose{0, from_a};
    if (!types.discs) {
      const double to_unit = 1 / types.map.scale;
      pose = {wrap_angle(theta[c.b] - theta[c.a]), rotations[c.a].back(to_unit * from_a)};
    }
    if (types.several && skip && !certified) {
      const double margin = 2 * moved + parts_margin * list.skin;
      list.near[c.pair] = types.map.map->near_parts(pose, margin / types.map.scale);
      list.set_clear(c.pair, margin - moved);
      if (list.near[c.pair] == 0) return;
    }
    chunk.asks_maps = chunk.asks_maps || !types.discs;
    chunk.single += types.several ? 0 : 1;
    chunk.candidates.push_back(c);
    chunk.poses.push_back(pose);
  };
  for_candidates(world, tables, skip, list, lower, begin, end, add);
}

// The candidates in the order of their maps, each in the order of the list, so that every map is asked once per chunk.
void sort_by_map(int map_count, NarrowChunk& chunk) {
  chunk.bucket.assign(static_cast<std::size_t>(map_count) + 1, 0);
  chunk.maps.assign(static_cast<std::size_t>(map_count), nullptr);
  for (const auto& c : chunk.candidates) {
    const auto m = static_cast<std::size_t>(c.types->map_index);
    if (!c.types->discs) chunk.maps[m] = c.types->map.map;
    ++chunk.bucket[m + 1];
  }
  for (std::size_t m = 0; m + 1 < chunk.bucket.size(); ++m) chunk.bucket[m + 1] += chunk.bucket[m];
  for (auto& c : chunk.candidates) c.place = chunk.bucket[static_cast<std::size_t>(c.types->map_index)]++;
  const bool sorted = std::ranges::is_sorted(chunk.candidates, {}, &NarrowChunk::Candidate::place);
  chunk.sorted_poses.resize(sorted ? 0 : chunk.poses.size());
  for (std::size_t k = 0; k < chunk.sorted_poses.size(); ++k)
    chunk.sorted_poses[chunk.candidates[k].place] = chunk.poses[k];
}

void gather_parts(bool skip, const PairList& list, NarrowChunk& chunk) {
  chunk.parts.assign(list.near.empty() ? 0 : chunk.candidates.size(), all_parts);
  for (const auto& c : chunk.candidates) {
    if (skip && c.types->several) chunk.parts[c.place] = list.near[c.pair];
  }
}

// After the sort bucket[m] is the end of map m's run.
void query(int map_count, bool skip, const PairList& list, NarrowChunk& chunk) {
  if (!chunk.asks_maps) return;
  sort_by_map(map_count, chunk);
  gather_parts(skip, list, chunk);
  const std::vector<Pose2d>& by_place = chunk.sorted_poses.empty() ? chunk.poses : chunk.sorted_poses;
  chunk.answers.resize(chunk.single > 0 ? chunk.candidates.size() : 0);
  chunk.several.clear();
  chunk.several_ends.clear();
  std::size_t begin = 0;
  for (std::size_t m = 0; m < chunk.maps.size(); ++m) {
    const std::size_t end = chunk.bucket[m], count = end - begin;
    const ContactMap* map = chunk.maps[m];
    const auto poses = std::span(by_place).subspan(begin, count);
    if (map && map->several()) {
      map->touching_batch(poses, std::span(chunk.parts).subspan(begin, count), chunk.several, chunk.several_ends);
    } else {
      if (map) map->query_batch(poses, std::span(chunk.answers).subspan(begin, count));
      chunk.several_ends.resize(end, static_cast<std::uint32_t>(chunk.several.size()));
    }
    begin = end;
  }
}

SCREE_INLINE void set_geometry(Rotation2d rotation_a, double scale, const Pose2d& pose, const ContactGeometry& g,
                               Contact& contact) {
  const auto w = world_geometry(g.gap, g.gap_theta, g.gap_x, g.arm, scale, scale * pose.x, rotation_a);
  contact.gap = w.gap;
  contact.gap_x = w.gap_x;
  contact.gap_theta_a = w.gap_theta_a;
  contact.gap_theta_b = w.gap_theta_b;
  contact.normal = w.normal;
  contact.arm_a = w.arm_a;
  contact.arm_b = w.arm_b;
}

// The contacts of the pair whose first one in the last step was `slot` go on in `now`.
void carry_over_several(const OldContacts& old, const ContactMap& map, std::int32_t slot, std::span<Contact> now,
                        NarrowChunk& chunk) {
  if (slot < 0) return;
  const auto before = static_cast<std::size_t>(slot);
  std::size_t end = before;
  while (end < old.end() && old[end].a == old[before].a && old[end].b == old[before].b) ++end;
  const auto old_one = [&](int o) -> const RememberedContact& { return old[before + static_cast<std::size_t>(o)]; };
  const auto new_one = [&](int k) -> Contact& { return now[static_cast<std::size_t>(k)]; };
  carry_over_several<double>(
      static_cast<int>(end - before), static_cast<int>(now.size()), [&](int o) { return old_one(o).feature; },
      [&](int k) { return new_one(k).feature; },
      [&](std::uint32_t from, std::uint32_t to) { return map.feature_distance(from, to); }, chunk.taken, chunk.served,
      [&](int o, int k) { new_one(k).spring = carried_spring(old_one(o), new_one(k).normal); });
}

// Writes the contacts of the candidates, and their pairs to the chunk.
class Emitter {
 public:
  Emitter(const std::vector<Rotation2d>& rotations, const OldContacts& old, PairList& list, NarrowChunk& chunk,
          Contact* contacts)
      : rotations_(rotations), old_(old), list_(list), chunk_(chunk), next_(contacts) {}

  void run() {
    for (std::size_t k = 0; k < chunk_.candidates.size(); ++k) {
      const NarrowChunk::Candidate& c = chunk_.candidates[k];
      if (c.types->discs) {
        discs(*c.types, c.pair, c.a, c.b, chunk_.poses[k].x);
      } else if (c.types->several) {
        several(c, chunk_.poses[k]);
      } else {
        one(c, chunk_.poses[k], chunk_.answers[c.place]);
      }
    }
  }

  void run(const World& world, const TypeTables& tables, const LowerBodies& lower, const TouchingDiscs& touching) {
    const std::vector<std::uint16_t>& type = world.bodies.type;
    for (std::size_t k = 0; k < touching.count; ++k) {
      const std::uint32_t p = touching.pair[k], i = lower[p], j = list_.j[p];
      const TypePair& types = tables.pair(type[i], type[j]);
      const OrderedPair pair = ordered(types, i, j, touching.separation[k]);
      discs(types, p, pair.a, pair.b, pair.from_a);
    }
  }

 private:
  void discs(const TypePair& types, std::uint32_t pair, std::uint32_t a, std::uint32_t b, Vec2d x) {
    const double distance = norm(x), gap = distance - types.reach;
    if (gap >= 0) return list_.set_clear(pair, gap - list_.moved_by(a, b));
    const Vec2d normal = distance > 0 ? (1 / distance) * x : Vec2d{1, 0};
    const double half_difference = types.map.scale - 0.5 * types.reach;
    const std::int32_t slot = list_.slot[pair];
    chunk_.contact_pair.push_back(pair);
    *next_++ = {.a = a,
                .b = b,
                .gap = gap,
                .gap_x = normal,
                .normal = normal,
                .arm_a = -0.5 * distance - half_difference,
                .arm_b = -0.5 * distance + half_difference,
                .spring = slot >= 0 ? carried_spring(old_[static_cast<std::size_t>(slot)], normal) : 0};
  }

  void one(const NarrowChunk::Candidate& c, const Pose2d& pose, const ContactGeometry& g) {
    if (!(g.gap < 0) && std::isfinite(g.gap)) {
      apart(c, c.types->map.scale * g.gap - c.types->doubt);
      return;
    }
    Contact& contact = add(c);
    set_geometry(rotations_[c.a], c.types->map.scale, pose, g, contact);
    carry_over(c, contact);
  }

  void several(const NarrowChunk::Candidate& c, const Pose2d& pose) {
    const std::size_t begin = c.place > 0 ? chunk_.several_ends[c.place - 1] : 0, end = chunk_.several_ends[c.place];
    Contact* const first = next_;
    for (const PairContact& p : std::span(chunk_.several).subspan(begin, end - begin)) {
      Contact& contact = add(c);
      contact.feature = p.feature;
      set_geometry(rotations_[c.a], c.types->map.scale, pose, p.geometry, contact);
    }
    carry_over_several(old_, *c.types->map.map, list_.slot[c.pair], std::span(first, next_), chunk_);
  }

  Contact& add(const NarrowChunk::Candidate& c) {
    chunk_.contact_pair.push_back(c.pair);
    Contact& contact = *next_++ = {};
    contact.a = c.a;
    contact.b = c.b;
    return contact;
  }

  void carry_over(const NarrowChunk::Candidate& c, Contact& contact) const {
    const std::int32_t slot = list_.slot[c.pair];
    if (slot >= 0) contact.spring = carried_spring(old_[static_cast<std::size_t>(slot)], contact.normal);
  }

  // A gap that cannot close before both have moved that far.
  void apart(const NarrowChunk::Candidate& c, double gap) { list_.set_clear(c.pair, gap - list_.moved_by(c.a, c.b)); }

  const std::vector<Rotation2d>& rotations_;
  const OldContacts& old_;
  PairList& list_;
  NarrowChunk& chunk_;
  Contact* next_;
};

// The pairs' contacts are those from `first` on.
void set_slots(const NarrowChunk& chunk, std::size_t first, PairList& list) {
  for (std::size_t c = chunk.contact_pair.size(); c-- > 0;)
    list.slot[chunk.contact_pair[c]] = static_cast<std::int32_t>(first + c);
}

// Of the pairs of a chunk: none before is asked for any more.
void remember(const PairList& list, std::size_t begin, std::size_t end, OldContacts& old) {
  while (begin < end && list.slot[begin] < 0) ++begin;
  while (begin < end && list.slot[end - 1] < 0) --end;
  if (begin == end) return;
  old.forget_before(static_cast<std::size_t>(list.slot[begin]));
  old.remember_pair(static_cast<std::size_t>(list.slot[end - 1]));
}

void make_room(std::size_t count, std::vector<Contact>& contacts) {
  reserve_contacts(count, contacts);
  if (contacts.size() < count) contacts.resize(count);
}

void add_beyond(std::span<const Contact> contacts, NarrowShare& share) {
  for (const Contact& c : contacts) {
    if (std::max(c.a, c.b) >= share.end_body) share.beyond.push_back(c);
  }
}

}  // namespace

// Equal numbers of pairs, all pairs of a lower body together.
void NarrowPhase::share_out(const PairList& list, std::size_t threads) {
  shares_.resize(threads);
  workers_.resize(threads);
  const std::size_t bodies = list.first.size() - 1;
  const auto body_at = [&](std::size_t share) {
    const auto wanted = static_cast<std::uint32_t>(share * list.size() / threads);
    const auto at = std::lower_bound(list.first.begin(), list.first.end() - 1, wanted) - list.first.begin();
    return static_cast<std::uint32_t>(share == 0 ? 0 : share == threads ? static_cast<std::ptrdiff_t>(bodies) : at);
  };
  for (std::size_t t = 0; t < threads; ++t) {
    NarrowShare& share = shares_[t];
    share.first_body = body_at(t);
    share.end_body = body_at(t + 1);
    share.first_pair = list.first[share.first_body];
    share.end_pair = list.first[share.end_body];
    share.beyond.clear();
  }
}

// Contacts found by themselves follow those of the shares before.
void NarrowPhase::put_in_place(std::size_t t, PairList& list, std::vector<Contact>& contacts) const {
  const NarrowShare& share = shares_[t];
  const auto offset = static_cast<std::int32_t>(share.first_contact);
  std::copy_n(workers_[t].contacts.begin(), workers_[t].found, contacts.begin() + offset);
  for (std::size_t p = share.first_pair; p < share.end_pair; ++p) list.slot[p] += list.slot[p] < 0 ? 0 : offset;
}

std::size_t NarrowPhase::run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations,
                             bool skip, PairList& list, ThreadPool& pool, const FinishContacts& finish,
                             const PlacedContacts& placed, std::size_t old, std::vector<Contact>& contacts) {
  const auto threads = static_cast<std::size_t>(pool.threads());
  const bool alone = threads == 1, only_discs = tables.only_discs();
  share_out(list, threads);
  const auto find = [&](std::size_t t) {
    NarrowShare& share = shares_[t];
    Worker& worker = workers_[t];
    NarrowChunk& chunk = worker.chunk;
    std::vector<Contact>& into = alone ? contacts : worker.contacts;
    worker.begin(std::span(contacts).first(old));
    std::uint32_t body = share.first_body;
    TouchingDiscs discs;
    Stopwatch watch;
    for (std::size_t begin = share.first_pair; begin < share.end_pair; begin += pairs_per_chunk) {
      const std::size_t end = std::min(begin + pairs_per_chunk, share.end_pair);
      const LowerBodies lower(list, begin, end, body);
      chunk.begin();
      if (only_discs) {
        find_touching(world, tables, list, lower, begin, end, discs);
        chunk.single = discs.count;
        chunk.queries = end - begin;
      } else {
        collect(world, tables, rotations, skip, list, lower, begin, end, chunk);
        chunk.queries = chunk.candidates.size();
      }
      worker.times.collect += watch.lap();
      query(tables.map_count(), skip, list, chunk);
      worker.times.query += watch.lap();
      remember(list, begin, end, worker.old);
      const std::size_t first = worker.found, most = first + chunk.single + chunk.several.size();
      if (alone) worker.old.remember_until(most);
      make_room(most, into);
      Emitter emitter(rotations, worker.old, list, chunk, into.data() + first);
      if (only_discs) {
        emitter.run(world, tables, lower, discs);
      } else {
        emitter.run();
      }
      std::fill(list.slot.begin() + static_cast<std::ptrdiff_t>(begin),
                list.slot.begin() + static_cast<std::ptrdiff_t>(end), -1);
      set_slots(chunk, first, list);
      worker.times.emit += watch.lap();
      const auto found = std::span(into).subspan(first, chunk.contact_pair.size());
      finish(t, found);
      add_beyond(found, share);
      worker.found += found.size();
      worker.queries += chunk.queries;
      worker.times.finish += watch.lap();
    }
  };
  pool.run(threads, find);
  std::size_t queries = 0, count = 0;
  for (std::size_t t = 0; t < threads; ++t) {
    shares_[t].first_contact = count;
    count += workers_[t].found;
    shares_[t].end_contact = count;
    queries += workers_[t].queries;
  }
  make_room(count, contacts);
  contacts.resize(count);
  pool.run(threads, [&](std::size_t t) {
    Stopwatch watch;
    if (!alone) put_in_place(t, list, contacts);
    if (placed) placed(t);
    workers_[t].times.gather = watch.lap();
  });
  for (const Worker& worker : workers_) times_ += worker.times;
  return queries;
}

}  // namespace scree
