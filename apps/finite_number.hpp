#pragma once
// A check of options, to stand before one of their range: nan passes every comparison of those.
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

}  // namespace scree::cli
