// Memory of the GPU: what is written comes back, and what does not fit is said once.
#include <gtest/gtest.h>

#include <numeric>

#include "scree/cuda/device_buffer.hpp"

namespace scree {
namespace {

__global__ void add_one(int* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] += 1;
}

TEST(DeviceBuffer, KeepsWhatIsWritten) {
  std::vector<int> host(1000);
  std::iota(host.begin(), host.end(), 0);
  DeviceBuffer<int> buffer{std::span<const int>(host)};
  add_one<<<4, 256>>>(buffer.data(), 1000);
  cuda_check_launch("add_one");
  const std::vector<int> back = buffer.download();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(back[static_cast<std::size_t>(i)], i + 1);
}

TEST(DeviceBuffer, WhatDoesNotFitIsSaidOnce) {
  try {
    const DeviceBuffer<double> buffer(std::size_t{1} << 50);
    FAIL() << "eight pebibytes";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    EXPECT_NE(std::string(e.what()).find("cudaErrorMemoryAllocation"), std::string::npos) << e.what();
    EXPECT_NE(e.remedy().find("fewer grains"), std::string::npos) << e.remedy();
  }
  // The next launch knows nothing of it, and smaller things fit.
  DeviceBuffer<int> buffer(256);
  buffer.fill_bytes(0);
  add_one<<<1, 256>>>(buffer.data(), 256);
  EXPECT_NO_THROW(cuda_check_launch("add_one"));
  EXPECT_EQ(buffer.download(), std::vector<int>(256, 1));
}

}  // namespace
}  // namespace scree
