#include "reproduce/experiment.hpp"

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

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> out;
    for (const auto family : {friction_experiments, table1_experiments, literature_experiments, map_experiments}) {
      for (Experiment& e : family()) out.push_back(std::move(e));
    }
    return out;
  }();
  return all;
}

}  // namespace scree::cli
