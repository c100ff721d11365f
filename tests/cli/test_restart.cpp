// `scree run --restart`: a run that was stopped, however, ends as one that was not.
#include <csignal>

#include "cli.hpp"
#include "scree/record/trajectory.hpp"

namespace scree {
namespace {

using namespace test;

// All that a run remembers: springs under load, rain with random numbers, an event, deletions, a motion, measures that
// add up. A step takes long enough to be killed in the middle of it all.
const std::string busy = R"(title = "Everything that remembers"
[run]
duration = 1.2
frames = 0.05
series = 0.1
states = 0.1
[step]
dt = 2e-4
[gravity]
g = [0, -9.81]
[maps]
nodes = 24
[materials.default]
friction = 0.5
restitution = 0.3
stiffness = 2e4
[grains]
box = { shape = "box", radius = 0.1 }
disc = { shape = "disc", radius = 0.08 }
[[insert]]
method = "rain"
mixture = { box = 1, disc = 2 }
x = [-0.8, 0.8]
y = [1.2, 1.6]
rate = 120
count = 90
[[walls]]
kind = "segment"
name = "shelf"
from = [-1, 0]
to = [1, 0]
thickness = 0.05
[[walls]]
kind = "half-plane"
name = "floor"
point = [0, -0.6]
[[motions]]
kind = "oscillation"
walls = ["shelf"]
amplitude = [0.02, 0]
frequency = 3
[[events]]
time = 0.8
action = "set-gravity"
gravity = [2, -9]
[[delete]]
x = [-1.6, 1.6]
outside = true
[[measures]]
kind = "discharge"
y = [-0.1, 9]
every = 0.05
window = 0.2
[[measures]]
kind = "clog"
y = [-0.1, 9]
hold = 0.1
every = 0.05
[[measures]]
kind = "energy"
every = 0.05
[[measures]]
kind = "velocity"
average = true
from = 0.3
every = 0.1
y = [0, 1]
[[measures]]
kind = "mixing"
by = "start"
from = 0.5
every = 0.1
cell = 0.5
[[measures]]
kind = "surface-angle"
every = 0.05
[[measures]]
kind = "runout"
from = 0.4
every = 0.05
)";

class Restart : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (IsSkipped()) return;
    write("busy.toml", busy);
    ASSERT_EQ(run({"run", "busy.toml", "-o", "whole", "--quiet"}), 0) << err();
  }

  void expect_as_whole(const std::string& folder) const {
    EXPECT_EQ(record(folder)["end"]["how"], "finished");
    EXPECT_EQ(record(folder)["end"]["state_hash"], record("whole")["end"]["state_hash"]);
    EXPECT_EQ(record(folder)["end"]["ledger"], record("whole")["end"]["ledger"]);
    for (const char* name : {"measure-discharge.csv", "measure-clog.csv", "measure-energy.csv", "measure-velocity.csv",
                             "table-velocity.csv", "measure-mixing.csv", "measure-surface-angle.csv",
                             "measure-runout.csv", "series.csv"}) {
      EXPECT_EQ(file_text(path(folder + "/" + name)), file_text(path(std::string("whole/") + name))) << name;
    }
    const TrajectoryReader a(path(folder + "/trajectory.h5")), b(path("whole/trajectory.h5"));
    ASSERT_EQ(a.times(), b.times());
    for (std::size_t k = 0; k < a.frames(); ++k) {
      const Frame f = a.read(k), g = b.read(k);
      EXPECT_EQ(f.id, g.id);
      EXPECT_EQ(f.x, g.x);
      EXPECT_EQ(f.v, g.v);
      EXPECT_EQ(f.contacts.size(), g.contacts.size());
      EXPECT_EQ(f.ledger.friction, g.ledger.friction);
    }
    expect_same_measures(a.measures(), b.measures());
  }

  static void expect_same_measures(const std::vector<MeasureSamples>& a, const std::vector<MeasureSamples>& b) {
    ASSERT_EQ(a.size(), 7u);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t m = 0; m < a.size(); ++m) {
      EXPECT_EQ(a[m].measure.name, b[m].measure.name);
      ASSERT_EQ(a[m].times, b[m].times) << a[m].measure.name;
      EXPECT_GT(a[m].times.size(), 10u) << a[m].measure.name;
      for (std::size_t k = 0; k < a[m].times.size(); ++k) {
        EXPECT_EQ(a[m].readings[k].values, b[m].readings[k].values) << a[m].measure.name;
        EXPECT_EQ(a[m].readings[k].rows, b[m].readings[k].rows) << a[m].measure.name;
      }
    }
  }
};

TEST_F(Restart, AfterCtrlCEndsAsIfNothingHadBeen) {
  const pid_t child = start({"run", "busy.toml", "-o", "cut", "--quiet"});
  ASSERT_TRUE(wait_for("cut/state.h5"));
  kill(child, SIGINT);
  const int code = finish(child);
  if (code == 0) GTEST_SKIP() << "it was done before it could be interrupted";
  ASSERT_EQ(code, 130) << err();
  const double at = record("cut")["end"]["time"];
  ASSERT_EQ(run({"run", "--restart", "cut", "--quiet", "--threads", "2"}), 0) << err();
  expect_as_whole("cut");
  const auto r = record("cut");
  ASSERT_EQ(r["restarts"].size(), 1u);
  EXPECT_EQ(r["restarts"][0]["time"], at);
  EXPECT_EQ(r["command"], "scree run busy.toml -o cut --quiet");
}

// What a solver derives from the sizes of grains it derives once, be they gone when the run goes on.
TEST_F(Restart, AfterTheLastGrainOfATypeHasGone) {
  write("gone.toml", R"([run]
duration = 1
[step]
solver = "implicit"
dt = "auto"
[gravity]
g = [0, -9.81]
[grains]
big = { shape = "disc", radius = 0.1 }
small = { shape = "disc", radius = 0.03 }
[[bodies]]
grain = "big"
positions = [[0, 0.11], [0.05, 0.4], [0.1, 0.7]]
[[bodies]]
grain = "small"
position = [2.5, 0.3]
[[walls]]
kind = "half-plane"
[[delete]]
x = [2, 3]
y = [-1, 0.2]
)");
  for (const std::string device : {"cpu", "serial"}) {
    ASSERT_EQ(run({"run", "gone.toml", "-o", "whole", "--force", "--device", device}), 0) << err();
    ASSERT_EQ(run({"run", "gone.toml", "-o", "parts", "--force", "--device", device, "--until", "0.5"}), 0) << err();
    EXPECT_EQ(record("parts")["end"]["grains"], 3);
    ASSERT_EQ(run({"run", "--restart", "parts"}), 0) << err();
    EXPECT_EQ(record("parts")["end"]["state_hash"], record("whole")["end"]["state_hash"]) << device;
    EXPECT_EQ(record("parts")["end"]["overlap"], record("whole")["end"]["overlap"]) << device;
  }
}

TEST_F(Restart, UntilStopsAndGoesOn) {
  ASSERT_EQ(run({"run", "busy.toml", "-o", "cut", "--quiet", "--until", "0.4321"}), 0) << err();
  ASSERT_EQ(run({"run", "--restart", "cut", "--quiet", "--until", "0.77"}), 0) << err();
  ASSERT_EQ(run({"run", "--restart", "cut", "--quiet"}), 0) << err();
  expect_as_whole("cut");
  EXPECT_EQ(record("cut")["restarts"].size(), 2u);
  ASSERT_EQ(run({"run", "--restart", "cut"}), 0) << err();
  EXPECT_NE(err().find("nothing to do"), std::string::npos) << err();
  expect_as_whole("cut");
}

// The last state is written just before the record of the end: a kill may come between them.
TEST_F(Restart, AfterAKillBeforeTheRecordOfTheEndWritesIt) {
  auto r = record("whole");
  r["end"] = nullptr;
  fs::copy(path("whole"), path("cut"));
  write("cut/run.json", r.dump());
  ASSERT_EQ(run({"run", "--restart", "cut", "--quiet"}), 0) << err();
  expect_as_whole("cut");
  for (const char* key : {"time", "steps", "grains", "contacts", "frames"})
    EXPECT_EQ(record("cut")["end"][key], record("whole")["end"][key]) << key;
}

TEST_F(Restart, AfterKillsAtAnyMomentEndsAsIfNothingHadBeen) {
  using namespace std::chrono_literals;
  pid_t child = start({"run", "busy.toml", "-o", "cut", "--quiet", "--threads", "1"});
  ASSERT_TRUE(wait_for("cut/state.h5"));
  int kills = 0;
  for (auto pause = 40ms; kills < 8; pause += 17ms, ++kills) {
    std::this_thread::sleep_for(pause);
    kill(child, SIGKILL);
    const int code = finish(child);
    if (code == 0) break;
    ASSERT_EQ(code, 1000 + SIGKILL) << err();
    if (kills == 0 && run({"run", "--restart", "cut", "--quiet", "--until", "0"}) != 0) {
      // Killed before the first step: there is nothing to go on from, and it says so.
      EXPECT_NE(err().find("is that of the beginning"), std::string::npos) << err();
      fs::remove_all(path("cut"));
      child = start({"run", "busy.toml", "-o", "cut", "--quiet", "--threads", "1"});
      ASSERT_TRUE(wait_for("cut/state.h5"));
      continue;
    }
    child = start({"run", "--restart", "cut", "--quiet", "--threads", "1"});
  }
  const int code = finish(child);
  ASSERT_TRUE(code == 0 || kills < 8) << err();
  expect_as_whole("cut");
}

TEST_F(Restart, RefusesWhatItCannotGoOnFrom) {
  EXPECT_NE(run({"run", "--restart", "nowhere"}), 0);
  EXPECT_NE(err().find("remedy"), std::string::npos) << err();
  fs::create_directory(path("empty"));
  EXPECT_NE(run({"run", "--restart", "empty"}), 0);
  EXPECT_NE(err().find("no run with a state"), std::string::npos) << err();
  EXPECT_NE(run({"run", "busy.toml", "--restart", "whole"}), 0);
  EXPECT_NE(run({"run", "--restart", "whole", "--set", "run.seed=2"}), 0);
  EXPECT_NE(run({"run"}), 0);
  fs::resize_file(path("whole/state.h5"), fs::file_size(path("whole/state.h5")) / 2);
  EXPECT_EQ(run({"run", "--restart", "whole", "--until", "1.3"}), 2);
  EXPECT_NE(err().find("state.h5"), std::string::npos) << err();
}

}  // namespace
}  // namespace scree
