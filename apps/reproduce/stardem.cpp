// Figures of the StarDEM paper: distance errors, bridges, cost against discs and clumps.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/lab.hpp"
#include "scree/map/star_error.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"
#include "star_costs.hpp"

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

Outcome star_cost(Lab& lab) {
  const std::vector<StarCost> costs =
      star_costs(lab.pick(StarCostSettings{400, 31, 0.3}, StarCostSettings{3154, 31, 0.5}), lab.line());
  Outcome out;
  Table table{"Collisions of settled packings: candidates of the broad phase to contacts, without the law.",
              {"packing", "contact", "ms a step", "to discs", "contacts", "RMSE of the gap, radii"},
              {}};
  for (const StarCost& c : costs) {
    table.rows.push_back({c.packing, c.contact, fmt::format("{:.3f}", c.milliseconds),
                          fmt::format("{:.1f}", c.milliseconds / costs[0].milliseconds), grouped(c.contacts),
                          c.error < 0 ? "" : fmt::format("{:.4f}", c.error)});
    out.quantities.push_back(
        {fmt::format("time a step, {} as {}", c.packing, c.contact), c.milliseconds, unknown, "ms", ""});
  }
  out.tables.push_back(table);
  const auto time_of = [&](const char* contact) {
    const auto at =
        std::ranges::find_if(costs, [&](const StarCost& c) { return c.packing == "crosses" && c.contact == contact; });
    return at->milliseconds;
  };
  const double star = time_of("star"), nine = time_of("clump of 9"), seventeen = time_of("clump of 17");
  const double of_nine = 26.0 / 12, of_seventeen = 26.0 / 41;  // in the paper
  const bool holds = star <= of_nine * nine && star <= of_seventeen * seventeen;
  out.findings.push_back(
      {"cost", holds ? Verdict::holds : Verdict::fails,
       fmt::format(
           "{:.2f} ms a step: {:.2f} times clumps of 9 (paper: {:.1f}), {:.2f} times those of 17 (paper: {:.1f})", star,
           star / nine, of_nine, star / seventeen, of_seventeen),
       holds ? "" : "Times depend on the machine and on what else it does."});
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
       "3,154 grains. Quick: 400.",
       {{"cost",
         "For a cross shape [...] the computation time is 26ms while using a clump of spheres rises to 12ms for 9 "
         "spheres and 41ms for 17 spheres",
         paper + ", §4"}},
       star_cost},
  };
}

}  // namespace scree::cli
