// Nets on the disk. With SCREE_NET_FOLDER set, the files stay there for tests/python/test_safetensors.py, which
// evaluates them in NumPy: <name>.safetensors and <name>.csv with poses and what this library answers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>

#include "map/mlp_reference.hpp"
#include "scree/map/neural_map.hpp"
#include "scree/map/safetensors.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

class NetFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* wanted = std::getenv("SCREE_NET_FOLDER");
    kept_ = wanted != nullptr;
    folder_ = kept_ ? fs::path(wanted) : fs::temp_directory_path() / ("scree_nets_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!kept_) fs::remove_all(folder_);
  }

  fs::path folder_;
  bool kept_ = false;
};

std::vector<NeuralMap> example_maps() {
  const auto make = [](const char* name, PoseEncoding encoding, Activation kind, int gap, int gap_width, int arm,
                       int arm_width) {
    return NeuralMap(2, name, encoding, test::random_net({encoding.inputs(), gap, gap_width, kind}, 1),
                     test::random_net({encoding.inputs(), arm, arm_width, kind}, 2));
  };
  return {make("silu-5x64", {true, 4}, Activation::silu, 5, 64, 5, 32),
          make("relu-5x64", {false, 1}, Activation::relu, 5, 64, 5, 64),
          make("relu-3x32", {false, 1}, Activation::relu, 3, 32, 3, 32)};
}

void write_queries(const fs::path& path, const NeuralMap& map) {
  std::ofstream out(path);
  out.precision(std::numeric_limits<double>::max_digits10);
  out << "theta,x,y,gap,gap_theta,gap_x,gap_y,arm\n";
  Rng rng(9);
  for (int i = 0; i < 200; ++i) {
    const Pose2d q{rng.uniform(-std::numbers::pi, std::numbers::pi), {rng.uniform(-1.4, 1.4), rng.uniform(-1.4, 1.4)}};
    const ContactGeometry g = map.query(q);
    out << q.theta << ',' << q.x.x << ',' << q.x.y << ',' << g.gap << ',' << g.gap_theta << ',' << g.gap_x.x << ','
        << g.gap_x.y << ',' << g.arm << '\n';
  }
}

TEST_F(NetFiles, ComeBackFromTheDiskWithTheSameBits) {
  for (const NeuralMap& map : example_maps()) {
    const fs::path path = folder_ / (map.name() + ".safetensors");
    TensorFile file;
    map.store(file);
    write_safetensors(path, file);
    write_queries(folder_ / (map.name() + ".csv"), map);

    const auto back = NeuralMap::load(read_safetensors(path), path.string());
    Rng rng(4);
    for (int i = 0; i < 100; ++i) {
      const Pose2d q{rng.uniform(-4, 4), {rng.uniform(-2, 2), rng.uniform(-2, 2)}};
      const ContactGeometry a = map.query(q), b = back->query(q);
      EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
    }
  }
}

}  // namespace
}  // namespace scree
