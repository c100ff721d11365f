// Laws of granular matter from beyond the two papers: discharge, runout, packing, non-convexity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/lab.hpp"

namespace scree::cli {

namespace {

std::string seed(int k) { return fmt::format("run.seed={}", k); }

// `n` points of a curve from lo to hi, evenly spaced by their logarithm.
ChartSeries curve(const std::string& name, double lo, double hi, const auto& y, int colour_of) {
  ChartSeries s{name};
  for (int k = 0; k <= 40; ++k) {
    s.x.push_back(lo * std::pow(hi / lo, k / 40.0));
    s.y.push_back(y(s.x.back()));
  }
  s.line = s.dashed = true;
  s.marks = false;
  s.colour_of = colour_of;
  return s;
}

// ---- Beverloo

// Grains a unit of time out of the bed from `from` on; the error is from four parts of the run.
Spread flow_rate(const Readings& discharge, double from) {
  constexpr std::size_t parts = 4;
  const std::vector<double>& times = discharge.times();
  const std::vector<double> count = discharge.column("count");
  const auto first = static_cast<std::size_t>(std::ranges::lower_bound(times, from) - times.begin());
  std::vector<double> rates;
  for (std::size_t p = 0; p < parts; ++p) {
    const auto bound = [&](std::size_t part) { return first + part * (times.size() - 1 - first) / parts; };
    const std::size_t lo = bound(p), hi = bound(p + 1);
    rates.push_back((count[hi] - count[lo]) / (times[hi] - times[lo]));
  }
  return spread(rates);
}

// Fitted with the offset k d of the literature; `by_offset` is what k from 1 to 2 changes.
struct Flow {
  ChartSeries points;
  PowerFit fit;
  double by_offset = 0;
  OffsetPowerFit all = {};  // with k fitted too
};
constexpr double usual_offset = 1.4;  // diameters

PowerFit fit_flow(const ChartSeries& points, double offset) {
  std::vector<double> free;
  for (const double w : points.x) free.push_back(w - offset);
  return fit_power(free, points.y);
}

Flow beverloo_of(Lab& lab, const std::string& shape, const std::vector<double>& widths, Outcome& out) {
  const double opened = 20, started = 3, lip = 0.5;  // lip: half the thickness of the floor
  const int seeds = lab.pick(1, 3);
  Flow flow{{shape + "s"}, {}};
  for (const double w : widths) {
    std::vector<double> rates;
    double error = 0;
    for (int k = 1; k <= seeds; ++k) {
      // Long enough for some hundred grains, short enough that the bed stays deeper than the slot is wide.
      const RunRecord run = lab.run(fmt::format("{}-{:g}-{}", shape, w, k), "reproduce/orifice.toml",
                                    {"grains.grain.shape=" + shape, fmt::format("walls[left].to=[{},0]", -w / 2 - lip),
                                     fmt::format("walls[right].from=[{},0]", w / 2 + lip),
                                     fmt::format("run.duration={:.2f}", opened + started + 400 / w), seed(k)});
      const Spread rate = flow_rate(lab.measure(run, "discharge:y=[-1,1000]", Frames::all), opened + started);
      rates.push_back(rate.mean);
      error = rate.error();
      if (w == widths.back() && k == 1)
        out.figures.push_back(lab.picture(run, fmt::format("{}s through {:g} diameters", shape, w)));
    }
    const Spread s = spread(rates);
    if (seeds > 1) error = s.error();
    flow.points.x.push_back(w);
    flow.points.y.push_back(s.mean);
    flow.points.error.push_back(error);
    out.quantities.push_back({fmt::format("rate of {}s through {:g} diameters", shape, w), s.mean, error, "grains/time",
                              seeds > 1 ? "error from seeds" : "error from four parts of the run"});
  }
  flow.fit = fit_flow(flow.points, usual_offset);
  flow.by_offset = 0.5 * std::abs(fit_flow(flow.points, 1).exponent - fit_flow(flow.points, 2).exponent);
  out.quantities.push_back({"exponent, " + shape + "s", flow.fit.exponent, flow.fit.error, "", "of the fit, k = 1.4"});
  out.quantities.push_back({"what k from 1 to 2 adds, " + shape + "s", flow.by_offset, unknown, "", "to the exponent"});
  flow.all = fit_offset_power(flow.points.x, flow.points.y, flow.points.error, 0, 0.8 * widths.front());
  out.quantities.push_back({"exponent with k fitted too, " + shape + "s", flow.all.exponent, flow.all.error, "",
                            fmt::format("k = {:.1f}", flow.all.offset)});
  return flow;
}

Finding exponent_finding(const std::string& key, const Flow& flow) {
  const double n = flow.fit.exponent;
  Finding f{key, Verdict::holds,
            fmt::format("exponent {:.2f} ± {:.2f} (fit) ± {:.2f} (k from 1 to 2) at k = 1.4", n, flow.fit.error,
                        flow.by_offset),
            ""};
  if (std::abs(n - 1.5) > 2 * flow.fit.error + flow.by_offset) {
    f.verdict = Verdict::fails;
    f.reason = "3/2 is outside twice the error of the fit and the range of k.";
  } else if (flow.fit.error > 0.2) {
    f.verdict = Verdict::undecided;
    f.reason = "The rates scatter too much to tell; longer runs tell.";
  } else if (flow.all.offset <= 0 || std::abs(flow.all.exponent - 1.5) > 2 * flow.all.error) {
    f.verdict = Verdict::undecided;
    f.reason = fmt::format("It holds for the usual k, but with k fitted too the exponent is {} at k = {:.1f}.",
                           plus_minus(flow.all.exponent, flow.all.error, 2), flow.all.offset);
  }
  return f;
}

Outcome beverloo(Lab& lab) {
  const std::vector<double> widths =
      lab.quick() ? std::vector<double>{7, 10, 14, 20} : std::vector<double>{7, 8.5, 10, 12, 14, 17, 20};
  Outcome out;
  const Flow discs = beverloo_of(lab, "disc", widths, out), octagons = beverloo_of(lab, "octagon", widths, out);
  out.findings = {exponent_finding("discs", discs), exponent_finding("octagons", octagons)};
  const auto fit = [](const Flow& f, int k) {
    return curve(
        fmt::format("{:.2f} (w - {:.1f})^{:.2f}", f.fit.factor, usual_offset, f.fit.exponent), f.points.x.front(),
        f.points.x.back(), [&](double w) { return f.fit.at(w - usual_offset); }, k);
  };
  out.charts.push_back({"Flow through a slot",
                        {"width of the slot w, diameters"},
                        {"grains a unit of time"},
                        {discs.points, octagons.points, fit(discs, 0), fit(octagons, 1)}});
  return out;
}

// ---- Runout

// Width in diameters, and rows of the lattice it is filled from.
struct Column {
  double width;
  int rows;
};

Outcome runout(Lab& lab) {
  const double pitch = 1.17, opened = lab.pick(15, 25);
  const int seeds = lab.pick(1, 4);
  const std::vector<Column> columns =
      lab.quick()
          ? std::vector<Column>{{26, 14}, {24, 20}, {20, 24}, {18, 30}, {18, 52}, {18, 74}, {18, 106}, {18, 150}}
          : std::vector<Column>{{50, 24}, {40, 32}, {36, 44}, {30, 56}, {24, 80}, {24, 120}, {24, 180}, {24, 260}};
  Outcome out;
  ChartSeries points{"runout"};
  for (const auto& [width, rows] : columns) {
    std::vector<double> aspects, runouts;
    for (int k = 1; k <= seeds; ++k) {
      const RunRecord run = lab.run(
          fmt::format("column-{:g}-{}-{}", width, rows, k), "reproduce/dam-break.toml",
          {fmt::format("insert[0].x=[0,{}]", width - 0.05), fmt::format("insert[0].y=[0.1,{}]", 0.2 + pitch * rows),
           fmt::format("walls[gate].from=[{},0]", width), fmt::format("walls[gate].to=[{},400]", width),
           fmt::format("events[0].time={}", opened), fmt::format("run.duration={}", lab.pick(70, 120)), seed(k)});
      const RunSource source = lab.frames(run);
      const Readings height = lab.measure(run, fmt::format("surface:x=[0.5,{}],y=[0,400]", width - 0.5), Frames::all);
      aspects.push_back(height.column("mean")[source.frame_at(opened - 1)] / width);
      runouts.push_back(
          lab.measure(run, fmt::format("runout:side=right,origin=0,start_radius={},touching=true,gap=0.2", width))
              .last("runout"));
      if (k == 1 && (rows == columns.front().rows || rows == columns.back().rows))
        out.figures.push_back(
            lab.picture(run, fmt::format("{:g} wide, aspect ratio {:.1f}, at rest", width, aspects[0])));
    }
    const Spread a = spread(aspects), r = spread(runouts);
    points.x.push_back(a.mean);
    points.y.push_back(r.mean);
    points.error.push_back(r.count > 1 ? r.deviation : 0);
    out.quantities.push_back({fmt::format("runout at aspect ratio {:.2f}", a.mean), r.mean,
                              r.count > 1 ? r.deviation : unknown, "initial widths", fmt::format("{} seeds", seeds)});
  }
  // The literature's two regimes, with the crossover left out.
  const auto regime = [&](double lo, double hi) {
    std::vector<double> x, y;
    for (std::size_t k = 0; k < points.x.size(); ++k) {
      if (points.x[k] < lo || points.x[k] > hi) continue;
      x.push_back(points.x[k]);
      y.push_back(points.y[k]);
    }
    return fit_power(x, y);
  };
  const PowerFit low = regime(0, 1.8), high = regime(2, 100);
  const auto finding = [](const std::string& key, const PowerFit& fit, double expected) {
    const bool holds = std::abs(fit.exponent - expected) < std::max(0.15, 2 * fit.error);
    return Finding{key, holds ? Verdict::holds : Verdict::fails,
                   "exponent " + plus_minus(fit.exponent, fit.error, 2) + " (error of the fit)",
                   holds ? "" : "It is further from the expected one than twice its error and 0.15."};
  };
  out.findings = {finding("low", low, 1), finding("high", high, 2.0 / 3)};
  for (Finding& f : out.findings) {
    if (!lab.quick() || f.verdict != Verdict::fails) continue;
    f.verdict = Verdict::undecided;
    f.reason +=
        " One seed tells the front, a grain or two thick, to a tenth only: the full version, of wider columns and"
        " four seeds, decides.";
  }
  out.quantities.push_back({"exponent, low columns", low.exponent, low.error, "", "of the fit"});
  out.quantities.push_back({"exponent, high columns", high.exponent, high.error, "", "of the fit"});
  out.charts.push_back(
      {"Runout of a column",
       {"aspect ratio a", true},
       {"(r - r0) / r0", true},
       {points,
        curve(
            fmt::format("a^{:.2f}", low.exponent), points.x.front(), 1.8, [&](double a) { return low.at(a); }, 1),
        curve(
            fmt::format("a^{:.2f}", high.exponent), 2, points.x.back(), [&](double a) { return high.at(a); }, 2)}});
  out.charts.back().series[1].colour_of.reset();
  out.charts.back().series[2].colour_of.reset();
  return out;
}

// ---- Disc packing

Outcome disc_packing(Lab& lab) {
  const int seeds = lab.pick(3, 5);
  Outcome out;
  std::vector<Spread> fractions;
  for (const double mu : {0.0, 0.5}) {
    std::vector<double> fraction;
    for (int k = 1; k <= seeds; ++k) {
      std::vector<std::string> overrides = {fmt::format("materials.default.friction={:g}", mu), seed(k)};
      const RunRecord run = lab.run(fmt::format("friction-{:g}-{}", mu, k), "reproduce/disc-packing.toml", overrides);
      fraction.push_back(lab.measure(run, "packing:y=[3,12]").last("fraction"));
      if (k == 1) out.figures.push_back(lab.picture(run, fmt::format("friction {:g}", mu), {}, true, 400));
    }
    fractions.push_back(spread(fraction));
    out.quantities.push_back({fmt::format("packing fraction at friction {:g}", mu), fractions.back().mean,
                              fractions.back().deviation, "", fmt::format("spread over {} seeds", seeds)});
  }
  const Spread &smooth = fractions[0], &rough = fractions[1];
  const bool close = std::abs(smooth.mean - 0.84) < 0.012;
  out.findings.push_back({"close", close ? Verdict::holds : Verdict::fails, "φ = " + plus_minus(smooth, 3),
                          close ? "" : "It is further from 0.84 than 0.012."});
  const bool lower = clearly_below(rough, smooth);
  out.findings.push_back(
      {"friction", lower ? Verdict::holds : Verdict::fails,
       fmt::format("φ = {} at µ 0.5 against {} without", plus_minus(rough, 3), plus_minus(smooth, 3)),
       lower ? "" : "The difference is within the spread."});
  return out;
}

// ---- Non-convexity

// Part of the convex hull of a cross that is empty; circumradius 1.
double emptiness(double bar) {
  const double arm = std::sqrt(1 - bar * bar / 4), notch = arm - bar / 2;
  const double solid = 4 * arm * bar - bar * bar;
  return 1 - solid / (4 * arm * arm - 2 * notch * notch);
}

Outcome nonconvexity(Lab& lab) {
  const int seeds = lab.pick(3, 8);
  Outcome out;
  ChartSeries points{"crosses"};
  std::vector<Spread> angles;
  for (const double bar : {1.414, 1.15, 0.9, 0.6, 0.4, 0.25}) {
    std::vector<double> angle;
    for (int k = 1; k <= seeds; ++k) {
      const RunRecord run = lab.run(fmt::format("bar-{:g}-{}", bar, k), "reproduce/crosses.toml",
                                    {fmt::format("shapes.cross.bar={:g}", bar), seed(k)});
      angle.push_back(lab.measure(run, "repose:flank=right,touching=true").last("angle_deg"));
      if (k == 1 && (bar > 1.4 || bar == 0.6 || bar == 0.25))
        out.figures.push_back(lab.picture(run, fmt::format("bars {:g} radii wide", bar)));
    }
    angles.push_back(spread(angle));
    points.x.push_back(emptiness(bar));
    points.y.push_back(angles.back().mean);
    points.error.push_back(angles.back().deviation);
    out.quantities.push_back({fmt::format("angle of repose, bar {:g}, {:.2f} of the hull empty", bar, points.x.back()),
                              angles.back().mean, angles.back().deviation, "degree", fmt::format("{} seeds", seeds)});
  }
  const Spread &first = angles.front(), &middle = angles[3], &last = angles.back();
  const std::string number = fmt::format("{} for squares, {} half way, {} for the thinnest", plus_minus(first, 1, "°"),
                                         plus_minus(middle, 1, "°"), plus_minus(last, 1, "°"));
  const Spread most = *std::ranges::max_element(angles, {}, &Spread::mean);
  Finding rises{"rises", clearly_below(first, most) ? Verdict::holds : Verdict::fails, number, ""};
  if (rises.verdict == Verdict::fails) rises.reason = "No cross is steeper than squares by more than the spread.";
  // Saturated: the second half adds less than half of what the first one did.
  const double early = middle.mean - first.mean, late = last.mean - middle.mean;
  const double error = std::hypot(middle.error(), std::hypot(first.error(), last.error()));
  Finding saturates{"saturates", late < 0.5 * early ? Verdict::holds : Verdict::fails,
                    fmt::format("{:+.1f}° up to half way, {:+.1f}° from there on (± {:.1f}°)", early, late, error), ""};
  if (std::abs(late - 0.5 * early) < error) {
    saturates.verdict = Verdict::undecided;
    saturates.reason = "The difference is within the spread from seed to seed.";
  } else if (saturates.verdict == Verdict::fails) {
    saturates.reason = "The angle rises on.";
  }
  out.findings = {rises, saturates};
  points.line = true;
  out.charts.push_back(
      {"Angle of repose of crosses", {"part of the convex hull that is empty"}, {"degrees"}, {points}});
  out.charts.back().y.lo = 0;
  return out;
}

}  // namespace

std::vector<Experiment> literature_experiments() {
  return {
      {"beverloo",
       "Discharge through a slot",
       "A bed 60 diameters wide and 45 deep runs out through a slot in its flat floor. The offset k is taken as 1.4, "
       "as usual. Full: seven widths, three seeds. Quick: four widths, one seed.",
       {{"discs", "In two dimensions the rate grows as (w − k d)^(3/2): discs",
         "Beverloo, Leniger, van de Velde, Chem. "
         "Eng. Sci. 15 (1961) 260"},
        {"octagons", "In two dimensions the rate grows as (w − k d)^(3/2): octagons", "the same law"}},
       beverloo},
      {"runout",
       "Runout of collapsing columns",
       "Columns of discs on a rough floor. Full: 24 to 50 diameters wide, four seeds. Quick: 18 to 26, one "
       "seed.",
       {{"low", "Runout is proportional to the aspect ratio of low columns",
         "Lube et al., Phys. Rev. E 72 (2005) 041301; Staron, Hinch, J. Fluid Mech. 545 (2005) 1"},
        {"high", "and to its power 2/3 (0.7) for high ones", "the same"}},
       runout},
      {"disc-packing",
       "Packing of discs",
       "Discs of two sizes, 1 to 1.4, settle under gravity; the fraction is that of the bed between 3 and 12 diameters "
       "above the floor. 300 discs; full: five seeds, quick: three.",
       {{"close", "Without friction, discs of two sizes jam at a packing fraction of 0.84",
         "O'Hern et al., Phys. Rev. E 68 (2003) 011306"},
        {"friction", "With friction they jam looser", "Silbert, Soft Matter 6 (2010) 2918"}},
       disc_packing},
      {"nonconvexity",
       "Strength against non-convexity",
       "The small column collapse with crosses, from squares to thin bars. 360 grains; full: eight seeds, quick: "
       "three.",
       {{"rises", "Strength rises with non-convexity",
         "Saint-Cyr et al., Phys. Rev. E 84 (2011) 041302; CEGEO, EPL 98 "
         "(2012) 44008"},
        {"saturates", "and saturates where grains are far from convex", "the same"}},
       nonconvexity},
  };
}

}  // namespace scree::cli
