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
#include "scree/cuda/node_kernel.cuh"
#include "scree/cuda/views.hpp"

namespace scree::gpu {

inline constexpr unsigned block_threads = 256;

template <class Stage>
__global__ void __launch_bounds__(block_threads) run_stage(const __grid_constant__ Stage stage) {
  const std::uint32_t n = stage.count();
  for (std::uint32_t k = blockIdx.x * block_threads + threadIdx.x; k < n; k += gridDim.x * block_threads) stage.run(k);
}

inline constexpr std::uint32_t warp_items = 256;  // most of which are not open
inline constexpr unsigned together_threads = 128;

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
// Several kinds of work in one launch, a block for one of them, so that what one leaves idle another has.
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
inline constexpr std::size_t largest_value = 160;  // bytes, of what is reduced

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
  // Both at a time: so that the first, which has few items and long ones, leaves room for the second. As many blocks a
  // multiprocessor as leave a thread registers enough: one more of them cost 4 % of a step of stars.
  template <class First, class Second, class Third, class Fourth>
  void launch_together(std::size_t capacity, const First& first, const Second& second, const Third& third,
                       const Fourth& fourth) {
    constexpr bool single = sizeof(typename Fourth::Real) == sizeof(float);
    const unsigned blocks = blocks_for(capacity, together_threads);
    fork();
    run_stages<single ? 4 : 1>
        <<<std::min(blocks, 16 * multiprocessors_), together_threads, 0, side_stream_>>>(first, second);
    run_stages<single ? 7 : 1><<<blocks, together_threads, 0, stream_>>>(third, fourth);
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
