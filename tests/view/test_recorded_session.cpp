// Runs whose file changes while it is looked at.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "record/demo_world.hpp"
#include "record/scratch.hpp"
#include "scree/base/error.hpp"
#include "scree/view/recorded_session.hpp"

namespace scree {
namespace {

using Json = nlohmann::json;

struct Listener : ViewClient {
  std::vector<Json> texts;
  std::vector<FrameHeader> frames;
  void send(std::string text) override { texts.push_back(Json::parse(text)); }
  void send(std::shared_ptr<const Bytes> frame) override { frames.push_back(header_of(*frame)); }
};

// A page of a session that is asked for news as the server does it.
class Watched {
 public:
  explicit Watched(const std::filesystem::path& file) : session_([file] { return opened(file); }) {
    session_.join(page_);
  }
  Json next(const std::string& type) {
    for (int k = 0; k < 1000; ++k) {
      for (; seen_ < page_.texts.size(); ++seen_)
        if (page_.texts[seen_]["type"] == type) return page_.texts[seen_++];
      session_.tick();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no " << type;
    return {};
  }
  double time_of(std::uint32_t index) {
    session_.receive(page_, FrameRequest{1, false, index, -1, false});
    return page_.frames.back().time;
  }
  void wait(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) session_.tick();
  }

 private:
  static RecordedRun opened(const std::filesystem::path& file) {
    const auto reader = std::make_shared<TrajectoryReader>(file);
    RecordedRun run;
    run.file = file;
    run.statics = reader->statics();
    run.times = reader->times();
    run.read = [reader](std::size_t k) { return reader->read(k); };
    return run;
  }

  RecordedSession session_;
  Listener page_;
  std::size_t seen_ = 0;
};

// A whole file in the place of the one that was there.
void replace(const Scratch& folder, int frames, double first = 0) {
  World world = demo::drum(4);
  world.time = first;
  {
    TrajectoryWriter writer(folder / "part.h5", world, "{}");
    for (int k = 0; k < frames; ++k, world.time += 1) writer.write(world);
  }
  std::filesystem::rename(folder / "part.h5", folder / "trajectory.h5");
}

// Another process that writes a trajectory, a frame each time it is asked.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& file) {
    EXPECT_EQ(pipe(orders_.data()), 0);
    EXPECT_EQ(pipe(answers_.data()), 0);
    child_ = fork();
    if (child_ == 0) write(file);
    close(orders_[0]), close(answers_[1]);
    add_frame();
  }
  ~Writer() {
    close(orders_[1]), close(answers_[0]);
    waitpid(child_, nullptr, 0);
  }
  void add_frame() {
    char done = 0;
    EXPECT_EQ(::write(orders_[1], "+", 1), 1);
    EXPECT_EQ(read(answers_[0], &done, 1), 1);
  }

 private:
  [[noreturn]] void write(const std::filesystem::path& file) {
    close(orders_[1]), close(answers_[0]);
    {
      World world = demo::drum(4);
      world.time = 0;
      TrajectoryWriter writer(file, world, "{}");
      for (char order = 0; read(orders_[0], &order, 1) == 1; world.time += 1) {
        writer.write(world);
        if (::write(answers_[1], "+", 1) != 1) break;
      }
    }
    _exit(0);
  }

  std::array<int, 2> orders_{}, answers_{};
  pid_t child_ = -1;
};

TEST(RecordedSession, FollowsAFileThatAnotherProcessWrites) {
  const Scratch folder;
  Writer writer(folder / "trajectory.h5");
  Watched page(folder / "trajectory.h5");
  EXPECT_EQ(page.next("hello")["times"].size(), 1u);
  for (std::uint32_t k = 1; k < 5; ++k) {
    writer.add_frame();
    EXPECT_EQ(page.next("grown")["times"].size(), k + 1);
    EXPECT_EQ(page.time_of(k), k);
  }
}

TEST(RecordedSession, GoesOnWithTheLongerFileOfARestart) {
  const Scratch folder;
  replace(folder, 1);
  Watched page(folder / "trajectory.h5");
  replace(folder, 2);
  EXPECT_EQ(page.next("grown")["times"].size(), 2u);
}

TEST(RecordedSession, GreetsAnewWhenAnotherRunTakesItsPlace) {
  const Scratch folder;
  replace(folder, 3);
  Watched page(folder / "trajectory.h5");
  EXPECT_EQ(page.next("hello")["times"].size(), 3u);
  replace(folder, 2, 10);
  EXPECT_EQ(page.next("hello")["times"], Json::parse("[10, 11]"));
  EXPECT_EQ(page.time_of(1), 11);
}

TEST(RecordedSession, KeepsAFileThatIsRemoved) {
  const Scratch folder;
  replace(folder, 3);
  Watched page(folder / "trajectory.h5");
  std::filesystem::remove(folder / "trajectory.h5");
  page.wait(std::chrono::milliseconds(700));
  EXPECT_EQ(page.time_of(2), 2);
}

TEST(RecordedSession, NamesADamagedFileAndGoesOnWithAWholeOne) {
  const Scratch folder;
  replace(folder, 3);
  Watched page(folder / "trajectory.h5");
  std::ofstream(folder / "trajectory.h5") << "nothing of use";
  page.wait(std::chrono::milliseconds(700));
  try {
    page.time_of(0);
    FAIL();
  } catch (const Error& e) { EXPECT_NE(e.where().find("trajectory.h5"), std::string::npos); }
  replace(folder, 4);
  EXPECT_EQ(page.next("grown")["times"].size(), 4u);
  EXPECT_EQ(page.time_of(3), 3);
}

}  // namespace
}  // namespace scree
