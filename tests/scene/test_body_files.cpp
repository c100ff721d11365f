// [[bodies]] with `file`: CSV, and what all formats share. NumPy and HDF5 files: tests/python/test_initial_states.py.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "scene_text.hpp"

namespace scree::test {

namespace {

namespace fs = std::filesystem;

class BodyFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("scree-bodies-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A scene of discs and two sizes of box whose grains are those of bed.csv.
  Scene scene_of(const std::string& csv, const std::string& more = "", const std::string& file = "bed.csv") {
    std::ofstream(folder_ / file, std::ios::binary) << csv;
    const std::string text =
        "[run]\nduration = 1\n[step]\ndt = 1e-3\n[grains]\ndisc = { radius = 0.1 }\n"
        "box = { radius = { distribution = \"classes\", radii = [0.1, 0.2] } }\n[[bodies]]\nfile = \"" +
        file + "\"\n" + more;
    return parse_scene(text, (folder_ / "scene.toml").string());
  }
  // The message, with the folder taken out.
  std::string error_of(const std::string& csv, const std::string& more = "", const std::string& file = "bed.csv") {
    try {
      scene_of(csv, more, file);
    } catch (const Error& e) {
      std::string what = e.what();
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at = what.find(prefix); at != std::string::npos; at = what.find(prefix))
        what.erase(at, prefix.size());
      return what;
    }
    return "";
  }
  void expect_error(const std::string& csv, const std::string& start, const std::string& word,
                    const std::string& more = "") {
    const std::string what = error_of(csv, more);
    EXPECT_TRUE(what.starts_with(start)) << what;
    EXPECT_NE(what.find(word), std::string::npos) << what;
    EXPECT_NE(what.find("remedy: "), std::string::npos) << what;
  }

  fs::path folder_;
};

TEST_F(BodyFiles, ReadsEveryColumn) {
  const Scene s = scene_of(
      "\xEF\xBB\xBF# made by hand\r\ngrain, x ,y,angle,vx,vy,spin,kind,group,id\r\n\r\n"
      "disc,1,2,0.5,3,-4,5,moving,left,17\r\n"
      "\"box:2\",-1e-3,+2.5,0,1,1,1,fixed,\"the \"\"right\"\", one\",18\n");
  const Bodies& b = s.world.bodies;
  ASSERT_EQ(b.size(), 2u);
  EXPECT_EQ(b.x[0], (Vec2d{1, 2}));
  EXPECT_EQ(b.theta[0], 0.5);
  EXPECT_EQ(b.v[0], (Vec2d{3, -4}));
  EXPECT_EQ(b.omega[0], 5);
  EXPECT_EQ(b.kind[0], BodyKind::moving);
  EXPECT_EQ(s.world.groups[b.group[0]], "left");
  EXPECT_EQ(b.x[1], (Vec2d{-1e-3, 2.5}));
  EXPECT_EQ(s.world.types[b.type[1]].name, "box:2");
  EXPECT_EQ(b.kind[1], BodyKind::fixed);
  EXPECT_EQ(b.v[1], (Vec2d{0, 0})) << "what does not obey forces has no velocity";
  EXPECT_EQ(b.omega[1], 0);
  EXPECT_EQ(s.world.groups[b.group[1]], "the \"right\", one");
}

TEST_F(BodyFiles, FieldsStandInForColumns) {
  const Scene s = scene_of("x,y,kind\n1,2,\n3,4,fixed\n",
                           "grain = \"disc\"\nangle = \"90 deg\"\nvelocity = [1, 2]\nspin = 3\ngroup = \"all\"\n");
  const Bodies& b = s.world.bodies;
  ASSERT_EQ(b.size(), 2u);
  EXPECT_DOUBLE_EQ(b.theta[0], 1.5707963267948966);
  EXPECT_EQ(b.v[0], (Vec2d{1, 2}));
  EXPECT_EQ(b.omega[0], 3);
  EXPECT_EQ(b.kind[0], BodyKind::moving);
  EXPECT_EQ(b.kind[1], BodyKind::fixed);
  EXPECT_EQ(s.world.groups[b.group[1]], "all");
}

TEST_F(BodyFiles, TheRunKeepsACopyBesideItsScene) {
  fs::create_directories(folder_ / "deep");
  const Scene s = scene_of("x,y\n1,2\n", "grain = \"disc\"\n", "deep/state.h5.csv");
  ASSERT_EQ(s.files.size(), 1u);
  EXPECT_EQ(s.files[0].name, "_state.h5.csv") << "not a name of the run's own files";
  EXPECT_NE(s.text.find("file = '_state.h5.csv'"), std::string::npos) << s.text;
}

TEST_F(BodyFiles, AnInstantIsChosen) {
  const std::string csv = "time,x,y\n0,1,0\n0,2,0\n0.5,3,0\n1,4,0\n1,5,0\n";
  const auto xs = [&](const std::string& more) {
    std::vector<double> out;
    for (const Vec2d x : scene_of(csv, "grain = \"disc\"\n" + more).world.bodies.x) out.push_back(x.x);
    return out;
  };
  EXPECT_EQ(xs(""), (std::vector<double>{4, 5}));
  EXPECT_EQ(xs("time = 0.2\n"), (std::vector<double>{1, 2}));
  EXPECT_EQ(xs("time = 0.7\n"), (std::vector<double>{3}));
  EXPECT_EQ(xs("time = 99\n"), (std::vector<double>{4, 5}));
  // Places in messages are those of the file.
  expect_error("time,grain,x,y\n0,disc,1,0\n1,disc,2,0\n1,dsc,3,0\n", "bed.csv:4: column 2, grain",
               "did you mean 'disc'");
  expect_error("time,grain,x,y\n0,disc,1,0\nnan,disc,2,0\n", "bed.csv:3: column 1, time", "finite");
  expect_error("x,y\n1,2\n", "bed.csv: ", "no column \"time\"", "grain = \"disc\"\ntime = 1\n");
}

TEST_F(BodyFiles, ColumnsCanBePassedOver) {
  EXPECT_EQ(scene_of("x,y,mass\n1,2,heavy\n", "grain = \"disc\"\nignore = \"mass\"\n").world.bodies.size(), 1u);
}

TEST_F(BodyFiles, AnotherRadiusIsAWarning) {
  const Scene s = scene_of("grain,x,y,radius\ndisc,0,0,0.15\ndisc,1,0,0.15\nbox:1,2,0,0.1\n");
  std::size_t said = 0;
  for (const std::string& w : s.warnings)
    said += w.find("grain \"disc\" has radius 0.15 in the file and 0.1 here") != std::string::npos;
  EXPECT_EQ(said, 1u);
}

TEST_F(BodyFiles, BadTablesAreRefusedWithThePlace) {
  const std::string disc = "grain = \"disc\"\n";
  expect_error("", "bed.csv: is empty", "a line of names");
  expect_error("x,y\n", "bed.csv: holds no grains", "at least one row", disc);
  expect_error("x,angle\n1,2\n", "bed.csv: has no column \"y\"; it has angle, x", "x and y", disc);
  expect_error("x,y,agnle\n1,2,3\n", "bed.csv:1: column 3: unknown column \"agnle\"", "did you mean 'angle'", disc);
  expect_error("x,y,x\n1,2,3\n", "bed.csv:1: column 3: \"x\" stands twice", "once", disc);
  expect_error("position\n1\n", "bed.csv:1: column 1", "x and y", disc);
  expect_error("x;y\n1;2\n", "bed.csv:1: does not separate its names by commas", "write commas", disc);
  expect_error("x,y\n1,2\n1,2,3\n", "bed.csv:3: has 3 cells, where the first line names 2", "one cell a column", disc);
  expect_error("x,y\n1,2\n1,two\n", "bed.csv:3: column 2, y: \"two\" is not a number", "0.25", disc);
  expect_error("x,y\n1,2\n1,\n", "bed.csv:3: column 2, y: is empty", "a number", disc);
  expect_error("x,y\n1,2\n1,2x\n", "bed.csv:3: column 2, y", "is not a number", disc);
  expect_error("x,y\n1,nan\n", "bed.csv:2: column 2, y: is not a finite number", "leave the row out", disc);
  expect_error("x,y\n1,1e999\n", "bed.csv:2: column 2, y", "not a", disc);
  expect_error("x,y,grain\n1,2,\"disc\n", "bed.csv:2: opens a quote", "close it", disc);
  expect_error("x,y,grain\n1,2,sand\n", "bed.csv:2: column 3, grain: \"sand\" is not in [grains]", "known: box, box:1");
  expect_error("x,y,grain\n1,2,box\n", "bed.csv:2: column 3, grain: \"box\" has 2 size classes",
               "\"box:1\" to \"box:2\"");
  expect_error("x,y,grain\n1,2,\n", "bed.csv:2: column 3, grain: is empty", "name a kind");
  expect_error("x,y,kind\n1,2,fixd\n", "bed.csv:2: column 3, kind: \"fixd\"", "did you mean 'fixed'", disc);
}

TEST_F(BodyFiles, BadFieldsAreRefusedWithTheLine) {
  expect_error("x,y\n1,2\n", "scene.toml:8:1: bodies[0].grain: is required", "name the kind");
  expect_error("x,y\n1,2\n", "scene.toml:10:9: bodies[0].grain: unknown grain \"dsc\"", "'disc'", "grain = \"dsc\"\n");
  expect_error("x,y\n1,2\n", "bed.csv: bed: has no tables inside", "remove", "grain = \"disc\"\ntable = \"bed\"\n");
  expect_error("x,y\n1,2\n", "scene.toml:9:8: bodies[0].file: cannot stand beside 'position'", "only one of",
               "position = [0, 0]\n");
  EXPECT_TRUE(error_of("x,y\n1,2\n", "grain = \"disc\"\n", "bed.xls").starts_with("bed.xls: cannot be read"))
      << "by name";
  const std::string gone = error_of("x,y\n1,2\n", "grain = \"disc\"\n[[bodies]]\nfile = \"gone.csv\"\n");
  EXPECT_TRUE(gone.starts_with("scene.toml:12:8: bodies[1].file: there is no file gone.csv")) << gone;
  EXPECT_NE(test::error_of(small_scene + "[[bodies]]\ngrain = \"disc\"\nposition = [0, 0]\ntime = 1\n")
                .find("for grains of a `file`"),
            std::string::npos);
}

}  // namespace

}  // namespace scree::test
