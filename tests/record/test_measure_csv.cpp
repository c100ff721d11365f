#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "record/demo_world.hpp"
#include "record/scratch.hpp"
#include "scree/base/error.hpp"
#include "scree/record/frame.hpp"
#include "scree/record/measure_csv.hpp"

namespace scree {

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// A frame of a world measures as the world itself.
TEST(MeasureSnapshot, OfAFrameIsThatOfItsWorld) {
  World world = demo::drum(6);
  Contact on_wall = world.contacts.back();
  on_wall.a = no_body;
  on_wall.wall = 0;
  world.contacts.push_back(on_wall);
  // Ids that are not indices, as after a deletion.
  world.bodies.id.back() += 7;
  const Statics statics = statics_of(world);
  const Frame frame = frame_of(world);
  const Snapshot a = snapshot_of(world), b = snapshot_of(statics, frame);
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  ASSERT_GT(a.contacts.size(), 20u);
  for (std::size_t k = 0; k < a.contacts.size(); ++k) {
    EXPECT_EQ(a.contacts[k].a, b.contacts[k].a);
    EXPECT_EQ(a.contacts[k].b, b.contacts[k].b);
  }
  for (const MeasureKind& kind : measure_kinds()) {
    MeasureSettings o;
    o.kind = kind.name;
    o.hold = 1;
    o.surface.column = 0.1;
    o.band_lo = 0.5, o.band_hi = 1, o.flank = Flank::left;  // of which a block of grains has enough
    const Reading of_world = make_measure(o).read(a), of_frame = make_measure(o).read(b);
    EXPECT_EQ(of_world.values, of_frame.values) << kind.name;
    EXPECT_EQ(of_world.rows, of_frame.rows) << kind.name;
  }
}

TEST(MeasureSnapshot, ADamagedFrameIsRefused) {
  const World world = demo::drum(3);
  const Statics statics = statics_of(world);
  Frame frame = frame_of(world);
  frame.contacts[2].b = 999;
  EXPECT_THROW(snapshot_of(statics, frame), Error);
  frame = frame_of(world);
  frame.group[1] = 7;
  EXPECT_THROW(snapshot_of(statics, frame), Error);
}

TEST(MeasureSnapshot, NumbersThatAreNotFiniteAreNamed) {
  const World world = demo::drum(3);
  const Statics statics = statics_of(world);
  const double nan = std::nan("");
  const std::pair<const char*, std::function<void(Frame&)>> damages[] = {
      {"frames/time", [&](Frame& f) { f.time = nan; }},
      {"grains/x", [&](Frame& f) { f.x[1].y = INFINITY; }},
      {"grains/theta", [&](Frame& f) { f.theta[1] = nan; }},
      {"grains/v", [&](Frame& f) { f.v[1].x = nan; }},
      {"grains/omega", [&](Frame& f) { f.omega[1] = nan; }},
      {"grains/id", [&](Frame& f) { f.id.back() = no_body; }},
      {"grains/id", [&](Frame& f) { std::swap(f.id[0], f.id[1]); }},
      {"contacts/point", [&](Frame& f) { f.contacts[1].point.x = nan; }},
      {"contacts/normal", [&](Frame& f) { f.contacts[1].normal.y = nan; }},
      {"contacts/normal_force", [&](Frame& f) { f.contacts[1].normal_force = nan; }},
      {"contacts/tangential_force", [&](Frame& f) { f.contacts[1].tangential_force = nan; }},
  };
  for (const auto& [name, damage] : damages) {
    Frame frame = frame_of(world);
    damage(frame);
    try {
      snapshot_of(statics, frame);
      ADD_FAILURE() << name;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input);
      EXPECT_NE(e.problem().find(name), std::string::npos) << e.what();
    }
  }
  Statics heavy = statics;
  heavy.types[0].mass = nan;
  EXPECT_THROW(snapshot_of(heavy, frame_of(world)), Error);
}

TEST(MeasureCsv, EmptyCellsAreWhatIsNotDefined) {
  EXPECT_EQ(csv_header({{"a", ""}, {"b", "length"}}), "time,a,b\n");
  EXPECT_EQ(csv_line(0.5, {1.25, std::nullopt}), "0.5,1.25,\n");
  EXPECT_EQ(csv_rows(2, {{1, 2}, {3, 4}}), "2,1,2\n2,3,4\n");
}

TEST(MeasureCsv, FilesAreNamedAfterTheMeasure) {
  const Scratch folder;
  MeasureSettings o;
  o.name = "lower";
  o.kind = "packing";
  const Measure measure = make_measure(o);
  EXPECT_EQ(measure_file_names(o), (std::vector<std::string>{"measure-lower.csv", "table-lower.csv"}));
  {
    MeasureFiles files(folder.path(), o, measure);
    files.write(1, {{0.5, 1.0, 2.0}, {{0, 1, 0.25}, {1, 2, 0.75}}});
    files.write(2, measure.nothing());
  }
  EXPECT_EQ(text_of(folder.path() / "measure-lower.csv"), "time,fraction,solid,area\n1,0.5,1,2\n2,,,\n");
  EXPECT_EQ(text_of(folder.path() / "table-lower.csv"), "time,lo,hi,fraction\n1,0,1,0.25\n1,1,2,0.75\n");
  o.kind = "repose";
  EXPECT_EQ(measure_file_names(o), (std::vector<std::string>{"measure-lower.csv"}));
}

}  // namespace

}  // namespace scree
