// Mutations for texts of lines `key = value`. Most changes of single bytes only break the syntax; these change values
// and move lines, and so reach what comes after it.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "input.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

namespace {

constexpr std::array values{"0",
                            "-0.0",
                            "1",
                            "-1",
                            "2",
                            "7",
                            "1e-3",
                            "0.3",
                            "1e9",
                            "1e308",
                            "-1e308",
                            "5e-324",
                            "1e-12",
                            "2147483648",
                            "1e12",
                            "9223372036854775807",
                            "nan",
                            "inf",
                            "\"auto\"",
                            "true",
                            "\"\"",
                            "[]",
                            "[0, 0]",
                            "[1e308, -1e308]",
                            "[0, 1e-300]",
                            "{}",
                            "\"90 deg\"",
                            "[[0, 0], [1, 0], [0, 1]]",
                            "[\"disc\", \"disc\"]",
                            "\"disc\""};

using Random = std::minstd_rand;

std::size_t below(std::size_t n, Random& random) { return n == 0 ? 0 : random() % n; }

// One number or one whole value of a line.
void change_value(std::string& line, Random& random) {
  const std::size_t equals = line.find('=');
  if (equals == std::string::npos) return;
  std::vector<std::size_t> starts{equals + 1};
  for (std::size_t k = equals + 1; k < line.size(); ++k)
    if (line[k] == '[' || line[k] == ',' || line[k] == '=') starts.push_back(k + 1);
  const std::size_t start = starts[below(starts.size(), random)];
  const std::size_t end = random() % 2 ? line.size() : std::min(line.find_first_of(",]}", start), line.size());
  line.replace(start, end - start, std::string(" ") + values[below(values.size(), random)]);
}

void change_lines(std::vector<std::string>& lines, Random& random) {
  const std::size_t at = below(lines.size(), random), other = below(lines.size(), random);
  switch (random() % 6) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::string(lines[other]));
      break;
    case 2:
      std::swap(lines[at], lines[other]);
      break;
    default:
      change_value(lines[at], random);
  }
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  if (random() % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  std::vector<std::string> lines(1);
  for (const char c : scree::fuzz::text_of(data, size)) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  for (std::size_t changes = 1 + random() % 3; changes > 0 && !lines.empty(); --changes) change_lines(lines, random);
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  const std::size_t length = std::min(text.size() - (text.empty() ? 0 : 1), most);
  std::copy_n(text.begin(), length, data);
  return length;
}
