#include "scree/cuda/implicit_copies.hpp"
#include "scree/cuda/implicit_steps.hpp"
#include "scree/cuda/serial_backend.hpp"

namespace scree::gpu {

std::unique_ptr<Engine> make_serial_implicit_engine(const World& world, const EngineSettings& settings,
                                                    const ImplicitSettings& implicit) {
  return std::make_unique<ImplicitEngine<SerialBackend>>(world, settings, implicit);
}

}  // namespace scree::gpu
