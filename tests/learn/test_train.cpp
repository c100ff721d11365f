// Training: its gradients, its determinism, what it reaches in a few seconds, and its messages.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "map/mlp_reference.hpp"
#include "scree/base/error.hpp"
#include "scree/learn/adam.hpp"
#include "scree/learn/backprop.hpp"
#include "scree/learn/evaluate.hpp"
#include "scree/learn/fit.hpp"
#include "scree/learn/train.hpp"
#include "scree/shape/library.hpp"

namespace scree {
namespace {

// Samples with arbitrary targets.
struct Chunk {
  FloatArray input, target;
  ChunkData data;

  Chunk(std::size_t count, std::size_t inputs) : input(count * inputs), target(count) {
    Rng rng(17);
    for (FloatArray* v : {&input, &target}) {
      for (float& x : *v) x = static_cast<float>(rng.uniform(-1, 1));
    }
    data = {count, input.data(), target.data()};
  }
};

double slow_loss(const MlpShape& shape, const std::vector<double>& parameters, const Chunk& c) {
  const auto inputs = static_cast<std::size_t>(shape.inputs);
  double loss = 0;
  for (std::size_t s = 0; s < c.data.count; ++s) {
    const std::vector<double> x(&c.input[s * inputs], &c.input[s * inputs] + inputs);
    loss += std::pow(test::evaluate_reference(shape, parameters, x).value - c.target[s], 2);
  }
  return loss;
}

// Central differences in double precision with step 1e-5 against the 32-bit gradient, relative to its largest entry.
TEST(Training, BackpropagationMatchesFiniteDifferencesOfTheLoss) {
  for (const Activation kind : {Activation::silu, Activation::relu}) {
    const MlpShape shape{4, 3, 32, kind};
    const Mlp net = test::random_net(shape, 31);
    const Chunk chunk(16, 4);
    FloatArray gradient(shape.parameter_count());
    const double loss = backpropagate(net, chunk.data, gradient);
    std::vector<double> parameters = test::widened(net.parameters);
    EXPECT_NEAR(loss, slow_loss(shape, parameters, chunk), 1e-5 * loss);

    double largest = 0;
    for (const float g : gradient) largest = std::max(largest, std::abs(static_cast<double>(g)));
    constexpr double h = 1e-5;
    for (std::size_t p = 0; p < parameters.size(); p += 37) {
      const double kept = parameters[p];
      parameters[p] = kept + h;
      const double up = slow_loss(shape, parameters, chunk);
      parameters[p] = kept - h;
      const double down = slow_loss(shape, parameters, chunk);
      parameters[p] = kept;
      EXPECT_NEAR(gradient[p], (up - down) / (2 * h), 1e-5 * largest) << "parameter " << p;
    }
  }
}

TEST(Training, AdamStepsByTheRateFirstAndFindsAMinimum) {
  FloatArray p = {1, -2, 3}, g(3);
  Adam adam(3);
  for (int step = 0; step < 2000; ++step) {
    for (std::size_t i = 0; i < 3; ++i) g[i] = static_cast<float>(i + 1) * (p[i] - 0.5f);
    const FloatArray before = p;
    adam.step(p, g, one_cycle_rate(0.02, static_cast<std::size_t>(step), 2000));
    if (step == 0) {
      const double rate = one_cycle_rate(0.02, 0, 2000);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(std::abs(p[i] - before[i]), rate, 0.01 * rate);
    }
  }
  for (const float x : p) EXPECT_NEAR(x, 0.5, 1e-4);
}

TEST(Training, OneCycleRisesThenFallsToAThousandth) {
  EXPECT_NEAR(one_cycle_rate(1, 49, 1000), 1, 1e-12);
  EXPECT_NEAR(one_cycle_rate(1, 999, 1000), 1e-3, 1e-12);
  for (std::size_t s = 50; s < 999; ++s) EXPECT_LT(one_cycle_rate(1, s + 1, 1000), one_cycle_rate(1, s, 1000));
}

// A smooth field on the plane, without any geometry.
FitData ripple(std::size_t count) {
  FitData data;
  data.count = count;
  Rng rng(5);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = rng.uniform(-1, 1), y = rng.uniform(-1, 1), t = rng.uniform(-1, 1);
    for (const double v : {x, y, t}) data.input.push_back(static_cast<float>(v));
    data.target.push_back(static_cast<float>(std::sin(3 * x) * std::cos(2 * y) + 0.5 * t));
  }
  return data;
}

TEST(Training, SameSeedSameBitsForAnyThreadCount) {
  const FitData data = ripple(5000);
  for (const Activation kind : {Activation::silu, Activation::relu}) {
    FitSettings settings;
    settings.epochs = 3;
    FloatArray first;
    for (const int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      Mlp net(MlpShape{3, 3, 32, kind});
      fit(net, data, settings, pool);
      if (first.empty()) first = net.parameters;
      EXPECT_EQ(std::memcmp(net.parameters.data(), first.data(), first.size() * sizeof(float)), 0) << threads;
    }
  }
}

TEST(Training, LearnsASmoothField) {
  ThreadPool pool(2);
  const FitData data = ripple(20000);
  Mlp net(MlpShape{3, 3, 32, Activation::silu});
  FitSettings settings;
  settings.epochs = 20;
  double last = 0;
  EXPECT_LT(fit(net, data, settings, pool, [&](double fraction, double) { last = fraction; }), 0.03);
  EXPECT_EQ(last, 1);
}

TEST(Training, ALossThatIsNotANumberIsReported) {
  ThreadPool pool(1);
  FitData data = ripple(2000);
  data.target[7] = std::numeric_limits<float>::quiet_NaN();
  Mlp net(MlpShape{3, 3, 32, Activation::silu});
  try {
    fit(net, data, {}, pool);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("not a number"), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(Training, UnknownNetsGetTheNearestName) {
  const Shape box = make_named_shape("box");
  const ShapePair pair{&box, &box, 1};
  ThreadPool pool(1);
  MapSettings settings;
  settings.net = "silu-5x46";
  try {
    train_neural_map(pair, settings, pool);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(error.remedy().find("silu-5x64"), std::string::npos) << error.what();
  }
  settings.net = "silu-5x64";
  settings.epochs = -1;
  EXPECT_THROW(train_neural_map(pair, settings, pool), Error);
}

struct Quick {
  const char* net;
  const char* b;
  double bound;
};

// The whole path from exact samples to a map that is good to the stated error on fresh samples, for A a box and B twice
// as large. The raw encoding needs minutes for box on box, so the paper's nets learn box on disc here. Bounds are about
// 1.4 times what the seed gives; a net that answers 0 scores 0.058.
TEST(Training, ReachesItsErrorInSeconds) {
  const Shape box = make_named_shape("box");
  ThreadPool pool(2);
  for (const Quick& quick :
       {Quick{"silu-5x64", "box", 0.02}, Quick{"relu-5x64", "disc", 0.022}, Quick{"relu-3x32", "disc", 0.03}}) {
    const Shape b = make_named_shape(quick.b);
    const ShapePair pair{&box, &b, 2};
    MapSettings settings;
    settings.net = quick.net;
    settings.samples = 50000;
    settings.epochs = 8;
    double last = 0;
    std::string stage;
    const auto map = train_neural_map(pair, settings, pool, [&](double fraction, const std::string& word) {
      EXPECT_GE(fraction, last);
      last = fraction;
      stage = word;
    });
    EXPECT_EQ(last, 1);
    EXPECT_NE(stage.find("rmse"), std::string::npos);
    const double rmse = measure_error(*map, pair, pool).gap_rmse;
    RecordProperty(quick.net, std::to_string(rmse));
    EXPECT_LT(rmse, quick.bound) << quick.net;
  }
}

TEST(Training, AMapIsTheSameForAnyThreadCount) {
  const Shape box = make_named_shape("box");
  const ShapePair pair{&box, &box, 2};
  MapSettings settings;
  settings.net = "relu-3x32";
  settings.samples = 5000;
  settings.epochs = 2;
  std::vector<ContactGeometry> answers;
  for (const int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    answers.push_back(train_neural_map(pair, settings, pool)->query({0.4, {1.1, -1.3}}));
    EXPECT_EQ(std::memcmp(&answers.back(), &answers.front(), sizeof(ContactGeometry)), 0) << threads;
  }
}

}  // namespace
}  // namespace scree
