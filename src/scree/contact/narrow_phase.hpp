#pragma once
// Pairs of the Verlet list -> touching contacts, through the contact maps. Queries are grouped by map and answered in
// batches; every answer is independent of its batch, so neither chunks nor threads change a bit.
#include <memory>
#include <mutex>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/contact_memory.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Seconds in the parts of the narrow phase, summed over threads.
struct NarrowTimes {
  double collect = 0;  // pairs that may touch
  double query = 0;    // the maps' answers
  double emit = 0;     // contacts of them
  double finish = 0;   // what is done to those: the law
  NarrowTimes& operator+=(const NarrowTimes& o) {
    collect += o.collect;
    query += o.query;
    emit += o.emit;
    finish += o.finish;
    return *this;
  }
};

// Working memory of one chunk of pairs. There are about as many as threads, kept between steps.
struct NarrowChunk {
  struct Candidate {
    std::uint32_t pair;
    std::uint32_t a;
    std::uint32_t b;
    std::uint32_t place;  // of its pose among those of its map
    const TypePair* types;
  };
  std::vector<Candidate> candidates;
  bool asks_maps = false;   // any of them needs an answer
  std::size_t queries = 0;  // pairs that were tried
  std::vector<Pose2d> poses;
  std::vector<std::uint32_t> bucket;
  std::vector<const ContactMap*> maps;
  std::vector<Pose2d> sorted_poses;  // by place; empty where that is the order already
  std::vector<ContactGeometry> answers;
  std::vector<NearParts> parts;             // of sorted_poses, where a map has several contacts a pair
  std::vector<PairContact> several;         // of all those pairs
  std::vector<std::uint32_t> several_ends;  // by place: where its contacts end in `several`
  std::vector<std::uint8_t> taken;          // of its contacts in the last step, which have handed on their spring
  std::vector<std::uint8_t> served;         // of its contacts now, which have got one
  std::vector<Contact> contacts;            // of this chunk, where they cannot go to their place at once
  std::vector<std::uint32_t> contact_pair;  // index in the list of each contact
  NarrowTimes times;

  void begin() {
    candidates.clear();
    poses.clear();
    contacts.clear();
    contact_pair.clear();
    asks_maps = false;
    queries = 0;
    times = {};
  }
};

class NarrowPhase {
 public:
  // Fills `out` with the contacts of the pairs in list order and sets list.slot to indices in it. Springs are carried
  // over from `memory`, which list.slot points to before. `rotations`: of every body (find_rotations); of no use where
  // all are discs. Pairs that list.clear certifies apart are not asked when `skip`. `finish` has the contacts of each
  // chunk before they go to `out`, `placed` (or none) when they are there. Returns the number of queries.
  std::size_t run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations,
                  const ContactMemory& memory, bool skip, PairList& list, ThreadPool& pool,
                  const FinishContacts& finish, const PlacedContacts& placed, std::vector<Contact>& out);

  static std::size_t chunks(const PairList& list);
  const NarrowTimes& times() const { return times_; }  // of all runs so far

 private:
  std::unique_ptr<NarrowChunk> take();
  // Contacts of chunks are appended in the order of the list, by one thread at a time: whoever finds that no other does
  // it. Nobody waits for it.
  void hand_over(std::size_t k, std::unique_ptr<NarrowChunk> chunk, PairList& list, const PlacedContacts& placed,
                 std::vector<Contact>& out);
  void count(const NarrowChunk& chunk);

  std::mutex mutex_;  // of idle_, early_, turn_ and appending_; the rest belongs to the thread that appends
  std::vector<std::unique_ptr<NarrowChunk>> idle_;
  std::vector<std::unique_ptr<NarrowChunk>> early_;  // by chunk: done before its turn
  std::size_t turn_ = 0;
  bool appending_ = false;
  std::size_t queries_ = 0;
  NarrowTimes times_;
};

}  // namespace scree
