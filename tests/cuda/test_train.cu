// Training on the GPU: the accuracy of the CPU's, the same bits twice. Needs a GPU.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/cuda/train.hpp"
#include "scree/learn/evaluate.hpp"
#include "scree/learn/train.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

// A smooth function of the inputs, of mean square about 1.
FitData bumps(std::size_t count, int inputs) {
  Rng rng(3);
  FitData data;
  data.count = count;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int c = 0; c < inputs; ++c) {
      const double x = rng.uniform(-1, 1);
      data.input.push_back(static_cast<float>(x));
      sum += std::sin(3 * x + c);
    }
    data.target.push_back(static_cast<float>(sum));
  }
  return data;
}

const MlpShape shapes[] = {{4, 5, 64, Activation::silu},
                           {4, 5, 32, Activation::silu},
                           {3, 5, 64, Activation::relu},
                           {3, 3, 32, Activation::relu}};

// With one step, where nothing has grown apart yet, the two differ by the rounding of sums of 512 terms.
TEST(GpuFit, OneStepIsThatOfTheCpu) {
  ThreadPool pool;
  for (const MlpShape& shape : shapes) {
    const FitData data = bumps(512, shape.inputs);
    FitSettings settings;
    settings.epochs = 1;
    Mlp cpu(shape), gpu(shape);
    const double expected = fit(cpu, data, settings, pool), got = fit_on_gpu(gpu, data, settings);
    EXPECT_NEAR(got, expected, 1e-5 * expected);
    std::size_t far = 0;  // Adam's first step is rate * sign(g): where g is rounding alone it may go either way
    for (std::size_t i = 0; i < cpu.parameters.size(); ++i) {
      if (std::abs(cpu.parameters[i] - gpu.parameters[i]) > 1e-5) ++far;
    }
    EXPECT_LE(far, cpu.parameters.size() / 200) << shape.hidden << "x" << shape.width;
  }
}

TEST(GpuFit, EndsWhereTheCpuEnds) {
  ThreadPool pool;
  for (const MlpShape& shape : shapes) {
    const FitData data = bumps(20000, shape.inputs);
    FitSettings settings;
    settings.epochs = 6;
    settings.rate = 5e-3;
    Mlp cpu(shape), gpu(shape);
    const double expected = fit(cpu, data, settings, pool), got = fit_on_gpu(gpu, data, settings);
    EXPECT_LT(got, 1.3 * expected);
    EXPECT_GT(got, expected / 1.3);
  }
}

TEST(GpuFit, SameBitsInEveryRun) {
  for (const MlpShape& shape : shapes) {
    const FitData data = bumps(5003, shape.inputs);
    FitSettings settings;
    settings.epochs = 3;
    Mlp first(shape), second(shape);
    EXPECT_EQ(fit_on_gpu(first, data, settings), fit_on_gpu(second, data, settings));
    EXPECT_EQ(first.parameters, second.parameters);
  }
}

TEST(GpuFit, RefusesNothingToDo) {
  Mlp net(shapes[0]);
  EXPECT_THROW(fit_on_gpu(net, FitData{}, FitSettings{}), Error);
  Mlp unknown({4, 2, 64, Activation::silu});
  EXPECT_THROW(fit_on_gpu(unknown, bumps(512, 4), FitSettings{}), Error);
}

struct Bar {
  const char* net;
  double gap_rmse;  // as for the CPU's, tests/learn/test_train_slow.cpp
};

class GpuNeuralMapsSlow : public ::testing::TestWithParam<Bar> {};

TEST_P(GpuNeuralMapsSlow, HashPair) {
  const Shape hash = make_named_shape("hash");
  const ShapePair pair{&hash, &hash, 1};
  ThreadPool pool;
  MapSettings settings;
  settings.net = GetParam().net;
  const auto now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()); };
  const auto start = now();
  double sampled = 0;
  const auto map = train_neural_map_by(gpu_fitter(), pair, settings, pool, [&](double, const std::string& stage) {
    if (stage == "sampling") sampled = (now() - start).count();
  });
  const double seconds = (now() - start).count();
  const MapError m = measure_error(*map, pair, pool, 30000);
  std::printf("| %s | gap %.4f, bound %.3f, angle %.1f, arm %.3f | %.2f s, of which sampling %.2f |\n",
              settings.net.c_str(), m.gap_rmse, m.gap_max, m.angle_median, m.arm_rmse, seconds, sampled);
  EXPECT_LE(m.gap_rmse, GetParam().gap_rmse);
  EXPECT_LE(seconds, 10);
}

INSTANTIATE_TEST_SUITE_P(Nets, GpuNeuralMapsSlow,
                         ::testing::Values(Bar{"silu-5x64", 0.006}, Bar{"relu-5x64", 0.0109},
                                           Bar{"relu-3x32", 0.0415}));

}  // namespace
}  // namespace scree
