// All measures by name: as scene files, runs and the command line use them.
#include <set>

#include "beds.hpp"
#include "scree/measure/contacts.hpp"
#include "scree/measure/stress.hpp"

namespace scree::testing {

namespace {

MeasureSettings settings_of(const MeasureKind& kind) {
  MeasureSettings o;
  o.kind = o.name = kind.name;
  o.hold = 1;
  o.by = Species::start;
  return o;
}

// A heap of discs and squares that touch, on the floor.
Bed heap() {
  Bed bed;
  for (int j = 0; j < 6; ++j) {
    for (int i = j; i < 14 - j; ++i) {
      const auto k = bed.body((i + j) % 2 ? bed.disc : bed.square, {i + 0.5, j + 0.5}, 0, {0.1 * i, -0.2 * j}, 0.3);
      if (j == 0) bed.contact(no_body, k, {i + 0.5, 0}, {0, 1}, 1 + i);
      if (i > j) bed.contact(k - 1, k, {1.0 * i, j + 0.5}, {1, 0}, 1 + j);
    }
  }
  return bed;
}

class EveryMeasure : public ::testing::TestWithParam<MeasureKind> {};

TEST_P(EveryMeasure, GivesFiniteNumbersForAHeapAndAlwaysTheSame) {
  Bed bed = heap();
  const Measure m = make_measure(settings_of(GetParam())), again = make_measure(settings_of(GetParam()));
  for (int k = 0; k < 4; ++k) {
    const Reading r = m.read(bed.shot(k)), twin = again.read(bed.shot(k));
    ASSERT_EQ(r.values.size(), m.columns.size());
    for (std::size_t c = 0; c < r.values.size(); ++c) {
      EXPECT_TRUE(std::isfinite(r.values[c].value_or(0))) << m.columns[c].name;
    }
    for (const auto& row : r.rows) {
      ASSERT_EQ(row.size(), m.table.size());
      for (const auto& v : row) EXPECT_TRUE(std::isfinite(v.value_or(0)));
    }
    EXPECT_EQ(r.values, twin.values);
    EXPECT_EQ(r.rows, twin.rows);
    EXPECT_EQ(m.table.empty(), r.rows.empty() && GetParam().name != "chains");
    for (Vec2d& v : bed.world.bodies.v) v = 0.5 * v;
  }
}

TEST_P(EveryMeasure, SaysWhatIsMissingInAnEmptyWorld) {
  Bed bed;
  const Measure m = make_measure(settings_of(GetParam()));
  const std::string message = error_of([&] {
    const Reading r = m.read(bed.shot());
    for (const auto& value : r.values) EXPECT_TRUE(std::isfinite(value.value_or(0)));
  });
  const std::set<std::string> defined = {"discharge", "clog", "chains", "energy"};
  EXPECT_EQ(message.empty(), defined.contains(GetParam().name)) << message;
}

TEST_P(EveryMeasure, HasNamedColumnsOnce) {
  const Measure m = make_measure(settings_of(GetParam()));
  for (const auto& columns : {m.columns, m.table}) {
    std::set<std::string> names;
    for (const MeasureColumn& c : columns) {
      EXPECT_TRUE(names.insert(c.name).second) << c.name;
      EXPECT_NE(c.name, "time");
    }
  }
  EXPECT_FALSE(GetParam().summary.empty());
}

std::string word(const std::string& name) {
  std::string out = name;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryMeasure, ::testing::ValuesIn(measure_kinds()),
                         [](const auto& tested) { return word(tested.param.name); });

TEST(Measures, AnUnknownKindIsRefused) {
  MeasureSettings o;
  o.kind = "pakking";
  EXPECT_NE(error_of([&] { make_measure(o); }).find("known: packing"), std::string::npos);
}

// Three discs in a cell [0, 4] x open, one of them where a region across the seam sees its image.
Bed seam() {
  Bed bed;
  bed.periodic_x(0, 4);
  bed.body(bed.disc, {0.5, 1}, 0, {1, 0});
  bed.body(bed.disc, {2, 1}, 0, {2, 0});
  bed.body(bed.disc, {3.5, 1}, 0, {3, 0});
  return bed;
}

TEST(Measures, ARegionAcrossTheSeamSeesImages) {
  Bed bed = seam();
  const Snapshot s = bed.shot();
  for (const double shift : {-8.0, 0.0, 4.0, 400.0}) {
    const Selection across = in({3 + shift, 0}, {5 + shift, 2});
    EXPECT_EQ(chosen_inside(s, across), (Members{0, 2})) << shift;
    EXPECT_NEAR(packing(s, across).solid, pi / 2, 1e-9) << shift;
    MeasureSettings o;
    o.kind = "velocity";
    o.axis = Axis::x;
    o.bins = 2;
    o.selection = across;
    const Reading r = make_measure(o).read(s);
    EXPECT_EQ(r.values[0], 2);
    EXPECT_EQ(r.rows[0][3], 3);  // left of the seam
    EXPECT_EQ(r.rows[1][3], 1);  // right of it
    Stress t = stress(s, across);
    EXPECT_NEAR(t.kinetic.xx * t.area, -2 * pi / 4, 1e-9) << shift;
  }
  // As wide as the cell, or wider: each grain once.
  EXPECT_EQ(chosen_inside(s, in({1.7, 0}, {5.7, 2})).size(), 3u);
  EXPECT_EQ(chosen_inside(s, in({-10, 0}, {30, 2})).size(), 3u);
  EXPECT_TRUE(chosen_inside(s, in({6.6, 0}, {7.4, 2})).empty());
}

TEST(Measures, StressSeesContactsInAnyImage) {
  Bed bed = seam();
  bed.contact(2, 0, {4, 1}, {1, 0}, 5);
  const Snapshot s = bed.shot();
  for (const double shift : {-12.0, 0.0, 4.0, 40.0}) {
    const Stress t = stress(s, in({3 + shift, 0}, {5 + shift, 2}));
    EXPECT_EQ(t.contacts, 1u);
    EXPECT_NEAR(t.contact.xx * t.area, -5, 1e-9) << shift;
  }
}

TEST_P(EveryMeasure, RegionsTooThinToResolveGiveNoNonsense) {
  Bed bed = heap();
  const Box thin[] = {{{0, 0}, {14, 1e-310}},   {{0, 0.1}, {14, 0.10000000000000002}},
                      {{0, 0}, {14, 1e-300}},   {{0, 0}, {1e-200, 1e-200}},
                      {{1e300, 0}, {2e300, 1}}, {{-1e300, -1e300}, {1e300, 1e300}}};
  for (const Box& region : thin) {
    MeasureSettings o = settings_of(GetParam());
    o.selection.region = region;
    o.start_radius = 1e-320;
    error_of([&] {
      const Reading r = make_measure(o).read(bed.shot());
      for (const auto& v : r.values) EXPECT_TRUE(std::isfinite(v.value_or(0)));
      for (const auto& row : r.rows)
        for (const auto& v : row) EXPECT_TRUE(std::isfinite(v.value_or(0)));
    });
  }
}

TEST(Measures, ThinRegionsAndSlicesAreRefused) {
  Bed bed = heap();
  const Snapshot s = bed.shot();
  const auto has = [](const std::string& message, const char* word) {
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  has(error_of([&] { packing(s, in({0, 0}, {14, 1e-310})); }), "too thin");
  has(error_of([&] { packing(s, in({0, 0.1}, {14, 0.10000000000000002})); }), "too thin");
  has(error_of([&] { stress(s, in({0, 0}, {1e-200, 1e-200})); }), "too thin");
  has(error_of([&] { packing_by_layer(s, in({0, 1}, {14, 1 + 1e-8}), Axis::y, 100000); }), "fewer bins");
  EXPECT_EQ(packing(s, in({1e100, 0}, {2e100, 1})).solid, 0);  // a region far away is not an open one
  MeasureSettings o;
  o.kind = "runout";
  o.start_radius = 1e-320;
  has(error_of([&] { make_measure(o).read(s); }), "start_radius");
}

TEST(Measures, AMeanOverNothingIsEmpty) {
  Bed bed;
  bed.body(bed.disc, {0.5, 0.5}, 0, {1, 0});
  MeasureSettings o;
  o.kind = "velocity";
  o.bins = 2;
  o.selection = in({0, 0}, {1, 2});
  const Reading v = make_measure(o).read(bed.shot());
  EXPECT_EQ(v.rows[0][3], 1);
  EXPECT_EQ(v.rows[1][2], 0);
  for (std::size_t c = 3; c < 7; ++c) EXPECT_FALSE(v.rows[1][c].has_value());
  o.kind = "chains";
  const Reading chains = make_measure(o).read(bed.shot());
  EXPECT_EQ(chains.values[0], 0);
  EXPECT_FALSE(chains.values[2] || chains.values[3] || chains.values[5]);
  o.kind = "coordination";
  EXPECT_FALSE(make_measure(o).read(bed.shot()).values[1].has_value());  // all are rattlers
}

// The engine's own contacts: a stack of discs at rest on a floor carries its weight.
TEST(Measures, AStackAtRestPressesWithItsWeight) {
  Material m = unit_material();
  m.stiffness = 1e4;
  m.restitution = 0.1;
  for (const int threads : {1, 3}) {
    Worlds w(m);
    const int disc = w.type(make_disc("disc", 0.5));
    for (int j = 0; j < 3; ++j) w.body(disc, {0, j + 0.5});
    w.half_plane({0, 0}, {0, 1});
    w.world.gravity.value = {0, -10};
    ThreadPool pool(1);
    w.maps(map_kind("exact"), pool);
    StepSettings settings;
    settings.dt = 1e-3;
    settings.threads = threads;
    Simulation simulation = w.start(settings);
    for (int k = 0; k < 5000; ++k) simulation.step();
    const Snapshot s = snapshot_of(simulation.world());
    const Coordination c = coordination(s, {}, true, 1);
    EXPECT_NEAR(c.mean, 5.0 / 3, 1e-12);
    EXPECT_EQ(c.pairs, 3u);
    // Floor, lower and upper contact carry three, two and one weights over branches of 1/2, 1 and 1, nearly: overlaps
    // are weight / stiffness.
    const double weight = 10 * pi / 4;
    const Stress t = stress(s, in({-1, -1}, {1, 4}));
    EXPECT_NEAR(-t.contact.yy * t.area, weight * (3 * 0.5 + 2 + 1), 0.02 * weight);
    EXPECT_NEAR(force_distribution(s, {}, true, 4).mean, 2 * weight, 1e-3 * weight);
  }
}

}  // namespace

}  // namespace scree::testing
