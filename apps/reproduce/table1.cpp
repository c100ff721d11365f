// Scenes of Table 1 of the Configurational Element Method paper: collapse, silo, packing, drum, chain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reproduce/lab.hpp"
#include "scree/base/error.hpp"

namespace scree::cli {

namespace {

const std::string paper = "Configurational Element Method";

std::string seed(int k) { return fmt::format("run.seed={}", k); }

// Scene file of the full or the quick version.
std::string file(const Lab& lab, const std::string& name) { return lab.pick("quick/", "") + (name + ".toml"); }

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
      const RunRecord run = lab.run(fmt::format("{}-{}", letter.shape, k), file(lab, "column-collapse"),
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

// ---- Silo

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

SiloRun run_silo(Lab& lab, const SiloScene& scene, const std::string& shape, int opening) {
  const std::string removed = opening == 8 ? R"(["plug"])" : R"(["plug", "lips"])";
  SiloRun s{lab.run(fmt::format("{}-{}", shape, opening), file(lab, "silo"),
                    {"grains.grain.shape=" + shape, "events[0].targets=" + removed}),
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
  for (const BodyKind kind : source.read(source.times.size() - 1).kind) s.total += kind == BodyKind::moving ? 1 : 0;
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

Finding flow_finding(const std::string& key, const SiloRun& octagon, const SiloRun& hash, bool hash_jams) {
  const auto state = [](const SiloRun& s) {
    return fmt::format("{:.0f} of {:.0f} out, {}", s.count.back(), s.total,
                       s.clogged   ? "jammed"
                       : s.flows() ? "flowing"
                                   : "dribbling");
  };
  const bool hash_ok = hash_jams ? hash.clogged && hash.share() < 0.2 : hash.flows();
  Finding f{key, octagon.flows() && hash_ok ? Verdict::holds : Verdict::fails,
            fmt::format("octagons: {}; #: {}", state(octagon), state(hash)), ""};
  if (!octagon.flows()) f.reason = "Octagons do not flow. ";
  if (!hash_ok && hash_jams)
    f.reason += hash.clogged ? "The # jam, but not before a fifth of them is out." : "The # do not jam.";
  if (!hash_ok && !hash_jams) f.reason += "The # do not flow.";
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

Outcome silo(Lab& lab) {
  const SiloScene scene = lab.pick(SiloScene{0.75, 0.3, -16, -35}, SiloScene{1.6, 2, -55, -129});
  Outcome out;
  Chart flow{"Grains out of the silo",
             {"time since the plug was pulled", false, 0.0, {}, {}},
             {"share of all grains", false, 0.0, {}, {}},
             {}};
  std::vector<SiloRun> runs;
  for (const int opening : {8, 16}) {
    for (const char* shape : {"octagon", "hash"}) {
      const SiloRun s = run_silo(lab, scene, shape, opening);
      const std::string name = fmt::format("{}, opening {}", shape == std::string("hash") ? "#" : shape, opening);
      ChartSeries line{name, {}, {}, {}, true, false};
      for (std::size_t k = 0; k < s.times.size(); ++k) {
        if (s.times[k] < scene.opened) continue;
        line.x.push_back(s.times[k] - scene.opened);
        line.y.push_back(s.count[k] / s.total);
      }
      flow.series.push_back(line);
      out.quantities.push_back({"share discharged, " + name, s.share(), unknown, "",
                                s.clogged   ? "jammed"
                                : s.flows() ? "flowing"
                                            : "dribbling"});
      out.figures.push_back(lab.picture(s.run, name));
      runs.push_back(s);
    }
  }
  const Pile octagon = pile_below(lab, runs[2].run, scene), hash = pile_below(lab, runs[3].run, scene);
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

// ---- Column packing

Outcome column_packing(Lab& lab) {
  const int seeds = lab.pick(2, 2);
  Outcome out;
  ChartSeries heights{"", {}, {}, {}, true};
  std::vector<Spread> packed;
  for (const int percent : {25, 50, 75, 100}) {
    std::vector<double> height;
    for (int k = 1; k <= seeds; ++k) {
      const RunRecord run = lab.run(fmt::format("{}-{}", percent, k), file(lab, "column-packing"),
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
      lab.run("drum", file(lab, "drum"),
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

// ---- Chain

// The link of scenes/chain.toml.
constexpr double link_length = 1, ball = 0.22, clearance = 0.05, wall = 0.08;
const double half_opening = 95 * std::numbers::pi / 360;

// Distance of ball and socket centres when the ball rests on both lips, and when it is between them: beyond that it is
// out. The lips are half discs as thick as the wall.
double mouth() { return (ball + clearance + wall / 2) * std::cos(half_opening); }
double rest_on_lips() {
  const double side = (ball + clearance + wall / 2) * std::sin(half_opening);
  return mouth() - std::sqrt(std::pow(ball + wall / 2, 2) - side * side);
}

// Joints of a chain: pairs (socket of, ball of), found where the balls are at the start.
class Joints {
 public:
  Joints(const Statics& statics, const Frame& start) {
    const GrainType& type = statics.types[start.type[0]];
    double right = 0;
    for (const Vec2d p : statics.shapes[static_cast<std::size_t>(type.shape)].outline.loops.front())
      right = std::max(right, p.x);
    // The outline is about its centroid; its right end is that of the ball.
    ball_x_ = right * type.radius - ball;
    for (std::size_t i = 0; i < start.id.size(); ++i) {
      if (start.kind[i] == BodyKind::fixed) continue;
      for (std::size_t j = 0; j < start.id.size(); ++j)
        if (i != j && start.kind[j] != BodyKind::fixed && distance(start, i, j) < mouth()) pairs_.emplace_back(i, j);
    }
  }
  std::size_t count() const { return pairs_.size(); }
  double widest(const Frame& f) const {
    double most = 0;
    for (const auto& [i, j] : pairs_) most = std::max(most, distance(f, i, j));
    return most;
  }
  std::size_t broken(const Frame& f) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(pairs_, [&](const auto& p) { return distance(f, p.first, p.second) > mouth(); }));
  }

 private:
  // Of the socket of i and the ball of j.
  double distance(const Frame& f, std::size_t i, std::size_t j) const {
    return norm(place(f, j, ball_x_) - place(f, i, ball_x_ - link_length));
  }
  static Vec2d place(const Frame& f, std::size_t i, double x) {
    return f.x[i] + x * Vec2d{std::cos(f.theta[i]), std::sin(f.theta[i])};
  }
  double ball_x_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

struct ChainResult {
  RunRecord run;
  ChartSeries widest;
  double most = 0, width = 0, height = 0;
  std::size_t joints = 0, broken = 0;
};

ChainResult run_chain(Lab& lab, const std::string& name, const std::vector<std::string>& overrides) {
  ChainResult c{lab.run(name, file(lab, "chain"), overrides), {name, {}, {}, {}, true, false}, 0, 0, 0, 0, 0};
  const RunSource source = lab.frames(c.run);
  const Joints joints(source.statics, source.read(0));
  c.joints = joints.count();
  for (std::size_t k = 0; k < source.times.size(); ++k) {
    const Frame f = source.read(k);
    c.widest.x.push_back(f.time);
    c.widest.y.push_back(joints.widest(f));
    c.most = std::max(c.most, c.widest.y.back());
    c.broken = std::max(c.broken, joints.broken(f));
  }
  const Readings pile = lab.measure(c.run, "runout:side=both,gap=4");
  c.width = pile.last("right") - pile.last("left");
  c.height = pile.last("height");
  return c;
}

Finding chain_finding(const std::string& key, const ChainResult& c) {
  Finding f{
      key, c.broken == 0 ? Verdict::holds : Verdict::fails,
      fmt::format("{} joints, none broken; ball and socket apart by at most {:.3f} (on the lips {:.3f}, out at {:.3f})",
                  c.joints, c.most, rest_on_lips(), mouth()),
      ""};
  if (c.broken > 0) {
    f.number = fmt::format("{} of {} joints broken", c.broken, c.joints);
    f.reason = "A ball has left its socket.";
  }
  return f;
}

Outcome chain(Lab& lab) {
  Outcome out;
  const ChainResult lowered = run_chain(lab, "lowered", {});
  const ChainResult dropped =
      run_chain(lab, "dropped",
                lab.quick() ? std::vector<std::string>{"events[0].time=0.2", "run.duration=5"}
                            : std::vector<std::string>{"events[0].time=0.5", "run.duration=16"});
  out.findings = {chain_finding("holds", lowered), chain_finding("dropped", dropped)};
  const double length = static_cast<double>(lowered.joints + 1) * link_length;
  const bool coiled = lowered.width < 0.5 * length && lowered.height > 2;
  out.findings.push_back(
      {"coils", coiled ? Verdict::holds : Verdict::fails,
       fmt::format("a chain of {:.0f} lies {:.1f} wide and {:.1f} high", length, lowered.width, lowered.height),
       coiled ? "" : "Coiled was taken as less than half as wide as long, and more than two high."});
  for (const auto& [name, c] : {std::pair{"lowered", &lowered}, {"dropped", &dropped}}) {
    out.quantities.push_back({fmt::format("{}: largest distance of ball and socket", name), c->most, unknown, "link",
                              fmt::format("{} joints, all frames", c->joints)});
    out.quantities.push_back({fmt::format("{}: joints broken", name), static_cast<double>(c->broken), unknown, "", ""});
    out.figures.push_back(lab.picture(c->run, fmt::format("{}, while it falls", name), 0.5 * c->run.time, false, 480));
    out.figures.push_back(lab.picture(c->run, fmt::format("{}, at the end", name), {}, false, 480));
  }
  const double end = std::max(lowered.run.time, dropped.run.time);
  out.charts.push_back({"Widest joint",
                        {"time", false, {}, {}, {}},
                        {"distance of ball and socket", false, 0.0, {}, {}},
                        {lowered.widest,
                         dropped.widest,
                         {"between the lips: out", {0, end}, {mouth(), mouth()}, {}, true, false, true}}});
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
       "above the opening. Full: 9,900 grains. Quick: 450.",
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
        {"coils", "Coiling chain", paper + ", Fig. 9"}},
       chain},
  };
}

}  // namespace scree::cli
