#include "torch_queries.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "run_shown.hpp"
#include "scree/base/error.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

bool runs(const std::string& command) { return std::system(command.c_str()) == 0; }

TorchTimes read_times(const fs::path& csv) {
  TorchTimes times;
  std::ifstream in(csv);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string net, poses, way, ms;
    std::getline(fields, net, ',');
    std::getline(fields, poses, ',');
    std::getline(fields, way, ',');
    std::getline(fields, ms, ',');
    times[{net, std::stoul(poses), way}] = std::stod(ms);
  }
  return times;
}

}  // namespace

TorchTimes torch_queries(const TorchProgram& program, const std::vector<fs::path>& maps,
                         const std::vector<std::size_t>& poses) {
  if (!fs::exists(program.script))
    throw Error(ErrorKind::system, program.script, "is not here", "run in the folder of the sources");
  const std::string python = shell_word(program.python);
  if (!runs(python + " -c 'import torch, safetensors.torch; assert torch.cuda.is_available()' > /dev/null 2>&1"))
    throw Error(ErrorKind::system, program.python, "has no PyTorch that sees a GPU, or no safetensors",
                "name a Python that has them with --python");
  const fs::path csv = maps.front().parent_path() / "torch.csv";
  std::string command = python + " " + shell_word(program.script);
  for (const fs::path& map : maps) command += " " + shell_word(map.string());
  command += " --ways 'eager fp32' 'graph tf32' --poses";
  for (const std::size_t count : poses) command += fmt::format(" {}", count);
  if (!runs(command + " --csv " + shell_word(csv.string()) + " > /dev/null"))
    throw Error(ErrorKind::system, program.script, "failed", "run it by itself: " + command);
  return read_times(csv);
}

}  // namespace scree::cli
