#pragma once
// Checks of options: CLI11's own range checks let nan pass, and print the largest number there is.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string>

namespace scree::cli {

inline const CLI::Validator finite_number(
    [](std::string& text) {
      double value = 0;
      const bool fine = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
      return fine ? std::string{} : "\"" + text + "\" is not a finite number";
    },
    "NUMBER");

// Finite, zero or more.
inline const CLI::Validator not_negative_number(
    [](std::string& text) {
      double value = 0;
      const bool fine = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0;
      return fine ? std::string{} : "\"" + text + "\" is not a number of zero or more";
    },
    "NUMBER");

// A whole number from 1 on.
inline const CLI::Validator counting_number(
    [](std::string& text) {
      std::size_t value = 0;
      const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool fine = failed == std::errc{} && end == text.data() + text.size() && value > 0;
      return fine ? std::string{} : "\"" + text + "\" is not a whole number from 1 on";
    },
    "N");

}  // namespace scree::cli
