// The stages of a device step, one after the other on the CPU, against the engine of the CPU.
#include "device_expectations.hpp"

namespace scree {
namespace {

// Double precision differs from the CPU by the order of the table's sums alone.
constexpr double tolerance = 1e-9;

class DeviceEngine : public ::testing::TestWithParam<const char*> {};

TEST_P(DeviceEngine, FollowsTheCpu) {
  testing::expect_follows_the_cpu(gpu::make_serial_engine, testing::steps_of(2e-4, GetParam()), 4, tolerance);
}

TEST_P(DeviceEngine, FollowsTheCpuAtWalls) {
  testing::expect_follows_the_cpu_at_walls(gpu::make_serial_engine, testing::steps_of(2e-4, GetParam()), 6, tolerance);
}

TEST_P(DeviceEngine, FollowsTheCpuWithStarsAndClumps) {
  testing::expect_follows_the_cpu_in_several_places(gpu::make_serial_engine, testing::steps_of(2e-4, GetParam()), 4,
                                                    tolerance);
}

INSTANTIATE_TEST_SUITE_P(Integrators, DeviceEngine, ::testing::Values("symplectic-euler", "velocity-verlet"),
                         [](const auto& test) {
                           return std::string(test.param) == "velocity-verlet" ? "verlet" : "euler";
                         });

TEST(DeviceMaps, ReferencesAsOnTheCpu) {
  testing::expect_follows_the_cpu_with_references(gpu::make_serial_engine, tolerance);
}

TEST(DeviceMaps, NetsAsOnTheCpu) { testing::expect_nets_as_on_the_cpu(gpu::make_serial_engine, "relu-3x32", 1e-6); }

}  // namespace
}  // namespace scree
