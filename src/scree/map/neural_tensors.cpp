// Neural maps as named tensors.
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/map/neural_map.hpp"

namespace scree {
namespace {

constexpr const char* remedy =
    "the file is damaged or from another version; delete it so that the map is trained again";

std::string tensor_name(const std::string& net, int layer, const char* part) {
  return cat(net, ".layers.", layer, ".", part);
}

Tensor to_tensor(std::span<const float> values, std::vector<std::int64_t> shape) {
  Tensor tensor{"F32", std::move(shape), std::vector<std::byte>(values.size_bytes())};
  std::memcpy(tensor.data.data(), values.data(), values.size_bytes());
  return tensor;
}

void store_net(const std::string& name, const Mlp& net, TensorFile& file) {
  const MlpShape& shape = net.shape;
  file.metadata["neural." + name + ".hidden"] = std::to_string(shape.hidden);
  file.metadata["neural." + name + ".width"] = std::to_string(shape.width);
  file.metadata["neural." + name + ".activation"] = to_string(shape.activation);
  for (int l = 0; l < shape.layers(); ++l) {
    file.tensors[tensor_name(name, l, "weight")] = to_tensor(net.weight(l), {shape.rows(l), shape.columns(l)});
    file.tensors[tensor_name(name, l, "bias")] = to_tensor(net.bias(l), {shape.rows(l)});
  }
}

class Loader {
 public:
  Loader(const TensorFile& file, const std::string& where) : file_(file), where_(where) {}

  std::string text(const std::string& key) const {
    const auto found = file_.metadata.find("neural." + key);
    if (found == file_.metadata.end()) refuse(cat("the metadata lacks neural.", key));
    return found->second;
  }

  template <class T>
  T number(const std::string& key, T lowest, T highest) const {
    const std::string word = text(key);
    T value{};
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = problem == std::errc() && end == word.data() + word.size();
    if (!whole || !(value >= lowest && value <= highest)) {
      refuse(cat("the metadata neural.", key, " = '", word, "' is not a number from ", lowest, " to ", highest));
    }
    return value;
  }

  std::string choice(const std::string& key, const std::string& first, const std::string& second) const {
    const std::string word = text(key);
    if (word != first && word != second) {
      refuse(cat("the metadata neural.", key, " = '", word, "' is neither ", first, " nor ", second));
    }
    return word;
  }

  Mlp net(const std::string& name, int inputs) const {
    MlpShape shape;
    shape.inputs = inputs;
    shape.hidden = number<int>(name + ".hidden", 1, MlpShape::max_hidden);
    shape.width = number<int>(name + ".width", 1, MlpShape::max_width);
    shape.activation = choice(name + ".activation", "relu", "silu") == "silu" ? Activation::silu : Activation::relu;
    check_shape(shape, where_);
    Mlp net(shape);
    for (int l = 0; l < shape.layers(); ++l) {
      read(tensor_name(name, l, "weight"), {shape.rows(l), shape.columns(l)}, net.weight(l));
      read(tensor_name(name, l, "bias"), {shape.rows(l)}, net.bias(l));
    }
    return net;
  }

 private:
  void read(const std::string& name, const std::vector<std::int64_t>& shape, std::span<float> out) const {
    const auto found = file_.tensors.find(name);
    if (found == file_.tensors.end()) refuse(cat("there is no tensor '", name, "'"));
    const Tensor& tensor = found->second;
    if (tensor.dtype != "F32" || tensor.shape != shape || tensor.data.size() != out.size_bytes()) {
      refuse(cat("tensor '", name, "' has another dtype or shape than the metadata says"));
    }
    std::memcpy(out.data(), tensor.data.data(), out.size_bytes());
    for (const float value : out) {
      if (!std::isfinite(value)) refuse(cat("tensor '", name, "' holds a value that is not finite"));
    }
  }

  [[noreturn]] void refuse(const std::string& problem) const { throw Error(ErrorKind::input, where_, problem, remedy); }

  const TensorFile& file_;
  const std::string& where_;
};

}  // namespace

void NeuralMap::store(TensorFile& file) const {
  char digits[32];
  file.metadata["neural.net"] = name_;
  file.metadata["neural.reach"] = std::string(digits, std::to_chars(digits, digits + sizeof digits, reach()).ptr);
  file.metadata["neural.encoding"] = encoding_.periodic ? "periodic" : "raw";
  file.metadata["neural.order"] = std::to_string(encoding_.order);
  store_net("gap", gap_, file);
  store_net("arm", arm_, file);
}

std::unique_ptr<NeuralMap> NeuralMap::load(const TensorFile& file, const std::string& where) {
  const Loader from(file, where);
  PoseEncoding encoding;
  encoding.periodic = from.choice("encoding", "periodic", "raw") == "periodic";
  encoding.order = from.number<int>("order", 0, 1'000'000);
  const auto reach = from.number<double>("reach", std::numeric_limits<double>::min(), 1e9);
  return std::make_unique<NeuralMap>(reach, from.text("net"), encoding, from.net("gap", encoding.inputs()),
                                     from.net("arm", encoding.inputs()));
}

}  // namespace scree
