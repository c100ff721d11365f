#include "scree/learn/train.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/learn/fit.hpp"
#include "scree/learn/sampling.hpp"

namespace scree {
namespace {

struct NetPlan {
  int hidden;
  int width;
  int epochs;
};

struct Recipe {
  std::string name;
  Activation activation;
  bool periodic;
  int samples;
  std::size_t batch;
  double rate;
  NetPlan gap;
  NetPlan arm;
};

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      {"silu-5x64", Activation::silu, true, 1'000'000, 512, 1e-2, {5, 64, 25}, {5, 32, 20}},
      {"relu-5x64", Activation::relu, false, 1'000'000, 512, 5e-3, {5, 64, 25}, {5, 64, 10}},
      {"relu-3x32", Activation::relu, false, 500'000, 512, 1e-2, {3, 32, 40}, {3, 32, 20}},
  };
  return all;
}

const Recipe& find_recipe(const std::string& name) {
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) return recipe;
  }
  const std::string near = nearest_name(name, net_names());
  throw Error(ErrorKind::input, "net", cat("there is no net '", name, "'"),
              near.empty() ? cat("use one of ", join(net_names())) : cat("did you mean '", near, "'?"));
}

void check_numbers(const MapSettings& settings) {
  constexpr int most_samples = 100'000'000, most_epochs = 100'000;
  if (settings.samples >= 0 && settings.samples <= most_samples && settings.epochs >= 0 &&
      settings.epochs <= most_epochs) {
    return;
  }
  throw Error(ErrorKind::input, "net", cat(settings.samples, " samples, ", settings.epochs, " epochs are out of range"),
              cat("use 0 for the net's own numbers, up to ", most_samples, " samples and ", most_epochs, " epochs"));
}

// Inputs are divided by `length` where they are lengths, targets by `target`, so that Adam meets numbers near 1 for any
// size ratio; `unscale` puts both into the first and last layer of the finished net.
struct Scales {
  double length = 1;
  double target = 1;
};

FitData fit_data(const MapSamples& samples, const PoseEncoding& encoding, bool arm, Scales& scales) {
  FitData data;
  data.count = samples.poses.size();
  const auto inputs = static_cast<std::size_t>(encoding.inputs());
  data.input.resize(data.count * inputs);
  data.target.resize(data.count);
  double squares = 0;
  for (const ContactGeometry& g : samples.targets) squares += arm ? g.arm * g.arm : g.gap * g.gap;
  scales.target = std::max(1e-6, std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, data.count))));
  const auto shrink = static_cast<float>(1 / scales.length);
  for (std::size_t i = 0; i < data.count; ++i) {
    float* in = &data.input[i * inputs];
    encoding.encode(samples.poses[i], in);
    in[0] *= shrink;
    in[1] *= shrink;
    data.target[i] = static_cast<float>((arm ? samples.targets[i].arm : samples.targets[i].gap) / scales.target);
  }
  return data;
}

void unscale(Mlp& net, const Scales& scales) {
  const auto columns = static_cast<std::size_t>(net.shape.inputs);
  for (std::size_t i = 0; i < net.weight(0).size(); ++i) {
    if (i % columns < 2) net.weight(0)[i] = static_cast<float>(net.weight(0)[i] / scales.length);
  }
  const int last = net.shape.hidden;
  for (float& w : net.weight(last)) w = static_cast<float>(w * scales.target);
  net.bias(last)[0] = static_cast<float>(net.bias(last)[0] * scales.target);
}

}  // namespace

std::vector<std::string> net_names() {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) names.push_back(recipe.name);
  return names;
}

std::unique_ptr<ContactMap> train_neural_map(const ShapePair& pair, const MapSettings& settings, ThreadPool& pool,
                                             const Progress& progress) {
  const Fitter on_cpu = [&pool](Mlp& net, const FitData& data, const FitSettings& fitting, const FitReport& report) {
    return fit(net, data, fitting, pool, report);
  };
  return train_neural_map_by(on_cpu, pair, settings, pool, progress);
}

std::unique_ptr<ContactMap> train_neural_map_by(const Fitter& fitter, const ShapePair& pair,
                                                const MapSettings& settings, ThreadPool& pool,
                                                const Progress& progress) {
  const Recipe& recipe = find_recipe(settings.net);
  check_numbers(settings);
  const PoseEncoding encoding{recipe.periodic, pair.b->symmetry};
  const int count = settings.samples > 0 ? settings.samples : recipe.samples;
  const auto report = [&](double begin, double end) {
    return [&progress, begin, end](double fraction, const std::string& stage) {
      if (progress) progress(begin + (end - begin) * fraction, stage);
    };
  };
  const MapSamples samples = sample_exact(pair, static_cast<std::size_t>(count), settings.seed, pool, report(0.0, 0.1));

  const auto train = [&](const NetPlan& plan, bool arm, const Progress& stage) {
    Mlp net(MlpShape{encoding.inputs(), plan.hidden, plan.width, recipe.activation});
    Scales scales{0.5 * pair.reach(), 1};
    const FitData data = fit_data(samples, encoding, arm, scales);
    FitSettings fitting;
    fitting.epochs = settings.epochs > 0 ? settings.epochs : plan.epochs;
    fitting.batch = recipe.batch;
    fitting.rate = recipe.rate;
    fitting.seed = settings.seed * 2 + (arm ? 1 : 0);
    fitting.name = recipe.name;
    const FitReport tell = [&](double fraction, double rmse) {
      stage(fraction, cat("training ", arm ? "arm" : "gap", ", rmse ", static_cast<float>(rmse * scales.target)));
    };
    fitter(net, data, fitting, tell);
    unscale(net, scales);
    return net;
  };
  Mlp gap = train(recipe.gap, false, report(0.1, 0.8));
  Mlp arm = train(recipe.arm, true, report(0.8, 1.0));
  return std::make_unique<NeuralMap>(pair.reach(), recipe.name, encoding, std::move(gap), std::move(arm));
}

}  // namespace scree
