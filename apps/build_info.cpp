#include "build_info.hpp"

#include <ctime>
#include <fstream>
#include <thread>

#include "git_commit.hpp"

namespace scree::cli {

std::string version() { return SCREE_VERSION; }

std::string commit() { return SCREE_GIT_COMMIT; }

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__ ", " SCREE_BUILD_TYPE;
#elif defined(__GNUC__)
  return "GCC " __VERSION__ ", " SCREE_BUILD_TYPE;
#else
  return "unknown, " SCREE_BUILD_TYPE;
#endif
}

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

int cpu_threads() { return static_cast<int>(std::thread::hardware_concurrency()); }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace scree::cli
