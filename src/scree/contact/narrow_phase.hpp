#pragma once
// Pairs of the Verlet list -> touching contacts, through the contact maps. Queries are grouped by map and answered in
// batches; every answer is independent of its batch, so neither chunks nor threads change a bit.
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
  double gather = 0;   // contacts to their place, and what is done then: sums per body
  double total() const { return collect + query + emit + finish + gather; }
  NarrowTimes& operator+=(const NarrowTimes& o) {
    collect += o.collect;
    query += o.query;
    emit += o.emit;
    finish += o.finish;
    gather += o.gather;
    return *this;
  }
};

// Marks for as many contacts as a pair may have.
class Marks {
 public:
  void clear(int count) { marks_.assign(static_cast<std::size_t>(count), 0); }
  bool operator[](int k) const { return marks_[static_cast<std::size_t>(k)] != 0; }
  void set(int k) { marks_[static_cast<std::size_t>(k)] = 1; }

 private:
  std::vector<std::uint8_t> marks_;
};

// Working memory of one chunk of pairs.
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
  std::size_t single = 0;   // candidates that have one contact at most
  std::size_t queries = 0;  // pairs that were tried
  std::vector<Pose2d> poses;
  std::vector<std::uint32_t> bucket;
  std::vector<const ContactMap*> maps;
  std::vector<Pose2d> sorted_poses;  // by place; empty where that is the order already
  std::vector<ContactGeometry> answers;
  std::vector<NearParts> parts;             // of sorted_poses, where a map has several contacts a pair
  std::vector<PairContact> several;         // of all those pairs
  std::vector<std::uint32_t> several_ends;  // by place: where its contacts end in `several`
  Marks taken;                              // of its contacts in the last step, which have handed on their spring
  Marks served;                             // of its contacts now, which have got one
  std::vector<std::uint32_t> contact_pair;  // index in the list of each contact

  void begin() {
    candidates.clear();
    poses.clear();
    contact_pair.clear();
    asks_maps = false;
    single = queries = 0;
  }
};

// The part of bodies, pairs and contacts that one thread deals with: consecutive ones, and about the same in every
// step, so that they stay in its caches.
struct NarrowShare {
  std::uint32_t first_body = 0, end_body = 0;
  std::size_t first_pair = 0, end_pair = 0;        // with their lower body among these
  std::size_t first_contact = 0, end_contact = 0;  // of these pairs
  std::vector<Contact> beyond;                     // those of them whose higher body is not among these
};

class NarrowPhase {
 public:
  // Replaces `contacts`, of which the first `old` are those that list.slot points to, by the contacts of the pairs in
  // list order, and points list.slot to them. Springs are carried over. `rotations`: of every body; of no use where all
  // are discs. Pairs that list.clear certifies apart are not asked when `skip`. `finish` has the contacts before they
  // get their place, and no other share has one of their lower bodies; `placed` (or none) follows when all of them have
  // it. Returns the number of queries.
  std::size_t run(const World& world, const TypeTables& tables, const std::vector<Rotation2d>& rotations, bool skip,
                  PairList& list, ThreadPool& pool, const FinishContacts& finish, const PlacedContacts& placed,
                  std::size_t old, std::vector<Contact>& contacts);

  const std::vector<NarrowShare>& shares() const { return shares_; }  // of the last run, one for each thread
  const NarrowTimes& times() const { return times_; }                 // of all runs so far

 private:
  // What a thread works with, kept between steps.
  struct Worker {
    NarrowChunk chunk;
    OldContacts old;
    std::vector<Contact> contacts;  // the first `found` are of its share; those of a single share are in their place
    std::size_t found = 0;
    std::size_t queries = 0;
    NarrowTimes times;

    void begin(std::span<const Contact> contacts_before) {
      old.begin(contacts_before);
      found = queries = 0;
      times = {};
    }
  };
  void share_out(const PairList& list, std::size_t threads);
  void put_in_place(std::size_t share, PairList& list, std::vector<Contact>& contacts) const;

  std::vector<NarrowShare> shares_;
  std::vector<Worker> workers_;  // by share
  NarrowTimes times_;
};

}  // namespace scree
