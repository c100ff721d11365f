// Many worlds side by side, on the CPU and in the stages of a device: each as it is alone.
#include "many_worlds.hpp"

namespace scree {
namespace {

using testing::small_world;
using testing::worlds_on;

class ManyWorlds : public ::testing::TestWithParam<const char*> {};

TEST_P(ManyWorlds, AreAsTheyAreAlone) {
  testing::expect_worlds_as_alone(worlds_on("serial", "single", GetParam()), "table", false, 300);
}

TEST_P(ManyWorlds, AreAsTheyAreAloneWithMotions) {
  testing::expect_worlds_as_alone(worlds_on("serial", "double", GetParam()), "table", true, 300);
}

TEST_P(ManyWorlds, AreAsTheyAreAloneWithStars) {
  testing::expect_worlds_as_alone(worlds_on("serial", "single", GetParam()), "star", false, 200);
}

TEST_P(ManyWorlds, AreAsTheyAreAloneOnTheCpu) {
  testing::expect_worlds_as_alone(worlds_on("cpu", "single", GetParam()), "table", true, 300);
}

TEST_P(ManyWorlds, ThatAreResetAreAsTheyAreAlone) {
  for (const char* device : {"serial", "cpu"}) {
    SCOPED_TRACE(device);
    testing::expect_reset_worlds_as_alone(worlds_on(device, "single", GetParam()));
  }
}

TEST_P(ManyWorlds, ThatAreDrivenAreAsTheyAreAlone) {
  for (const char* device : {"serial", "cpu"}) {
    SCOPED_TRACE(device);
    for (const bool swings : {false, true})
      testing::expect_driven_worlds_as_alone(worlds_on(device, "single", GetParam()), swings);
  }
}

TEST_P(ManyWorlds, KeepFaultsToThemselves) {
  for (const char* device : {"serial", "cpu"}) {
    SCOPED_TRACE(device);
    testing::expect_fault_stays_in_its_world(worlds_on(device, "single", GetParam()));
  }
}

TEST_P(ManyWorlds, FollowTheCpu) {
  testing::expect_worlds_follow_the_cpu(worlds_on("serial", "double", GetParam()), 200, 1e-9);
}

TEST_P(ManyWorlds, FeelAtOnceThatTheyAreDriven) {
  testing::expect_drives_are_felt_at_once(worlds_on("serial", "double", GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Integrators, ManyWorlds, ::testing::Values("symplectic-euler", "velocity-verlet"),
                         [](const auto& test) {
                           return std::string(test.param) == "velocity-verlet" ? "verlet" : "euler";
                         });

TEST(ManyWorldsRead, RowsAreThoseOfEachWorld) {
  testing::expect_rows_of_bodies(worlds_on("serial"));
  testing::expect_rows_of_bodies(worlds_on("cpu"));
}

TEST(ManyWorldsThreads, DoNotMatter) {
  for (const char* device : {"serial", "cpu"}) {
    std::vector<std::uint64_t> one;
    for (const int threads : {1, 3}) {
      StepSettings settings = worlds_on(device);
      settings.threads = threads;
      scree::Worlds worlds({small_world(0, "table", true), small_world(1, "table", true)}, settings, 7);
      for (std::size_t w = 0; w < 7; ++w) worlds.drive(w, "bar", testing::push_of(w));
      worlds.advance(60);
      if (threads == 1) one = testing::hashes(worlds);
      EXPECT_EQ(testing::hashes(worlds), one) << device;
    }
  }
}

TEST(ManyWorldsSeeds, EachIsFilledAnew) {
  const World world = [] {
    World w = testing::pouring();
    w.deletion_zones.clear();
    w.events.clear();
    w.insertions.erase(w.insertions.begin());
    return w;
  }();
  const std::uint64_t seeds[] = {1, 2, 1};
  scree::Worlds worlds(world, worlds_on("serial"), 3, seeds);
  EXPECT_GT(worlds.bodies(), 10u);
  EXPECT_EQ(worlds.state_hash(0), worlds.state_hash(2));
  EXPECT_NE(worlds.state_hash(0), worlds.state_hash(1));
  worlds.advance(50);
  EXPECT_EQ(worlds.state_hash(0), worlds.state_hash(2));
}

// The error names the field, and has a remedy.
template <class Do>
void expect_refused(const std::string& where, Do what) {
  try {
    what();
    FAIL() << where << " was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_EQ(e.where(), where);
    EXPECT_FALSE(e.remedy().empty()) << e.what();
  }
}

TEST(ManyWorldsInput, WhatIsWrongIsRefused) {
  const StepSettings settings = worlds_on("serial");
  const auto make = [&](World world, std::size_t count = 2) { scree::Worlds(world, settings, count); };
  expect_refused("count", [&] { make(small_world(0), 0); });
  expect_refused("states", [&] { scree::Worlds(std::vector<World>{}, settings, 2); });
  World world = testing::pouring();
  expect_refused("events", [&] { make(world); });
  world.events.clear();
  expect_refused("insert", [&] { make(world); });
  world.insertions.erase(world.insertions.begin());
  expect_refused("delete", [&] { make(world); });
  const std::uint64_t seed[] = {1};
  expect_refused("seeds", [&] { scree::Worlds(small_world(0), settings, 2, seed); });
  World larger = small_world(0);
  larger.add_body(0, 0, BodyKind::moving, {0, 20}, 0, {});
  expect_refused("states", [&] { scree::Worlds({small_world(0), larger}, settings, 2); });
  World wider = small_world(0);
  wider.bounds.hi.x = 10;
  expect_refused("states", [&] { scree::Worlds({small_world(0), wider}, settings, 2); });
  expect_refused("count", [&] { make(small_world(0), std::size_t{1} << 40); });
  scree::Worlds worlds(small_world(0), settings, 2);
  const std::size_t two[] = {2};
  expect_refused("world", [&] { worlds.reset(two); });
  expect_refused("state", [&] { worlds.reset({}, 1); });
  expect_refused("drive", [&] { worlds.drive(0, "brr", {}); });
  expect_refused("drive", [&] { worlds.drive(0, "grains", {}); });
  expect_refused("drive", [&] { worlds.drive(0, "bar", {.velocity = {0, std::nan("")}}); });
  expect_refused("gravity", [&] { worlds.set_gravity(0, {std::nan(""), 0}); });
}

}  // namespace
}  // namespace scree
