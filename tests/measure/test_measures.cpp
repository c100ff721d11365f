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
