#include "scree/map/mlp.hpp"

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/map/mlp_kernel.hpp"

namespace scree {

std::string_view to_string(Activation activation) { return activation == Activation::silu ? "silu" : "relu"; }

std::size_t MlpShape::weight_offset(int layer) const {
  const auto n = static_cast<std::size_t>(inputs), w = static_cast<std::size_t>(width);
  if (layer == 0) return 0;
  const std::size_t before_last = (n + 1) * w + static_cast<std::size_t>(std::min(layer, hidden) - 1) * (w + 1) * w;
  return layer <= hidden ? before_last : before_last + w + 1;
}

std::size_t MlpShape::bias_offset(int layer) const {
  return weight_offset(layer) + static_cast<std::size_t>(rows(layer)) * static_cast<std::size_t>(columns(layer));
}

void check_shape(const MlpShape& shape, const std::string& where) {
  const bool known = (shape.inputs == 3 || shape.inputs == 4) && (shape.width == 32 || shape.width == 64) &&
                     shape.hidden >= 1 && shape.hidden <= MlpShape::max_hidden;
  if (known) return;
  throw Error(ErrorKind::input, where,
              cat("a net of ", shape.hidden, " hidden layers of ", shape.width, " units on ", shape.inputs,
                  " inputs cannot be evaluated"),
              cat("use 1 to ", MlpShape::max_hidden, " hidden layers of 32 or 64 units on 3 or 4 inputs"));
}

namespace {

template <int inputs, int width>
void evaluate_as(const Mlp& net, const float* input, float* value, float* gradient) {
  if (net.shape.activation == Activation::silu) {
    mlp::evaluate<inputs, width, Activation::silu>(net, input, value, gradient);
  } else {
    mlp::evaluate<inputs, width, Activation::relu>(net, input, value, gradient);
  }
}

}  // namespace

void evaluate_block(const Mlp& net, const float* input, float* value, float* gradient) {
  if (net.shape.width == 64) {
    net.shape.inputs == 4 ? evaluate_as<4, 64>(net, input, value, gradient)
                          : evaluate_as<3, 64>(net, input, value, gradient);
  } else {
    net.shape.inputs == 4 ? evaluate_as<4, 32>(net, input, value, gradient)
                          : evaluate_as<3, 32>(net, input, value, gradient);
  }
}

void exp_blocks(std::span<float> x) {
  for (std::size_t i = 0; i + mlp::lanes <= x.size(); i += mlp::lanes) {
    mlp::store(x.data() + i, mlp::exp(mlp::load(x.data() + i)));
  }
}

void silu_blocks(float* x, float* slope, std::size_t n) {
  for (std::size_t i = 0; i < n; i += mlp::lanes) {
    mlp::Lanes z = mlp::load(x + i), derivative;
    mlp::activate<Activation::silu>(z, derivative);
    mlp::store(x + i, z);
    mlp::store(slope + i, derivative);
  }
}

}  // namespace scree
