// Scenes of Table 1 of the Configurational Element Method paper: its experiments, and how collapse, packing and drum
// are run; for silo and chain see their own files.
#include "reproduce/table1.hpp"

#include <fmt/format.h>

#include <cmath>

namespace scree::cli {

namespace {

const std::string paper = "Configurational Element Method";

std::string seed(int k) { return fmt::format("run.seed={}", k); }

// ---- Column collapse

struct Letter {
  const char* shape;
  const char* name;
};
constexpr Letter letters[] = {{"O", "O"}, {"U", "U"}, {"N", "N"}, {"hash", "#"}};

// Neighbours in the paper's order, each below the next one, and by how much in standard errors.
Finding order_of(const std::vector<Spread>& angles) {
  std::string number, wrong, close;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    number += fmt::format("{}{} {}", k == 0 ? "" : ", ", letters[k].name, plus_minus(angles[k], 1, "°"));
    if (k == 0) continue;
    const std::string pair = fmt::format("{} and {}", letters[k - 1].name, letters[k].name);
    if (clearly_below(angles[k], angles[k - 1]))
      wrong += (wrong.empty() ? "" : ", ") + pair;
    else if (!clearly_below(angles[k - 1], angles[k]))
      close += (close.empty() ? "" : ", ") + pair;
  }
  Finding f{"order", Verdict::holds, number, ""};
  if (!close.empty()) {
    f.verdict = Verdict::undecided;
    f.reason = "The difference is within the spread from seed to seed for " + close + "; the others are in order.";
  }
  if (!wrong.empty()) {
    f.verdict = Verdict::fails;
    f.reason = "The order is reversed for " + wrong + ".";
  }
  return f;
}

Outcome column_collapse(Lab& lab) {
  const int seeds = lab.pick(5, 2);
  Outcome out;
  std::vector<Spread> angles;
  ChartSeries points{"", {}, {}, {}};
  std::vector<ChartSeries> profiles;
  Chart chart{"Angle of repose after the collapse", {}, {"degrees", false, 0.0, {}, {}}, {}};
  for (const Letter& letter : letters) {
    std::vector<double> angle;
    for (int k = 1; k <= seeds; ++k) {
      const RunRecord run = lab.run(fmt::format("{}-{}", letter.shape, k), scene_file(lab, "column-collapse"),
                                    {fmt::format("grains.grain.shape={}", letter.shape), seed(k)});
      angle.push_back(lab.measure(run, "repose:flank=right,touching=true").last("angle_deg"));
      if (k > 1) continue;
      out.figures.push_back(lab.picture(run, fmt::format("{} at the end of the run", letter.name)));
      const Readings surface = lab.measure(run, "surface:touching=true");
      profiles.push_back({letter.name, surface.table("x"), surface.table("height"), {}, true, false});
    }
    const Spread s = spread(angle);
    out.quantities.push_back({fmt::format("angle of repose, {}", letter.name), s.mean, s.deviation, "degree",
                              fmt::format("spread over {} seeds", seeds)});
    points.x.push_back(static_cast<double>(angles.size()));
    points.y.push_back(s.mean);
    points.error.push_back(s.deviation);
    chart.x.categories.emplace_back(letter.name);
    angles.push_back(s);
  }
  chart.series = {points};
  out.charts = {chart,
                {"Surface of the pile",
                 {"distance from the wall, radii", false, {}, {}, {}},
                 {"height, radii", false, 0.0, {}, {}},
                 profiles}};
  out.findings.push_back(order_of(angles));
  return out;
}

// ---- Column packing

Outcome column_packing(Lab& lab) {
  const int seeds = lab.pick(2, 2);
  Outcome out;
  ChartSeries heights{"", {}, {}, {}, true};
  std::vector<Spread> packed;
  for (const int percent : {25, 50, 75, 100}) {
    std::vector<double> height;
    for (int k = 1; k <= seeds; ++k) {
      const RunRecord run = lab.run(fmt::format("{}-{}", percent, k), scene_file(lab, "column-packing"),
                                    {fmt::format("shapes.arc.fraction={}", percent / 100.0), seed(k)});
      height.push_back(lab.measure(run, "surface:touching=true").last("mean"));
      if (k == 1) out.figures.push_back(lab.picture(run, fmt::format("{} % of a circle", percent), {}, false, 360));
    }
    const Spread s = spread(height);
    packed.push_back(s);
    heights.x.push_back(percent);
    heights.y.push_back(s.mean);
    heights.error.push_back(s.deviation);
    out.quantities.push_back({fmt::format("packed height at {} %", percent), s.mean, s.deviation, "m",
                              fmt::format("spread over {} seeds", seeds)});
  }
  const bool rises =
      clearly_below(packed[0], packed[1]) && clearly_below(packed[1], packed[2]) && clearly_below(packed[2], packed[3]);
  const std::string number = fmt::format("{:.1f}, {:.1f}, {:.1f}, {:.1f} m at 25, 50, 75, 100 %", packed[0].mean,
                                         packed[1].mean, packed[2].mean, packed[3].mean);
  out.findings.push_back({"rises", rises ? Verdict::holds : Verdict::fails, number,
                          rises ? "" : "Two neighbours are not in order by more than the spread from seed to seed."});
  const double step = packed[2].mean / packed[1].mean;
  out.findings.push_back({"nesting", step > 1.3 ? Verdict::holds : Verdict::fails,
                          fmt::format("{:.2f} times as high at 75 % as at 50 %", step),
                          step > 1.3 ? "" : "\"Much taller\" was taken as by 30 %."});
  out.charts.push_back({"Height of the packed column",
                        {"part of the circle, %", false, 0.0, {}, {}},
                        {"m", false, 0.0, {}, {}},
                        {heights}});
  return out;
}

// ---- Drum

Outcome drum(Lab& lab) {
  const double start = 5;
  const RunRecord run =
      lab.run("drum", scene_file(lab, "drum"),
              lab.quick() ? std::vector<std::string>{} : std::vector<std::string>{"run.duration=120"});
  const Readings r =
      lab.measure(run, fmt::format("mixing:by=start,axis=y,from={},cell={}", start, lab.pick(3, 6)), Frames::all);
  ChartSeries line{"", r.times(), r.column("index"), {}, true, false};
  double first = unknown, late = 0, samples = 0;
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    if (!std::isfinite(first) && std::isfinite(line.y[k])) first = line.y[k];
    if (line.x[k] < 0.8 * run.time) continue;
    late += line.y[k];
    ++samples;
  }
  late /= samples;
  Outcome out;
  out.quantities = {{"Lacey index at the start of the rotation", first, unknown, "", "halves below and above"},
                    {"Lacey index, mean of the last fifth", late, unknown, "", "of one run"}};
  const bool mixes = first < 0.3 && late > 0.8;
  out.findings.push_back({"mixes", mixes ? Verdict::holds : Verdict::fails,
                          fmt::format("Lacey index from {:.2f} to {:.2f}", first, late),
                          mixes ? "" : "Mixed was taken as from below 0.3 to above 0.8 in the last fifth of the run."});
  out.charts.push_back({"Mixing of the lower and the upper half",
                        {"time", false, {}, {}, {}},
                        {"Lacey index", false, 0.0, 1.1, {}},
                        {line}});
  out.figures = {lab.picture(run, "when the drum starts to turn", start, false, 480),
                 lab.picture(run, "at the end", {}, false, 480)};
  return out;
}

}  // namespace

std::vector<Experiment> table1_experiments() {
  return {
      {"column-collapse",
       "Column collapse",
       "A container is filled, the grains settle, a wall goes. The angle is that of the line through the tops of the "
       "columns between a tenth and nine tenths of the summit. Full: 6,300 grains, two seeds. Quick: 360 grains, five "
       "seeds.",
       {{"order", "from O, to U, to N, to #, we observe an attendant increase in the angle of repose",
         paper + ", §8.2"}},
       column_collapse},
      {"silo",
       "Silo discharge",
       "A silo of octagons or of #, with an opening of 8 or 16. Jammed: nothing has come out for a while, with grains "
       "above the opening. Full: 9,900 grains, one seed. Quick: 450, three seeds.",
       {{"narrow",
         "For the small opening with octagons, we observe a slow but steady discharge of grains. In contrast, "
         "with # grains and a small opening, the flow immediately jams.",
         paper + ", Fig. 5"},
        {"wide", "For the large opening, the silo discharges grains for both grain types", paper + ", Fig. 5"},
        {"profiles",
         "octagon: concave up profile with a sharp peak; #: concave down dome-like profile with high "
         "frequency surface oscillations",
         paper + ", Fig. 6"}},
       silo},
      {"column-packing",
       "Packed arcs",
       "Arcs of a quarter, a half, three quarters of a circle and whole rings fall into a column. Full: 1,000 arcs. "
       "Quick: 120. Two seeds each.",
       {{"rises", "the final packed column height increases dramatically as the grain shape becomes more convex",
         paper + ", §8.4"},
        {"nesting", "At 75%, this nesting mechanism is largely lost [...] a much taller column", paper + ", §8.4"}},
       column_packing},
      {"drum",
       "Spinning drum",
       "Letters tumble in a drum of blocks with lifters. Mixing is that of the grains which lie below and above the "
       "middle when it starts to turn. Full: 1,027 grains of nine shapes, to time 120. Quick: 120 grains of four "
       "shapes.",
       {{"mixes", "a collection of 9 grain shapes [in] a rotating drum (mixing is shown, not stated)",
         paper + ", §8.5, Fig. 1"}},
       drum},
      {"chain",
       "Coiling chain",
       "Links hold each other by ball and socket alone. The chain is lowered onto a floor of links, and dropped. "
       "Joints "
       "are looked at in every frame. Full: 500 links. Quick: 80.",
       {{"holds",
         "a chain from individual rigid bodies that connect to neighboring bodies through a ball and socket "
         "style geometry",
         paper + ", §8.7"},
        {"dropped",
         "if [...] we instead drop the linkage on the floor, the violent impact causes the ball and socket "
         "joints to tunnel through one another, snapping the chain. (Here it must not snap.)",
         paper + ", §9"},
        {"coils", "lowered, the chain coils (shown, not stated)", paper + ", Fig. 9"}},
       chain},
  };
}

}  // namespace scree::cli
