// Kinds of contact map against each other: the bulk must not depend on how contacts are looked up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/lab.hpp"

namespace scree::cli {

namespace {

struct Bulk {
  const char* claim;
  const char* name;
  const char* spec;
  const char* column;
  int digits;
};
constexpr Bulk bulk[] = {{"height", "bed height", "surface:touching=true", "mean", 2},
                         {"fraction", "packing fraction", "packing:x=[-5,5],y=[1,6]", "fraction", 3},
                         {"coordination", "coordination", "coordination", "mean", 2}};

struct Kind {
  std::string name;
  std::vector<std::string> overrides;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"exact", {"maps.kind=exact"}}, {"table", {"maps.kind=table"}}, {"neural", {"maps.kind=neural"}}};
  return all;
}

Outcome compare_maps(Lab& lab) {
  const int seeds = lab.pick(4, 10);
  Outcome out;
  std::vector<std::vector<Spread>> results;  // by kind, by measure
  Table table{fmt::format("Mean and standard deviation over {} seeds; gap errors in radii.", seeds),
              {"map", "gap RMSE", "bed height", "packing fraction", "coordination", "ledger residual", "ms a step"},
              {}};
  for (const Kind& kind : kinds()) {
    std::vector<std::vector<double>> values(std::size(bulk));
    double residual = 0, seconds = 0, steps = 0, error = 0;
    for (int k = 1; k <= seeds; ++k) {
      std::vector<std::string> overrides = kind.overrides;
      overrides.push_back(fmt::format("run.seed={}", k));
      const RunRecord run = lab.run(fmt::format("{}-{}", kind.name, k), "reproduce/map-check.toml", overrides);
      for (std::size_t b = 0; b < std::size(bulk); ++b)
        values[b].push_back(lab.measure(run, bulk[b].spec).last(bulk[b].column));
      residual = std::max(residual, std::abs(run.residual));
      seconds += run.wall_seconds;
      steps += static_cast<double>(run.steps);
      error = run.map_error;
      if (k == 1) out.figures.push_back(lab.picture(run, kind.name + " map, seed 1", {}, true, 360));
    }
    std::vector<Spread> spreads;
    for (const auto& v : values) spreads.push_back(spread(v));
    std::vector<std::string> row = {kind.name, fmt::format("{:.1e}", error)};
    for (std::size_t b = 0; b < std::size(bulk); ++b) {
      row.push_back(plus_minus(spreads[b], bulk[b].digits));
      out.quantities.push_back({fmt::format("{}, {} map", bulk[b].name, kind.name), spreads[b].mean,
                                spreads[b].deviation, "", fmt::format("spread over {} seeds", seeds)});
    }
    row.push_back(fmt::format("{:.1e}", residual));
    row.push_back(fmt::format("{:.3f}", 1e3 * seconds / steps));
    table.rows.push_back(row);
    results.push_back(spreads);
  }
  out.tables.push_back(table);
  for (std::size_t b = 0; b < std::size(bulk); ++b) {
    std::string number, far;
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Spread &s = results[k][b], &exact = results[0][b];
      number += fmt::format("{}{} {}", k == 0 ? "" : ", ", kinds()[k].name, plus_minus(s, bulk[b].digits));
      // Two means of one distribution differ by more than this in one case of twenty.
      if (std::abs(s.mean - exact.mean) > 2 * std::hypot(s.error(), exact.error()))
        far += (far.empty() ? "" : ", ") + kinds()[k].name;
    }
    out.findings.push_back({bulk[b].claim, far.empty() ? Verdict::holds : Verdict::fails, number,
                            far.empty() ? ""
                                        : "Further from the exact map than twice the standard error: " + far +
                                              ". The table has the error of its gap."});
  }
  return out;
}

}  // namespace

std::vector<Experiment> map_experiments() {
  const std::string source = "what a contact map must do";
  return {{"map-kinds",
           "Exact, table and neural maps",
           "Fifty crosses settle in a box, through each kind of map, with the same seeds. After the first impacts the "
           "motions differ; the bulk must not. Full: ten seeds. Quick: four.",
           {{"height", "The bed is as high, within the spread from seed to seed", source},
            {"fraction", "It is as dense", source},
            {"coordination", "Grains have as many neighbours", source}},
           compare_maps}};
}

}  // namespace scree::cli
