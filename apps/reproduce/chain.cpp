// The coiling chain: its joints, frame by frame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reproduce/table1.hpp"

namespace scree::cli {

namespace {

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
  ChainResult c{lab.run(name, scene_file(lab, "chain"), overrides), {name, {}, {}, {}, true, false}, 0, 0, 0, 0, 0};
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

}  // namespace

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

}  // namespace scree::cli
