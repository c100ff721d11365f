// One suite that every kind of map passes, over random shapes and size ratios.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ostream>

#include "map/brute_force.hpp"
#include "scree/base/error.hpp"
#include "scree/learn/evaluate.hpp"
#include "scree/learn/factory.hpp"
#include "scree/learn/sampling.hpp"
#include "scree/map/least_motion.hpp"
#include "scree/map/star_kernel.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/star.hpp"

namespace scree {
namespace {

using test::random_pose;

// How closely a kind follows its own promises, and why.
struct Expectation {
  std::string kind;
  int pairs;        // random pairs tried
  double bound;     // largest gap_max it may report, so that no other promise is kept by a bound that says nothing
  double step;      // of finite differences
  double gradient;  // tolerance of the gradient against them
  double kinks;     // share of poses that may fail it, being near a kink
  double from;      // gap from which on the gradient is promised
  double repeat;    // of the value after a whole turn or a symmetry of B
};

constexpr double everywhere = -1e9;

const Expectation expectations[] = {
    // Kinks where the contact changes; symmetry found to 1e-6. Smoothing moves the gap by less than epsilon.
    {"exact", 5, 2e-3, 1e-6, 1e-3, 0.02, everywhere, 1e-6},
    // C2: third derivative ~ 1/spacing^2 times step^2. Corners are cut by about one spacing of 0.06.
    {"table", 9, 0.06, 1e-4, 1e-4, 0, everywhere, 1e-9},
    // Single precision: 1e-6 / step, plus curvature.
    {"neural", 2, 0.3, 4e-3, 2e-2, 0.01, everywhere, 1e-4},
    // Jumps from grid point to grid point, 0.04 apart, so differences are taken over more than that; in an overlap the
    // paper's normal is not the gradient of its distance. The worst it reports is an overlap seen at half its depth.
    {"grid-minimum", 2, 0.15, 8e-2, 0.25, 0.15, 0.1, 0.1},
    // Kinks where the nearest node changes, and between table entries; spikes reach past the nodes.
    {"star", 4, 0.35, 1e-7, 1e-3, 0.05, everywhere, 3e-3},
    // Kinks where the nearest discs change.
    {"clump", 6, 0.2, 1e-6, 1e-5, 0.02, everywhere, 1e-9},
    // Closed form.
    {"discs", 3, 0, 1e-5, 1e-8, 0, everywhere, 1e-14},
};

MapSettings quick(const std::string& kind) {
  MapSettings s;
  if (kind != "discs") s.kind = kind;  // two discs have theirs whatever the kind
  s.nodes = 64;
  s.samples = 65536;
  s.epochs = 10;
  s.grid = 101;
  return s;
}

// A star-shaped polygon with wild radii: reflex corners, thin spikes, no symmetry.
Shape random_polygon(Rng& rng) {
  const int n = 5 + static_cast<int>(rng.below(6));
  Loop loop;
  for (int k = 0; k < n; ++k) {
    const double phi = 2 * std::numbers::pi * (k + rng.uniform(-0.3, 0.3)) / n, r = rng.uniform(0.35, 1);
    loop.push_back({r * std::cos(phi), r * std::sin(phi)});
  }
  return make_shape("polygon", {{loop}});
}

Shape random_shape(Rng& rng) {
  static const char* names[] = {"box", "hash", "u", "n", "star", "cross", "heart", "d", "octagon", "ring", "arc"};
  return rng.uniform() < 0.4 ? random_polygon(rng) : make_named_shape(names[rng.below(std::size(names))]);
}

// Star-shaped about its centroid: what a star map can be made of.
Shape random_star(Rng& rng) {
  static const char* names[] = {"box", "star", "cross", "heart", "octagon", "rosette"};
  if (rng.uniform() < 0.4) return make_named_shape(names[rng.below(std::size(names))]);
  FourierSeries series{{1}, {}};
  for (int k = 1; k < 6; ++k) {
    series.cosines.push_back(rng.uniform(-0.12, 0.12));
    series.sines.push_back(rng.uniform(-0.12, 0.12));
  }
  return make_fourier_star("fourier", series);
}

Shape random_shape_for(const std::string& kind, Rng& rng) {
  if (kind == "star") return random_star(rng);
  return kind == "discs" ? make_disc("disc", 1) : random_shape(rng);
}

struct Specimen {
  Shape a, b;
  ShapePair pair;
  std::unique_ptr<ContactMap> map;
  std::string label;
};

std::unique_ptr<Specimen> make_specimen(const Expectation& e, int n, ThreadPool& pool) {
  Rng rng(11, static_cast<std::uint64_t>(n));
  auto s = std::make_unique<Specimen>();
  // The first pair is the hardest that the kind takes. Of the library that is a ball in a socket, whose depth jumps
  // where the joint binds.
  const bool link = n == 0 && e.kind != "star" && e.kind != "discs";
  s->a = link ? make_named_shape("chain-link") : random_shape_for(e.kind, rng);
  s->b = link ? s->a : random_shape_for(e.kind, rng);
  s->pair = {&s->a, &s->b, n % 2 == 0 ? 1.0 : rng.uniform(0.5, 2)};
  s->map = build_map(s->pair, quick(e.kind), pool);
  s->label = e.kind + ": " + s->a.name + " and " + s->b.name + " at " + std::to_string(s->pair.ratio);
  return s;
}

void check_value(const Specimen& s, const Expectation& e, ThreadPool& pool) {
  // Other samples than those the bound was measured on.
  const MapSamples exact = sample_exact_by_slice(s.pair, 4096, 99, pool);
  const PairGeometry geometry(s.pair);
  const double bound = s.map->error().gap_max;
  if (s.map->kind() != "discs") { EXPECT_GT(s.map->error().samples, 0u); }  // theirs is no approximation
  EXPECT_LE(bound, e.bound) << s.label;
  double squares = 0;
  std::size_t count = 0, beyond = 0, missed = 0, touching = 0, wrong = 0;
  for (std::size_t i = 0; i < exact.poses.size(); ++i) {
    const double gap = s.map->query(exact.poses[i]).gap, truth = exact.targets[i].gap;
    if (gap_excess(gap, truth, truth) > bound) {
      const double least = least_motion(geometry, exact.poses[i], truth, gap - bound);
      if (gap_excess(gap, truth, least) > bound) ++beyond;
    }
    if (std::abs(truth) <= sample_band) {
      squares += (gap - truth) * (gap - truth);
      ++count;
    }
    if (std::abs(truth) > 4 * s.map->error().gap_rmse && (truth < 0) != (gap < 0)) ++wrong;
    if (truth <= 0 && gap > bound) ++missed;                             // an overlap that the map does not see
    if (truth > sample_band && gap < std::min(0.0, -bound)) ++touching;  // contact where there is none
  }
  EXPECT_EQ(beyond, 0u) << s.label << " bound " << bound;
  EXPECT_EQ(missed, 0u) << s.label;
  EXPECT_EQ(touching, 0u) << s.label;
  // Whether grains touch is right wherever it is not a matter of the map's own error.
  EXPECT_LE(static_cast<double>(wrong), 0.005 * static_cast<double>(exact.poses.size())) << s.label;
  // One more sample at the worst pose than the measurement had changes its RMSE by about bound / sqrt(count).
  const double n = static_cast<double>(count);
  EXPECT_LE(std::sqrt(squares / n), 1.3 * s.map->error().gap_rmse + (bound + s.map->error().gap_jump) / std::sqrt(n))
      << s.label;
}

void check_gradient(const Specimen& s, const Expectation& e) {
  Rng rng(12);
  int bad = 0, total = 0;
  while (total < 200) {
    const Pose2d q = random_pose(rng, s.map->reach() - 2 * e.step);
    if (s.map->query(q).gap < e.from) continue;
    ++total;
    const auto slope = [&](Pose2d d) {
      const Pose2d up{q.theta + d.theta, q.x + d.x}, down{q.theta - d.theta, q.x - d.x};
      return (s.map->query(up).gap - s.map->query(down).gap) / (2 * e.step);
    };
    const ContactGeometry g = s.map->query(q);
    // In deep overlaps, and beside steep flanks, a star's gradient is limited in length.
    if (s.map->kind() == "star" && norm(g.gap_x) > star_steepest<double> - 1e-9) continue;
    const double error =
        std::max({std::abs(slope({e.step, {0, 0}}) - g.gap_theta), std::abs(slope({0, {e.step, 0}}) - g.gap_x.x),
                  std::abs(slope({0, {0, e.step}}) - g.gap_x.y)});
    if (error > e.gradient) ++bad;
  }
  EXPECT_LE(bad, e.kinks * total) << s.label;
}

void check_seams(const Specimen& s, const Expectation& e) {
  constexpr double pi = std::numbers::pi;
  Rng rng(13);
  for (int n = 0; n < 50; ++n) {
    const Pose2d q = random_pose(rng, s.map->reach());
    const double gap = s.map->query(q).gap;
    EXPECT_NEAR(s.map->query({q.theta + 2 * pi, q.x}).gap, gap, e.repeat) << s.label;
    EXPECT_NEAR(s.map->query({pi - 1e-9, q.x}).gap, s.map->query({-pi + 1e-9, q.x}).gap, e.repeat + 1e-8) << s.label;
    if (s.b.symmetry > 1) {
      EXPECT_NEAR(s.map->query({q.theta + 2 * pi / s.b.symmetry, q.x}).gap, gap, e.repeat) << s.label;
    }
  }
}

// Second derivatives along a line from the left and from the right: their difference falls with the step when they
// are continuous, and stays when they jump.
void check_curvature(const Specimen& s, const Expectation& e) {
  const auto worst_jump = [&](double h) {
    double worst = 0;
    for (int n = 0; n < 300; ++n) {
      Rng line(14, static_cast<std::uint64_t>(n));
      const Pose2d q = random_pose(line, s.map->reach() - 3 * h);
      const double phi = line.uniform(0, 2 * std::numbers::pi), spin = line.uniform(-1, 1);
      const Vec2d way{std::cos(phi), std::sin(phi)};
      const auto slope = [&](double t) {
        const ContactGeometry g = s.map->query({q.theta + spin * t, q.x + t * way});
        return g.gap_theta * spin + dot(g.gap_x, way);
      };
      const double here = slope(0);
      worst = std::max(worst, std::abs((slope(h) - here) - (here - slope(-h))) / h);
    }
    return worst;
  };
  const double h = 10 * e.step;
  EXPECT_LT(worst_jump(h / 8), 0.25 * worst_jump(h) + 1e-2) << s.label;
}

void check_swap(const Specimen& s, const Expectation& e, ThreadPool& pool) {
  const ShapePair back{s.pair.b, s.pair.a, 1 / s.pair.ratio};
  const auto other = build_map(back, quick(e.kind), pool);
  const double unit = s.pair.ratio;  // lengths of the swapped map are in units of B's circumradius
  const double bound = s.map->error().gap_max + unit * other->error().gap_max + 1e-14;
  const MapSamples exact = sample_exact_by_slice(s.pair, 512, 15, pool);
  const PairGeometry here(s.pair), there(back);
  for (std::size_t i = 0; i < exact.poses.size(); ++i) {
    const double truth = exact.targets[i].gap;
    if (std::abs(truth) > sample_band * std::min(1.0, unit)) continue;
    const Pose2d r = inverse(exact.poses[i]), swapped_pose{r.theta, (1 / unit) * r.x};
    const double difference = unit * other->query(swapped_pose).gap - s.map->query(exact.poses[i]).gap;
    if (std::abs(difference) <= bound) continue;
    // Where the exact gap jumps, the two may take either side of the jump.
    const double jump = std::max(least_motion(here, exact.poses[i], truth, 0),
                                 unit * least_motion(there, swapped_pose, truth / unit, 0)) -
                        truth;
    EXPECT_LE(std::abs(difference), bound + jump) << s.label;
  }
}

// Three angles at once are three queries, on both sides of seams and beyond reach too.
void check_tilted(const Specimen& s) {
  constexpr double tilt = 0.01;
  Rng rng(31);
  for (int k = 0; k < 300; ++k) {
    const double reach = 1.1 * s.map->reach();
    const Pose2d q{k % 3 == 0 ? rng.uniform(-0.02, 0.02) : rng.uniform(-std::numbers::pi, std::numbers::pi),
                   {rng.uniform(-reach, reach), rng.uniform(-reach, reach)}};
    std::array<ContactGeometry, 3> three;
    s.map->query_tilted(q, tilt, three);
    for (std::size_t n = 0; n < 3; ++n) {
      const double turn = n == 0 ? 0 : (n == 1 ? tilt : -tilt);
      const ContactGeometry one = s.map->query({wrap_angle(q.theta + turn), q.x});
      EXPECT_NEAR(three[n].gap, one.gap, 1e-9);
      EXPECT_NEAR(three[n].gap_theta, one.gap_theta, 1e-8);
      EXPECT_NEAR(norm(three[n].gap_x - one.gap_x), 0, 1e-8);
      EXPECT_NEAR(three[n].arm, one.arm, 1e-9);
    }
  }
}

void check_batch(const Specimen& s) {
  Rng rng(16);
  std::vector<Pose2d> poses(100);
  for (Pose2d& q : poses) q = random_pose(rng, 1.3 * s.map->reach());  // some beyond reach
  std::vector<ContactGeometry> batch(poses.size());
  s.map->query_batch(poses, batch);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const ContactGeometry one = s.map->query(poses[i]);
    EXPECT_EQ(std::memcmp(&one, &batch[i], sizeof one), 0) << s.label;
    if (norm(poses[i].x) > s.map->reach()) {
      EXPECT_DOUBLE_EQ(one.gap, norm(poses[i].x) - s.map->reach());
      EXPECT_GT(one.gap, 0);
    }
  }
}

void PrintTo(const Expectation& e, std::ostream* out) { *out << e.kind; }

class Conformance : public ::testing::TestWithParam<Expectation> {};

TEST_P(Conformance, EveryPromiseHolds) {
  const Expectation& e = GetParam();
  ThreadPool pool(2);
  for (int n = 0; n < e.pairs; ++n) {
    const auto s = make_specimen(e, n, pool);
    check_value(*s, e, pool);
    check_gradient(*s, e);
    check_seams(*s, e);
    check_batch(*s);
    check_tilted(*s);
    if (s->map->smoothness() == 2) check_curvature(*s, e);
    if (n < 2) check_swap(*s, e, pool);
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, Conformance, ::testing::ValuesIn(expectations), [](const auto& test) {
  std::string name = test.param.kind;
  std::erase(name, '-');
  return name;
});

TEST(Factory, EveryKindHasItsExpectation) {
  for (const std::string& kind : map_kinds())
    EXPECT_TRUE(std::any_of(std::begin(expectations), std::end(expectations), [&](const Expectation& e) {
      return e.kind == kind;
    })) << kind;
}

TEST(Factory, UnknownKindNamesTheNearest) {
  const Shape a = make_named_shape("box");
  ThreadPool pool(1);
  MapSettings s;
  s.kind = "tabel";
  try {
    build_map({&a, &a, 1}, s, pool);
    FAIL();
  } catch (const Error& e) { EXPECT_NE(e.remedy().find("'table'"), std::string::npos) << e.what(); }
}

TEST(Factory, TwoDiscsGetTheClosedFormWhateverTheKind) {
  const Shape a = make_disc("disc", 1);
  ThreadPool pool(1);
  for (const std::string& kind : map_kinds()) EXPECT_EQ(build_map({&a, &a, 0.5}, quick(kind), pool)->kind(), "discs");
}

TEST(Sampling, SameBitsForAnyThreadCountAndTheRightShares) {
  const Shape a = make_named_shape("hash"), b = make_named_shape("u");
  ThreadPool one(1), three(3);
  const MapSamples p = sample_exact({&a, &b, 1}, 5000, 4, one), q = sample_exact({&a, &b, 1}, 5000, 4, three);
  ASSERT_EQ(p.poses.size(), 5000u);
  EXPECT_EQ(std::memcmp(p.poses.data(), q.poses.data(), sizeof p.poses[0] * p.poses.size()), 0);
  EXPECT_EQ(std::memcmp(p.targets.data(), q.targets.data(), sizeof p.targets[0] * p.targets.size()), 0);
  const auto in_band =
      std::count_if(p.targets.begin(), p.targets.end(), [](const auto& g) { return std::abs(g.gap) <= 0.1; });
  EXPECT_GT(in_band, 4500);
  EXPECT_LT(in_band, 4800);
}

}  // namespace
}  // namespace scree
