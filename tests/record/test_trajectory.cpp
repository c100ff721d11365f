#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "record/demo_world.hpp"
#include "record/scratch.hpp"
#include "scree/base/error.hpp"
#include "scree/record/trajectory.hpp"

namespace scree {
namespace {

void move_on(World& world) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) world.bodies.x[i] += Vec2d{0.01, -0.02};
  world.walls[0].pose.theta += 0.1;
  world.time += 0.5;
  world.step += 500;
  world.ledger.kinetic += 1.5;
}

std::string problem_of(const std::filesystem::path& file) {
  try {
    const TrajectoryReader in(file);
    for (std::size_t k = 0; k < in.frames(); ++k) in.read(k);
  } catch (const Error& e) {
    // A file that is not there is the system's answer, one that is wrong the user's.
    EXPECT_EQ(e.kind(), std::filesystem::exists(file) ? ErrorKind::input : ErrorKind::system);
    return e.what();
  }
  return "";
}

TEST(Trajectory, ComesBackAsItWasWritten) {
  const Scratch folder;
  World world = demo::drum(4);
  std::vector<Frame> written;
  {
    TrajectoryWriter out(folder / "t.h5", world, R"({"title": "x"})");
    for (int k = 0; k < 5; ++k) {
      out.write(world);
      written.push_back(frame_of(world));
      move_on(world);
      world.add_body(k, 1, BodyKind::fixed, {double(k), 2.0}, 0.1 * k);  // the number of grains changes
      if (k == 2) world.contacts.clear(), world.pair_contacts = 0;
      if (k == 3) world.walls[0].active = false;
    }
    EXPECT_EQ(out.frames(), 5u);
  }
  const TrajectoryReader in(folder / "t.h5");
  ASSERT_EQ(in.frames(), 5u);
  EXPECT_EQ(in.statics().run_json, R"({"title": "x"})");
  ASSERT_EQ(in.statics().shapes.size(), 5u);
  EXPECT_EQ(in.statics().types[1].name, "ring");
  EXPECT_EQ(in.statics().groups, (std::vector<std::string>{"grains", "frame"}));
  EXPECT_EQ(in.statics().shapes[1].outline.loops.size(), 2u);
  EXPECT_TRUE(in.statics().shapes[0].outline.loops == world.shapes[0]->outline.loops);
  for (std::size_t k = 0; k < 5; ++k) {
    const Frame f = in.read(k);
    const Frame& w = written[k];
    EXPECT_EQ(f.time, w.time);
    EXPECT_EQ(in.times()[k], w.time);
    EXPECT_EQ(f.step, w.step);
    EXPECT_EQ(f.id, w.id);
    EXPECT_EQ(f.type, w.type);
    EXPECT_EQ(f.group, w.group);
    EXPECT_EQ(f.kind, w.kind);
    EXPECT_EQ(f.x, w.x);
    EXPECT_EQ(f.theta, w.theta);
    EXPECT_EQ(f.ledger.kinetic, w.ledger.kinetic);
    EXPECT_EQ(f.wall_active, w.wall_active);
    EXPECT_EQ(f.wall_pose[0].theta, w.wall_pose[0].theta);
    ASSERT_EQ(f.contacts.size(), w.contacts.size());
    for (std::size_t i = 0; i < f.contacts.size(); ++i) {
      EXPECT_EQ(f.contacts[i].a, w.contacts[i].a);
      EXPECT_EQ(f.contacts[i].b, w.contacts[i].b);
      EXPECT_FLOAT_EQ(float(f.contacts[i].normal_force), float(w.contacts[i].normal_force));
    }
    for (std::size_t i = 0; i < f.v.size(); ++i) EXPECT_FLOAT_EQ(float(f.v[i].x), float(w.v[i].x));  // stored single
  }
  EXPECT_THROW(in.read(5), Error);
}

TEST(Trajectory, StartsEmptyAndHasNoWalls) {
  const Scratch folder;
  World world = demo::empty_world();
  demo::add_type(world, "disc", 1);
  {
    TrajectoryWriter out(folder / "t.h5", world, "");
    out.write(world);
    world.add_body(0, 0, BodyKind::moving, {1, 2}, 0);
    out.write(world);
  }
  const TrajectoryReader in(folder / "t.h5");
  EXPECT_EQ(in.read(0).id.size(), 0u);
  EXPECT_EQ(in.read(1).x[0], (Vec2d{1, 2}));
}

TEST(Trajectory, MeasuresComeBackAsTheyWereWritten) {
  const Scratch folder;
  const World world = demo::drum(3);
  const RecordedMeasure plain{"z", "coordination", {{"mean", ""}, {"pairs", "1"}}, {}};
  const RecordedMeasure tabled{"bed", "packing", {{"fraction", ""}}, {{"y", "length"}, {"solid", ""}}};
  const Reading first{{0.25}, {{1.0, 2.0}, {std::nullopt, 3.0}}}, second{{std::nullopt}, {}},
      third{{1e300}, {{4.0, 5.0}}};
  {
    TrajectoryWriter out(folder / "t.h5", world, "", {plain, tabled});
    out.write_measure(1, 0, first);
    out.write_measure(0, 0, {{3.5, std::nullopt}, {}});
    out.write(world);
    out.write_measure(1, 0.5, second);
    out.write_measure(1, 1.5, third);
    // Measures are there while the writer lives.
    EXPECT_EQ(TrajectoryReader(folder / "t.h5").measures()[1].times.size(), 3u);
  }
  const std::vector<MeasureSamples> read = TrajectoryReader(folder / "t.h5").measures();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].measure.name, "z");
  EXPECT_EQ(read[0].measure.kind, "coordination");
  EXPECT_EQ(read[0].measure.columns[1].unit, "1");
  EXPECT_TRUE(read[0].measure.table.empty());
  EXPECT_EQ(read[0].readings[0].values, (Reading::Cells{3.5, std::nullopt}));
  EXPECT_EQ(read[1].measure.table[0].name, "y");
  EXPECT_EQ(read[1].times, (std::vector<double>{0, 0.5, 1.5}));
  const std::vector<Reading> written = {first, second, third};
  for (std::size_t k = 0; k < written.size(); ++k) {
    EXPECT_EQ(read[1].readings[k].values, written[k].values) << k;
    EXPECT_EQ(read[1].readings[k].rows, written[k].rows) << k;
  }
}

// A child writes frames, says so, and is killed in the middle of writing more.
TEST(Trajectory, KilledWriterLeavesAReadableFile) {
  const Scratch folder;
  const auto file = folder / "t.h5";
  const World world = demo::drum(12);
  const Vec2d first = world.bodies.x[0];
  for (int attempt = 0; attempt < 4; ++attempt) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      World moving = world;
      TrajectoryWriter out(file, moving, "{}");
      for (int k = 0;; ++k) {
        out.write(moving);
        move_on(moving);
        if (k == 20 && write(ready[1], "x", 1) != 1) _exit(1);
      }
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    usleep(static_cast<useconds_t>(3000 * attempt));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]), close(ready[1]);
    const TrajectoryReader in(file);
    ASSERT_GE(in.frames(), 21u);
    for (std::size_t k = 0; k < in.frames(); ++k) {
      const Frame f = in.read(k);
      ASSERT_EQ(f.id.size(), 144u);
      EXPECT_NEAR(f.time, 1.25 + 0.5 * double(k), 1e-12);
      EXPECT_NEAR(f.x[0].x, first.x + 0.01 * double(k), 1e-12);
    }
  }
}

TEST(Trajectory, ReadableWhileItGrows) {
  const Scratch folder;
  World world = demo::drum(3);
  TrajectoryWriter out(folder / "t.h5", world, "");
  out.write(world);
  EXPECT_EQ(TrajectoryReader(folder / "t.h5").frames(), 1u);
  out.write(world);
  EXPECT_EQ(TrajectoryReader(folder / "t.h5").frames(), 2u);
}

TEST(Trajectory, OtherFilesAreRefusedWithAReason) {
  const Scratch folder;
  EXPECT_NE(problem_of(folder / "none.h5").find("no such file"), std::string::npos);
  EXPECT_NE(problem_of(folder.path()).find("folder"), std::string::npos);
  std::ofstream(folder / "text.h5") << "time,step\n";
  EXPECT_NE(problem_of(folder / "text.h5").find("not an HDF5 file"), std::string::npos);
  World world = demo::drum(12);
  {
    TrajectoryWriter out(folder / "t.h5", world, "");
    for (int k = 0; k < 10; ++k) out.write(world);
  }
  const auto size = std::filesystem::file_size(folder / "t.h5");
  for (double part : {0.9, 0.5, 0.1}) {
    std::filesystem::copy_file(folder / "t.h5", folder / "cut.h5", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "cut.h5", static_cast<std::uintmax_t>(part * double(size)));
    EXPECT_NE(problem_of(folder / "cut.h5"), "") << part;
  }
}

// Not after a wait without end for a writer that would mend it.
TEST(Trajectory, ADamagedBeginningIsRefusedAtOnce) {
  const Scratch folder;
  { TrajectoryWriter(folder / "t.h5", demo::drum(12), ""); }
  std::fstream file(folder / "t.h5", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(23);
  file.put('\x51');
  file.close();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(problem_of(folder / "t.h5"), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Trajectory, CannotBeCreatedWhereThereIsNoFolder) {
  const World world = demo::drum(2);
  try {
    TrajectoryWriter out("/nonexistent/t.h5", world, "");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    EXPECT_NE(std::string(e.what()).find("/nonexistent/t.h5"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("No such file"), std::string::npos);
  }
}

// The limit on file sizes stands in for a full disk.
TEST(Trajectory, FullDiskIsAnError) {
  const Scratch folder;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    World world = demo::drum(30);
    try {
      TrajectoryWriter out(folder / "t.h5", world, "");
      for (int k = 0; k < 100; ++k) move_on(world), out.write(world);
    } catch (const Error& e) { _exit(e.kind() == ErrorKind::system ? 7 : 8); }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace scree
