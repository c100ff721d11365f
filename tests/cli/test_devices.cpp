// The command line, large steps and devices: what is said at the end, refused at once, repeated by the folder's scene.
#include "cli.hpp"

namespace scree {
namespace {

using namespace test;

using CliDevices = Cli;

TEST_F(CliDevices, LargeStepsSayHowFarGrainsOverlap) {
  const auto large = [](const std::string& more) {
    return std::vector<std::string>{
        "run",   "scene.toml",       "--force", "-o", "a", "--set", "step.solver=\"implicit\"",
        "--set", "step.dt=\"auto\"", "--set",   more};
  };
  ASSERT_EQ(run(large("run.duration=2")), 0) << err();
  EXPECT_NE(out().find("by the maps (R: the smallest circumradius), 0.01 R tolerated at rest\n"), std::string::npos)
      << out();
  EXPECT_LT(record("a")["end"]["overlap"], 0.01);
  ASSERT_EQ(run(large("step.substeps=20")), 0) << err();
  EXPECT_EQ(out().find("tolerated"), std::string::npos) << out();
  // Grains that begin in each other, and are pushed apart: more than is tolerated while they move.
  const std::size_t upper = small.find("[0.05, 0.6]");
  write("scene.toml", std::string(small).replace(upper, 11, "[0.05, 0.45]"));
  ASSERT_EQ(run(large("run.duration=0.006")), 0) << err();
  EXPECT_NE(out().find("; grains still move"), std::string::npos) << out();
  EXPECT_GT(record("a")["end"]["overlap"], 0.01);
}

TEST_F(CliDevices, TheDeviceIsAValueOfTheScene) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a", "--device", "serial", "--set", "step.solver=\"implicit\""}), 0)
      << err();
  EXPECT_EQ(record("a")["device"], "serial");
  EXPECT_EQ(record("a")["solver"], "implicit");
  // From the folder's own scene: on the same device, to the same bits.
  ASSERT_EQ(run({"run", "a/scene.toml", "-o", "b", "--quiet"}), 0) << err();
  EXPECT_EQ(record("b")["end"]["state_hash"], record("a")["end"]["state_hash"]);
  // What it cannot do is said with the line, before anything is written.
  EXPECT_EQ(run({"run", "a/scene.toml", "-o", "c", "--device", "serial", "--set", "step.sleep=1"}), 2);
  EXPECT_NE(err().find("step.sleep: grains do not sleep on a GPU"), std::string::npos) << err();
  EXPECT_FALSE(exists("c"));
}

TEST_F(CliDevices, ADeviceThatIsNotThereIsSaidFirst) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a"}), 0) << err();
  if (run({"check", "scene.toml", "--set", "step.device=\"cuda\""}) == 0 && err().empty())
    GTEST_SKIP() << "it is there";
  EXPECT_NE(err().find("step.device = \"cuda\" does not run here"), std::string::npos) << err();
  EXPECT_NE(run({"run", "scene.toml", "-o", "b", "--device", "cuda"}), 0);
  EXPECT_FALSE(exists("b"));
  // A record of a run that has ended stays.
  EXPECT_NE(run({"run", "--restart", "a", "--until", "0.4", "--device", "cuda"}), 0);
  EXPECT_EQ(record("a")["end"]["how"], "finished");
}

// The stages of the GPU one after the other on the CPU: what the table needs but a card.
TEST_F(CliDevices, BenchOfADeviceWritesItsTable) {
  const std::vector<std::string> quick{"bench",
                                       "--device",
                                       "serial",
                                       "--grains",
                                       "64",
                                       "--layers",
                                       "4",
                                       "--settle",
                                       "0.1",
                                       "--rounds",
                                       "1",
                                       "--steps",
                                       "5",
                                       "-o",
                                       "d.csv",
                                       "--only",
                                       "discs,hash,ledger,double"};
  ASSERT_EQ(run(quick), 0) << file_text(path("err.txt"));
  const std::string csv = file_text(path("d.csv"));
  for (const std::string row : {"discs", "hash", "ledger", "double"})
    EXPECT_NE(csv.find("\"" + row + ": step\",ms,"), std::string::npos) << csv;
  // A row that cannot be measured says so and leaves the others alone.
  EXPECT_EQ(run({"bench", "--device", "serial", "--only", "training", "-o", "d.csv"}), 4);
  EXPECT_NE(file_text(path("err.txt")).find("training was not measured"), std::string::npos);
  EXPECT_EQ(run({"bench"}), 2);
  EXPECT_EQ(run({"bench", "--grains", "100"}), 2);
}

}  // namespace
}  // namespace scree
