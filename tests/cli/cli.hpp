#pragma once
// The program in a folder of its own: what tests of the command line share.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace scree::test {

namespace fs = std::filesystem;

inline fs::path program() { return SCREE_PROGRAM; }

inline std::string file_text(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(program())) GTEST_SKIP() << "the program is not built: " << program();
    folder_ = fs::temp_directory_path() / ("scree-cli-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("scene.toml", small);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  fs::path path(const std::string& name) const { return folder_ / name; }
  bool exists(const std::string& name) const { return fs::exists(folder_ / name); }

  // Starts the program in the test's folder with its own map cache; output goes to out.txt and err.txt.
  pid_t start(std::vector<std::string> arguments) const {
    const pid_t child = fork();
    if (child != 0) return child;
    if (chdir(folder_.c_str()) != 0) _exit(126);
    setenv("SCREE_CACHE", (folder_ / "cache").c_str(), 1);
    if (!freopen("out.txt", "w", stdout) || !freopen("err.txt", "w", stderr)) _exit(126);
    const std::string file = program().string();
    arguments.insert(arguments.begin(), file);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    execv(file.c_str(), argv.data());
    _exit(127);
  }

  static int finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  int run(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }
  std::string out() const { return file_text(folder_ / "out.txt"); }
  std::string err() const { return file_text(folder_ / "err.txt"); }
  nlohmann::json record(const std::string& run_folder) const {
    return nlohmann::json::parse(file_text(folder_ / run_folder / "run.json"));
  }
  // Waits until the file exists; false when it takes too long.
  bool wait_for(const std::string& name) const {
    using namespace std::chrono_literals;
    for (int i = 0; i < 600; ++i) {
      if (exists(name)) return true;
      std::this_thread::sleep_for(50ms);
    }
    return false;
  }

  const std::string small = R"(title = "two discs"
[run]
duration = 0.2
[step]
dt = 1e-3
[gravity]
g = [0, -9.81]
[grains.disc]
radius = 0.1
[[bodies]]
grain = "disc"
positions = [[0, 0.3], [0.05, 0.6]]
[[walls]]
kind = "half-plane"
name = "floor"
)";

 private:
  fs::path folder_;
};

}  // namespace scree::test
