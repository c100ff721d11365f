// Map files and the cache: round trip, every kind of damage, several writers, a writer killed half-way.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/learn/factory.hpp"
#include "scree/map/map_cache.hpp"
#include "scree/map/safetensors.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

class MapFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "scree-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    a = make_named_shape("u");
    b = make_named_shape("box");
    pair = {&a, &b, 0.8};
    settings.nodes = 24;
    settings.theta_nodes = 8;
  }
  void TearDown() override {
    fs::permissions(folder, fs::perms::owner_all);
    fs::remove_all(folder);
  }

  std::unique_ptr<ContactMap> build() {
    ThreadPool pool(1);
    ++builds;
    return build_map(pair, settings, pool);
  }
  std::shared_ptr<const ContactMap> get(bool* was_cached = nullptr) {
    return MapCache(folder).get(
        pair, settings, [this] { return build(); }, was_cached);
  }
  fs::path file() { return MapCache(folder).path_of(pair, settings); }
  static std::string slurp(const fs::path& p) {
    std::ifstream in(p, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void spill(const fs::path& p, const std::string& s) { std::ofstream(p, std::ios::binary) << s; }

  fs::path folder;
  Shape a, b;
  ShapePair pair;
  MapSettings settings;
  int builds = 0;
};

void expect_same(const ContactMap& p, const ContactMap& q) {
  Rng rng(3);
  for (int n = 0; n < 200; ++n) {
    const Pose2d pose{rng.uniform(-4, 4), {rng.uniform(-1.9, 1.9), rng.uniform(-1.9, 1.9)}};
    const ContactGeometry g = p.query(pose), h = q.query(pose);
    EXPECT_EQ(g.gap, h.gap);
    EXPECT_EQ(g.gap_theta, h.gap_theta);
    EXPECT_EQ(g.gap_x, h.gap_x);
    EXPECT_EQ(g.arm, h.arm);
  }
}

TEST_F(MapFiles, RoundTripKeepsEveryBitAndTheMeasuredError) {
  for (const TableStorage storage : {TableStorage::fp32, TableStorage::fp16}) {
    settings.storage = storage;
    const auto map = build();
    save_map(folder / "m.safetensors", *map, identity_of(pair, settings));
    const LoadedMap loaded = load_map(folder / "m.safetensors");
    expect_same(*map, *loaded.map);
    EXPECT_EQ(loaded.map->error().gap_max, map->error().gap_max);
    EXPECT_EQ(loaded.map->error().samples, map->error().samples);
    EXPECT_EQ(loaded.identity.key(), identity_of(pair, settings).key());
    EXPECT_EQ(loaded.identity.name_a, a.name);
  }
}

TEST_F(MapFiles, NetsAreKeptToo) {
  settings.kind = "neural";
  settings.net = "relu-3x32";
  settings.samples = 4096;
  settings.epochs = 1;
  bool cached = true;
  const auto first = get(&cached);
  EXPECT_FALSE(cached);
  const auto second = get(&cached);
  EXPECT_TRUE(cached);
  expect_same(*first, *second);
  EXPECT_EQ(first->error().gap_max, second->error().gap_max);
}

TEST_F(MapFiles, SecondTimeComesFromTheDisk) {
  bool cached = true;
  const auto first = get(&cached);
  EXPECT_FALSE(cached);
  const auto second = get(&cached);
  EXPECT_TRUE(cached);
  EXPECT_EQ(builds, 1);
  expect_same(*first, *second);
}

TEST_F(MapFiles, KeyFollowsContentAndTheSettingsThatMatter) {
  const auto key = [&] { return identity_of(pair, settings).key(); };
  const std::uint64_t base = key();
  a.name = "renamed";
  settings.seed = 77;  // of nets only
  EXPECT_EQ(key(), base);
  settings.nodes = 25;
  EXPECT_NE(key(), base);
  settings.nodes = 24;
  pair.ratio = 0.81;
  EXPECT_NE(key(), base);
  pair.ratio = 0.8;
  b = make_named_shape("box", {{"width", 2}, {"height", 1}});
  EXPECT_NE(key(), base);
}

TEST_F(MapFiles, DamageIsFoundReportedInOneLineAndRepaired) {
  get();
  const std::string good = slurp(file());
  Rng rng(9);
  std::vector<std::string> bad = {"",
                                  "short",
                                  good.substr(0, good.size() - 1),
                                  good.substr(0, good.size() / 2),
                                  good + "x",
                                  std::string(good.size(), '\0')};
  for (int n = 0; n < 20; ++n) {
    bad.push_back(good);
    bad.back()[static_cast<std::size_t>(rng.below(good.size()))] ^= 0x10;
  }
  for (const std::string& content : bad) {
    spill(file(), content);
    builds = 0;
    testing::internal::CaptureStderr();
    get();
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(builds, 1);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_NE(said.find(file().string()), std::string::npos) << said;
    EXPECT_EQ(slurp(file()), good);
  }
}

TEST_F(MapFiles, ForeignFilesAndVersionsAreRefusedWithARemedy) {
  TensorFile foreign;
  foreign.tensors["w"] = {"U8", {2}, {std::byte{1}, std::byte{2}}};
  write_safetensors(folder / "foreign.safetensors", foreign);
  try {
    load_map(folder / "foreign.safetensors");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_NE(std::string(e.what()).find("foreign.safetensors"), std::string::npos);
    EXPECT_FALSE(e.remedy().empty());
  }
  get();
  TensorFile newer = read_safetensors(file());
  newer.metadata["scree.version"] = "999";
  write_safetensors(folder / "newer.safetensors", newer);
  EXPECT_THROW(load_map(folder / "newer.safetensors"), Error);
  EXPECT_THROW(load_map(folder / "missing.safetensors"), Error);
}

TEST_F(MapFiles, AnotherMapUnderTheNameIsNotUsed) {
  get();
  const fs::path wrong = file();
  settings.nodes = 32;
  fs::rename(wrong, file());
  bool cached = true;
  testing::internal::CaptureStderr();
  get(&cached);
  testing::internal::GetCapturedStderr();
  EXPECT_FALSE(cached);
}

TEST_F(MapFiles, WithoutAWritableFolderItWorksAndSaysSoOnce) {
  spill(folder / "a-file", "");
  const MapCache cache(folder / "a-file" / "below");
  testing::internal::CaptureStderr();
  EXPECT_NE(cache.get(pair, settings, [this] { return build(); }), nullptr);
  EXPECT_NE(cache.get(pair, settings, [this] { return build(); }), nullptr);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(MapCache("").get(pair, settings, [this] { return build(); }), nullptr);
}

TEST_F(MapFiles, ManyWritersAndReadersNeverSeeHalfAFile) {
  const auto map = build();
  const MapIdentity identity = identity_of(pair, settings);
  std::vector<pid_t> children;
  for (int n = 0; n < 4; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      for (int k = 0; k < 20; ++k) save_map(folder / "m.safetensors", *map, identity);
      _exit(0);
    }
    children.push_back(child);
  }
  int read = 0;
  for (bool running = true; running;) {
    if (fs::exists(folder / "m.safetensors")) {
      EXPECT_NO_THROW(load_map(folder / "m.safetensors"));
      ++read;
    }
    running = false;
    for (const pid_t child : children) running = running || waitpid(child, nullptr, WNOHANG) == 0;
  }
  EXPECT_GT(read, 0);
  expect_same(*load_map(folder / "m.safetensors").map, *map);
}

TEST_F(MapFiles, AWriterKilledAtAnyMomentLeavesNothingOrAllOfIt) {
  const auto map = build();
  const MapIdentity identity = identity_of(pair, settings);
  for (int n = 0; n < 12; ++n) {
    const fs::path target = folder / ("k" + std::to_string(n) + ".safetensors");
    const pid_t child = fork();
    if (child == 0) {
      for (;;) save_map(target, *map, identity);
    }
    usleep(static_cast<useconds_t>(200 + 700 * n));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (fs::exists(target)) { EXPECT_NO_THROW(load_map(target)); }
  }
  // What the killed writers left under temporary names goes away once it is old.
  for (const auto& entry : fs::directory_iterator(folder))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  const MapCache cache(folder);
  for (const auto& entry : fs::directory_iterator(folder)) EXPECT_EQ(entry.path().extension(), ".safetensors");
}

}  // namespace
}  // namespace scree
