#include "scree/cuda/cuda_backend.cuh"
#include "scree/cuda/implicit_copies.hpp"
#include "scree/cuda/implicit_steps.hpp"

namespace scree::gpu {

std::unique_ptr<Engine> make_cuda_implicit_engine(const World& world, const EngineSettings& settings,
                                                  const ImplicitSettings& implicit) {
  return std::make_unique<ImplicitEngine<CudaBackend>>(world, settings, implicit);
}

}  // namespace scree::gpu
