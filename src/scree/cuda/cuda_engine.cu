#include "scree/cuda/choose_engine.hpp"
#include "scree/cuda/cuda_backend.cuh"

namespace scree::gpu {

CudaBackend::CudaBackend() {
  int device = 0;
  cudaDeviceProp card{};
  cuda_check(cudaGetDevice(&device), "looking for a GPU");
  cuda_check(cudaGetDeviceProperties(&card, device), "looking at the GPU");
  most_blocks_ = static_cast<unsigned>(card.multiProcessorCount) * 64;
  cuda_check(cudaStreamCreate(&stream_), "a stream");
  cuda_check(cudaStreamCreate(&branch_stream_), "a stream");
}

CudaBackend::~CudaBackend() {
  for (auto& [which, program] : programs_) cudaGraphExecDestroy(program);
  cudaStreamDestroy(branch_stream_);
  cudaStreamDestroy(stream_);
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
}

void CudaBackend::sum_before(std::uint32_t* values, std::size_t n) {
  std::size_t bytes = 0;
  const auto count = static_cast<std::int64_t>(n);
  cuda_check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, values, values, count, stream_), "sums");
  cuda_check(cub::DeviceScan::ExclusiveSum(scratch(bytes), bytes, values, values, count, stream_), "sums");
}

void CudaBackend::sort(Array<std::uint32_t>& keys, Array<std::uint32_t>& values, std::size_t n) {
  sorted_keys_.reserve(n);
  sorted_values_.reserve(n);
  int bits = 1;
  while (bits < 32 && (std::uint64_t{1} << bits) < 4 * n + 32) ++bits;  // as many cells as there may be
  std::size_t bytes = 0;
  const auto run = [&](void* memory) {
    cuda_check(cub::DeviceRadixSort::SortPairs(memory, bytes, keys.data(), sorted_keys_.data(), values.data(),
                                               sorted_values_.data(), static_cast<std::int64_t>(n), 0, bits, stream_),
               "sorting");
  };
  run(nullptr);
  run(scratch(bytes));
  const auto copy = [&](std::uint32_t* to, const std::uint32_t* from) {
    cuda_check(cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDeviceToDevice, stream_), "sorting");
  };
  copy(keys.data(), sorted_keys_.data());
  copy(values.data(), sorted_values_.data());
}

// An if-node at the end of what has been captured so far.
cudaGraph_t CudaBackend::begin_branch(const std::uint32_t* flag) {
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
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  cuda_check(cudaGraphAddNode(&node, graph, after, edges, count, &params), "a branch");
  cuda_check(cudaStreamUpdateCaptureDependencies(stream_, &node, nullptr, 1, cudaStreamSetCaptureDependencies),
             "a branch");
  return params.conditional.phGraph_out[0];
}

std::unique_ptr<Engine> make_cuda_engine(const World& world, const EngineSettings& settings, Precision precision) {
  return choose_engine<CudaBackend>(world, settings, precision);
}

}  // namespace scree::gpu
