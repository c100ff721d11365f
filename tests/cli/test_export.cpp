// `scree export` as a user meets it: names, what is overwritten, what is refused, what an interruption leaves. What is
// in the files: tests/python/test_export.py.
#include <csignal>
#include <set>

#include "cli.hpp"

namespace scree {
namespace {

using namespace test;

class Export : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(run({"run", "scene.toml", "-o", "a", "--quiet", "--set", "run.frames=0.02"}), 0) << err();
  }
  std::set<std::string> names(const std::string& folder) const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(path(folder))) out.insert(entry.path().filename().string());
    return out;
  }
  // The command fails with this code, says this, and leaves the folder as it was.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& word, int code = 2) const {
    const std::set<std::string> before = names(".");
    EXPECT_EQ(run(arguments), code) << word;
    EXPECT_NE(err().find(word), std::string::npos) << err();
    EXPECT_NE(err().find("remedy: "), std::string::npos) << err();
    EXPECT_EQ(names("."), before);
  }
};

TEST_F(Export, EveryFormatGoesBesideTheTrajectory) {
  for (const std::string format : {"vtk", "lammps", "csv", "svg", "png", "mp4", "gif"}) {
    ASSERT_EQ(run({"export", "a", format, "-q"}), 0) << err();
    EXPECT_EQ(err(), "");
    EXPECT_NE(out().find(", in "), std::string::npos) << out();
  }
  for (const char* name : {"vtk/grains.pvd", "vtk/walls-00010.vtp", "grains.dump", "csv/contacts.csv", "frame.svg",
                           "png/00010.png", "film.mp4", "film.gif"})
    EXPECT_TRUE(exists(std::string("a/") + name)) << name;
  EXPECT_EQ(names("a/csv"), (std::set<std::string>{"grains.csv", "contacts.csv", "walls.csv"}));
  // A state is a run of one frame.
  ASSERT_EQ(run({"export", "a/state.h5", "vtk", "-o", "end", "--what", "centres", "-q"}), 0) << err();
  EXPECT_EQ(names("end"), (std::set<std::string>{"centres.pvd", "centres-00000.vtp"}));
}

TEST_F(Export, FramesAreChosen) {
  const auto steps = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"export", "a", "lammps", "-o", "x.dump", "--force", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(run(arguments), 0) << err();
    std::istringstream in(file_text(path("x.dump")));
    std::string out;
    for (std::string line; std::getline(in, line);) {
      if (line == "ITEM: TIMESTEP" && std::getline(in, line)) out += line + " ";
    }
    return out;
  };
  EXPECT_EQ(steps({"--frames", "last"}), "200 ");
  EXPECT_EQ(steps({"--frames", "3"}), "60 ");
  EXPECT_EQ(steps({"--frames", "3..5"}), "60 80 100 ");
  EXPECT_EQ(steps({"--frames", "8..last"}), "160 180 200 ");
  EXPECT_EQ(steps({"--every", "5"}), "0 100 200 ");
  EXPECT_EQ(steps({"--frames", "1..8", "--every", "4"}), "20 100 ");
  EXPECT_EQ(steps({"--time", "0.11"}), "100 ");
  EXPECT_EQ(steps({"--every", "18446744073709551615"}), "0 ");
  expect_refused({"export", "a", "lammps", "--frames", "3..99"}, "there is no frame \"99\"");
  expect_refused({"export", "a", "lammps", "--frames", "5..3"}, "runs backwards");
  expect_refused({"export", "a", "lammps", "--frames", "some"}, "all, last, N or N..M");
  expect_refused({"export", "a", "lammps", "--every", "0"}, "from 1 on");
}

TEST_F(Export, NothingIsOverwrittenUnasked) {
  write("x.dump", "mine");
  expect_refused({"export", "a", "lammps", "-o", "x.dump"}, "exists");
  EXPECT_EQ(file_text(path("x.dump")), "mine");
  EXPECT_EQ(run({"export", "a", "lammps", "-o", "x.dump", "--force", "-q"}), 0) << err();
  EXPECT_TRUE(file_text(path("x.dump")).starts_with("ITEM: UNITS"));
  // A folder: an earlier export goes, whatever else is there stays.
  ASSERT_EQ(run({"export", "a", "png", "-o", "film", "--size", "64x48", "-q"}), 0) << err();
  write("film/notes.txt", "mine");
  write("film/1.jpg", "mine");
  expect_refused({"export", "a", "png", "-o", "film", "--size", "64x48", "--every", "5"}, "is not empty");
  ASSERT_EQ(run({"export", "a", "png", "-o", "film", "--size", "64x48", "--every", "5", "--force", "-q"}), 0) << err();
  EXPECT_EQ(names("film"), (std::set<std::string>{"00000.png", "00001.png", "00002.png", "1.jpg", "notes.txt"}));
  // The run's own folder is not a place for tables.
  expect_refused({"export", "a", "csv", "-o", "a"}, "is not empty");
  // Names that were meant otherwise.
  expect_refused({"export", "a", "lammps", "-o", "a/run.json", "--force"}, ".dump or .lammpstrj");
  expect_refused({"export", "a", "csv", "-o", "grains.csv"}, "is a folder of files");
  expect_refused({"export", "a", "vtk", "-o", "scene.toml"}, "is not a folder");
  expect_refused({"export", "a", "svg", "-o", "nowhere/x.svg"}, "cannot", 4);
}

TEST_F(Export, MistakesAreNamed) {
  expect_refused({"export", "a", "vkt"}, "did you mean 'vtk'");
  expect_refused({"export", "a", "vtk", "--what", "grains,wals"}, "there is no part \"wals\" of vtk");
  expect_refused({"export", "a", "csv", "--what", "outlines"}, "known: grains, contacts, walls");
  expect_refused({"export", "a", "lammps", "--what", "grains"}, "--what: does not go with lammps");
  expect_refused({"export", "a", "vtk", "--size", "64x48"}, "--size: does not go with vtk");
  expect_refused({"export", "a", "csv", "--forces"}, "pictures and films");
  expect_refused({"export", "a", "svg", "--frames", "all"}, "do not go into one picture");
  expect_refused({"export", "a", "gif", "--frames", "last"}, "one frame makes no film");
  expect_refused({"export", "a", "png", "--color", "sped"}, "did you mean speed");
  expect_refused({"export", "nowhere", "vtk"}, "no such file", 4);
  expect_refused({"export", "scene.toml", "vtk"}, "not an HDF5 file");
  EXPECT_EQ(run({"export", "a"}), 2);
}

// Ctrl-C while files are written: no file, no folder, no temporary.
TEST_F(Export, AnInterruptionLeavesNothing) {
  ASSERT_EQ(run({"run", "scene.toml", "-o", "long", "--quiet", "--set", "run.frames=1e-3", "--set", "run.duration=2"}),
            0);
  for (const std::string format : {"png", "csv"}) {
    const pid_t child = start({"export", "long", format, "-o", "cut", "-q"});
    const fs::path part = path("cut.part" + std::to_string(child));
    using namespace std::chrono_literals;
    for (int i = 0; i < 2000 && !fs::exists(part); ++i) std::this_thread::sleep_for(1ms);
    kill(child, SIGINT);
    const int code = finish(child);
    if (code == 0) continue;  // it was faster than the signal
    EXPECT_EQ(code, 130) << err();
    EXPECT_FALSE(exists("cut") || fs::exists(part)) << format;
  }
  EXPECT_FALSE(exists("cut/00000.png")) << "2000 pictures take longer than a signal";
}

TEST_F(Export, AFullDiskLeavesNothing) {
  const std::string here = "cd " + path("").string() + " && ulimit -f 1 && " + program().string();
  const std::set<std::string> before = names(".");
  for (const std::string what : {"vtk -o x", "lammps -o x.dump", "csv -o x", "svg -o x.svg", "png -o x"}) {
    const int status = std::system(("bash -c '" + here + " export a " + what + " -q >/dev/null 2>err.txt'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 4) << what << ": " << err();
    EXPECT_NE(err().find("remedy: check"), std::string::npos) << err();
    EXPECT_EQ(names("."), before) << what;
  }
}

TEST_F(Export, RenderDrawsTheSameFormats) {
  ASSERT_EQ(run({"render", "a", "-o", "x.svg", "-o", "x.gif", "--size", "128x96", "-q"}), 0) << err();
  EXPECT_NE(file_text(path("x.svg")).find("viewBox=\"0 0 128 96\""), std::string::npos);
  EXPECT_TRUE(file_text(path("x.gif")).starts_with("GIF89a"));
  ASSERT_EQ(run({"export", "a", "svg", "-o", "y.svg", "--size", "128x96", "-q"}), 0) << err();
  EXPECT_EQ(file_text(path("x.svg")), file_text(path("y.svg")));
  EXPECT_EQ(run({"render", "a", "-o", "x.svg", "-o", "x.png"}), 2);
  EXPECT_NE(err().find("a second picture"), std::string::npos) << err();
}

}  // namespace
}  // namespace scree
