#pragma once
// Neural maps as the GPU reads them: weights in half precision, split into a high and a low part, in the order of one
// copy from device into shared memory.
//
// A float w is kept as w = h + l, h = half(w), l = half(w - h): 22 significant bits. The product of two such numbers
// without the term l l is then good to about 2^-21 of it, which is what makes half-precision tensor cores fit for gaps.
//
// Of a net only its hidden layers go through the tensor cores; the last, a dot product, stays in 32 bits. To keep every
// half in range whatever the sizes of the grains, lengths are scaled by a power of two before the first layer, and the
// last layer by another before the reverse pass.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scree/base/macros.hpp"
#include "scree/map/neural_map.hpp"

namespace scree {

// Where the parts of a packed net lie, in 32-bit words from its start.
//
// Hidden matrices lie [output][input] in pieces of eight halves, which is what one lane's part of a matrix load is.
// Among the pieces of 128 bytes, piece p of row r comes in place p ^ r % 8 (of 64 bytes, p ^ r / 2 % 4). So eight
// pieces of a column fall into different banks, and it is the order in which Hopper's tensor cores read shared memory
// by themselves, provided that a matrix begins at a multiple of 1,024 bytes.
struct NetLayout {
  int hidden = 5;
  int width = 64;     // 32 or 64
  bool split = true;  // hidden weights have low parts; the first layer always does

  // Layers 1 .. hidden - 1: high parts [width][width], then the low parts.
  SCREE_HD constexpr int part() const { return width * width / 2; }
  SCREE_HD constexpr int high(int layer) const { return (layer - 1) * (split ? 2 : 1) * part(); }
  SCREE_HD constexpr int low(int layer) const { return high(layer) + part(); }
  SCREE_HD constexpr int half(int row, int column) const {  // from the start of a matrix, in halves
    return row * width + 8 * (column / 8 ^ row * width / 64 % (width / 8)) + column % 8;
  }
  // First layer: [width] rows of 16 halves: the four inputs' h, once more h, their l, then the bias' h and l and two
  // zeros. Multiplied by the inputs' h, their l, once more h, and 1 1 0 0, one product has all terms of the split.
  static constexpr int first_row = 24;  // halves
  SCREE_HD constexpr int first() const { return high(hidden); }
  // The biases of layers 1 .., [hidden - 1][width] floats, then the weights of the last layer, [width] floats.
  SCREE_HD constexpr int bias(int layer) const { return first() + width * first_row / 2 + (layer - 1) * width; }
  SCREE_HD constexpr int last() const { return bias(hidden); }
  SCREE_HD constexpr int words() const { return (last() + width + 255) / 256 * 256; }  // the next net's start
};

// The part of a map that is not in shared memory.
struct NeuralConstants {
  float reach = 0;   // of the map; beyond it the certified bound answers
  float length = 1;  // power of two: the nets see length * x
  int order = 1;     // k of the periodic encoding
  bool periodic = true;
  float gap_scale = 1;  // power of two: gap = gap_scale * (last . a) + gap_bias, gradients scale alike
  float gap_bias = 0;
  float arm_bias = 0;
};

// Which compiled kernel a map needs.
struct NeuralKind {
  Activation activation = Activation::silu;
  int gap_hidden = 5;
  int gap_width = 64;
  int arm_hidden = 5;
  int arm_width = 32;

  NetLayout gap() const { return {gap_hidden, gap_width, true}; }
  NetLayout arm() const { return {arm_hidden, arm_width, false}; }
  friend bool operator==(const NeuralKind&, const NeuralKind&) = default;
};

struct PackedNeuralMap {
  NeuralKind kind;
  NeuralConstants constants;
  std::vector<std::uint32_t> words;  // the gap net, then the arm net
};

// Throws Error(input) when the nets differ in activation or a weight does not fit into half precision.
PackedNeuralMap pack_neural_map(const NeuralMap& map);

}  // namespace scree
