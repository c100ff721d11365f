#pragma once
// The engine of a backend for a precision and a law, which are chosen when a program runs.
#include <tuple>

#include "scree/cuda/device_copies.hpp"
#include "scree/cuda/device_steps.hpp"

namespace scree::gpu {

template <class Backend, class T, class... Laws>
std::unique_ptr<Engine> engine_of_law(const World& world, const EngineSettings& settings, std::tuple<Laws...>) {
  using Make = std::unique_ptr<Engine> (*)(const World&, const EngineSettings&);
  constexpr Make all[] = {[](const World& w, const EngineSettings& s) -> std::unique_ptr<Engine> {
    return std::make_unique<DeviceEngine<T, Backend, Laws>>(w, s);
  }...};
  return all[static_cast<std::size_t>(settings.law)](world, settings);
}

template <class Backend>
std::unique_ptr<Engine> choose_engine(const World& world, const EngineSettings& settings, Precision precision) {
  return precision == Precision::double_ ? engine_of_law<Backend, double>(world, settings, FrictionLaws{})
                                         : engine_of_law<Backend, float>(world, settings, FrictionLaws{});
}

}  // namespace scree::gpu
