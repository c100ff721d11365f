#include "scree/learn/backprop.hpp"

#include <vector>

#include "scree/learn/eigen.hpp"

namespace scree {
namespace {

using Eigen::Index;
using Weight = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstWeight = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Vector = Eigen::Map<Eigen::VectorXf>;
using ConstVector = Eigen::Map<const Eigen::VectorXf>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXf>;

// Arrays of one chunk, kept per thread from call to call.
struct Workspace {
  Eigen::MatrixXf input;                   // inputs x columns: values, then the tangents
  std::vector<Eigen::MatrixXf> a;          // per hidden layer, width x columns: a, then D_k a
  std::vector<Eigen::MatrixXf> slope;      // width x samples: s'(z)
  std::vector<Eigen::MatrixXf> curvature;  // width x samples: s''(z)
  std::vector<Eigen::MatrixXf> rate;       // width x tangents: D_k z
  Eigen::MatrixXf delta, next;             // width x columns: derivative of the loss by z, D_k z
  Eigen::RowVectorXf residual;             // columns
};

void load_input(const MlpShape& shape, const ChunkData& data, Index samples, Index columns, Workspace& w) {
  w.input.resize(shape.inputs, columns);
  w.input.leftCols(samples) = ConstMatrix(data.input, shape.inputs, samples);
  if (columns > samples) w.input.rightCols(columns - samples) = ConstMatrix(data.tangent, shape.inputs, 3 * samples);
  const auto layers = static_cast<std::size_t>(shape.hidden);
  for (auto* list : {&w.a, &w.slope, &w.curvature, &w.rate}) list->resize(layers);
  for (std::size_t l = 0; l < layers; ++l) {
    w.a[l].resize(shape.width, columns);
    w.slope[l].resize(shape.width, samples);
    w.curvature[l].resize(shape.width, columns > samples ? samples : 0);
    w.rate[l].resize(shape.width, columns - samples);
  }
}

void activate(Activation kind, Index samples, Eigen::MatrixXf& a, Eigen::MatrixXf& slope, Eigen::MatrixXf& curvature,
              Eigen::MatrixXf& rate) {
  const Index tangents = a.cols() - samples;
  if (kind == Activation::silu) {
    silu_blocks(a.data(), slope.data(), tangents ? curvature.data() : nullptr,
                static_cast<std::size_t>(a.rows() * samples));
  } else {
    slope = (a.leftCols(samples).array() > 0).cast<float>();
    a.leftCols(samples) = a.leftCols(samples).cwiseMax(0.0f);
    curvature.setZero();
  }
  rate = a.rightCols(tangents);
  for (Index k = 0; k < tangents; k += samples) a.middleCols(samples + k, samples).array() *= slope.array();
}

// dz = s' da + sum_k s'' D_k z d(D_k a);  d(D_k z) = s' d(D_k a). `delta` holds da, d(D_k a) and is overwritten.
void deactivate(Index samples, const Eigen::MatrixXf& slope, const Eigen::MatrixXf& curvature,
                const Eigen::MatrixXf& rate, Eigen::MatrixXf& delta) {
  delta.leftCols(samples).array() *= slope.array();
  for (Index k = 0; k < rate.cols(); k += samples) {
    auto d = delta.middleCols(samples + k, samples).array();
    delta.leftCols(samples).array() += curvature.array() * rate.middleCols(k, samples).array() * d;
    d *= slope.array();
  }
}

}  // namespace

ChunkLoss backpropagate(const Mlp& net, const ChunkData& data, double lambda, std::span<float> gradient) {
  thread_local Workspace w;
  const MlpShape& shape = net.shape;
  const auto samples = static_cast<Index>(data.count);
  const Index columns = data.tangent && lambda > 0 ? 4 * samples : samples;
  const auto weight = [&](int l) { return ConstWeight(net.weight(l).data(), shape.rows(l), shape.columns(l)); };
  load_input(shape, data, samples, columns, w);

  const Eigen::MatrixXf* below = &w.input;
  for (int l = 0; l < shape.hidden; ++l) {
    const auto at = static_cast<std::size_t>(l);
    w.a[at].noalias() = weight(l) * *below;
    w.a[at].leftCols(samples).colwise() += ConstVector(net.bias(l).data(), shape.width);
    activate(shape.activation, samples, w.a[at], w.slope[at], w.curvature[at], w.rate[at]);
    below = &w.a[at];
  }
  w.residual.noalias() = weight(shape.hidden) * *below;
  w.residual.head(samples).array() += net.bias(shape.hidden)[0];
  w.residual.head(samples) -= ConstVector(data.target, samples).transpose();
  ChunkLoss loss{w.residual.head(samples).cast<double>().squaredNorm(), 0};
  if (columns > samples) {
    w.residual.tail(columns - samples) -= ConstVector(data.direction, columns - samples).transpose();
    loss.gradient = w.residual.tail(columns - samples).cast<double>().squaredNorm();
    w.residual.tail(columns - samples) *= static_cast<float>(lambda);
  }
  w.residual *= 2.0f;

  float* g = gradient.data();
  Weight(g + shape.weight_offset(shape.hidden), 1, shape.width).noalias() = w.residual * below->transpose();
  g[shape.bias_offset(shape.hidden)] = w.residual.head(samples).sum();
  w.delta.noalias() = weight(shape.hidden).transpose() * w.residual;
  for (int l = shape.hidden - 1; l >= 0; --l) {
    const auto at = static_cast<std::size_t>(l);
    deactivate(samples, w.slope[at], w.curvature[at], w.rate[at], w.delta);
    const Eigen::MatrixXf& in = l == 0 ? w.input : w.a[at - 1];
    Weight(g + shape.weight_offset(l), shape.width, shape.columns(l)).noalias() = w.delta * in.transpose();
    Vector(g + shape.bias_offset(l), shape.width) = w.delta.leftCols(samples).rowwise().sum();
    if (l == 0) break;
    w.next.noalias() = weight(l).transpose() * w.delta;
    w.delta.swap(w.next);
  }
  return loss;
}

}  // namespace scree
