#pragma once
// Neural maps on the GPU: gap, gradient and arm of many poses, one launch for all maps of a kind. A layer's activations
// never leave the registers of the warp that computes them.
//
// Gap and gradient take all three products of split halves and come out as a 32-bit evaluation would, but for the
// slopes of SiLU, which are kept in 16 bits; the arm takes one product. docs/neural-maps.md has the measured errors.
// The same bits in every run, and for a pose wherever it stands.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scree/cuda/device_buffer.hpp"
#include "scree/cuda/neural_pack.hpp"
#include "scree/cuda/pose_arrays.hpp"

namespace scree {

enum class NeuralAnswer {
  all,       // every pose gets its gradient and arm
  touching,  // in groups of 16 or 64 poses without a gap < 0, gradient and arm are set to 0 and not computed
};

// What a kernel needs of one map.
struct NeuralEntry {
  const std::uint32_t* words = nullptr;  // device memory, 16-byte aligned
  NeuralConstants constants;
  std::uint32_t range = 0;  // which PoseRange it answers
};

// Several maps in the memory of the current device.
class NeuralMapSet {
 public:
  // Throws Error(input) for nets that no kernel exists for, naming those that have one.
  explicit NeuralMapSet(std::span<const NeuralMap* const> maps);

  // Arrays lie in device memory. Answers poses of `ranges` (one per map, in the order of the maps; read when the kernel
  // runs, so that earlier work of `stream` may write them). `capacity`: no map has more poses; sizes the launch.
  // Allocates nothing.
  void query(const PoseArrays& poses, const PoseRange* ranges, std::size_t capacity, const GeometryArrays& out,
             NeuralAnswer answer, cudaStream_t stream = nullptr) const;

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return words_.size() * sizeof(std::uint32_t); }

 private:
  struct Group {  // maps of one kind
    std::size_t kernel = 0;
    DeviceBuffer<NeuralEntry> entries;
    unsigned threads = 0;  // of a block, and its shared memory
    std::size_t shared_bytes = 0;
  };
  std::size_t size_ = 0;
  DeviceBuffer<std::uint32_t> words_;
  std::vector<Group> groups_;
};

}  // namespace scree
