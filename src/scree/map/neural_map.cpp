#include "scree/map/neural_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scree/base/error.hpp"

namespace scree {

void PoseEncoding::encode(const Pose2d& pose, float* input, std::size_t stride) const {
  input[0] = static_cast<float>(pose.x.x);
  input[stride] = static_cast<float>(pose.x.y);
  if (periodic) {
    const double angle = order * pose.theta;
    input[2 * stride] = static_cast<float>(std::cos(angle));
    input[3 * stride] = static_cast<float>(std::sin(angle));
  } else {
    input[2 * stride] = static_cast<float>(wrap_angle(pose.theta));
  }
}

NeuralMap::NeuralMap(double reach, std::string name, PoseEncoding encoding, Mlp gap, Mlp arm)
    : ContactMap(reach), name_(std::move(name)), encoding_(encoding), gap_(std::move(gap)), arm_(std::move(arm)) {
  for (const Mlp* net : {&gap_, &arm_}) {
    check_shape(net->shape, name_);
    if (net->shape.inputs != encoding_.inputs() || net->parameters.size() != net->shape.parameter_count()) {
      throw Error(ErrorKind::input, name_, "a net does not fit the encoding of its poses", "train the map again");
    }
  }
}

std::size_t NeuralMap::bytes() const { return (gap_.parameters.size() + arm_.parameters.size()) * sizeof(float); }

void NeuralMap::query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const {
  constexpr std::size_t block = mlp_block;
  for (std::size_t i = 0; i < poses.size(); i += block) {
    query_block(&poses[i], &out[i], std::min(block, poses.size() - i));
  }
}

void NeuralMap::query_block(const Pose2d* poses, ContactGeometry* out, std::size_t count) const {
  constexpr std::size_t block = mlp_block;
  alignas(64) float input[MlpShape::max_inputs][block] = {};
  alignas(64) float gradient[MlpShape::max_inputs][block];
  alignas(64) float gap[block];
  alignas(64) float arm[block];
  for (std::size_t s = 0; s < count; ++s) encoding_.encode(poses[s], &input[0][s], block);
  evaluate_block(gap_, input[0], gap, gradient[0]);
  evaluate_block(arm_, input[0], arm, nullptr);
  for (std::size_t s = 0; s < count; ++s) {
    ContactGeometry& g = out[s];
    g.gap = gap[s];
    g.gap_x = {gradient[0][s], gradient[1][s]};
    g.gap_theta = gradient[2][s];
    if (encoding_.periodic) {  // d/dtheta of (cos, sin) k theta = k (-sin, cos) k theta
      g.gap_theta = encoding_.order * (static_cast<double>(gradient[3][s]) * input[2][s] -
                                       static_cast<double>(gradient[2][s]) * input[3][s]);
    }
    g.arm = arm[s];
  }
}

}  // namespace scree
