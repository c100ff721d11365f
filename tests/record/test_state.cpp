#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "record/demo_world.hpp"
#include "record/scratch.hpp"
#include "scree/base/error.hpp"
#include "scree/record/series.hpp"
#include "scree/record/state.hpp"
#include "scree/record/world_fields.hpp"
#include "support.hpp"

namespace scree {
namespace {

// --- every struct's field list is complete: as many fields as the struct has members.

struct Anything {
  template <class T>
  operator T() const;  // never defined: only counted
};
template <class T, class... Args>
constexpr std::size_t member_count() {
  if constexpr (requires { T{std::declval<Args>()..., std::declval<Anything>()}; }) {
    return member_count<T, Args..., Anything>();
  } else {
    return sizeof...(Args);
  }
}

struct Counter {
  std::size_t count = 0;
  template <class T>
  void operator()(const char*, T&) {
    ++count;
  }
  template <class T>
  void unless_zero(const char*, T&) {
    ++count;
  }
  template <class T>
  void unless_empty(const char*, T&) {
    ++count;
  }
  template <class T>
  void table(const char*, T&) {
    ++count;
  }
  template <class T>
  void table_unless_empty(const char*, T&) {
    ++count;
  }
  template <class T>
  void group(const char*, T&) {
    ++count;
  }
  template <class T>
  void list(const char*, T&) {
    ++count;
  }
};
template <class T>
std::size_t listed() {
  Counter counter;
  T value;
  fields(counter, value);
  return counter.count;
}

TEST(State, FieldListsAreComplete) {
  EXPECT_EQ(listed<Material>(), member_count<Material>());
  EXPECT_EQ(listed<PairOverride>(), member_count<PairOverride>());
  EXPECT_EQ(listed<GrainType>(), member_count<GrainType>());
  EXPECT_EQ(listed<Bodies>(), member_count<Bodies>());
  EXPECT_EQ(listed<Wall>(), member_count<Wall>());
  EXPECT_EQ(listed<Motion>(), member_count<Motion>());
  EXPECT_EQ(listed<Keyframe>(), member_count<Keyframe>());
  EXPECT_EQ(listed<Insertion>(), member_count<Insertion>());
  EXPECT_EQ(listed<Placement>(), member_count<Placement>());
  EXPECT_EQ(listed<MixtureEntry>(), member_count<MixtureEntry>());
  EXPECT_EQ(listed<DeletionZone>(), member_count<DeletionZone>());
  EXPECT_EQ(listed<Event>(), member_count<Event>());
  EXPECT_EQ(listed<Gravity>(), member_count<Gravity>());
  EXPECT_EQ(listed<Periodic>(), member_count<Periodic>());
  EXPECT_EQ(listed<Contact>(), member_count<Contact>());
  EXPECT_EQ(listed<LinkedBody>(), member_count<LinkedBody>());
  EXPECT_EQ(listed<Ledger>(), member_count<Ledger>());
  EXPECT_EQ(listed<StepSettings>(), member_count<StepSettings>());
  EXPECT_EQ(listed<ImplicitSettings>(), member_count<ImplicitSettings>());
  EXPECT_EQ(listed<WatchdogLimits>(), member_count<WatchdogLimits>());
  // Shapes are written apart; maps come from the cache, and what types were used for at first from the scene.
  EXPECT_EQ(listed<World>() + 4, member_count<World>());
  EXPECT_EQ(listed<Shape>() + 2, member_count<Shape>());  // pieces are made again; the scene has the star curve
}

World full_world() {
  World w = demo::drum(3);
  w.materials[0].normal_damping = 0.25;
  w.materials[0].rolling_friction = 0.125;
  w.pair_overrides.push_back({0, 0, 0.3, {}, {}, 2e4, {}, {}, {}, {}});
  Motion m;
  m.name = "turn", m.kind = Motion::Kind::keyframes, m.keyframes = {{0, 0, {}}, {1, 0.5, {1, 2}}}, m.walls = {0};
  w.motions.push_back(m);
  Insertion i;
  i.name = "rain", i.method = Insertion::Method::rain, i.mixture = {{1, 0.25}, {2, 0.75}}, i.inserted = 17,
  i.draws = 99;
  i.list = {{2, {3, 4}, 0.5, {6, 7}, 0.8}};
  w.insertions.push_back(i);
  w.deletion_zones.push_back({"hole", {{0, 0}, {1, 1}}, true, 3});
  w.events.push_back({2.5, Event::Action::set_gravity, {1, 2}, {0, 1}, true});
  w.bodies.force[1] = {0.1, -0.7};
  w.bodies.image[2] = {-1, 4};
  w.quiet = {0, 0.5, 1.0 / 3};
  w.quiet_at = {{0.1, {1, 2}}, {0.2, {3, 4}}, {0.3, {5, 6}}};
  w.bodies.v[0].x = std::numeric_limits<double>::quiet_NaN();  // a watchdog's state holds such things
  w.ledger.friction = 0.1 + 0.2;
  w.bounds = {{-9, -8}, {7, 6}};
  w.next_id = 1234;
  return w;
}

// Every number of two worlds agrees bit for bit: both are written and the files compared by reading one again.
TEST(State, ComesBackToTheLastBit) {
  const Scratch folder;
  const World w = full_world();
  StepSettings settings;
  settings.dt = 1.0 / 3;
  settings.law = "algorithm-1";
  settings.implicit.sleep = 0.7;
  settings.implicit.one_plane = true;
  write_state(folder / "s.h5", w, settings, "title = \"♥\"\n");
  const SavedState s = read_state(folder / "s.h5");
  EXPECT_EQ(s.scene_text, "title = \"♥\"\n");
  EXPECT_EQ(s.settings.dt, settings.dt);
  EXPECT_EQ(s.settings.law, settings.law);
  EXPECT_EQ(s.settings.implicit.sleep, 0.7);
  EXPECT_TRUE(s.settings.implicit.one_plane);
  const World& r = s.world;
  EXPECT_EQ(r.materials[0].normal_damping, 0.25);
  EXPECT_EQ(r.materials[0].rolling_friction, 0.125);
  EXPECT_EQ(r.pair_overrides[0].friction, 0.3);
  EXPECT_FALSE(r.pair_overrides[0].restitution.has_value());
  EXPECT_EQ(r.bodies.id, w.bodies.id);
  EXPECT_EQ(r.bodies.x, w.bodies.x);
  EXPECT_EQ(r.bodies.force, w.bodies.force);
  EXPECT_EQ(r.bodies.image, w.bodies.image);
  EXPECT_EQ(r.quiet, w.quiet);
  EXPECT_EQ(r.quiet_at[2].x, w.quiet_at[2].x);
  EXPECT_TRUE(std::isnan(r.bodies.v[0].x));
  EXPECT_EQ(r.anchors.size(), w.anchors.size());
  EXPECT_EQ(r.motions[0].keyframes[1].shift, (Vec2d{1, 2}));
  EXPECT_EQ(r.motions[0].walls, w.motions[0].walls);
  EXPECT_EQ(r.insertions[0].mixture[1].fraction, 0.75);
  EXPECT_EQ(r.insertions[0].list[0].v, (Vec2d{6, 7}));
  EXPECT_EQ(r.insertions[0].draws, 99u);
  EXPECT_EQ(r.deletion_zones[0].deleted, 3u);
  EXPECT_EQ(r.events[0].targets, w.events[0].targets);
  EXPECT_TRUE(r.events[0].done);
  EXPECT_EQ(r.ledger.friction, w.ledger.friction);
  EXPECT_EQ(r.bounds.hi, w.bounds.hi);
  EXPECT_EQ(r.next_id, 1234u);
  EXPECT_EQ(r.pair_contacts, w.pair_contacts);
  ASSERT_EQ(r.contacts.size(), w.contacts.size());
  for (std::size_t k = 0; k < w.contacts.size(); ++k) {
    EXPECT_EQ(r.contacts[k].spring, w.contacts[k].spring);
    EXPECT_EQ(r.contacts[k].normal, w.contacts[k].normal);
    EXPECT_EQ(r.contacts[k].a, w.contacts[k].a);
  }
}

// Large steps go on with the planes of the last one: what a file has of them leads to the same bits.
TEST(State, LinksGoOnToTheSameBits) {
  const Scratch folder;
  Material material;
  material.density = 1000, material.stiffness = 2e6, material.friction = 0.4, material.restitution = 0.01;
  testing::Worlds made(material);
  const int hash = made.type(make_named_shape("hash"), 1);
  made.half_plane({0, 0}, {0, 1});
  for (int k = 0; k < 8; ++k) made.body(hash, {0.3 * (k % 2), 1.2 + 2.1 * k}, 0.4 * k);
  made.world.gravity.value = {0, -9.81};
  ThreadPool pool(1);
  made.maps(testing::map_kind("table"), pool);
  const World& w = made.world;
  StepSettings settings;
  settings.solver = "implicit";
  settings.dt = 1.0 / 60;
  settings.threads = 1;
  Simulation whole(w, settings);
  for (int k = 0; k < 90; ++k) whole.step();
  ASSERT_GT(whole.world().links.size(), 3u);
  write_state(folder / "s.h5", whole.world(), whole.settings(), "");
  SavedState s = read_state(folder / "s.h5");
  EXPECT_EQ(s.world.linked_at, whole.world().linked_at);
  s.world.maps = w.maps, s.world.map_table = w.map_table, s.world.shapes = w.shapes;
  Simulation other(std::move(s.world), s.settings);
  for (int k = 0; k < 60; ++k) whole.step(), other.step();
  EXPECT_EQ(other.state_hash(), whole.state_hash());

  World bad = whole.world();
  bad.links[1].b = 1000;
  write_state(folder / "bad.h5", bad, settings, "");
  EXPECT_THROW(read_state(folder / "bad.h5"), Error);
}

TEST(State, ReplacesTheOldFileAndLeavesNothingBehind) {
  const Scratch folder;
  const World w = full_world();
  write_state(folder / "s.h5", w, {}, "first");
  write_state(folder / "s.h5", w, {}, "second");
  EXPECT_EQ(read_state(folder / "s.h5").scene_text, "second");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW(write_state("/nonexistent/s.h5", w, {}, ""), Error);
}

TEST(State, DamagedFilesAreRefused) {
  const Scratch folder;
  write_state(folder / "s.h5", full_world(), {}, "");
  const auto size = std::filesystem::file_size(folder / "s.h5");
  std::filesystem::resize_file(folder / "s.h5", size / 2);
  EXPECT_THROW(read_state(folder / "s.h5"), Error);
  std::ofstream(folder / "x.h5") << "nothing";
  EXPECT_THROW(read_state(folder / "x.h5"), Error);
}

// A byte changed anywhere is noticed, or is one that nothing is kept in.
TEST(State, ChangedBytesAreNoticed) {
  const Scratch folder;
  const World w = full_world();
  write_state(folder / "s.h5", w, {}, "title = \"a scene\"\n", {{"fall", {1, 2.5}}});
  std::ifstream in(folder / "s.h5", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    std::ofstream(folder / "bad.h5", std::ios::binary) << bad;
    try {
      const SavedState s = read_state(folder / "bad.h5");
      EXPECT_EQ(s.scene_text, "title = \"a scene\"\n") << at;
      EXPECT_EQ(s.measures.at(0).values, (std::vector<double>{1, 2.5})) << at;
      EXPECT_EQ(s.world.bodies.x, w.bodies.x) << at;
      EXPECT_EQ(s.world.bodies.force, w.bodies.force) << at;
      EXPECT_EQ(s.world.insertions[0].draws, 99u) << at;
      EXPECT_EQ(s.world.ledger.friction, w.ledger.friction) << at;
      ASSERT_EQ(s.world.contacts.size(), w.contacts.size()) << at;
      for (std::size_t k = 0; k < w.contacts.size(); ++k)
        EXPECT_EQ(s.world.contacts[k].spring, w.contacts[k].spring) << at;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(Series, WritesOneLineASample) {
  const Scratch folder;
  SeriesWriter out(folder / "s.csv");
  Ledger ledger;
  ledger.kinetic = 2.5;
  out.write(0.5, 500, ledger, {}, 42);
  std::ifstream in(folder / "s.csv");  // while the writer is still open
  std::string header, line;
  std::getline(in, header);
  std::getline(in, line);
  EXPECT_EQ(header.substr(0, 16), "time,step,grains");
  EXPECT_EQ(line.substr(0, 10), "0.5,500,42");
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), std::count(line.begin(), line.end(), ','));
  EXPECT_THROW(SeriesWriter("/nonexistent/s.csv"), Error);
}

TEST(Series, FullDiskIsAnError) { EXPECT_THROW(SeriesWriter("/dev/full"), Error); }

}  // namespace
}  // namespace scree
