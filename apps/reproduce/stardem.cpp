// Figures of the StarDEM paper: distance errors, bridges, cost against discs and clumps.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/lab.hpp"
#include "scree/map/star_error.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"

namespace scree::cli {

namespace {

const std::string paper = "StarDEM";

Outcome star_distance(Lab&) {
  const std::pair<const char*, Shape> shapes[] = {
      {"r ~ 2 + cos 4t, the cross", make_named_shape("rosette", {{"n", 4}})},
      {"r ~ 2 + cos 5t", make_named_shape("rosette", {{"n", 5}})},
      {"r ~ 2 + cos 6t", make_named_shape("rosette", {{"n", 6}})},
      {"r ~ 1 + 0.3 cos 6t + 0.2 cos 12t",
       make_fourier_star("six", {{1, 0, 0, 0, 0, 0, 0.3, 0, 0, 0, 0, 0, 0.2}, {}})}};
  Outcome out;
  Table table{"Largest relative error of the distance, within 0.01 circumradii of the boundary.",
              {"shape", "first order", "radial"},
              {}};
  double first = 0, radial = 0;
  for (const auto& [name, shape] : shapes) {
    const StarDistanceError e = star_distance_error(shape);
    first = std::max(first, e.first_order);
    radial = std::max(radial, e.radial);
    table.rows.push_back({name, fmt::format("{:.3f}", e.first_order), fmt::format("{:.2f}", e.radial)});
    out.quantities.push_back(
        {fmt::format("error of the first-order distance, {}", name), e.first_order, unknown, "", ""});
    out.quantities.push_back({fmt::format("error of the radial distance, {}", name), e.radial, unknown, "", ""});
  }
  out.tables.push_back(table);
  Finding bound{"first-order", Verdict::holds, fmt::format("at most {:.3f}", first), ""};
  if (first >= 0.17) {
    bound.verdict = Verdict::undecided;
    bound.reason =
        "The paper says so of one shape, whose formula it does not give. Of these stars some stay below and "
        "some do not: 0.17 is no bound for all.";
  }
  out.findings = {bound,
                  {"radial", radial > 10 * first ? Verdict::holds : Verdict::fails, fmt::format("up to {:.2f}", radial),
                   "The paper's 2.7 depends on its shapes; that it is more than ten times the other is tested."}};
  return out;
}

Outcome star_bridges(Lab& lab) {
  const RunRecord run = lab.run("bridges", "star-bridges.toml");
  const Readings clog = lab.measure(run, "clog:y=[0,1000],from=0.7,hold=0.5,opening=[-15,15]", Frames::all);
  const double out_of = clog.last("discharged"), idle = clog.last("idle");
  const bool bridged = clog.last("clogged") > 0;
  Outcome out;
  out.quantities = {{"crosses through the gap", out_of, unknown, "", "of 279"},
                    {"time since the last one", idle, unknown, "s", ""}};
  out.findings.push_back({"bridges", bridged ? Verdict::holds : Verdict::fails,
                          fmt::format("{:.0f} of 279 fall through, then none for {:.2f} s", out_of, idle),
                          bridged ? "" : "Grains still fall through the gap at the end of the run."});
  out.figures = {lab.picture(run, "Force network over the gap", {}, true)};
  return out;
}

struct Cost {
  const char* name;
  std::vector<std::string> overrides;
  double milliseconds = 0;
};

Outcome star_cost(Lab& lab) {
  std::vector<Cost> costs = {{"discs", {"grains.grain.shape=disc"}},
                             {"crosses as stars of 100 nodes", {}},
                             {"crosses as clumps of 9", {"maps.kind=clump", "maps.clump_discs=9"}},
                             {"crosses as clumps of 17", {"maps.kind=clump", "maps.clump_discs=17"}},
                             {"crosses through a table", {"maps.kind=table"}}};
  const std::vector<std::string> small = {"insert[0].x=[-93,93]", "insert[0].y=[0,446]", "insert[0].count=400",
                                          "walls[box].x=[-96,96]", "run.duration=0.4"};
  Outcome out;
  Table table{"Whole steps, from the fall to rest, as a mean over the run.",
              {"grains", "ms a step", "to discs", "contacts at the end", "energy residual"},
              {}};
  for (std::size_t k = 0; k < costs.size(); ++k) {
    Cost& c = costs[k];
    // Clumps are stiffer than their stiffness says: at the paper's step the watchdog stops those of 17.
    c.overrides.emplace_back("step.dt=3e-5");
    if (lab.quick()) c.overrides.insert(c.overrides.end(), small.begin(), small.end());
    const RunRecord run = lab.run(fmt::format("packing-{}", k), "star-packing.toml", c.overrides);
    c.milliseconds = 1e3 * run.wall_seconds / static_cast<double>(run.steps);
    table.rows.push_back({c.name, fmt::format("{:.3f}", c.milliseconds),
                          fmt::format("{:.1f}", c.milliseconds / costs[0].milliseconds), grouped(run.contacts),
                          fmt::format("{:.1e}", run.residual)});
    out.quantities.push_back({fmt::format("time a step, {}", c.name), c.milliseconds, unknown, "ms", ""});
    if (k == 1) out.figures.push_back(lab.picture(run, "Crosses at rest"));
  }
  out.tables.push_back(table);
  const double star = costs[1].milliseconds, nine = costs[2].milliseconds, seventeen = costs[3].milliseconds;
  const double of_nine = 26.0 / 12, of_seventeen = 26.0 / 41;  // in the paper
  const bool holds = star <= of_nine * nine && star <= of_seventeen * seventeen;
  out.findings.push_back(
      {"cost", holds ? Verdict::holds : Verdict::fails,
       fmt::format(
           "{:.2f} ms a step: {:.2f} times clumps of 9 (paper: {:.1f}), {:.2f} times those of 17 (paper: {:.1f})", star,
           star / nine, of_nine, star / seventeen, of_seventeen),
       holds ? "" : "Here whole steps are timed, in the paper collisions alone, and times depend on the machine."});
  return out;
}

}  // namespace

std::vector<Experiment> stardem_experiments() {
  return {
      {"star-distance",
       "Distance to a star",
       "f/|∇f| and f itself against the true distance, close to the boundary of four stars. No simulation.",
       {{"first-order", "the error at a distance < 0.01 of the boundary stays < 0.17", paper + ", §4"},
        {"radial", "[Of the radial distance] the error at a distance < 0.01 of the boundary can reach 2.7",
         paper + ", §4"}},
       star_distance},
      {"star-bridges",
       "Bridges over a gap",
       "279 crosses above a gap of 30 mm, 3.4 times as wide as a cross. The quick version is the full one.",
       {{"bridges", "Particles discharging through a narrow gap tend to form bridges", paper + ", Fig. 1"}},
       star_bridges},
      {"star-cost",
       "Cost of stars, discs and clumps",
       "The same packing through each kind of contact. Times depend on the machine and on what else it does. Full: "
       "3,154 "
       "grains. Quick: 400.",
       {{"cost",
         "For a cross shape [...] the computation time is 26ms while using a clump of spheres rises to 12ms for 9 "
         "spheres and 41ms for 17 spheres",
         paper + ", §4"}},
       star_cost},
  };
}

}  // namespace scree::cli
