#pragma once
// The order in which a sweep has the links: in packs, and what threads may do at the same time.
//
// The bed is cut into slabs of about as many bodies each. Links within a slab are a part of the order, links across the
// border of two neighbouring slabs another. First come the slabs, then the borders; where two borders have a body in
// common, every other border first, then the ones between. So no two parts of a phase move the same body: threads share
// them out, and wait for each other only where a phase ends. The last phase has the links between slabs that are no
// neighbours, for one thread. Slabs lie in a ring, as they do where the domain is periodic. Within a part links come
// colour by colour: no two of a colour move the same body.
//
// The order does not depend on the number of threads.
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/base/vec.hpp"
#include "scree/implicit/link_pack.hpp"
#include "scree/world/link.hpp"

namespace scree {

class SweepOrder {
 public:
  static constexpr std::uint32_t no_link = 0xffffffffu;

  // `at`: where the grains are; `moves`: whether a body obeys impulses, walls included. Others are in any number of
  // links at once.
  void arrange(std::span<const Link> links, std::span<const Vec2d> at, std::span<const std::uint8_t> moves,
               ThreadPool& pool);

  std::size_t packs() const { return link_at_.size() / pack_lanes; }
  std::uint32_t link_at(std::size_t lane) const { return link_at_[lane]; }  // or no_link
  std::size_t lane_of(std::size_t link) const { return lane_of_[link]; }

  std::size_t phases() const { return shares_.size() / (threads_ + 1); }
  std::size_t threads() const { return threads_; }  // that share the packs
  // The packs [first, second) of a phase that are a thread's.
  std::pair<std::size_t, std::size_t> share(std::size_t phase, std::size_t thread) const {
    const std::size_t* of = &shares_[phase * (threads_ + 1) + thread];
    return {of[0], of[1]};
  }

 private:
  static constexpr std::size_t most_colours = 63;  // links that find none of them have a pack of their own
  enum Kind : std::size_t { slab, even_border, odd_border, strangers, kind_count };
  struct LinkEnds {
    std::uint32_t a, b;
  };
  struct Part {
    std::uint32_t begin = 0, end = 0;  // of by_part_
    std::size_t packs = 0, first_pack = 0;
    std::array<std::uint32_t, most_colours + 1> links{};  // by colour
  };

  // Parts are slabs, then the border of each with the next one, then strangers.
  Kind kind_of(std::size_t part) const;
  std::size_t part_of(std::size_t slab_a, std::size_t slab_b) const;
  bool borders_touch(std::span<const std::uint8_t> moves) const;
  std::vector<std::vector<std::size_t>> find_phases(std::span<const std::uint8_t> moves) const;  // parts of each
  void cut(std::span<const Vec2d> at, std::span<const std::uint8_t> moves, ThreadPool& pool);
  void divide(std::span<const Link> links, std::span<const std::uint8_t> moves, ThreadPool& pool);
  void colour(std::span<const std::uint8_t> moves, Part& part, std::span<std::uint64_t> taken);
  void place(const Part& part);
  void share_out(std::span<const std::size_t> phase);

  std::size_t slabs_ = 1;
  std::vector<std::uint8_t> slab_of_;    // by body
  std::vector<LinkEnds> ends_;           // by link
  std::vector<std::uint8_t> part_of_;    // by link
  std::vector<std::uint32_t> by_part_;   // links
  std::vector<std::uint8_t> colour_of_;  // by place in by_part_
  std::vector<Part> parts_;
  std::array<std::vector<std::uint64_t>, kind_count> taken_;  // by body: its colours, a bit each
  std::vector<std::uint32_t> link_at_;                        // by lane
  std::vector<std::uint32_t> lane_of_;                        // by link
  std::size_t threads_ = 1;
  std::vector<std::size_t> shares_;  // by phase: where the packs of each thread begin, and where the last one's end
};

}  // namespace scree
