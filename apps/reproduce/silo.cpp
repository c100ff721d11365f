// Silo discharge: who flows, who jams, and the piles below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/table1.hpp"

namespace scree::cli {

namespace {

struct SiloRun {
  RunRecord run;
  std::vector<double> times, count;
  double total = 0;
  bool clogged = false;
  double lately = 0;  // grains that came out in the last `hold`
  double share() const { return count.back() / total; }
  bool flows() const { return !clogged && (lately > 0.01 * total || share() > 0.8); }
};

struct SiloScene {
  double opened, hold, mouth, floor;
};

SiloRun run_silo(Lab& lab, const SiloScene& scene, const std::string& shape, int opening, int seed) {
  const std::string removed = opening == 8 ? R"(["plug"])" : R"(["plug", "lips"])";
  SiloRun s{lab.run(fmt::format("{}-{}-{}", shape, opening, seed), scene_file(lab, "silo"),
                    {"grains.grain.shape=" + shape, "events[0].targets=" + removed, fmt::format("run.seed={}", seed)}),
            {},
            {},
            0,
            false};
  const Readings clog = lab.measure(s.run,
                                    fmt::format("clog:y=[{},1000],from={},hold={},opening=[{},{}]", scene.mouth,
                                                scene.opened, scene.hold, -opening / 2, opening / 2),
                                    Frames::all);
  s.times = clog.times();
  s.count = clog.column("discharged");
  s.clogged = clog.last("clogged") > 0;
  const RunSource source = lab.frames(s.run);
  s.lately = s.count.back() - s.count[source.frame_at(s.times.back() - scene.hold)];
  for (const BodyKind kind : source.read(0).kind) s.total += kind == BodyKind::moving ? 1 : 0;
  return s;
}

// Shape of a pile: its mean height over the highest (a cone has 0.5, a dome more, a concave heap less), and how much
// the columns differ from the mean of their neighbours, in diameters.
struct Pile {
  std::vector<double> x, height;
  double fullness = 0;
  double roughness = 0;
};

Pile pile_below(const Lab& lab, const RunRecord& run, const SiloScene& scene) {
  const Readings r = lab.measure(run, fmt::format("surface:touching=true,y=[{},{}]", scene.floor, scene.mouth - 1));
  Pile p{r.table("x"), r.table("height"), 0, 0};
  const double top = *std::ranges::max_element(p.height);
  double sum = 0, columns = 0, squares = 0;
  for (std::size_t k = 1; k + 1 < p.height.size(); ++k) {
    if (p.height[k] < 0.05 * top) continue;
    sum += p.height[k];
    squares += std::pow(p.height[k] - 0.5 * (p.height[k - 1] + p.height[k + 1]), 2);
    ++columns;
  }
  p.fullness = sum / columns / top;
  p.roughness = std::sqrt(squares / columns) / (p.x[1] - p.x[0]);
  return p;
}

// One shape through one opening, over seeds.
using SiloRuns = std::vector<SiloRun>;

bool jams(const SiloRun& s) { return s.clogged && s.share() < 0.2; }

const char* state_of(const SiloRun& s) { return s.clogged ? "jammed" : s.flows() ? "flowing" : "dribbling"; }

std::string states_of(const SiloRuns& runs) {
  std::string out;
  for (const SiloRun& s : runs)
    out += fmt::format("{}{:.0f} of {:.0f} out, {}", out.empty() ? "" : "; ", s.count.back(), s.total, state_of(s));
  return out;
}

// Flow must be seen in every seed; a jam is a random event and must be seen in most.
Finding flow_finding(const std::string& key, const SiloRuns& octagons, const SiloRuns& hashes, bool hashes_jam) {
  const auto flow = [](const SiloRun& s) { return s.flows(); };
  const bool octagons_flow = std::ranges::all_of(octagons, flow);
  const auto jammed = static_cast<std::size_t>(std::ranges::count_if(hashes, jams));
  const bool hashes_ok = hashes_jam ? 2 * jammed > hashes.size() : std::ranges::all_of(hashes, flow);
  Finding f{key, octagons_flow && hashes_ok ? Verdict::holds : Verdict::fails,
            fmt::format("octagons: {}. #: {}.", states_of(octagons), states_of(hashes)), ""};
  if (!octagons_flow) f.reason = "Octagons do not always flow. ";
  if (hashes_jam && jammed < hashes.size())
    f.reason += fmt::format("The # jam before a fifth of them is out with {} of {} seeds.", jammed, hashes.size());
  if (!hashes_jam && !hashes_ok) f.reason += "The # do not always flow.";
  return f;
}

Finding profile_finding(const Lab& lab, const Pile& octagon, const Pile& hash) {
  Finding f{"profiles", Verdict::holds,
            fmt::format("mean over highest height: octagons {:.2f}, # {:.2f}; roughness: {:.2f}, {:.2f} diameters",
                        octagon.fullness, hash.fullness, octagon.roughness, hash.roughness),
            ""};
  const bool fuller = hash.fullness > octagon.fullness, rougher = hash.roughness > octagon.roughness;
  if (fuller && rougher) return f;
  f.verdict = Verdict::fails;
  f.reason = fmt::format("The pile of # is {}{}.", fuller ? "" : "no fuller than that of octagons",
                         rougher ? "" : fmt::format("{}no rougher", fuller ? "" : " and "));
  if (lab.quick()) {
    f.verdict = Verdict::undecided;
    f.reason += " A few hundred grains do not make the paper's piles: the full version decides.";
  }
  return f;
}

}  // namespace

Outcome silo(Lab& lab) {
  const SiloScene scene = lab.pick(SiloScene{0.75, 0.3, -16, -35}, SiloScene{1.6, 1, -38, -89.3});
  Outcome out;
  Chart flow{"Grains out of the silo",
             {"time since the plug was pulled", false, 0.0, {}, {}},
             {"share of all grains", false, 0.0, {}, {}},
             {}};
  const std::vector<int> seeds = lab.quick() ? std::vector<int>{2, 3, 4} : std::vector<int>{1};
  std::vector<SiloRuns> runs;
  for (const int opening : {8, 16}) {
    for (const char* shape : {"octagon", "hash"}) {
      SiloRuns all;
      for (const int seed : seeds) all.push_back(run_silo(lab, scene, shape, opening, seed));
      const std::string name = fmt::format("{}, opening {}", shape == std::string("hash") ? "#" : shape, opening);
      const SiloRun& first = all.front();
      ChartSeries line{name, {}, {}, {}, true, false};
      for (std::size_t k = 0; k < first.times.size(); ++k) {
        if (first.times[k] < scene.opened) continue;
        line.x.push_back(first.times[k] - scene.opened);
        line.y.push_back(first.count[k] / first.total);
      }
      flow.series.push_back(line);
      for (std::size_t k = 0; k < all.size(); ++k)
        out.quantities.push_back({fmt::format("share discharged, {}, seed {}", name, seeds[k]), all[k].share(), unknown,
                                  "", state_of(all[k])});
      out.figures.push_back(lab.picture(first.run, name));
      runs.push_back(std::move(all));
    }
  }
  const Pile octagon = pile_below(lab, runs[2].front().run, scene), hash = pile_below(lab, runs[3].front().run, scene);
  out.findings = {flow_finding("narrow", runs[0], runs[1], true), flow_finding("wide", runs[2], runs[3], false),
                  profile_finding(lab, octagon, hash)};
  for (const auto& [name, pile] : {std::pair{"octagons", &octagon}, {"#", &hash}}) {
    out.quantities.push_back({fmt::format("pile of {}: mean over highest", name), pile->fullness, unknown, "", ""});
    out.quantities.push_back({fmt::format("pile of {}: roughness", name), pile->roughness, unknown, "diameter", ""});
  }
  out.charts = {
      flow,
      {"Piles below opening 16",
       {"x", false, {}, {}, {}},
       {"height", false, 0.0, {}, {}},
       {{"octagons", octagon.x, octagon.height, {}, true, false}, {"#", hash.x, hash.height, {}, true, false}}}};
  return out;
}

}  // namespace scree::cli
