// The program as a user meets it: exit codes, messages, files, signals.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli.hpp"

namespace scree::test {

namespace {

TEST_F(Cli, HelpAndVersion) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_NE(out().find("Exit codes"), std::string::npos);
  EXPECT_NE(out().find("Examples"), std::string::npos);
  const std::string overview = out();
  for (const std::string command :
       {"check", "run", "render", "export", "measure", "reproduce", "compare", "shapes", "map", "bench"}) {
    EXPECT_NE(overview.find("\n  " + command + " "), std::string::npos) << command;
    EXPECT_EQ(run({command, "--help"}), 0);
    EXPECT_NE(out().find("scree " + command), std::string::npos) << command;
  }
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_TRUE(out().starts_with("scree 0.")) << out();
}

TEST_F(Cli, BadUsageIsTwo) {
  EXPECT_EQ(run({}), 2);
  EXPECT_EQ(run({"rnu", "scene.toml"}), 2);
  EXPECT_EQ(run({"check"}), 2);
  EXPECT_EQ(run({"run", "scene.toml", "--thraeds", "2"}), 2);
  EXPECT_EQ(run({"run", "scene.toml", "--until", "-1"}), 2);
  EXPECT_EQ(run({"check", "scene.toml", "--set", "run.durtion=1"}), 2);
  EXPECT_NE(err().find("--set run.durtion"), std::string::npos) << err();
  EXPECT_NE(err().find("did you mean 'duration'"), std::string::npos) << err();
}

TEST_F(Cli, EveryCommandHasExamplesOfItsOwn) {
  for (const std::string sub : {"build", "train", "eval", "plot", "info"}) {
    ASSERT_EQ(run({"map", sub, "--help"}), 0);
    EXPECT_NE(out().find("  scree map " + sub + " "), std::string::npos) << out();
    EXPECT_EQ(out().find("scree check"), std::string::npos) << out();
    EXPECT_EQ(out().find("(1x)"), std::string::npos) << out();
  }
  for (const std::string sub : {"maps", "stars"}) {
    ASSERT_EQ(run({"bench", sub, "--help"}), 0);
    EXPECT_NE(out().find("  scree bench " + sub + " "), std::string::npos) << out();
  }
}

TEST_F(Cli, RemediesOfTheCommandLine) {
  EXPECT_EQ(run({"check", "scene.toml", "--mpas"}), 2);
  EXPECT_NE(err().find("did you mean --maps?"), std::string::npos) << err();
  EXPECT_EQ(run({"compare", "scene.toml", "--until", "-1"}), 2);
  EXPECT_LT(err().size(), 200u) << err();
  EXPECT_EQ(run({"map", "plot", "hash", "-o", "a.png"}), 2);
  EXPECT_NE(err().find("one shape makes no pair"), std::string::npos) << err();
  // A file of the user's is not for deleting.
  EXPECT_EQ(run({"map", "info", "scene.toml"}), 2);
  EXPECT_EQ(err().find("delete"), std::string::npos) << err();
}

TEST_F(Cli, CompareLeavesTheExactMapToSimpleGrains) {
  ASSERT_EQ(run({"compare", "scene.toml", "--until", "0.01", "--html", "page.html", "-q"}), 0) << err();
  EXPECT_EQ(err().find("exact"), std::string::npos) << err();
  EXPECT_NE(out().find(" exact\n"), std::string::npos) << "the last column:\n" << out();
  EXPECT_TRUE(out().ends_with("page.html\n")) << out();
  // A disc beside another shape is a polygon of many sides.
  write("mixed.toml", small + "[grains.box]\nradius = 0.1\n");
  const pid_t mixed = start({"compare", "mixed.toml"});
  using namespace std::chrono_literals;
  for (int i = 0; i < 600 && err().empty(); ++i) std::this_thread::sleep_for(50ms);
  kill(mixed, SIGTERM);  // the nets of the comparison take minutes
  EXPECT_EQ(finish(mixed), 130);
  EXPECT_TRUE(err().starts_with("scree: exact is left out: with a grain of ")) << err();
  EXPECT_NE(err().find("remedy: --with table,"), std::string::npos) << err();
}

// Its materials state no stiffness, so springs need a step from elsewhere.
TEST_F(Cli, CompareFindsAStepForSpringsInASceneOfLargeSteps) {
  const std::vector<std::string> large = {"--set", "step.solver=implicit", "--set", "step.dt=auto"};
  std::vector<std::string> compare = {"compare", "scene.toml", "--solvers", "--until", "0.05", "-q"};
  compare.insert(compare.end(), large.begin(), large.end());
  ASSERT_EQ(run(compare), 0) << err();
  EXPECT_NE(out().find("explicit"), std::string::npos) << out();
  const auto step_of = [&](const std::string& solver) {
    return nlohmann::json::parse(file_text(path("runs/compare-scene/" + solver + "/run.json")))["dt"].get<double>();
  };
  const double ratio = step_of("implicit") / step_of("explicit");
  EXPECT_GT(ratio, 100);
  EXPECT_LT(ratio, 250);
}

TEST_F(Cli, AMissingSceneIsFour) {
  EXPECT_EQ(run({"check", "nowhere.toml"}), 4);
  EXPECT_NE(err().find("nowhere.toml"), std::string::npos) << err();
  EXPECT_EQ(run({"render", "nowhere"}), 4) << err();
}

TEST_F(Cli, CheckSummarises) {
  EXPECT_EQ(run({"check", "scene.toml"}), 0) << err();
  EXPECT_NE(out().find("two discs"), std::string::npos);
  EXPECT_NE(out().find("advised"), std::string::npos);
  EXPECT_NE(out().find("2"), std::string::npos);
  EXPECT_EQ(run({"check", "scene.toml", "--maps"}), 0) << err();
  EXPECT_NE(out().find("disc-disc"), std::string::npos);
  EXPECT_EQ(run({"check", "--reference"}), 0);
  EXPECT_NE(out().find("`[[walls]]`"), std::string::npos);
}

TEST_F(Cli, CheckNamesTheLine) {
  write("bad.toml", small + "colour = 3\n");
  EXPECT_EQ(run({"check", "bad.toml"}), 2);
  EXPECT_TRUE(err().starts_with("scree: bad.toml:16:")) << err();
}

TEST_F(Cli, RunWritesAFolderThatRepeatsItself) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a", "--set", "materials.default.friction=0.2", "--threads", "1"}), 0)
      << err();
  EXPECT_NE(out().find("steps/s"), std::string::npos);
  for (const char* name : {"run.json", "scene.toml", "trajectory.h5", "series.csv", "state.h5"}) {
    EXPECT_TRUE(exists(std::string("a/") + name)) << name;
  }
  const nlohmann::json a = record("a");
  EXPECT_EQ(a["end"]["how"], "finished");
  EXPECT_EQ(a["end"]["steps"], 200);
  EXPECT_EQ(a["overrides"][0], "materials.default.friction=0.2");
  EXPECT_EQ(a["maps"].size(), 1u);
  EXPECT_FALSE(a["build"]["commit"].get<std::string>().empty());
  // From the folder's own scene, on other threads: the same bits.
  ASSERT_EQ(run({"run", "a/scene.toml", "-o", "b", "--threads", "2", "--quiet"}), 0) << err();
  EXPECT_EQ(out() + err(), "");
  EXPECT_EQ(record("b")["end"]["state_hash"], a["end"]["state_hash"]);
}

TEST_F(Cli, UntilStopsEarly) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a", "--until", "0.05"}), 0) << err();
  EXPECT_EQ(record("a")["end"]["steps"], 50);
}

TEST_F(Cli, NumbersMustBeFiniteAndPossible) {
  for (const char* until : {"nan", "inf", "1e300"}) EXPECT_EQ(run({"run", "scene.toml", "--until", until}), 2) << until;
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a", "--quiet"}), 0) << err();
  EXPECT_EQ(record("a")["command"], "scree run scene.toml -o a --quiet");
  EXPECT_EQ(run({"render", "a", "--time", "nan", "-o", "x.png"}), 2);
  EXPECT_EQ(run({"render", "a", "--fps", "nan", "-o", "x.png"}), 2);
  ASSERT_EQ(run({"render", "a", "--time", "1e300", "-o", "x.png"}), 0) << err();
  EXPECT_NE(out().find("t = 0.2"), std::string::npos) << out();
}

TEST_F(Cli, AFolderInUseIsRefused) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a"}), 0) << err();
  write("a/notes.txt", "mine");
  EXPECT_EQ(run({"run", "scene.toml", "-o", "a"}), 2);
  EXPECT_NE(err().find("--force"), std::string::npos) << err();
  // --force replaces the run and leaves the rest alone.
  EXPECT_EQ(run({"run", "scene.toml", "-o", "a", "--force", "--until", "0.1"}), 0) << err();
  EXPECT_EQ(file_text(path("a/notes.txt")), "mine");
  EXPECT_EQ(record("a")["end"]["steps"], 100);
}

TEST_F(Cli, ForceLeavesForeignFoldersAlone) {
  fs::create_directories(path("mine"));
  write("mine/state.h5", "not a state");
  EXPECT_EQ(run({"run", "scene.toml", "-o", "mine", "--force"}), 2);
  EXPECT_EQ(file_text(path("mine/state.h5")), "not a state");
  // The scene file's own folder.
  EXPECT_EQ(run({"run", "scene.toml", "-o", ".", "--force"}), 2);
  EXPECT_EQ(file_text(path("scene.toml")), small);
  // A file.
  EXPECT_EQ(run({"run", "scene.toml", "-o", "scene.toml"}), 2);
}

TEST_F(Cli, TwoRunsDoNotShareAFolder) {
  const pid_t child = start({"run", "scene.toml", "-o", "a", "--set", "run.duration=1e5", "--set", "run.frames=1e3"});
  ASSERT_TRUE(wait_for("a/state.h5"));
  for (const char* more : {"--quiet", "--force"}) {
    EXPECT_EQ(run({"run", "scene.toml", "-o", "a", more}), 4);
    EXPECT_NE(err().find("another run is writing here"), std::string::npos) << err();
  }
  EXPECT_TRUE(exists("a/state.h5"));
  kill(child, SIGINT);
  EXPECT_EQ(finish(child), 130);
  EXPECT_FALSE(exists("a/.lock"));
  // What a killed run leaves of its lock is no obstacle.
  fs::create_directories(path("b"));
  write("b/.lock", "");
  EXPECT_EQ(run({"run", "scene.toml", "-o", "b"}), 0) << err();
}

TEST_F(Cli, ARunGoesOnWhenNobodyListens) {
  const std::string command = "cd " + path("").string() + " && SCREE_CACHE=cache " + program().string() +
                              " run scene.toml --set watchdog.max_speed=1e9 --set step.dt=0.0015 -o a";
  // stderr is a pipe without a reader: the warning and the progress line go nowhere.
  EXPECT_EQ(std::system(("bash -c '" + command + " 2> >(exec true; sleep 0) >out.txt'").c_str()), 0);
  EXPECT_EQ(record("a")["end"]["how"], "finished");
}

TEST_F(Cli, FullOutputsAreFour) {
  const std::string program_here = "cd " + path("").string() + " && SCREE_CACHE=cache " + program().string();
  const auto code = [](const std::string& command) {
    const int status = std::system(("bash -c '" + command + "'").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  };
  for (const std::string what : {" shapes", " check scene.toml", " --help"}) {
    EXPECT_EQ(code(program_here + what + " >/dev/full 2>err.txt"), 4) << what;
    EXPECT_NE(err().find("standard output: cannot be written"), std::string::npos) << err();
  }
  // A limit on the size of files, in kB.
  EXPECT_EQ(code("ulimit -f 20; " + program_here + " run scene.toml -o a --quiet 2>err.txt"), 4) << err();
  EXPECT_EQ(err().find("internal"), std::string::npos) << err();
}

TEST_F(Cli, PicturesAreNotWrittenOverOtherFiles) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a"}), 0) << err();
  const std::string before = file_text(path("a/run.json"));
  EXPECT_EQ(run({"render", "a", "--poster", "a/run.json"}), 2);
  EXPECT_EQ(run({"render", "a", "--video", "a/run.json"}), 2);
  EXPECT_EQ(file_text(path("a/run.json")), before);
  EXPECT_EQ(run({"render", "a", "--poster", "y.mp4"}), 2);
  EXPECT_EQ(run({"shapes", "disc", "-o", "y.toml"}), 2);
  EXPECT_EQ(run({"map", "plot", "disc", "disc", "-o", "y.toml"}), 2);
  EXPECT_FALSE(exists("y.mp4") || exists("y.toml"));
}

TEST_F(Cli, FilesOfTheSceneDoNotReplaceThoseOfTheRun) {
  fs::create_directories(path("art"));
  write("art/scene.toml", "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0H2V1H0Z\"/></svg>");
  write("drawn.toml", small + "[shapes.tile]\nsvg = \"art/scene.toml\"\n[grains.tile]\nradius = 0.1\n");
  ASSERT_EQ(run({"run", "drawn.toml", "-o", "a", "--threads", "1"}), 0) << err();
  EXPECT_TRUE(file_text(path("a/_scene.toml")).starts_with("<svg"));
  EXPECT_EQ(run({"check", "a/scene.toml"}), 0) << err();
}

TEST_F(Cli, AnUnwritableFolderIsFour) {
  if (geteuid() == 0) {
    EXPECT_EQ(run({"run", "scene.toml", "-o", "/proc/scree"}), 4) << err();
  } else {
    EXPECT_EQ(run({"run", "scene.toml", "-o", "/scree-test"}), 4) << err();
  }
}

TEST_F(Cli, AFailedRunSaysSoInItsRecord) {
  // A limit on the size of files, in kB, that run.json keeps and the trajectory does not.
  const std::string command = "cd " + path("").string() + " && ulimit -f 20 && SCREE_CACHE=cache " +
                              program().string() + " run scene.toml -o a --quiet 2>err.txt";
  EXPECT_NE(std::system(("bash -c '" + command + "'").c_str()), 0);
  EXPECT_EQ(record("a")["end"]["how"], "failed");
  EXPECT_NE(record("a")["end"]["failure"].get<std::string>().find("trajectory.h5"), std::string::npos);
}

TEST_F(Cli, AStateIsDrawnWhenThereAreNoFrames) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a", "--quiet"}), 0) << err();
  fs::remove(path("a/trajectory.h5"));
  fs::rename(path("a/state.h5"), path("a/failed-state.h5"));
  EXPECT_EQ(run({"render", "a"}), 0) << err();
  EXPECT_TRUE(exists("a/poster.png"));
  EXPECT_NE(err().find("using failed-state.h5"), std::string::npos) << err();
}

TEST_F(Cli, MeasuresDuringARunAreThoseAfterIt) {
  write("measured.toml", small + "[[measures]]\nkind = \"surface\"\n[[measures]]\nkind = \"repose\"\n");
  ASSERT_EQ(run({"check", "measured.toml"}), 0) << err();
  EXPECT_NE(out().find("measures"), std::string::npos) << out();
  ASSERT_EQ(run({"run", "measured.toml", "-o", "a", "--quiet"}), 0) << err();
  EXPECT_NE(err().find("measure \"repose\" had no value at any sample"), std::string::npos) << err();
  EXPECT_EQ(err().find("\"surface\""), std::string::npos) << err();
  // Positions are kept to the last bit, so the files are the same.
  ASSERT_EQ(run({"measure", "a", "-m", "surface", "-m", "energy:name=other", "-o", "after"}), 0) << err();
  for (const std::string name : {"measure-surface.csv", "table-surface.csv"}) {
    EXPECT_EQ(file_text(path("a/" + name)), file_text(path("after/" + name))) << name;
    EXPECT_GT(file_text(path("a/" + name)).size(), 1000u) << name;
  }
  // Never defined, with columns as wide as a grain: empty cells live, and an error for those who ask.
  EXPECT_NE(file_text(path("a/measure-repose.csv")).find(",,,,,,,,\n"), std::string::npos);
  EXPECT_EQ(run({"measure", "a", "-m", "repose"}), 2);
  EXPECT_NE(err().find("remedy: a level bed has no flanks"), std::string::npos) << err();
  EXPECT_EQ(run({"measure", "a", "-m", "surface", "--every", "0"}), 2);
  EXPECT_LT(err().size(), 200u) << err();
  // The run's own files are not to be overwritten; others may lie beside them.
  const std::string own = file_text(path("a/measure-surface.csv"));
  EXPECT_EQ(run({"measure", "a", "-m", "surface", "--frame", "0", "-o", "a"}), 2);
  EXPECT_NE(err().find("written by the run itself"), std::string::npos) << err();
  EXPECT_EQ(file_text(path("a/measure-surface.csv")), own);
  EXPECT_EQ(run({"measure", "a", "-m", "surface:name=after", "-o", "a"}), 0) << err();
  EXPECT_EQ(run({"measure", "a", "-m", "surface:name=after", "-o", "a"}), 0) << err();
  // --force knows the files.
  const auto files = record("a")["files"];
  EXPECT_EQ(std::count(files.begin(), files.end(), "table-surface.csv"), 1);
  EXPECT_EQ(run({"run", "scene.toml", "-o", "a", "--force", "--quiet"}), 0) << err();
  EXPECT_FALSE(exists("a/measure-surface.csv"));
}

TEST_F(Cli, MeasureSpeaksThreeLanguages) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a", "--quiet"}), 0) << err();
  ASSERT_EQ(run({"measure", "a", "--frame", "last", "-m", "coordination"}), 0) << err();
  EXPECT_NE(out().find("mean_inner"), std::string::npos) << out();
  ASSERT_EQ(run({"measure", "a", "-m", "energy", "--csv"}), 0) << err();
  EXPECT_TRUE(out().starts_with("time,kinetic,")) << out();
  ASSERT_EQ(run({"measure", "a/state.h5", "-m", "packing:bins=3", "-m", "clog:hold=0.1", "--json"}), 0) << err();
  const nlohmann::json j = nlohmann::json::parse(out());
  EXPECT_EQ(j["measures"].size(), 2u);
  EXPECT_EQ(j["measures"][0]["samples"][0]["rows"].size(), 3u);
  EXPECT_EQ(j["measures"][1]["columns"][0]["name"], "clogged");
  EXPECT_NEAR(j["measures"][0]["samples"][0]["values"][1].get<double>(), 2 * 3.14159265 * 0.01, 1e-8);
  // A run whose scene asks for nothing gets a general set; what is not defined is left out with a note.
  ASSERT_EQ(run({"measure", "a", "--time", "0"}), 0) << err();
  EXPECT_NE(out().find("packing"), std::string::npos);
  EXPECT_NE(err().find("\"forces\" is left out"), std::string::npos) << err();
  // Nothing in particular asked for: a page on the end of the run, and how to get more.
  ASSERT_EQ(run({"measure", "a"}), 0) << err();
  EXPECT_LT(std::ranges::count(out(), '\n'), 70) << out();
  EXPECT_NE(out().find("packing\n  time "), std::string::npos) << out();
  EXPECT_EQ(out().find("at time"), std::string::npos) << out();
  EXPECT_NE(out().find("--every 1"), std::string::npos) << out();
  EXPECT_EQ(out().find(" -0\n"), std::string::npos) << out();
  ASSERT_EQ(run({"measure", "a", "--every", "1"}), 0) << err();
  EXPECT_NE(out().find("at time"), std::string::npos) << out();
  EXPECT_EQ(run({"measure", "--list"}), 0);
  EXPECT_NE(out().find("surface-angle"), std::string::npos);
}

TEST_F(Cli, MeasureRefusesWhatItCannotDo) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "a", "--quiet"}), 0) << err();
  EXPECT_EQ(run({"measure"}), 2);
  EXPECT_EQ(run({"measure", "a", "-m", "pakking"}), 2);
  EXPECT_NE(err().find("did you mean 'packing'"), std::string::npos) << err();
  EXPECT_EQ(run({"measure", "a", "-m", "stress", "-m", "stress"}), 2);
  EXPECT_EQ(run({"measure", "a", "-m", "stress:groups=nobody"}), 2);
  EXPECT_EQ(run({"measure", "a", "--frame", "999"}), 2);
  EXPECT_EQ(run({"measure", "a", "--json", "--csv"}), 2);
  EXPECT_EQ(run({"measure", "nowhere"}), 4) << err();
}

TEST_F(Cli, TheWatchdogIsThreeAndLeavesAState) {
  EXPECT_EQ(run({"run", "scene.toml", "-o", "a", "--set", "watchdog.max_speed=0.5"}), 3) << err();
  EXPECT_TRUE(exists("a/failed-state.h5"));
  EXPECT_EQ(record("a")["end"]["how"], "failed");
  EXPECT_NE(err().find("failed-state.h5"), std::string::npos) << err();
  EXPECT_EQ(err().find("terminate"), std::string::npos) << err();
}

class CliSignal : public Cli, public testing::WithParamInterface<int> {};

TEST_P(CliSignal, FinishesTheStepAndWritesTheState) {
  const pid_t child = start({"run", "scene.toml", "-o", "a", "--set", "run.duration=1e5", "--set", "run.frames=1e3"});
  ASSERT_TRUE(wait_for("a/state.h5"));
  kill(child, GetParam());
  EXPECT_EQ(finish(child), 130) << err();
  EXPECT_NE(err().find("interrupted at t ="), std::string::npos) << err();
  const nlohmann::json a = record("a");
  EXPECT_EQ(a["end"]["how"], "interrupted");
  EXPECT_TRUE(exists("a/state.h5"));
  EXPECT_GE(a["end"]["frames"].get<int>(), 2);
}

INSTANTIATE_TEST_SUITE_P(Signals, CliSignal, testing::Values(SIGINT, SIGTERM));

TEST_F(Cli, AKilledRunLeavesARecordThatForceCanReplace) {
  const pid_t child = start({"run", "scene.toml", "-o", "a", "--set", "run.duration=1e5", "--set", "run.frames=1e3"});
  ASSERT_TRUE(wait_for("a/state.h5"));
  kill(child, SIGKILL);
  finish(child);
  EXPECT_TRUE(record("a")["end"].is_null());
  EXPECT_NE(file_text(path("a/series.csv")), "");
  EXPECT_EQ(run({"run", "scene.toml", "-o", "a", "--force"}), 0) << err();
}

TEST_F(Cli, StarsAndClumpsRunLikeAnyMapAndLeaveNoFiles) {
  for (const std::string kind : {"star", "clump"}) {
    write("stars.toml", "[run]\nduration = 0.05\n[step]\ndt = 1e-3\n[maps]\nkind = \"" + kind +
                            "\"\n[shapes.cross]\ncosines = [0.2, 0, 0, 0, 0.1]\n[grains.cross]\nscale = 1\n"
                            "[[bodies]]\ngrain = \"cross\"\nposition = [0, 0]\nvelocity = [1, 0]\n"
                            "[[bodies]]\ngrain = \"cross\"\nposition = [0.5, 0.1]\n");
    ASSERT_EQ(run({"run", "stars.toml", "-o", kind}), 0) << file_text(path("err.txt"));
    const auto json = nlohmann::json::parse(file_text(path(kind + "/run.json")));
    ASSERT_EQ(json["maps"].size(), 1u);
    EXPECT_EQ(json["maps"][0]["kind"], kind);
    EXPECT_FALSE(json["maps"][0]["from_cache"]);
  }
  EXPECT_FALSE(exists("cache")) << "maps that are made in no time are not kept";
  EXPECT_EQ(run({"map", "eval", "rosette", "star", "--kind", "star", "--error-samples", "500"}), 0);
  EXPECT_EQ(run({"map", "build", "rosette", "star", "--kind", "clump", "--clump-discs", "9"}), 0);
  // A star is refused with the shape and the direction; a clump has no file.
  EXPECT_EQ(run({"map", "eval", "u", "u", "--kind", "star"}), 2);
  EXPECT_NE(file_text(path("err.txt")).find("not star-shaped"), std::string::npos);
  EXPECT_EQ(run({"map", "build", "box", "box", "--kind", "clump", "-o", "x.safetensors"}), 2);
  EXPECT_FALSE(exists("x.safetensors"));
}

TEST_F(Cli, BenchOfStarsWritesItsTable) {
  ASSERT_EQ(run({"bench", "stars", "--grains", "20", "--settle", "0.01", "--rounds", "1", "-o", "stars.csv"}), 0)
      << file_text(path("err.txt"));
  const std::string csv = file_text(path("stars.csv"));
  for (const std::string contact : {"disc", "star", "star, radial", "clump of 9", "clump of 17", "table"})
    EXPECT_NE(csv.find("\"" + contact + "\""), std::string::npos) << contact;
}

TEST_F(Cli, FilmIsDrawnWhileTheRunGoesOn) {
  ASSERT_EQ(run({"run", SCREE_SOURCE_DIR "/scenes/first.toml", "-o", "run", "--until", "0.1", "--set",
                 "run.frames=0.02", "--set", "maps.nodes=24", "--film", "film/f.png"}),
            0)
      << file_text(path("err.txt"));
  for (const std::string number : {"00000", "00005"}) EXPECT_TRUE(exists("film/f-" + number + ".png")) << number;
  EXPECT_FALSE(exists("film/f-00006.png"));
  EXPECT_NE(file_text(path("run/run.json")).find("\"frames\": 1"), std::string::npos);  // the first is kept
  EXPECT_EQ(run({"run", SCREE_SOURCE_DIR "/scenes/first.toml", "-o", "other", "--until", "0.1", "--film", "f.avi"}), 2);
}

}  // namespace

}  // namespace scree::test
