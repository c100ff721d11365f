// [[measures]] and the same on the command line.
#include <numbers>

#include "scene_text.hpp"

namespace scree::test {

namespace {

std::string spoken(const std::string& option) {
  try {
    parse_measure(option);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    return e.what();
  }
  return {};
}

TEST(SceneMeasures, AreReadWithTheirDefaults) {
  const Scene scene = read(small_scene +
                           "[[measures]]\nkind = \"packing\"\nx = [0, 2]\nbins = 5\n"
                           "[[measures]]\nkind = \"packing\"\nname = \"low\"\nevery = 0.25\ngroups = \"grains\"\n"
                           "[[measures]]\nkind = \"clog\"\nhold = 2\nopening = [-1, 1]\n");
  ASSERT_EQ(scene.measures.size(), 3u);
  const MeasureSettings& m = scene.measures[0];
  EXPECT_EQ(m.name, "packing");
  EXPECT_EQ(m.bins, 5);
  EXPECT_EQ(m.every, scene.run.series_interval);
  EXPECT_EQ(m.selection.region.hi.x, 2);
  EXPECT_EQ(m.selection.region.hi.y, open_side);
  EXPECT_EQ(m.axis, Axis::y);
  EXPECT_NEAR(m.angle, std::numbers::pi / 4, 1e-15);
  EXPECT_EQ(scene.measures[1].name, "low");
  EXPECT_EQ(scene.measures[1].every, 0.25);
  EXPECT_EQ(scene.measures[2].hold, 2);
  EXPECT_EQ(scene.measures[2].opening->y, 1);
}

// The struct and the schema state the same defaults.
TEST(SceneMeasures, DefaultsAreThoseOfTheLibrary) {
  for (const MeasureKind& kind : measure_kinds()) {
    const MeasureSettings a = parse_measure(kind.name == "clog" ? "clog:hold=1" : kind.name);
    MeasureSettings b;
    EXPECT_EQ(a.kind, kind.name);
    EXPECT_EQ(a.name, kind.name);
    EXPECT_EQ(a.bins, b.bins);
    EXPECT_EQ(a.band_lo, b.band_lo);
    EXPECT_EQ(a.band_hi, b.band_hi);
    EXPECT_EQ(a.span, b.span);
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.window, b.window);
    EXPECT_EQ(a.walls, b.walls);
    EXPECT_EQ(a.rattlers, b.rattlers);
    EXPECT_EQ(a.least, b.least);
    EXPECT_NEAR(a.angle, b.angle, 1e-15);
    EXPECT_EQ(a.floor, b.floor);
    EXPECT_EQ(a.cell, b.cell);
    EXPECT_EQ(a.gap, b.gap);
    EXPECT_EQ(a.surface.column, b.surface.column);
    EXPECT_EQ(a.surface.touching, b.surface.touching);
    EXPECT_EQ(a.average, b.average);
    EXPECT_TRUE(a.axis == b.axis && a.flank == b.flank && a.side == b.side && a.by == b.by);
    EXPECT_EQ(a.selection.driven, b.selection.driven);
    EXPECT_FALSE(a.origin || a.start_radius || a.opening);
  }
}

TEST(SceneMeasures, AnOptionOfTheCommandLineIsAnEntryOfTheScene) {
  const MeasureSettings m = parse_measure("velocity:bins=4,axis=x,y=[0, 9],grains=[\"disc\",\"star\"],average=true");
  EXPECT_EQ(m.bins, 4);
  EXPECT_EQ(m.axis, Axis::x);
  EXPECT_EQ(m.selection.region.hi.y, 9);
  EXPECT_EQ(m.selection.grains, (std::vector<std::string>{"disc", "star"}));
  EXPECT_TRUE(m.average);
  EXPECT_NEAR(parse_measure("chains:angle=30 deg").angle, std::numbers::pi / 6, 1e-15);
}

TEST(SceneMeasures, BadOptionsNameTheField) {
  const auto has = [](const std::string& message, const std::string& word) {
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  has(spoken("pakking"), "--measure pakking: kind: unknown value");
  has(spoken("pakking"), "did you mean 'packing'");
  has(spoken("packing:bns=3"), "--measure packing:bns=3: bns: unknown key");
  has(spoken("packing:hold=3"), "does not apply to kind \"packing\", only to: clog");
  has(spoken("packing:bins=0"), "bins: must be 1 to 100000");
  for (const char* text : {"packing:bins", "packing:", "packing:=5", "packing:bins=3,"}) {
    has(spoken(text), "is not OPTION=VALUE");
    has(spoken(text), "packing:bins=5");
  }
  has(spoken("packing:x=5"), "must be [lo, hi], not 5");
  has(spoken("packing:x=5"), "remedy");
  has(spoken("packing:x=[1,2,3]"), "[lo, hi]");
  has(spoken("packing:y=[0.1,0.10000000000000002]"), "y: is too small to resolve");
  has(spoken("packing:name=" + std::string(300, 'a')), "name: has 300 characters");
  has(spoken("clog"), "hold: is required");
  has(spoken("repose:band=[0.5,2]"), "band[1]: must be 0 to 1");
  has(spoken(""), "remedy");
}

// A run would leave every cell of their files empty.
TEST(SceneMeasures, SettingsThatCanNeverWorkAreRefused) {
  const auto refused = [](const std::string& entry, const std::string& word) {
    const std::string message = error_of(small_scene + "[[measures]]\nkind = " + entry);
    EXPECT_NE(message.find(word), std::string::npos) << entry << message;
    EXPECT_NE(message.find("remedy"), std::string::npos) << message;
  };
  refused("\"surface\"\ncolumn = 1e-9\n", "column: makes more than a million columns");
  refused("\"surface\"\nx = [0, 2]\ncolumn = 1e-6\n", "column: makes more than a million columns");
  refused("\"packing\"\nx = [0, 1e-200]\n", "x: is too small to resolve beside the grains");
  refused("\"mixing\"\ncell = 1e-300\n", "cell: is too small");
  refused("\"runout\"\nstart_radius = 1e-320\n", "start_radius: is too small");
  refused("\"clog\"\nhold = 1\nx = [0, 1]\nopening = [2, 3]\n", "opening: lies outside x");
  refused("\"packing\"\nx = [0, 5]\n[periodic]\nx = [0, 4]\n", "x: is wider than the periodic cell");
  EXPECT_EQ(error_of(small_scene + "[[measures]]\nkind = \"surface\"\ncolumn = 0.01\n"), "");
}

TEST(SceneMeasures, AreCalledByTheirKindUnlessNamed) {
  const std::string text = small_scene +
                           "[[measures]]\nkind = \"packing\"\n"
                           "[[measures]]\nkind = \"packing\"\nname = \"low\"\n";
  const Scene scene = read(text, {"measures[packing].bins=3", "measures[low].bins=4"});
  EXPECT_EQ(scene.measures[0].bins, 3);
  EXPECT_EQ(scene.measures[1].bins, 4);
  EXPECT_NE(error_of(text, {"measures[pack].bins=3"}).find("known: packing, low"), std::string::npos);
}

TEST(SceneMeasures, OfATextAloneNeedNoWorld) {
  const auto list = parse_scene_measures("[[measures]]\nkind = \"stress\"\ngroups = [\"nobody\"]\n", "scene.toml");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].every, 0);
  EXPECT_TRUE(parse_scene_measures(small_scene, "scene.toml").empty());
}

}  // namespace

}  // namespace scree::test
