// Runs a target over kept inputs: replay FILE-OR-FOLDER... An input that once broke it must not do so again.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "input.hpp"

namespace {

constexpr unsigned longest = 20;          // seconds an input may take
constexpr rlim_t most_memory = 2u << 30;  // bytes

int replay(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  alarm(longest);
  return LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  const rlimit memory{most_memory, most_memory};
  setrlimit(RLIMIT_AS, &memory);
  int inputs = 0;
  for (int k = 1; k < argc; ++k) {
    if (!std::filesystem::is_directory(argv[k])) {
      replay(argv[k]), ++inputs;
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[k])) {
      if (entry.is_regular_file()) replay(entry.path()), ++inputs;
    }
  }
  if (inputs == 0) std::puts("no inputs");
  return inputs > 0 ? 0 : 1;
}
