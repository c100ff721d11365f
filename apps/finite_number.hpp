#pragma once
// Checks of options: CLI11's own range checks let nan pass, and print the largest number there is.
#include <CLI/CLI.hpp>
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

}  // namespace scree::cli
