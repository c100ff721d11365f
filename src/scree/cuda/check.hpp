#pragma once
// Every CUDA call goes through cuda_check, every launch is followed by cuda_check_launch: the driver reports the
// failure of a kernel at whatever call comes next, so an unchecked one blames the wrong place.
#include <cuda_runtime_api.h>

#include <string>

#include "scree/base/error.hpp"

namespace scree {

// What a user can do about a failed call; "" where nothing better is known than the driver's own words.
inline std::string cuda_remedy(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "the GPU is out of memory: use fewer grains, or close what else runs on it";
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
      return "no usable GPU was found: look at nvidia-smi, or run on the CPU";
    case cudaErrorInsufficientDriver:
      return "there is no driver for a GPU, or one older than this build needs (CUDA 13): look at nvidia-smi and "
             "install a newer one, or run on the CPU";
    case cudaErrorNoKernelImageForDevice:
      return "this build has no code for this GPU: rebuild with -D CMAKE_CUDA_ARCHITECTURES= and its number";
    default:
      return "run again under compute-sanitizer, which names the kernel and the access that failed";
  }
}

// Throws Error(system) naming `what` was being done unless the call succeeded. The failure is told once: the runtime
// would give it to the next launch again.
inline void cuda_check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw Error(ErrorKind::system, what, std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status),
              cuda_remedy(status));
}

// After a launch: its own error (bad configuration), not that of the kernel's run, which comes later.
inline void cuda_check_launch(const std::string& kernel) { cuda_check(cudaGetLastError(), kernel); }

}  // namespace scree
