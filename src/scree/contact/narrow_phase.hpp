#pragma once
// Pairs of the Verlet list -> touching contacts, through the contact maps. Queries are grouped by map and answered in
// batches; every answer is independent of its batch, so neither chunks nor threads change a bit.
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/world/world.hpp"

namespace scree {

// Seconds in the parts of the narrow phase, summed over threads.
struct NarrowTimes {
  double collect = 0;  // pairs that may touch
  double query = 0;    // the maps' answers
  double emit = 0;     // contacts of them
  NarrowTimes& operator+=(const NarrowTimes& o) {
    collect += o.collect;
    query += o.query;
    emit += o.emit;
    return *this;
  }
};

// Working memory of one chunk of pairs, kept between steps so that a step does not allocate.
struct NarrowChunk {
  struct Candidate {
    std::uint32_t pair;
    std::uint32_t a;
    std::uint32_t b;
    int map_index;
    const ContactMap* map;
    double scale;
    double doubt;
  };
  std::vector<Candidate> candidates;
  std::vector<Pose2d> poses;
  std::vector<std::uint32_t> order;  // candidates by map
  std::vector<std::uint32_t> bucket;
  std::vector<const ContactMap*> maps;
  std::vector<Pose2d> sorted_poses;
  std::vector<ContactGeometry> answers;
  std::vector<PairContact> several;  // of one pair
  std::vector<std::uint8_t> taken;   // of its contacts in the last step, which have handed on their spring
  std::vector<std::uint8_t> served;  // of its contacts now, which have got one
  std::vector<Contact> contacts;
  std::vector<std::uint32_t> contact_pair;  // index in the list of each contact
  NarrowTimes times;                        // of the last run
};

class NarrowPhase {
 public:
  // Fills `out` with the contacts of the pairs in list order (geometry, spring and previous normal carried over from
  // world.contacts through list.slot) and resets list.slot to indices in `out`. `rotations`: of every body
  // (find_rotations). Pairs that list.clear certifies apart are not asked when `skip`. Returns the number of queries.
  std::size_t run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations, bool skip,
                  PairList& list, ThreadPool& pool, std::vector<Contact>& out);

  const NarrowTimes& times() const { return times_; }  // of all runs so far

 private:
  NarrowTimes times_;
  std::vector<NarrowChunk> chunks_;
};

}  // namespace scree
