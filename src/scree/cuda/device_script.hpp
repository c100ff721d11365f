#pragma once
// What the host lays down for the steps ahead, in the memory of the device: gravity, and where kinematic bodies are.
#include <algorithm>
#include <span>
#include <vector>

#include "scree/cuda/engine.hpp"

namespace scree::gpu {

template <class Backend>
class DeviceScript {
 public:
  // Room for `rows` steps, `scripts` and `driven` of each. True: views must be set anew.
  bool reserve(std::size_t rows, std::size_t scripts, std::size_t driven) {
    if (rows <= rows_ && driven == driven_count_) return false;
    rows_ = std::max(rows_, rows);
    driven_count_ = driven;
    script_.resize(rows_ * scripts);
    driven_.resize(rows_ * driven);
    return true;
  }
  std::size_t rows() const { return rows_; }

  void upload(std::span<const Script> script, std::span<const Driven> driven) {
    script_.upload(script);
    driven_.upload(driven);
  }
  void upload(const std::vector<StepInput>& inputs) {
    std::vector<Script> script;
    std::vector<Driven> driven;
    for (const StepInput& in : inputs) {
      script.push_back(in.script);
      driven.insert(driven.end(), in.driven.begin(), in.driven.end());
    }
    upload(script, driven);
  }

  template <class T>
  void set_views(WorldView<T>& world) {
    world.script = script_.data(), world.driven = driven_.data();
    world.driven_count = static_cast<std::uint32_t>(driven_count_);
  }

 private:
  typename Backend::template Array<Script> script_;
  typename Backend::template Array<Driven> driven_;
  std::size_t rows_ = 0;
  std::size_t driven_count_ = 0;  // of a step
};

}  // namespace scree::gpu
