// Where the GPU part is not built.
#include "scree/base/error.hpp"
#include "scree/cuda/card.hpp"
#include "scree/cuda/engine.hpp"
#include "scree/cuda/train.hpp"

namespace scree {

Fitter gpu_fitter() {
  throw Error(ErrorKind::input, "training on a GPU", "this build has no GPU part",
              "build with a CUDA compiler and -D SCREE_CUDA=ON (docs/gpu.md), or train on the CPU");
}

}  // namespace scree

namespace scree::gpu {

namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::input, "step.device", "this build has no GPU part",
              "build with a CUDA compiler and -D SCREE_CUDA=ON (docs/gpu.md), or use device = \"cpu\"");
}

}  // namespace

void require_card() { refuse(); }
Card find_card() { refuse(); }
std::size_t free_card_memory() { refuse(); }
double query_milliseconds(const NeuralMap&, std::size_t) { refuse(); }

std::unique_ptr<Engine> make_cuda_engine(const World&, const EngineSettings&, Precision) { refuse(); }

std::unique_ptr<Engine> make_cuda_implicit_engine(const World&, const EngineSettings&, const ImplicitSettings&) {
  refuse();
}

std::unique_ptr<ManyEngine> make_cuda_many(const World&, std::size_t, const EngineSettings&, Precision) { refuse(); }

}  // namespace scree::gpu
