#include "scree/learn/backprop.hpp"

#include <vector>

#include "scree/learn/eigen.hpp"

namespace scree {
namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Arrays of one chunk, one sample a column, kept per thread from call to call.
struct Workspace {
  std::vector<MatrixXf> a;      // per hidden layer: activations
  std::vector<MatrixXf> slope;  // s'(z)
  MatrixXf delta, next;         // derivative of the loss by z, of this layer and the one below
  Eigen::RowVectorXf residual;
};

void activate(Activation kind, MatrixXf& a, MatrixXf& slope) {
  slope.resize(a.rows(), a.cols());
  if (kind == Activation::silu) {
    silu_blocks(a.data(), slope.data(), static_cast<std::size_t>(a.size()));
  } else {
    slope = (a.array() > 0).cast<float>();
    a = a.cwiseMax(0.0f);
  }
}

}  // namespace

double backpropagate(const Mlp& net, const ChunkData& data, std::span<float> gradient) {
  thread_local Workspace w;
  const MlpShape& shape = net.shape;
  const auto samples = static_cast<Index>(data.count);
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  const auto weight = [&](int l) {
    return Eigen::Map<const RowMajor>(net.weight(l).data(), shape.rows(l), shape.columns(l));
  };
  const auto weight_gradient = [&](int l) {
    return Eigen::Map<RowMajor>(&gradient[shape.weight_offset(l)], shape.rows(l), shape.columns(l));
  };
  const Eigen::Map<const MatrixXf> input(data.input, shape.inputs, samples);
  w.a.resize(hidden);
  w.slope.resize(hidden);

  for (std::size_t at = 0; at < hidden; ++at) {
    const int l = static_cast<int>(at);
    w.a[at].resize(shape.width, samples);
    if (l == 0) {
      w.a[at].noalias() = weight(l) * input;
    } else {
      w.a[at].noalias() = weight(l) * w.a[at - 1];
    }
    w.a[at].colwise() += Eigen::Map<const Eigen::VectorXf>(net.bias(l).data(), shape.width);
    activate(shape.activation, w.a[at], w.slope[at]);
  }
  w.residual.noalias() = weight(shape.hidden) * w.a.back();
  w.residual.array() += net.bias(shape.hidden)[0];
  w.residual -= Eigen::Map<const Eigen::RowVectorXf>(data.target, samples);
  const double loss = w.residual.cast<double>().squaredNorm();

  w.residual *= 2.0f;
  weight_gradient(shape.hidden).noalias() = w.residual * w.a.back().transpose();
  gradient[shape.bias_offset(shape.hidden)] = w.residual.sum();
  w.delta.noalias() = weight(shape.hidden).transpose() * w.residual;
  for (std::size_t at = hidden; at-- > 0;) {
    const int l = static_cast<int>(at);
    w.delta.array() *= w.slope[at].array();
    Eigen::Map<Eigen::VectorXf>(&gradient[shape.bias_offset(l)], shape.width) = w.delta.rowwise().sum();
    if (l == 0) {
      weight_gradient(l).noalias() = w.delta * input.transpose();
      break;
    }
    weight_gradient(l).noalias() = w.delta * w.a[at - 1].transpose();
    w.next.noalias() = weight(l).transpose() * w.delta;
    w.delta.swap(w.next);
  }
  return loss;
}

}  // namespace scree
