// Whole steps of settled beds on the GPU: grains are let fall onto a row of fixed ones, periodic to the sides, until
// they have come to rest; then batches of 200 steps are timed. Lists are built by the device meanwhile, as ever.
//
//   bench_device_step [--grains 1000000] [--layers 16] [--settle 4] [--double] [--ledger] [scene ...]
//
// scenes: discs, hash, letters (nine of straight bars), stars (crosses of 100 nodes). Prints CSV.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/cuda/check.hpp"
#include "scree/cuda/engine.hpp"
#include "support.hpp"

namespace scree {
namespace {

struct Options {
  int grains = 1000000;
  int layers = 16;
  double settle = 4;  // time
  bool in_double = false;
  bool ledger = false;
  std::vector<std::string> scenes;
};

// Letters of bars one wide, as outlines.
std::vector<Shape> letters() {
  const std::pair<const char*, Loop> outlines[] = {
      {"C", {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 5}, {4, 5}, {4, 6}, {0, 6}}},
      {"E",
       {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 2.5}, {3.5, 2.5}, {3.5, 3.5}, {1, 3.5}, {1, 5}, {4, 5}, {4, 6}, {0, 6}}},
      {"F", {{0, 0}, {1, 0}, {1, 2.5}, {3.5, 2.5}, {3.5, 3.5}, {1, 3.5}, {1, 5}, {4, 5}, {4, 6}, {0, 6}}},
      {"H", {{0, 0}, {1, 0}, {1, 2.5}, {3, 2.5}, {3, 0}, {4, 0}, {4, 6}, {3, 6}, {3, 3.5}, {1, 3.5}, {1, 6}, {0, 6}}},
      {"I", {{0, 0}, {1, 0}, {1, 6}, {0, 6}}},
      {"L", {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 6}, {0, 6}}},
      {"N", {{0, 0}, {1, 0}, {1, 4}, {3, 0}, {4, 0}, {4, 6}, {3, 6}, {3, 2}, {1, 6}, {0, 6}}},
      {"T", {{1.5, 0}, {2.5, 0}, {2.5, 5}, {4, 5}, {4, 6}, {0, 6}, {0, 5}, {1.5, 5}}},
      {"U", {{0, 0}, {4, 0}, {4, 6}, {3, 6}, {3, 1}, {1, 1}, {1, 6}, {0, 6}}}};
  std::vector<Shape> shapes;
  for (const auto& [name, loop] : outlines) shapes.push_back(make_shape(name, Outline{{loop}}));
  return shapes;
}

std::vector<Shape> shapes_of(const std::string& scene) {
  if (scene == "discs") return {make_named_shape("disc")};
  if (scene == "hash") return {make_named_shape("hash")};
  if (scene == "stars") return {make_named_shape("cross")};
  if (scene == "letters") return letters();
  throw Error(ErrorKind::input, scene, "there is no such scene", "known: discs, hash, letters, stars");
}

World bed(const std::string& scene, const Options& options) {
  Material m;
  m.name = "grain";
  m.friction = 0.4;
  m.restitution = 0.3;
  m.stiffness = 2e6;
  testing::Worlds w(m);
  std::vector<int> types;
  for (const Shape& shape : shapes_of(scene)) types.push_back(w.type(shape, 1));
  const int columns = std::max(4, options.grains / options.layers);
  const double pitch = 2.05;
  Rng rng(1);
  for (int c = 0; c < columns; ++c) w.body(types[0], {pitch * (c + 0.5), 0}, 0, {}, 0, BodyKind::fixed);
  for (int k = 0; k < options.grains; ++k) {
    const Vec2d x = {pitch * (k % columns + 0.5) + rng.uniform(-0.02, 0.02), pitch * (1 + k / columns)};
    w.body(types[static_cast<std::size_t>(k) % types.size()], x, rng.uniform(-3.14, 3.14), {rng.uniform(-0.1, 0.1), 0});
  }
  w.world.periodic = {true, false, {{0, 0}, {pitch * columns, 0}}};
  w.world.gravity.value = {0, -9.81};
  ThreadPool pool;
  MapSettings maps = testing::map_kind(scene == "stars" ? "star" : "table");
  maps.star_nodes = 100;
  w.maps(maps, pool);
  return std::move(w.world);
}

class Bench {
 public:
  Bench(const World& world, const Options& options) : world_(world) {
    gpu::EngineSettings s;
    s.dt = advise_step(world).dt_advised;
    s.skin = 0.25;
    s.law = law_by_name("spring-clamp");
    s.ledger = options.ledger;
    s.most_speed = s.most_overlap = 1e9;
    dt_ = s.dt;
    const auto precision = options.in_double ? gpu::Precision::double_ : gpu::Precision::single_;
    engine_ = gpu::make_cuda_engine(world, s, precision);
    engine_->upload(world);
  }

  double dt() const { return dt_; }
  gpu::Outcome go(std::size_t steps) {
    std::vector<gpu::StepInput> inputs(steps + 1);
    for (gpu::StepInput& in : inputs) in.script.gravity = world_.gravity.value;
    return engine_->advance(inputs);
  }
  // Milliseconds of a step: the median of several batches.
  double time_step(int batches, std::size_t steps) {
    std::vector<double> times;
    for (int k = 0; k < batches; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      go(steps);
      const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
      times.push_back(taken.count() / static_cast<double>(steps));
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
  }
  std::size_t contacts() {
    World world = world_;
    engine_->download(world);
    return world.contacts.size();
  }

 private:
  const World& world_;
  std::unique_ptr<gpu::Engine> engine_;
  double dt_ = 0;
};

void run(const std::string& scene, const Options& options, const char* card) {
  const World world = bed(scene, options);
  std::size_t before = 0, after = 0, all = 0;
  cuda_check(cudaMemGetInfo(&before, &all), "memory of the GPU");
  Bench bench(world, options);
  for (double t = 0; t < options.settle; t += 500 * bench.dt()) bench.go(500);
  const double ms = bench.time_step(5, 200);
  const gpu::Outcome out = bench.go(1);
  cuda_check(cudaMemGetInfo(&after, &all), "memory of the GPU");
  const double n = options.grains;
  std::printf("%s,%s,%s,%d,%d,%.4f,%.2f,%.2f,%.2f,%.3g,%.0f\n", card, scene.c_str(),
              options.in_double ? "double" : "single", options.ledger ? 1 : 0, options.grains, ms,
              static_cast<double>(out.pairs) / n, static_cast<double>(out.queries) / n,
              static_cast<double>(bench.contacts()) / n, out.max_speed, static_cast<double>(before - after) / n);
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options o;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto value = [&] { return k + 1 < argc ? std::atof(argv[++k]) : 0; };
    if (word == "--grains") {
      o.grains = static_cast<int>(value());
    } else if (word == "--layers") {
      o.layers = static_cast<int>(value());
    } else if (word == "--settle") {
      o.settle = value();
    } else if (word == "--double") {
      o.in_double = true;
    } else if (word == "--ledger") {
      o.ledger = true;
    } else {
      o.scenes.push_back(word);
    }
  }
  if (o.grains < 1 || o.layers < 1) throw Error(ErrorKind::input, "--grains, --layers", "must be at least 1");
  if (o.scenes.empty()) o.scenes = {"discs", "hash", "letters", "stars"};
  return o;
}

}  // namespace
}  // namespace scree

int main(int argc, char** argv) try {
  const scree::Options options = scree::parse(argc, argv);
  cudaDeviceProp card{};
  scree::cuda_check(cudaGetDeviceProperties(&card, 0), "looking for a GPU");
  std::printf("gpu,scene,precision,ledger,grains,ms_a_step,pairs,queries,contacts,fastest,bytes_a_grain\n");
  for (const std::string& scene : options.scenes) scree::run(scene, options, card.name);
} catch (const scree::Error& e) {
  std::fprintf(stderr, "bench_device_step: %s\n", e.what());
  return 1;
}
