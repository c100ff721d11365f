#pragma once
// The kernel of RunStage on an NVIDIA GPU: a warp takes 32 pairs of stars, looks for their near parts where that is
// due, shares the nodes of these out among its lanes, and puts together the runs of nodes that are inside.
#include "scree/cuda/several_stage.hpp"

namespace scree::gpu {

inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr std::uint32_t node_items = 128;  // that a warp looks at to find open ones
inline constexpr unsigned node_threads = 512;

// Of the items [base, base + items) those that are open. Returns how many; for a whole warp.
template <std::uint32_t items, class Stage>
__device__ std::uint32_t find_open(const Stage& stage, std::uint32_t base, std::uint32_t n, std::uint32_t* open) {
  const std::uint32_t lane = threadIdx.x & 31u;
  std::uint32_t count = 0;
  __syncwarp();
  for (std::uint32_t k = base + lane; k < base + items; k += 32) {
    const bool is_open = k < n && stage.open(k);
    const unsigned all = __ballot_sync(whole_warp, is_open);
    if (is_open) open[count + __popc(all & ((1u << lane) - 1u))] = k;
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

// Nodes of the pairs of a warp's lanes, in groups of star_group, named by pair, side and first node.
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

// The groups of a pair's near parts, one after the other.
class GroupCursor {
 public:
  template <class T>
  __device__ GroupCursor(const StarPairView<T>& pair, NearParts near)
      : left_a_(parts_of(near, true)), left_b_(parts_of(near, false)) {
    if (near == 0) return;  // and perhaps no such pair
    part_a_ = pair.a.nodes_a_part, part_b_ = pair.b.nodes_a_part;
    nodes_a_ = pair.a.node_count, nodes_b_ = pair.b.node_count;
  }
  __device__ bool ended() const { return (left_a_ | left_b_) == 0; }
  __device__ int count() const { return count(left_a_, part_a_, nodes_a_) + count(left_b_, part_b_, nodes_b_); }
  __device__ NodeCode next(std::uint32_t lane) {
    const bool of_a = left_a_ != 0;
    const unsigned left = of_a ? left_a_ : left_b_;
    const int size = of_a ? part_a_ : part_b_, first = (__ffs(static_cast<int>(left)) - 1) * size;
    const int node = first + within_;
    within_ += star_group;
    if (within_ >= size || node + star_group >= (of_a ? nodes_a_ : nodes_b_)) {
      within_ = 0;
      (of_a ? left_a_ : left_b_) = left & (left - 1);
    }
    return NodeCode::of(lane, of_a, node);
  }

 private:
  __device__ static int count(unsigned parts, int size, int nodes) {
    if (parts == 0) return 0;
    const int last = (nodes - 1) / size, whole = size / star_group;
    const int in_last = (nodes - last * size + star_group - 1) / star_group;
    return __popc(parts) * whole - ((parts >> last & 1u) != 0 ? whole - in_last : 0);
  }

  unsigned left_a_, left_b_;
  int part_a_ = 0, part_b_ = 0, nodes_a_ = 0, nodes_b_ = 0;
  int within_ = 0;
};

inline constexpr int round_groups = 192;  // that the lanes of a warp share out at a time
inline constexpr int round_pieces = 80;   // of runs, for which there is room

// What a warp has in shared memory while it looks for nodes that are inside.
template <class Stage>
struct alignas(16) NodeRound {
  unsigned char seats[32 * sizeof(typename Stage::Seat)];            // by lane
  unsigned char pieces[round_pieces * sizeof(typename Stage::Run)];  // of all lanes, by pair, side and node; runs are
                                                                     // cut where 64 nodes end
  std::uint32_t groups[round_groups];
  std::uint32_t counts[32];                  // of pieces, by lane
  std::uint32_t open[32 + node_items + 32];  // items

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
};

static_assert(sizeof(NodeBlock<RunStage<float>>) <= 110 * 1024);

// The first star of a scene, if it is not too large, in shared memory.
template <class Stage>
__device__ typename Stage::Sight copy_star(const Stage& stage, NodeBlock<Stage>& block) {
  const auto* star = stage.example();
  if (!star) return {};
  auto* steps = reinterpret_cast<typename NodeBlock<Stage>::Step*>(block.steps);
  for (unsigned k = threadIdx.x; k <= star_table_size; k += node_threads) steps[k] = star->sight.steps[k];
  if (star->node_count > copied_nodes) return {star->sight.nodes, steps};
  auto* nodes = reinterpret_cast<typename NodeBlock<Stage>::Nodes*>(block.nodes);
  const int pairs = (star->node_count + star_group - 1) / star_group * (star_group / 2);
  for (int k = static_cast<int>(threadIdx.x); k < pairs; k += node_threads) nodes[k] = star->sight.nodes[k];
  return {nodes, steps};
}

// Gaps of 64 nodes, two a lane -> pieces of runs. Returns how many.
template <class Stage>
__device__ int find_pieces(const Stage& stage, NodeRound<Stage>& round, bool any, NodeCode own, int found) {
  const auto lane = static_cast<int>(threadIdx.x & 31u);
  typename Stage::Gaps gaps{};
  if (any) gaps = stage.gaps(round.seat(own.lane()), own.of_a(), own.node());
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
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const auto its = __shfl_up_sync(whole_warp, deepest, d);
    if (within >= d) deepest = its < deepest ? its : deepest;
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

// Those of `groups` groups; take(piece) has the ones of its lane, in order.
template <class Stage, class Take>
__device__ void for_pieces(const Stage& stage, NodeRound<Stage>& round, int groups, Take take) {
  constexpr unsigned a_lane = 2, a_group = star_group / a_lane;
  const unsigned lane = threadIdx.x & 31u;
  for (unsigned first = 0, all = a_group * static_cast<unsigned>(groups); first < all;) {
    round.counts[lane] = 0;
    __syncwarp();
    for (int found = 0; first < all && found <= round_pieces - 32; first += 32) {
      const unsigned k = first + lane;
      const bool any = k < all;
      found += find_pieces(stage, round, any, {any ? round.groups[k / a_group] + k % a_group * a_lane : 0}, found);
    }
    __syncwarp();
    const int own = static_cast<int>(round.counts[lane]), end = sum_up_to(own);
    for (int k = end - own; k < end; ++k) take(round.piece(k));
    __syncwarp();
  }
}

// What warp-wide work one item of each lane is: see RunStage.
template <class Stage>
__device__ void run_node_items(const Stage& stage, NodeRound<Stage>& round, std::uint32_t p, bool idle,
                               const typename Stage::Sight& copy) {
  using Run = typename Stage::Run;
  const std::uint32_t lane = threadIdx.x & 31u;
  typename Stage::Item item;
  if (!idle) item = stage.item(p);
  if (item.near != 0 || item.look) item.seat.use(stage.example()->sight, copy);
  round.seat(lane) = item.seat;
  __syncwarp();
  for (unsigned left = __ballot_sync(whole_warp, item.look); left != 0; left &= left - 1) {
    const auto owner = static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1);
    const auto seen = stage.look(round.seat(owner), static_cast<int>(lane));
    const unsigned of_a = __ballot_sync(whole_warp, seen.bits & 1u), of_b = __ballot_sync(whole_warp, seen.bits & 2u);
    const unsigned least = __reduce_min_sync(whole_warp, float_bits(fmaxf(seen.least, 0)));
    if (lane == owner) stage.keep(p, item, of_a, of_b, bits_float(least));
  }
  auto writer = stage.writer(p);
  GroupCursor cursor(stage.star(item.seat), item.near);
  const int own = item.near == 0 ? 0 : cursor.count(), up_to_here = sum_up_to(own);
  const int all = __shfl_sync(whole_warp, up_to_here, 31);
  int place = up_to_here - own;
  for (int first = 0; first < all; first += round_groups) {
    for (; !cursor.ended() && place < first + round_groups; ++place)
      round.groups[place - first] = cursor.next(lane).code;
    for_pieces(stage, round, min(all - first, round_groups),
               [&](const Run& piece) { writer.add(stage.star(item.seat), piece.overlap != 0, piece); });
  }
  if (!idle) stage.finish(p, item, writer);
  __syncwarp();
}

// Warps take tiles of items as they come, and work on open ones when there is one for every lane.
template <class Stage>
__global__ void __launch_bounds__(node_threads, sizeof(typename Stage::Run) > 12 ? 1 : 2)
    run_nodes(const __grid_constant__ Stage stage) {
  extern __shared__ uint4 memory[];
  auto& block = *reinterpret_cast<NodeBlock<Stage>*>(memory);
  const typename Stage::Sight copy = copy_star(stage, block);
  __syncthreads();
  NodeRound<Stage>& round = block.round[threadIdx.x / 32];
  const std::uint32_t n = stage.count(), lane = threadIdx.x & 31u;
  std::uint32_t count = 0;
  for (bool more = true; more || count > 0;) {
    while (more && count < 32) {
      const std::uint32_t base = __shfl_sync(whole_warp, lane == 0 ? node_items * stage.next_tile() : 0, 0);
      more = base < n;
      if (more) count += find_open<node_items>(stage, base, n, round.open + count);
    }
    const bool idle = lane >= count;
    if (count > 0) run_node_items(stage, round, round.open[idle ? 0 : lane], idle, copy);
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
