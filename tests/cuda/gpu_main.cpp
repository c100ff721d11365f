// The program of the tests that need a GPU. Without one it says so, and runs what can be tested then: the errors.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// Why there is nothing to run on; nothing where there is. SCREE_TEST_DEVICE=serial: the tests of engines then run their
// stages on the CPU, to try the tests themselves.
std::string why_not() {
  if (std::getenv("SCREE_TEST_DEVICE")) return "";
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status);
  return count > 0 ? "" : "the driver lists none";
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::string reason = why_not();
  if (!reason.empty() && !::testing::GTEST_FLAG(list_tests)) {
    std::string& filter = ::testing::GTEST_FLAG(filter);
    const bool all = filter == "*";
    if (all) filter = "NoGpu.*";
    if (filter.compare(0, 5, "NoGpu") != 0) {
      std::printf("[  SKIPPED ] there is no GPU here (%s)\n", reason.c_str());
      return 0;
    }
    if (all) std::printf("note: there is no GPU here (%s): all but NoGpu.* is left out\n", reason.c_str());
  }
  return RUN_ALL_TESTS();
}
