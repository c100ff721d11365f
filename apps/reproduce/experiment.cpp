#include "reproduce/experiment.hpp"

#include <fmt/format.h>

#include <cmath>

namespace scree::cli {

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "does not hold";
    case Verdict::undecided:
      return "undecided";
    case Verdict::not_run:
      return "not run";
  }
  return "";
}

std::string plus_minus(double value, double error, int digits, const std::string& unit) {
  if (!std::isfinite(error)) return fmt::format("{:.{}f}{}", value, digits, unit);
  return fmt::format("{:.{}f} ± {:.{}f}{}", value, digits, error, digits, unit);
}

std::string plus_minus(const Spread& s, int digits, const std::string& unit) {
  return plus_minus(s.mean, s.count > 1 ? s.deviation : unknown, digits, unit);
}

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> out;
    for (const auto family :
         {friction_experiments, table1_experiments, stardem_experiments, literature_experiments, map_experiments}) {
      for (Experiment& e : family()) out.push_back(std::move(e));
    }
    return out;
  }();
  return all;
}

}  // namespace scree::cli
