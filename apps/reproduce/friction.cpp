// The friction cases of section 8.1: leaning block, triangle, inclined plane. They are small, so that the quick version
// is the full one.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "reproduce/lab.hpp"

namespace scree::cli {

namespace {

const std::string paper = "Configurational Element Method, §8.1";

std::string friction(double mu) { return fmt::format("materials.default.friction={:g}", mu); }

RunRecord run_at(Lab& lab, const std::string& scene, double mu) {
  return lab.run(fmt::format("{}-{:g}", scene, mu), scene + ".toml", {friction(mu)});
}

// How far body `index` has turned and moved since the frame at `from`.
struct Travel {
  double angle = 0;
  Vec2d shift;
};
Travel travel(const RunSource& source, std::size_t index, double from, double to) {
  const Frame a = source.read(source.frame_at(from)), b = source.read(source.frame_at(to));
  return {b.theta[index] - a.theta[index], b.x[index] - a.x[index]};
}

Outcome leaning_block(Lab& lab) {
  Outcome out;
  ChartSeries slid{"", {}, {}, {}, true};
  for (const double mu : {0.1, 0.3, 0.5}) {
    const RunRecord run = run_at(lab, "leaning-block", mu);
    const double angle = travel(lab.frames(run), 0, 0, 0.2).angle;
    slid.x.push_back(mu);
    slid.y.push_back(angle);
    out.quantities.push_back({fmt::format("angle slid in 0.2 s at friction {:g}", mu), angle, unknown, "rad", ""});
    out.figures.push_back(lab.picture(run, fmt::format("µ = {:g}, t = 0.3 s", mu), 0.3, false, 400));
  }
  const bool holds = slid.y[0] > slid.y[1] && slid.y[1] > slid.y[2] && slid.y[2] > 0.002;
  out.findings.push_back(
      {"slides", holds ? Verdict::holds : Verdict::fails,
       fmt::format("turned by {:.4f}, {:.4f}, {:.4f} rad in 0.2 s at µ 0.1, 0.3, 0.5", slid.y[0], slid.y[1], slid.y[2]),
       holds ? "" : "the block does not slide the less the more friction there is"});
  Chart chart{"Angle slid in 0.2 s", {"friction µ", false, {}, {}, {}}, {"rad", false, 0.0, {}, {}}, {slid}};
  out.charts.push_back(chart);
  return out;
}

Outcome triangle(Lab& lab) {
  Outcome out;
  std::vector<double> fall;
  for (const double mu : {0.1, 0.3, 0.5}) {
    const RunRecord run = run_at(lab, "triangle", mu);
    fall.push_back(-travel(lab.frames(run), 0, 0, run.time).shift.y);
    out.quantities.push_back({fmt::format("centre sank by, friction {:g}", mu), fall.back(), unknown, "m", ""});
    out.figures.push_back(lab.picture(run, fmt::format("µ = {:g}, t = 3 s", mu), {}, false, 400));
  }
  const bool holds = fall[0] > 0.5 && std::abs(fall[1]) < 0.01 && std::abs(fall[2]) < 0.01;
  out.findings.push_back(
      {"stands", holds ? Verdict::holds : Verdict::fails,
       fmt::format("centres sank by {:.3f}, {:.4f}, {:.4f} m in 3 s at µ 0.1, 0.3, 0.5", fall[0], fall[1], fall[2]),
       holds ? "" : "fallen means by more than 0.5 m, standing by less than 0.01 m"});
  return out;
}

Outcome inclined_plane(Lab& lab) {
  Outcome out;
  const double tilt = 16 * std::numbers::pi / 180, settled = 1;
  const Vec2d down{std::cos(tilt), -std::sin(tilt)};
  std::vector<double> slid;
  double expected = 0;
  for (const double mu : {0.28, 0.3, 0.32}) {
    const RunRecord run = run_at(lab, "inclined-plane", mu);
    slid.push_back(dot(travel(lab.frames(run), 1, settled, run.time).shift, down));
    if (mu < std::tan(tilt)) {
      // From rest at 0.5 s with Coulomb's acceleration.
      const double a = 9.81 * (std::sin(tilt) - mu * std::cos(tilt));
      expected = 0.5 * a * (std::pow(run.time - 0.5, 2) - std::pow(settled - 0.5, 2));
    }
    out.quantities.push_back(
        {fmt::format("slid from 1 s to 3.5 s at friction {:g}", mu), slid.back(), unknown, "m", ""});
    out.figures.push_back(lab.picture(run, fmt::format("µ = {:g}, t = 3.5 s", mu), {}, false, 400));
  }
  out.quantities.push_back({"the same by Coulomb's law at friction 0.28", expected, unknown, "m", "closed form"});
  const bool holds = slid[0] > 0.5 * expected && std::abs(slid[1]) < 1e-3 && std::abs(slid[2]) < 1e-3;
  out.findings.push_back({"sticks", holds ? Verdict::holds : Verdict::fails,
                          fmt::format("slid {:.3f} m at µ 0.28 (Coulomb: {:.3f} m), {:.1e} m at 0.30, {:.1e} m at 0.32",
                                      slid[0], expected, slid[1], slid[2]),
                          holds ? "" : "sticking means by less than 1 mm in 2.5 s"});
  return out;
}

}  // namespace

std::vector<Experiment> friction_experiments() {
  return {
      {"leaning-block",
       "Leaning block",
       "A thin block at 0.6 rad in the corner of a floor and a wall slides down at three coefficients of friction.",
       {{"slides",
         "For µ = 0.1, the block slides immediately. For µ = 0.3 and µ = 0.5, the block also slides but at "
         "substantially reduced rates",
         paper}},
       leaning_block},
      {"triangle",
       "Two blocks lean on each other",
       "Each is inclined by 15° and stands on a plane.",
       {{"stands", "only µ = 0.1 leads to collapse, while larger friction coefficients result in a stable structure",
         paper}},
       triangle},
      {"inclined-plane",
       "A block on a slope of 16°",
       "Block and slope meet face to face through the exact map.",
       {{"sticks", "the block remains stationary for µ = 0.3 and µ = 0.32, while sliding initiates at µ = 0.28",
         paper}},
       inclined_plane},
  };
}

}  // namespace scree::cli
