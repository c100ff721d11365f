#pragma once
// Small text helpers of the core, which does without a formatting library.
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

// All arguments, streamed one after another with 7 significant digits.
template <class... Args>
std::string cat(const Args&... args) {
  std::ostringstream out;
  out.precision(7);
  (out << ... << args);
  return out.str();
}

// The candidate with the smallest edit distance to `word`, or "" when none is near enough to suggest.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// "a, b, c"
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

}  // namespace scree
