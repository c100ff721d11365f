#include <cstdlib>
#include <string_view>

#include "scree/cuda/choose_engine.hpp"
#include "scree/cuda/cuda_backend.cuh"

namespace scree::gpu {

CudaBackend::CudaBackend() {
  int device = 0;
  cudaDeviceProp card{};
  cuda_check(cudaGetDevice(&device), "looking for a GPU");
  cuda_check(cudaGetDeviceProperties(&card, device), "looking at the GPU");
  multiprocessors_ = static_cast<unsigned>(card.multiProcessorCount);
  most_blocks_ = 64 * multiprocessors_;
  const char* graphs = std::getenv("SCREE_GPU_GRAPHS");
  graphs_ = !graphs || std::string_view(graphs) != "0";
  cuda_check(cudaStreamCreate(&stream_), "a stream");
  cuda_check(cudaStreamCreate(&side_stream_), "a stream");
  for (cudaEvent_t* event : {&forked_, &joined_})
    cuda_check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "an event");
}

CudaBackend::~CudaBackend() {
  for (auto& [which, program] : programs_) cudaGraphExecDestroy(program);
  for (const cudaStream_t stream : branch_streams_) cudaStreamDestroy(stream);
  for (const cudaEvent_t event : {forked_, joined_}) cudaEventDestroy(event);
  for (const cudaStream_t stream : {stream_, side_stream_}) cudaStreamDestroy(stream);
}

void CudaBackend::fork() {
  cuda_check(cudaEventRecord(forked_, stream_), "two streams");
  cuda_check(cudaStreamWaitEvent(side_stream_, forked_), "two streams");
}

void CudaBackend::join() {
  cuda_check(cudaEventRecord(joined_, side_stream_), "two streams");
  cuda_check(cudaStreamWaitEvent(stream_, joined_), "two streams");
}

unsigned CudaBackend::blocks_for(std::size_t items, std::size_t per_block) const {
  const std::size_t wanted = (items + per_block - 1) / per_block;
  return static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, most_blocks_));
}

void CudaBackend::forget_programs() {
  for (auto& [which, program] : programs_) {
    if (program) cuda_check(cudaGraphExecDestroy(program), "forgetting a step");
  }
  programs_.clear();
  outgrown_.clear();
  questions_.clear();
}

// Poses and answers of one captured step, on the host.
struct CudaBackend::HostQuestions {
  std::vector<const ContactMap*> maps;
  PinnedBuffer<PoseRange> ranges;
  PinnedBuffer<double> poses, answers;  // x, y and theta; gap, gap_theta, gap_x, gap_y and arm: `capacity` each
  std::size_t capacity = 0;
  std::exception_ptr failure;

  void answer() noexcept try {
    AskView<double> ask;
    ask.ranges = ranges.data();
    double *p = poses.data(), *a = answers.data();
    const std::size_t n = capacity;
    ask.x = p, ask.y = p + n, ask.theta = p + 2 * n;
    ask.answers = {a, a + n, a + 2 * n, a + 3 * n, a + 4 * n};
    answer_on_host<double>(maps, ask);
  } catch (...) { failure = std::current_exception(); }
};

void CudaBackend::ask_host(std::span<const ContactMap* const> maps, const AskView<double>& ask, std::size_t capacity) {
  questions_.push_back(std::make_unique<HostQuestions>());
  HostQuestions& q = *questions_.back();
  q.maps.assign(maps.begin(), maps.end());
  q.ranges = PinnedBuffer<PoseRange>(maps.size());
  q.poses = PinnedBuffer<double>(3 * capacity);
  q.answers = PinnedBuffer<double>(5 * capacity);
  q.capacity = capacity;
  const auto copy = [&](auto* to, const auto* from, std::size_t n, cudaMemcpyKind kind) {
    cuda_check(cudaMemcpyAsync(to, from, n * sizeof *to, kind, stream_), "poses for the host");
  };
  copy(q.ranges.data(), ask.ranges, maps.size(), cudaMemcpyDeviceToHost);
  const double* poses[] = {ask.x, ask.y, ask.theta};
  for (std::size_t k = 0; k < 3; ++k) copy(q.poses.data() + k * capacity, poses[k], capacity, cudaMemcpyDeviceToHost);
  const auto answer = [](void* questions) { static_cast<HostQuestions*>(questions)->answer(); };
  cuda_check(cudaLaunchHostFunc(stream_, answer, &q), "answers of the host");
  const GeometryArraysOf<double>& a = ask.answers;
  double* answers[] = {a.gap, a.gap_theta, a.gap_x, a.gap_y, a.arm};
  for (std::size_t k = 0; k < 5; ++k)
    copy(answers[k], q.answers.data() + k * capacity, capacity, cudaMemcpyHostToDevice);
}

void CudaBackend::finish() {
  cuda_check(cudaStreamSynchronize(stream_), "a step on the GPU");
  for (const auto& q : questions_)
    if (q->failure) std::rethrow_exception(std::exchange(q->failure, nullptr));
}

void CudaBackend::sum_before(std::uint32_t* values, std::size_t n) {
  std::size_t bytes = 0;
  const auto count = static_cast<std::int64_t>(n);
  cuda_check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, values, values, count, stream_), "sums");
  cuda_check(cub::DeviceScan::ExclusiveSum(scratch(bytes), bytes, values, values, count, stream_), "sums");
}

void CudaBackend::sort(std::uint32_t* keys, std::uint32_t* values, std::size_t n) {
  sorted_keys_.reserve(n);
  sorted_values_.reserve(n);
  int bits = 1;
  while (bits < 32 && (std::uint64_t{1} << bits) < 4 * n + 32) ++bits;  // as many cells as there may be
  std::size_t bytes = 0;
  const auto run = [&](void* memory) {
    cuda_check(cub::DeviceRadixSort::SortPairs(memory, bytes, keys, sorted_keys_.data(), values, sorted_values_.data(),
                                               static_cast<std::int64_t>(n), 0, bits, stream_),
               "sorting");
  };
  run(nullptr);
  run(scratch(bytes));
  const auto copy = [&](std::uint32_t* to, const std::uint32_t* from) {
    cuda_check(cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDeviceToDevice, stream_), "sorting");
  };
  copy(keys, sorted_keys_.data());
  copy(values, sorted_values_.data());
}

bool CudaBackend::read_flag(const std::uint32_t* flag) {
  std::uint32_t value = 0;
  cuda_check(cudaMemcpyAsync(&value, flag, sizeof value, cudaMemcpyDeviceToHost, stream_), "a branch");
  cuda_check(cudaStreamSynchronize(stream_), "a branch");
  return value != 0;
}

// A conditional node at the end of what has been captured so far.
CudaBackend::Branch CudaBackend::begin_branch(const std::uint32_t* flag, cudaGraphConditionalNodeType type) {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* after = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  const auto look = [&] {
    cuda_check(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph, &after, &edges, &count), "a branch");
  };
  look();
  cudaGraphConditionalHandle handle{};
  cuda_check(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault), "a branch");
  set_condition<<<1, 1, 0, stream_>>>(handle, flag);
  cuda_check_launch("a branch");
  look();
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  cuda_check(cudaGraphAddNode(&node, graph, after, edges, count, &params), "a branch");
  cuda_check(cudaStreamUpdateCaptureDependencies(stream_, &node, nullptr, 1, cudaStreamSetCaptureDependencies),
             "a branch");
  return {params.conditional.phGraph_out[0], handle};
}

std::unique_ptr<Engine> make_cuda_engine(const World& world, const EngineSettings& settings, Precision precision) {
  return choose_engine<CudaBackend>(world, settings, precision);
}

std::unique_ptr<ManyEngine> make_cuda_many(const World& world, std::size_t worlds, const EngineSettings& settings,
                                           Precision precision) {
  return choose_many<CudaBackend>(world, worlds, settings, precision);
}

}  // namespace scree::gpu
