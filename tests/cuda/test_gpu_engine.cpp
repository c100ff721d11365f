// Steps on a GPU against those of the CPU.
//
// A GPU fuses products and sums, so that double precision differs from the CPU in the last bit of every operation, and
// grains that collide drive such a difference apart: CPU runs nudged by a last bit every few steps are 1e-12 apart
// after 1000 of the steps compared here and 1e-10 after 2000. Tolerances leave a factor of a thousand. What lasts
// longer is compared by its bits with another run on the GPU, or as a bulk measure.
#include <cstdlib>
#include <numeric>

#include "device_expectations.hpp"
#include "scree/base/rng.hpp"

namespace scree {
namespace {

using gpu::Precision;
using testing::cloud;
using testing::pouring;
using testing::settings_on;
using testing::steps_of;
using testing::Worlds;

std::string device_name() {
  const char* other = std::getenv("SCREE_TEST_DEVICE");
  return other ? other : "cuda";
}

std::unique_ptr<gpu::Engine> make_engine(const World& world, const gpu::EngineSettings& settings, Precision precision) {
  return device_name() == "serial" ? gpu::make_serial_engine(world, settings, precision)
                                   : gpu::make_cuda_engine(world, settings, precision);
}

StepSettings settings_here(const std::string& precision, double dt = 2e-4) {
  StepSettings s = steps_of(dt);
  s.device = device_name();
  s.precision = precision;
  return s;
}

std::vector<Shape> two_shapes() { return {make_named_shape("cross"), make_named_shape("hash")}; }
std::vector<Shape> stars() { return {make_named_shape("cross"), make_named_shape("disc")}; }

// ---- double precision follows the CPU -------------------------------------------------------------------------------

constexpr double tolerance = 1e-9;  // length, radians

class GpuEngine : public ::testing::TestWithParam<const char*> {};

TEST_P(GpuEngine, FollowsTheCpu) {
  testing::expect_follows_the_cpu(make_engine, steps_of(2e-4, GetParam()), 4, tolerance);
}

TEST_P(GpuEngine, FollowsTheCpuAtWalls) {
  testing::expect_follows_the_cpu_at_walls(make_engine, steps_of(2e-4, GetParam()), 6, tolerance);
}

TEST_P(GpuEngine, FollowsTheCpuWithStarsAndClumps) {
  testing::expect_follows_the_cpu_in_several_places(make_engine, steps_of(2e-4, GetParam()), 4, tolerance);
}

INSTANTIATE_TEST_SUITE_P(Integrators, GpuEngine, ::testing::Values("symplectic-euler", "velocity-verlet"),
                         [](const auto& test) {
                           return std::string(test.param) == "velocity-verlet" ? "verlet" : "euler";
                         });

TEST(GpuMaps, ReferencesAsOnTheCpu) { testing::expect_follows_the_cpu_with_references(make_engine, tolerance); }

TEST(GpuMaps, NetsAsOnTheCpu) {
  for (const char* net : {"relu-3x32", "silu-5x64"}) {
    SCOPED_TRACE(net);
    testing::expect_nets_as_on_the_cpu(make_engine, net, 2e-5);
  }
}

TEST(GpuRun, EventsInsertionsAndDeletionsAsOnTheCpu) { testing::expect_pours_as_the_cpu(device_name(), 10, 1e-7); }

TEST(GpuRun, RainAsOnTheCpu) { testing::expect_rain_as_on_the_cpu(device_name(), 320, 1e-7); }

TEST(GpuRun, RainGoesOnWithTheSameBits) {
  for (const char* precision : {"single", "double"})
    testing::expect_rain_to_go_on_with_the_same_bits(device_name(), settings_here(precision), 300);
}

TEST(GpuRun, TheLedgerIsThatOfTheCpu) { testing::expect_same_ledger(device_name(), 900, 1e-6); }

// ---- single precision, one step from the same state -----------------------------------------------------------------

// Places of partners are subtracted in double precision; what follows is single, so a gap has an error of some
// 2^-24 (6e-8) times the grain's size of 1 for each of the dozen sums behind it, and a force that times the stiffness.
constexpr double gap_error = 2e-6;    // length
constexpr double force_error = 4e-4;  // of the largest force

double largest_force(const World& world) {
  double most = 0;
  for (const Vec2d& f : world.bodies.force) most = std::max(most, norm(f));
  return most;
}

void expect_near_contacts(const World& cpu, const World& device, double force) {
  std::size_t i = 0, j = 0, both = 0;
  const auto key = [](const Contact& c) { return std::tuple(c.a, c.b, c.wall, c.feature); };
  while (i < cpu.contacts.size() || j < device.contacts.size()) {
    const Contact* c = i < cpu.contacts.size() ? &cpu.contacts[i] : nullptr;
    const Contact* d = j < device.contacts.size() ? &device.contacts[j] : nullptr;
    if (c && d && key(*c) == key(*d)) {
      EXPECT_NEAR(c->gap, d->gap, gap_error);
      EXPECT_NEAR(c->spring, d->spring, gap_error);
      EXPECT_NEAR(c->normal_force, d->normal_force, force_error * force);
      EXPECT_NEAR(c->tangential_force, d->tangential_force, force_error * force);
      ++i, ++j, ++both;
    } else if (c && (!d || key(*c) < key(*d))) {  // the other does not have it: then it barely touches
      EXPECT_GT(c->gap, -gap_error);
      ++i;
    } else {
      EXPECT_GT(d->gap, -gap_error);
      ++j;
    }
  }
  EXPECT_GT(both, 20u);
}

void expect_near_step(World start) {
  Simulation cpu(std::move(start), steps_of(2e-4));
  cpu.advance(500);
  const auto engine = make_engine(cpu.world(), testing::device_settings(cpu), Precision::single_);
  engine->upload(cpu.world());
  World device = cpu.world();
  testing::go_on(cpu, *engine, 1);
  engine->download(device);
  const double force = largest_force(cpu.world());
  EXPECT_GT(force, 1);
  for (std::size_t k = 0; k < device.bodies.size(); ++k) {
    EXPECT_LT(norm(cpu.world().bodies.force[k] - device.bodies.force[k]), force_error * force) << "body " << k;
    EXPECT_NEAR(cpu.world().bodies.torque[k], device.bodies.torque[k], force_error * force) << "body " << k;
  }
  expect_near_contacts(cpu.world(), device, force);
}

TEST(GpuSingle, ForcesAndContactsOfAStep) {
  World world = cloud(stars(), false);
  world.gravity.value = {0, -9.81};
  world.walls = testing::walls_around(12);
  expect_near_step(std::move(world));
}

TEST(GpuSingle, ForcesAndContactsOfAStepOfStars) { expect_near_step(cloud(stars(), true, "star")); }

TEST(GpuSingle, ForcesAndContactsOfAStepOfClumps) { expect_near_step(cloud(two_shapes(), true, "clump")); }

// ---- the same bits --------------------------------------------------------------------------------------------------

class GpuBits : public ::testing::TestWithParam<const char*> {
 protected:
  std::uint64_t hash_after(World world, StepSettings settings, std::size_t steps, StepStats* stats = nullptr) const {
    settings.precision = GetParam();
    Simulation sim(std::move(world), settings);
    sim.advance(steps);
    if (stats) *stats = sim.stats();
    return sim.state_hash();
  }
};

TEST_P(GpuBits, OfTwoRunsAreTheSame) {
  const StepSettings settings = settings_here("", 2e-4);
  for (const MapSettings& maps :
       {testing::map_kind("table"), testing::map_kind("star"), testing::quick_net("relu-3x32")}) {
    const World world = cloud(stars(), true, maps, 24);
    EXPECT_EQ(hash_after(world, settings, 1000), hash_after(world, settings, 1000)) << maps.kind;
  }
}

// A list that is built anew every few steps, and one that hardly ever is.
TEST_P(GpuBits, DoNotDependOnTheListsThatAreBuilt) {
  StepSettings often = settings_here(""), seldom = often;
  often.skin = 0.01;
  seldom.skin = 0.4;
  const World world = cloud(two_shapes(), true, "table", 16);
  StepStats a, b;
  EXPECT_EQ(hash_after(world, often, 2000, &a), hash_after(world, seldom, 2000, &b));
  EXPECT_GT(a.rebuilds, 50u);
  EXPECT_LT(b.rebuilds, a.rebuilds / 5);
}

TEST_P(GpuBits, DoNotDependOnListsThatGrow) { testing::expect_growing_lists_change_nothing(device_name(), GetParam()); }

// A thin gas that comes together: what is too small is found on the way.
TEST_P(GpuBits, DoNotDependOnListsThatGrowOnTheWay) {
  World world = cloud(two_shapes(), false, "table", 12);
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    world.bodies.x[k] = 2.5 * world.bodies.x[k];
    world.bodies.v[k] = -0.8 * (world.bodies.x[k] - Vec2d{14, 14});
  }
  StepSettings thin = settings_here(""), thick = thin;
  thick.skin = 1.5;
  StepStats early, late;
  hash_after(world, thick, 10, &early);
  EXPECT_EQ(hash_after(world, thin, 4200), hash_after(world, thick, 4200, &late));
  EXPECT_LT(early.pairs, 5 * world.bodies.size());
  EXPECT_GT(late.pairs, 6 * world.bodies.size());
}

INSTANTIATE_TEST_SUITE_P(Precisions, GpuBits, ::testing::Values("single", "double"),
                         [](const auto& test) { return std::string(test.param); });

TEST(GpuRun, HowManyStepsAreAskedForAtOnceDoesNotMatter) { testing::expect_batches_do_not_matter(device_name()); }

TEST(GpuRun, ARestartGoesOnWithTheSameBits) { testing::expect_restart_has_same_bits(device_name()); }

TEST(GpuRun, KinematicGrainsWithoutAMotionStay) { testing::expect_kinematic_grains_stay(device_name()); }

TEST(GpuRun, TheWatchdogNamesAnOverlap) { testing::expect_watchdog_names_an_overlap(device_name()); }

TEST(GpuRun, TheWatchdogNamesTheGrain) { testing::expect_watchdog_names_the_grain(device_name()); }

// ---- in bulk --------------------------------------------------------------------------------------------------------

// Mean height of a heap of 120 grains in a box. The seed decides how they are thrown in.
double settled_height(const std::string& device, std::uint64_t seed) {
  static ThreadPool pool(1);
  Worlds w(testing::sticky());
  const int cross = w.type(make_named_shape("cross"), 0.5), disc = w.type(make_named_shape("disc"), 0.4);
  w.half_plane({0, 0}, {0, 1});
  w.half_plane({0, 0}, {1, 0});
  w.half_plane({10, 0}, {-1, 0});
  w.world.gravity.value = {0, -9.81};
  Rng rng(seed);
  for (int i = 0; i < 120; ++i) {
    const Vec2d x = {1 + 1.1 * (i % 8), 0.6 + 1.1 * (i / 8)};
    w.body(i % 2 ? cross : disc, x, rng.uniform(0, 6), {rng.uniform(-1, 1), rng.uniform(-1, 1)}, rng.uniform(-2, 2));
  }
  w.maps(testing::map_kind("table"), pool);
  StepSettings settings = steps_of(5e-4);
  settings.device = device;
  Simulation sim = w.start(settings);
  sim.advance(8000);
  const std::vector<Vec2d>& x = sim.world().bodies.x;
  return std::accumulate(x.begin(), x.end(), 0.0, [](double sum, Vec2d v) { return sum + v.y; }) /
         static_cast<double>(x.size());
}

// The means over seeds differ by no more than three of their standard errors.
TEST(GpuBulk, HeightOfAHeap) {
  constexpr int seeds = 8;
  double sum[2] = {}, squares[2] = {};
  for (int seed = 0; seed < seeds; ++seed) {
    for (const int which : {0, 1}) {
      const double h = settled_height(which == 0 ? "cpu" : device_name(), static_cast<std::uint64_t>(seed));
      sum[which] += h, squares[which] += h * h;
    }
  }
  const double cpu = sum[0] / seeds, device = sum[1] / seeds;
  const double spread = std::sqrt((squares[0] + squares[1]) / seeds - cpu * cpu - device * device);
  RecordProperty("cpu", std::to_string(cpu));
  RecordProperty("gpu", std::to_string(device));
  RecordProperty("standard_error", std::to_string(spread / std::sqrt(seeds - 1.0)));
  EXPECT_NEAR(cpu, device, 3 * spread / std::sqrt(seeds - 1.0));
  EXPECT_LT(spread, 0.1 * cpu);
}

// ---- without a GPU --------------------------------------------------------------------------------------------------

TEST(NoGpu, TheErrorSaysWhatToDo) {
  try {
    Simulation sim(pouring(), settings_on("cuda"));
    GTEST_SKIP() << "there is one";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    const std::string text = e.what();
    EXPECT_TRUE(text.find("nvidia-smi") != std::string::npos || text.find("driver") != std::string::npos) << text;
  }
}

}  // namespace
}  // namespace scree
