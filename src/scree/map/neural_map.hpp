#pragma once
// "neural": two perceptrons, one for the gap and one for the arm, on an encoded relative pose.
//
//   raw       input = (x, y, theta), theta in [-pi, pi): the paper's; jumps at the seam
//   periodic  input = (x, y, cos k theta, sin k theta), k the symmetry order of B: no seam, and one turn of B's own
//             symmetry is learned once. k = 0 (B a disc) makes the map independent of theta.
//
// Lengths are in units of A's circumradius, nothing is scaled: the nets can be used as they stand in the file.
#include <memory>
#include <string>
#include <vector>

#include "scree/map/contact_map.hpp"
#include "scree/map/mlp.hpp"
#include "scree/map/safetensors.hpp"

namespace scree {

struct PoseEncoding {
  bool periodic = true;
  int order = 1;  // k; unused by the raw encoding

  int inputs() const { return periodic ? 4 : 3; }
  // What a net sees of a pose: inputs() values.
  void encode(const Pose2d& pose, float* input, std::size_t stride = 1) const;
};

class NeuralMap final : public ContactMap {
 public:
  // `name`: of the recipe that trained it, for messages. Throws Error(input) when a net does not fit the encoding.
  NeuralMap(double reach, std::string name, PoseEncoding encoding, Mlp gap, Mlp arm);

  std::string_view kind() const override { return "neural"; }
  std::size_t bytes() const override;
  int smoothness() const override { return gap_.shape.activation == Activation::silu ? 2 : 0; }

  const std::string& name() const { return name_; }
  const PoseEncoding& encoding() const { return encoding_; }
  const Mlp& gap_net() const { return gap_; }
  const Mlp& arm_net() const { return arm_; }

  // Adds tensors "gap.layers.<l>.weight" [out, in] and ".bias" [out], the same for "arm", and metadata "neural.*";
  // format in docs/neural-maps.md.
  void store(TensorFile& file) const;
  // The map that `store` wrote. Throws Error(input), naming `where`, when anything is missing, misshapen or not finite.
  static std::unique_ptr<NeuralMap> load(const TensorFile& file, const std::string& where);

 protected:
  void query_impl(std::span<const Pose2d> poses, std::span<ContactGeometry> out) const override;

 private:
  void query_block(const Pose2d* poses, ContactGeometry* out, std::size_t count) const;

  std::string name_;
  PoseEncoding encoding_;
  Mlp gap_;
  Mlp arm_;
};

}  // namespace scree
