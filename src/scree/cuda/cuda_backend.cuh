#pragma once
// The backend of engine stages on an NVIDIA GPU. Stages are launched into a stream; a step is captured once as a graph,
// with the rebuilding of the list as a branch that the device takes by itself, and replayed.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <map>
#include <memory>

#include "scree/cuda/answer_on_host.hpp"
#include "scree/cuda/device_buffer.hpp"
#include "scree/cuda/neural_query.hpp"
#include "scree/cuda/several_stage.hpp"
#include "scree/cuda/views.hpp"

namespace scree::gpu {

inline constexpr unsigned block_threads = 256;

template <class Stage>
__global__ void __launch_bounds__(block_threads) run_stage(const __grid_constant__ Stage stage) {
  const std::uint32_t n = stage.count();
  for (std::uint32_t k = blockIdx.x * block_threads + threadIdx.x; k < n; k += gridDim.x * block_threads) stage.run(k);
}

inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr std::uint32_t warp_items = 256;  // cheap ones, most of which are not open
inline constexpr std::uint32_t node_items = 128;  // dear ones
inline constexpr unsigned node_threads = 512, together_threads = 128;

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

// The lanes of a warp work on open items side by side.
template <class Stage>
__global__ void __launch_bounds__(block_threads) run_open(const __grid_constant__ Stage stage) {
  constexpr std::uint32_t warps = block_threads / 32;
  __shared__ std::uint32_t places[warps][warp_items];
  const std::uint32_t n = stage.count(), lane = threadIdx.x & 31u;
  std::uint32_t* open = places[threadIdx.x / 32];
  const std::uint32_t warp = blockIdx.x * warps + threadIdx.x / 32, step = gridDim.x * warps * warp_items;
  std::uint32_t tried = 0;
  for (std::uint32_t base = warp * warp_items; base < n; base += step) {
    const std::uint32_t count = find_open<warp_items>(stage, base, n, open);
    for (std::uint32_t k = lane; k < count; k += 32) stage.run(open[k]);
    tried += count;
  }
  if (lane == 0 && tried > 0) stage.tried(tried);
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

// Several kinds of work in one launch, a block for one of them, so that what one leaves idle another has.
// Where there are few items, a warp has one: they may be long ones, and do not wait for each other then.
static __device__ inline std::uint32_t lanes_each(std::uint32_t items) { return items <= 4096 ? 32 : 1; }
static __device__ inline std::uint32_t blocks_of(std::uint32_t items) {
  return (items * lanes_each(items) + together_threads - 1) / together_threads;
}
template <class Stage>
__device__ bool run_block(const Stage& stage, std::uint32_t n, std::uint32_t& block) {
  if (block >= blocks_of(n)) {
    block -= blocks_of(n);
    return false;
  }
  const std::uint32_t thread = block * together_threads + threadIdx.x, each = lanes_each(n), k = thread / each;
  if (k < n && thread % each == 0) stage.run(k);
  return true;
}
template <int blocks_each, class... Stages>
__global__ void __launch_bounds__(together_threads, blocks_each) run_stages(const __grid_constant__ Stages... stages) {
  const std::uint32_t counts[] = {stages.count()...};
  std::uint32_t blocks = 0;
  for (const std::uint32_t n : counts) blocks += blocks_of(n);
  for (std::uint32_t next = blockIdx.x; next < blocks; next += gridDim.x) {
    std::uint32_t block = next;
    const std::uint32_t* n = counts;
    [[maybe_unused]] const bool found = (run_block(stages, *n++, block) || ...);
  }
}

inline constexpr unsigned turn_threads = 512;

// One block: a phase begins when all of the last is done.
template <class Stage>
__global__ void __launch_bounds__(turn_threads) run_in_turn(const __grid_constant__ Stage stage) {
  const std::uint32_t n = stage.phases();
  for (std::uint32_t phase = 0; phase < n; ++phase) {
    for (std::uint32_t k = stage.begin(phase) + threadIdx.x, end = stage.end(phase); k < end; k += turn_threads)
      stage.run(k);
    __syncthreads();
  }
}

inline constexpr unsigned reduce_blocks = 256;     // the same on every GPU: so are the sums
inline constexpr std::size_t largest_value = 128;  // bytes, of what is reduced

template <class Value>
__device__ Value merge_block(Value mine) {
  __shared__ alignas(Value) unsigned char memory[block_threads * sizeof(Value)];
  Value* all = reinterpret_cast<Value*>(memory);
  all[threadIdx.x] = mine;
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x].merge(all[threadIdx.x + half]);
  }
  __syncthreads();
  return all[0];
}

template <class Stage>
__global__ void __launch_bounds__(block_threads)
    reduce_parts(const __grid_constant__ Stage stage, typename Stage::Value* parts) {
  typename Stage::Value mine{};
  const std::uint32_t n = stage.count();
  for (std::uint32_t k = blockIdx.x * block_threads + threadIdx.x; k < n; k += reduce_blocks * block_threads)
    mine.merge(stage.value(k));
  mine = merge_block(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}

template <class Stage>
__global__ void __launch_bounds__(block_threads)
    reduce_all(const __grid_constant__ Stage stage, const typename Stage::Value* parts) {
  const typename Stage::Value all = merge_block(parts[threadIdx.x]);
  if (threadIdx.x == 0) stage.finish(all);
}
static_assert(reduce_blocks == block_threads);

static __global__ void set_condition(cudaGraphConditionalHandle handle, const std::uint32_t* flag) {
  cudaGraphSetConditional(handle, *flag ? 1u : 0u);
}

class CudaBackend {
 public:
  template <class X>
  class Array {
   public:
    X* data() { return buffer_.data(); }
    std::size_t size() const { return buffer_.size(); }
    void resize(std::size_t n) {
      if (n == buffer_.size()) return;
      buffer_ = {};  // before there is more of it
      buffer_ = DeviceBuffer<X>(n);
    }
    void grow(std::size_t n) {
      DeviceBuffer<X> larger(n);
      const std::size_t kept = std::min(n, buffer_.size());
      if (kept > 0) {
        cuda_check(cudaMemcpy(larger.data(), buffer_.data(), kept * sizeof(X), cudaMemcpyDeviceToDevice),
                   "growing device memory");
      }
      buffer_ = std::move(larger);
    }
    void upload(std::span<const X> from, std::size_t first = 0) { buffer_.upload(from, first); }
    void download(std::span<X> to, std::size_t first = 0) const { buffer_.download(to, first); }

   private:
    DeviceBuffer<X> buffer_;
  };

  CudaBackend();
  ~CudaBackend();
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  template <class Stage>
  void launch(const Stage& stage, std::size_t capacity) {
    run_stage<<<blocks_for(capacity, block_threads), capacity == 1 ? 1 : block_threads, 0, stream_>>>(stage);
    cuda_check_launch("stage");
  }
  template <class Stage>
  void launch_open(const Stage& stage, std::size_t capacity) {
    run_open<<<blocks_for(capacity, warp_items * block_threads / 32), block_threads, 0, stream_>>>(stage);
    cuda_check_launch("stage over open items");
  }
  using Nets = NeuralMapSet;

  template <class Stage>
  void launch_nodes(const Stage& stage, std::size_t capacity) {
    const std::size_t bytes = sizeof(NodeBlock<Stage>);
    cuda_check(
        cudaFuncSetAttribute(run_nodes<Stage>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "shared memory");
    const unsigned most = 2 * multiprocessors_, blocks = blocks_for(capacity, node_items * node_threads / 32);
    run_nodes<<<std::min(blocks, most), node_threads, bytes, stream_>>>(stage);
    cuda_check_launch("stage over nodes");
  }
  // Both at a time: so that the first, which has few items and long ones, leaves room for the second.
  template <class First, class Second, class Third, class Fourth>
  void launch_together(std::size_t capacity, const First& first, const Second& second, const Third& third,
                       const Fourth& fourth) {
    constexpr int blocks_each = sizeof(typename Fourth::Real) == sizeof(float) ? 8 : 1;
    const unsigned blocks = blocks_for(capacity, together_threads);
    fork();
    run_stages<blocks_each == 8 ? 5 : 1>
        <<<std::min(blocks, 16 * multiprocessors_), together_threads, 0, side_stream_>>>(first, second);
    run_stages<blocks_each><<<blocks, together_threads, 0, stream_>>>(third, fourth);
    join();
    cuda_check_launch("stages together");
  }
  template <class Stage>
  void launch_in_turn(const Stage& stage) {
    run_in_turn<<<1, turn_threads, 0, stream_>>>(stage);
    cuda_check_launch("stage in turn");
  }
  template <class Stage>
  void reduce(const Stage& stage) {
    static_assert(sizeof(typename Stage::Value) <= largest_value);
    auto* parts = reinterpret_cast<typename Stage::Value*>(parts_.data());
    reduce_parts<<<reduce_blocks, block_threads, 0, stream_>>>(stage, parts);
    reduce_all<<<1, block_threads, 0, stream_>>>(stage, parts);
    cuda_check_launch("reduction");
  }
  // At most `capacity` poses.
  void ask(const NeuralMapSet& nets, const AskView<float>& ask, std::size_t capacity) {
    nets.query({ask.x, ask.y, ask.theta}, ask.ranges, capacity, ask.answers, NeuralAnswer::touching, stream_);
  }
  // By a copy to the host, in every step that is played.
  void ask_host(std::span<const ContactMap* const> maps, const AskView<double>& ask, std::size_t capacity);
  void sum_before(std::uint32_t* values, std::size_t n);
  void sort(std::uint32_t* keys, std::uint32_t* values, std::size_t n);

  template <class Body>
  void when(const std::uint32_t* flag, Body body) {
    if (!graphs_) {
      if (read_flag(flag)) body();
      return;
    }
    const Branch branch = begin_branch(flag, cudaGraphCondTypeIf);
    capture(branch.graph, body);
  }
  template <class Body>
  void repeat(const std::uint32_t* flag, Body body) {
    if (!graphs_) {
      while (read_flag(flag)) body();
      return;
    }
    const Branch branch = begin_branch(flag, cudaGraphCondTypeWhile);
    capture(branch.graph, [&] {
      body();
      set_condition<<<1, 1, 0, stream_>>>(branch.handle, flag);
      cuda_check_launch("a branch");
    });
  }

  template <class Step>
  void play(int which, std::size_t times, Step step) {
    if (!graphs_) {
      for (std::size_t k = 0; k < times; ++k) step();
      return;
    }
    cudaGraphExec_t& program = programs_[which];
    if (!program) {
      cuda_check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "capturing a step");
      step();
      cudaGraph_t graph = nullptr;
      cuda_check(cudaStreamEndCapture(stream_, &graph), "capturing a step");
      const cudaError_t made = cudaGraphInstantiate(&program, graph, 0);
      cudaGraphDestroy(graph);
      cuda_check(made, "making the graph of a step");
    }
    for (std::size_t k = 0; k < times; ++k) cuda_check(cudaGraphLaunch(program, stream_), "launching a step");
  }
  void forget_programs();
  void finish();

 private:
  struct HostQuestions;

  unsigned blocks_for(std::size_t items, std::size_t per_block) const;
  struct Branch {
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
  };
  Branch begin_branch(const std::uint32_t* flag, cudaGraphConditionalNodeType type);
  // Branches within branches are captured each in a stream of its own.
  template <class Body>
  void capture(cudaGraph_t graph, Body body) {
    if (depth_ == branch_streams_.size()) {
      branch_streams_.push_back(nullptr);
      cuda_check(cudaStreamCreate(&branch_streams_.back()), "a stream");
    }
    const cudaStream_t outer = std::exchange(stream_, branch_streams_[depth_++]);
    cuda_check(cudaStreamBeginCaptureToGraph(stream_, graph, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed),
               "capturing a branch");
    body();
    cudaGraph_t captured = nullptr;
    cuda_check(cudaStreamEndCapture(stream_, &captured), "capturing a branch");
    stream_ = outer;
    --depth_;
  }
  bool read_flag(const std::uint32_t* flag);
  // What goes to the other stream in between can run beside what goes to this one.
  void fork();
  void join();
  // What a captured step uses stays until that step is forgotten.
  void* scratch(std::size_t bytes) {
    if (bytes > scratch_.size()) {
      outgrown_.push_back(std::move(scratch_));
      scratch_ = DeviceBuffer<unsigned char>(bytes);
    }
    return scratch_.data();
  }

  cudaStream_t stream_ = nullptr, side_stream_ = nullptr;
  cudaEvent_t forked_ = nullptr, joined_ = nullptr;
  std::vector<cudaStream_t> branch_streams_;
  std::size_t depth_ = 0;  // of the branch that is captured
  unsigned multiprocessors_ = 0, most_blocks_ = 0;
  bool graphs_ = true;  // SCREE_GPU_GRAPHS=0: launch by launch, as profilers want it
  std::map<int, cudaGraphExec_t> programs_;
  DeviceBuffer<unsigned char> parts_{reduce_blocks * largest_value}, scratch_;
  std::vector<DeviceBuffer<unsigned char>> outgrown_;
  DeviceBuffer<std::uint32_t> sorted_keys_, sorted_values_;
  std::vector<std::unique_ptr<HostQuestions>> questions_;  // of captured steps
};

}  // namespace scree::gpu
