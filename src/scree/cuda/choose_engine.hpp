#pragma once
// The engine of a backend for a precision and a law, which are chosen when a program runs.
#include <tuple>

#include "scree/cuda/device_many.hpp"

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

template <class Backend, class T, class... Laws>
std::unique_ptr<ManyEngine> many_of_law(const World& world, std::size_t worlds, const EngineSettings& settings,
                                        std::tuple<Laws...>) {
  using Make = std::unique_ptr<ManyEngine> (*)(const World&, std::size_t, const EngineSettings&);
  constexpr Make all[] = {[](const World& w, std::size_t n, const EngineSettings& s) -> std::unique_ptr<ManyEngine> {
    return std::make_unique<DeviceMany<T, Backend, Laws>>(w, n, s);
  }...};
  return all[static_cast<std::size_t>(settings.law)](world, worlds, settings);
}

template <class Backend>
std::unique_ptr<ManyEngine> choose_many(const World& world, std::size_t worlds, const EngineSettings& settings,
                                        Precision precision) {
  return precision == Precision::double_ ? many_of_law<Backend, double>(world, worlds, settings, FrictionLaws{})
                                         : many_of_law<Backend, float>(world, worlds, settings, FrictionLaws{});
}

}  // namespace scree::gpu
