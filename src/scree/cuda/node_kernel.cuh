#pragma once
// The kernel of RunStage on an NVIDIA GPU: a warp takes 32 pairs of stars, looks for their near nodes where that is
// due, shares these out among its lanes, and puts together the runs of nodes that are inside.
#include "scree/cuda/several_stage.hpp"

namespace scree::gpu {

inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr std::uint32_t node_items = 128;  // that a warp looks at to find open ones
inline constexpr unsigned node_threads = 448;     // of each of two blocks: with 512 there are too few registers

// Of the items [base, base + items) those that are open. Returns how many; for a whole warp. All are read before the
// first is needed.
template <std::uint32_t items, class Stage>
__device__ std::uint32_t find_open(const Stage& stage, std::uint32_t base, std::uint32_t n, std::uint32_t* open) {
  constexpr std::uint32_t turns = items / 32;
  const std::uint32_t lane = threadIdx.x & 31u;
  bool is_open[turns];
#pragma unroll
  for (std::uint32_t t = 0; t < turns; ++t) is_open[t] = stage.open(min(base + 32 * t + lane, n - 1));
  std::uint32_t count = 0;
  __syncwarp();
#pragma unroll
  for (std::uint32_t t = 0; t < turns; ++t) {
    const std::uint32_t k = base + 32 * t + lane;
    const bool found = is_open[t] && k < n;
    const unsigned all = __ballot_sync(whole_warp, found);
    if (found) open[count + __popc(all & ((1u << lane) - 1u))] = k;
    count += __popc(all);
  }
  __syncwarp();
  return count;
}

// Sum over the lanes up to this one.
static __device__ inline int sum_up_to(int value) {
  const auto lane = static_cast<int>(threadIdx.x & 31u);
  for (int d = 1; d < 32; d *= 2) {
    const int before = __shfl_up_sync(whole_warp, value, d);
    if (lane >= d) value += before;
  }
  return value;
}

// Two nodes of one of the pairs of a warp's lanes, an even one and the next.
struct NodeCode {
  static constexpr int side_bit = 14, pair_bit = 15;
  static_assert(most_star_nodes < 1 << side_bit);
  std::uint32_t code;

  __device__ static NodeCode of(std::uint32_t lane, bool of_a, int node) {
    return {lane << pair_bit | (of_a ? 0u : 1u << side_bit) | static_cast<std::uint32_t>(node)};
  }
  __device__ std::uint32_t lane() const { return code >> pair_bit; }
  __device__ bool of_a() const { return (code >> side_bit & 1u) == 0; }
  __device__ int node() const { return static_cast<int>(code & ((1u << side_bit) - 1u)); }
};

inline constexpr int round_slots = 1024;  // of two nodes, that the lanes of a warp share out at a time
inline constexpr int round_pieces = 112;  // of runs, for which there is room

// What a warp has in shared memory while it looks for nodes that are inside.
template <class Stage>
struct alignas(16) NodeRound {
  unsigned char seats[32 * sizeof(typename Stage::Seat)];            // by lane
  unsigned char pieces[round_pieces * sizeof(typename Stage::Run)];  // of all lanes, by pair, side and node; runs are
                                                                     // cut where 64 nodes end
  std::uint32_t heads[round_slots / 32];                             // bit by slot: a range begins there
  std::uint32_t codes[32 * 2 * NearNodes::most];  // by range: what is to be added to the slots' numbers for NodeCode
  std::uint32_t counts[32];                       // of pieces, by lane
  std::uint32_t open[32 + node_items + 32];       // items

  __device__ typename Stage::Seat& seat(std::uint32_t lane) {
    return reinterpret_cast<typename Stage::Seat*>(seats)[lane];
  }
  __device__ typename Stage::Run& piece(int k) { return reinterpret_cast<typename Stage::Run*>(pieces)[k]; }
};
inline constexpr int copied_nodes = 128;
template <class Stage>
struct NodeBlock {  // two must fit into a multiprocessor
  using Nodes = std::remove_const_t<std::remove_pointer_t<decltype(Stage::Sight::nodes)>>;
  using Step = std::remove_const_t<std::remove_pointer_t<decltype(Stage::Sight::steps)>>;
  unsigned char steps[(star_table_size + 1) * sizeof(Step)];
  unsigned char nodes[copied_nodes / 2 * sizeof(Nodes)];
  NodeRound<Stage> round[node_threads / 32];

  // Of the copy, where there is one.
  __device__ typename Stage::Sight sight() {
    return {reinterpret_cast<const Nodes*>(nodes), reinterpret_cast<const Step*>(steps)};
  }
};

static_assert(sizeof(NodeBlock<RunStage<float>>) <= 113 * 1024);

// The stage's example, if it is not too large, into shared memory. Returns whether it is there.
template <class Stage>
__device__ bool copy_star(const Stage& stage, NodeBlock<Stage>& block) {
  const auto* star = stage.example();
  if (!star || star->node_count > copied_nodes) return false;
  auto* steps = reinterpret_cast<typename NodeBlock<Stage>::Step*>(block.steps);
  for (unsigned k = threadIdx.x; k <= star_table_size; k += node_threads) steps[k] = star->sight.steps[k];
  auto* nodes = reinterpret_cast<typename NodeBlock<Stage>::Nodes*>(block.nodes);
  const int pairs = star->unit_count() * (star->nodes_a_unit / 2);
  for (int k = static_cast<int>(threadIdx.x); k < pairs; k += node_threads) nodes[k] = star->sight.nodes[k];
  return true;
}

// Gaps of 64 nodes, two a lane -> pieces of runs. Returns how many.
template <class Stage>
__device__ int find_pieces(NodeRound<Stage>& round, NodeCode own, const typename Stage::Gaps& gaps, int found) {
  const auto lane = static_cast<int>(threadIdx.x & 31u);
  const bool one = gaps.of[0] < 0, two = gaps.of[1] < 0, inside = one || two;
  const unsigned all = __ballot_sync(whole_warp, inside);
  if (all == 0) return 0;
  const unsigned ones = __ballot_sync(whole_warp, one), twos = __ballot_sync(whole_warp, two);
  const unsigned up_to_here = whole_warp >> (31 - lane);
  const std::uint32_t left = __shfl_up_sync(whole_warp, own.code, 1);
  const bool goes_on = one && (twos << 1 >> lane & 1u) != 0 && left + 2 == own.code;
  const unsigned heads = __ballot_sync(whole_warp, inside && !goes_on);
  const int head = inside ? 31 - __clz(static_cast<int>(heads & up_to_here)) : lane, within = lane - head;
  const bool second = gaps.of[1] < gaps.of[0];  // of the two the deeper one
  const auto gap = second ? gaps.of[1] : gaps.of[0];
  auto deepest = gap;
  unsigned longer = all & ~heads;  // lanes with d lanes of the same run before them
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    if (longer == 0) break;
    const auto its = __shfl_up_sync(whole_warp, deepest, d);
    if (within >= d) deepest = its < deepest ? its : deepest;
    longer &= longer << d;
  }
  // The last lane of a run has seen all of it.
  const unsigned beyond = ~(all & ~heads) & ~up_to_here;  // lanes after this one where no run goes on
  const int last = beyond != 0 ? __ffs(static_cast<int>(beyond)) - 2 : 31;
  const unsigned at_deepest = __ballot_sync(whole_warp, gap == __shfl_sync(whole_warp, deepest, last));
  const unsigned seconds = __ballot_sync(whole_warp, second);
  const bool is_last = inside && lane == last;
  const unsigned lasts = __ballot_sync(whole_warp, is_last);
  if (is_last) {
    const int base = own.node() - 2 * within, deep = __ffs(static_cast<int>(at_deepest >> head)) - 1;
    round.piece(found + __popc(lasts & (up_to_here >> 1))) = {
        static_cast<std::uint16_t>(base + ((ones >> head & 1u) != 0 ? 0 : 1)),
        static_cast<std::uint16_t>(own.node() + (two ? 1 : 0)),
        static_cast<std::uint16_t>(base + 2 * deep + static_cast<int>(seconds >> (head + deep) & 1u)),
        static_cast<std::uint16_t>(own.of_a() ? 1 : 0), deepest};
    atomicAdd(&round.counts[own.lane()], 1u);
  }
  return __popc(lasts);
}

// The near nodes of a lane's pair, side by side with those of the lanes before it.
template <class Stage>
class NodeSlots {
 public:
  __device__ NodeSlots(const Stage& stage, const typename Stage::Item& item)
      : near_(item.near_a), near_b_(item.near_b), of_a_(item.near_a.any()) {
    if (near_.any()) a_unit_ = stage.star(item.seat).a.nodes_a_unit / 2;
    if (near_b_.any()) a_unit_b_ = stage.star(item.seat).b.nodes_a_unit / 2;
    const int own = near_.units() * a_unit_ + near_b_.units() * a_unit_b_;
    const int ranges = near_.ranges() + near_b_.ranges();
    const int up_to_here = sum_up_to(ranges << slot_bits | own), all = __shfl_sync(whole_warp, up_to_here, 31);
    slot_ = (up_to_here & (1 << slot_bits) - 1) - own;
    range_ = (up_to_here >> slot_bits) - ranges;
    all_ = all & (1 << slot_bits) - 1;
    if (!of_a_) turn_over();
  }
  __device__ int all() const { return all_; }
  // Those that begin before `end`, of which none was in the round before.
  __device__ void name(NodeRound<Stage>& round, int begin, int end) {
    const std::uint32_t lane = threadIdx.x & 31u;
    round.heads[lane] = 0;
    __syncwarp();
    while (slot_ < end && near_.any()) {
      const NearNodes::Range range = near_.take();
      const NodeCode code = NodeCode::of(lane, of_a_, 2 * a_unit_ * range.first);
      round.codes[range_++] = code.code - 2 * static_cast<std::uint32_t>(slot_);
      const int place = slot_ - begin;
      atomicOr(&round.heads[place / 32], 1u << place % 32);
      slot_ += a_unit_ * (range.end - range.first);
      if (of_a_ && !near_.any()) turn_over();
    }
    __syncwarp();
  }

 private:
  static constexpr int slot_bits = 20;
  static_assert(32 * (most_star_nodes + most_star_units) < 1 << slot_bits);

  __device__ void turn_over() {
    near_ = near_b_;
    a_unit_ = a_unit_b_;
    of_a_ = false;
  }

  NearNodes near_, near_b_;        // of the side that is next, and of B
  int a_unit_ = 0, a_unit_b_ = 0;  // slots
  int slot_, range_, all_;
  bool of_a_;
};
static_assert(round_slots == 32 * 32);

// The pieces of slots from `begin` on; take(piece) has the ones of its lane, in order. `ranges`: how many have begun
// before, counted on. sight(seat, of_a): what its nodes are seen by.
template <class Stage, class Sight, class Take>
__device__ void for_pieces(NodeRound<Stage>& round, int begin, int end, int& ranges, Sight sight, Take take) {
  const auto lane = static_cast<int>(threadIdx.x & 31u);
  const unsigned up_to_here = whole_warp >> (31 - lane);
  for (int first = begin; first < end;) {
    round.counts[lane] = 0;
    __syncwarp();
    for (int found = 0; first < end && found <= round_pieces - 32; first += 32) {
      const unsigned heads = round.heads[(first - begin) / 32];
      const int slot = first + lane, range = ranges + __popc(heads & up_to_here) - 1;
      ranges += __popc(heads);
      const NodeCode own{round.codes[range] + 2 * static_cast<std::uint32_t>(slot)};
      typename Stage::Gaps gaps{};
      if (slot < end) {
        const auto& seat = round.seat(own.lane());
        gaps = Stage::gaps(sight(seat, own.of_a()), seat, own.of_a(), own.node());
      }
      found += find_pieces(round, own, gaps, found);
    }
    __syncwarp();
    const int own = static_cast<int>(round.counts[lane]), last = sum_up_to(own);
    for (int k = last - own; k < last; ++k) take(round.piece(k));
    __syncwarp();
  }
}

// Which nodes of one side may touch, for a whole warp.
template <class Stage>
__device__ NearNodes look_at_side(const Stage& stage, const typename Stage::Seat& seat, bool of_a) {
  const auto lane = static_cast<int>(threadIdx.x & 31u);
  NearNodes near;
  for (int first = 0, units = stage.units(seat, of_a); first < units; first += 32) {
    const int unit = first + lane;
    unsigned left = __ballot_sync(whole_warp, unit < units && stage.may_touch(seat, of_a, unit));
    for (int at = first; left != 0;) {
      const int skipped = __ffs(static_cast<int>(left)) - 1;
      left >>= skipped;
      const int count = ~left != 0 ? __ffs(static_cast<int>(~left)) - 1 : 32;
      near.add(at + skipped, at + skipped + count);
      at += skipped + count;
      left = count < 32 ? left >> count : 0;
    }
  }
  return near;
}

// What warp-wide work one item of each lane is: see RunStage.
template <class Stage>
__device__ void run_node_items(const Stage& stage, NodeBlock<Stage>& block, bool copied, std::uint32_t p, bool idle) {
  NodeRound<Stage>& round = block.round[threadIdx.x / 32];
  using Run = typename Stage::Run;
  const std::uint32_t lane = threadIdx.x & 31u;
  typename Stage::Item item;
  if (!idle) item = stage.item(p);
  round.seat(lane) = item.seat;
  __syncwarp();
  for (unsigned left = __ballot_sync(whole_warp, item.look); left != 0; left &= left - 1) {
    const auto owner = static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1);
    const auto& seat = round.seat(owner);
    const NearNodes a = look_at_side(stage, seat, true), b = look_at_side(stage, seat, false);
    unsigned least = 0;
    if (!a.any() && !b.any()) {
      const float own = stage.clearance(seat, static_cast<int>(lane));
      least = __reduce_min_sync(whole_warp, float_bits(own));
    }
    if (lane != owner) continue;
    item.near_a = a, item.near_b = b;
    stage.keep(p, item, bits_float(least));
  }
  const bool all_copied = copied && __all_sync(whole_warp, Stage::is_example(item.seat));
  auto writer = stage.writer(p, item);
  NodeSlots<Stage> slots(stage, item);
  int ranges = 0;
  for (int begin = 0; begin < slots.all(); begin += round_slots) {
    const int end = min(slots.all(), begin + round_slots);
    slots.name(round, begin, end);
    const auto take = [&](const Run& piece) { writer.add(piece.overlap != 0, piece); };
    if (all_copied) {
      for_pieces(
          round, begin, end, ranges, [&](const auto&, bool) { return block.sight(); }, take);
    } else {
      const auto sight = [&](const auto& seat, bool of_a) { return stage.sight_of(seat, of_a); };
      for_pieces(round, begin, end, ranges, sight, take);
    }
  }
  if (!idle) stage.finish(p, item, writer);
  __syncwarp();
}

// Warps take tiles of items as they come, and work on open ones when there is one for every lane. The number of a tile
// is asked for before it is needed.
template <class Stage>
__global__ void __launch_bounds__(node_threads, sizeof(typename Stage::Run) > 12 ? 1 : 2)
    run_nodes(const __grid_constant__ Stage stage) {
  extern __shared__ uint4 memory[];
  auto& block = *reinterpret_cast<NodeBlock<Stage>*>(memory);
  const std::uint32_t n = stage.count(), lane = threadIdx.x & 31u;
  std::uint32_t tile = 0;  // of lane 0
  if (lane == 0) tile = stage.next_tile();
  const bool copied = copy_star(stage, block);
  __syncthreads();
  NodeRound<Stage>& round = block.round[threadIdx.x / 32];
  std::uint32_t count = 0;
  for (bool more = true; more || count > 0;) {
    while (more && count < 32) {
      const std::uint32_t base = node_items * __shfl_sync(whole_warp, tile, 0);
      more = base < n;
      if (!more) break;
      if (lane == 0) tile = stage.next_tile();
      count += find_open<node_items>(stage, base, n, round.open + count);
    }
    const bool idle = lane >= count;
    if (count > 0) run_node_items(stage, block, copied, round.open[idle ? 0 : lane], idle);
    const std::uint32_t left = count > 32 ? count - 32 : 0;
    for (std::uint32_t k = 0; k < left; k += 32) {
      const std::uint32_t next = round.open[32 + k + lane];
      __syncwarp();
      round.open[k + lane] = next;
    }
    __syncwarp();
    count = left;
  }
}

}  // namespace scree::gpu
