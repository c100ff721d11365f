#pragma once
// PyTorch's time for the queries of a neural map, by bench/torch_maps.py, on the GPU of this machine.
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace scree::cli {

struct TorchProgram {
  std::string python = "python3";
  std::string script = "bench/torch_maps.py";
};

// Milliseconds by net, number of poses and way. "eager fp32" is what a user would write and as exact as ours; "graph
// tf32" has no launches and less exact products. Error(system) where there is no PyTorch, or none that sees a GPU.
using TorchTimes = std::map<std::tuple<std::string, std::size_t, std::string>, double>;
TorchTimes torch_queries(const TorchProgram& program, const std::vector<std::filesystem::path>& maps,
                         const std::vector<std::size_t>& poses);

}  // namespace scree::cli
