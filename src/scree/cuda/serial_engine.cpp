#include "scree/cuda/choose_engine.hpp"
#include "scree/cuda/serial_backend.hpp"

namespace scree::gpu {

std::unique_ptr<Engine> make_serial_engine(const World& world, const EngineSettings& settings, Precision precision) {
  return choose_engine<SerialBackend>(world, settings, precision);
}

std::unique_ptr<ManyEngine> make_serial_many(const World& world, std::size_t worlds, const EngineSettings& settings,
                                             Precision precision) {
  return choose_many<SerialBackend>(world, worlds, settings, precision);
}

}  // namespace scree::gpu
