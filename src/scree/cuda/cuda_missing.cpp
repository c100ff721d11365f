// Where the GPU part is not built.
#include "scree/base/error.hpp"
#include "scree/cuda/engine.hpp"
#include "scree/cuda/train.hpp"

namespace scree {

Fitter gpu_fitter() {
  throw Error(ErrorKind::input, "training on a GPU", "this build has no GPU part",
              "build with a CUDA compiler and -D SCREE_CUDA=ON (docs/gpu.md), or train on the CPU");
}

}  // namespace scree

namespace scree::gpu {

std::unique_ptr<Engine> make_cuda_engine(const World&, const EngineSettings&, Precision) {
  throw Error(ErrorKind::input, "step.device", "this build has no GPU part",
              "build with a CUDA compiler and -D SCREE_CUDA=ON (docs/gpu.md), or use device = \"cpu\"");
}

}  // namespace scree::gpu
