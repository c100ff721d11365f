#include "scree/cuda/neural_pack.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/map/half.hpp"

namespace scree {
namespace {

struct SplitHalf {
  std::uint16_t high = 0;
  std::uint16_t low = 0;
};

SplitHalf split_half(float value, const std::string& name) {
  constexpr float largest = 65504;
  if (!(std::abs(value) <= largest)) {
    throw Error(ErrorKind::input, name, cat("a weight of ", value, " is beyond half precision"),
                "train the map again, or query it on the CPU");
  }
  const std::uint16_t high = to_half(value);
  return {high, to_half(value - from_half(high))};
}

// The power of two next above |value|, so that value / it is in [1/2, 1).
float binary_scale(float value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0f, exponent);
}

// Puts one net into `words`, which starts zeroed.
class NetPacker {
 public:
  NetPacker(const Mlp& net, NetLayout layout, std::string name, std::uint32_t* words)
      : net_(net), layout_(layout), name_(std::move(name)), words_(words) {}

  // `length`: what the encoded x and y come multiplied by; `scale`: what the last layer is divided by.
  void pack(float length, float scale) const {
    pack_first(length);
    for (int layer = 1; layer < layout_.hidden; ++layer) pack_hidden(layer);
    for (int i = 0; i < layout_.width; ++i) put_float(layout_.last() + i, at(net_.weight(layout_.hidden), i) / scale);
  }

 private:
  static float at(std::span<const float> values, int i) { return values[static_cast<std::size_t>(i)]; }

  void put_float(int word, float value) const { words_[word] = std::bit_cast<std::uint32_t>(value); }

  // `half` counts from the start of word `word`.
  void put_half(int word, int half, std::uint16_t value) const {
    words_[word + half / 2] |= static_cast<std::uint32_t>(value) << (16 * (half % 2));
  }

  void pack_first(float length) const {
    const int inputs = net_.shape.inputs;
    for (int unit = 0; unit < layout_.width; ++unit) {
      const int row = unit * NetLayout::first_row;
      for (int i = 0; i < inputs; ++i) {
        const float weight = at(net_.weight(0), unit * inputs + i);
        const SplitHalf w = split_half(i < 2 ? weight / length : weight, name_);
        put_half(layout_.first(), row + i, w.high);
        put_half(layout_.first(), row + 4 + i, w.high);
        put_half(layout_.first(), row + 8 + i, w.low);
      }
      const SplitHalf bias = split_half(at(net_.bias(0), unit), name_);
      put_half(layout_.first(), row + 12, bias.high);
      put_half(layout_.first(), row + 13, bias.low);
    }
  }

  void pack_hidden(int layer) const {
    for (int unit = 0; unit < layout_.width; ++unit) {
      put_float(layout_.bias(layer) + unit, at(net_.bias(layer), unit));
      for (int i = 0; i < layout_.width; ++i) {
        const SplitHalf w = split_half(at(net_.weight(layer), unit * layout_.width + i), name_);
        put_half(layout_.high(layer), layout_.half(unit, i), w.high);
        if (layout_.split) put_half(layout_.low(layer), layout_.half(unit, i), w.low);
      }
    }
  }

  const Mlp& net_;
  NetLayout layout_;
  std::string name_;
  std::uint32_t* words_;
};

}  // namespace

PackedNeuralMap pack_neural_map(const NeuralMap& map) {
  const Mlp &gap = map.gap_net(), &arm = map.arm_net();
  if (gap.shape.activation != arm.shape.activation) {
    throw Error(ErrorKind::input, map.name(), "the gap and the arm net have different activations",
                "train the map again, or query it on the CPU");
  }
  PackedNeuralMap packed;
  packed.kind = {gap.shape.activation, gap.shape.hidden, gap.shape.width, arm.shape.hidden, arm.shape.width};
  const NetLayout gap_layout = packed.kind.gap(), arm_layout = packed.kind.arm();

  NeuralConstants& constants = packed.constants;
  constants.reach = static_cast<float>(map.reach());
  constants.length = 1 / binary_scale(constants.reach);
  constants.order = map.encoding().order;
  constants.periodic = map.encoding().periodic;
  float largest = 0;
  for (const float w : gap.weight(gap.shape.hidden)) largest = std::max(largest, std::abs(w));
  constants.gap_scale = largest > 0 ? binary_scale(largest) : 1.0f;
  constants.gap_bias = gap.bias(gap.shape.hidden)[0];
  constants.arm_bias = arm.bias(arm.shape.hidden)[0];

  packed.words.resize(static_cast<std::size_t>(gap_layout.words() + arm_layout.words()));
  NetPacker(gap, gap_layout, map.name(), packed.words.data()).pack(constants.length, constants.gap_scale);
  NetPacker(arm, arm_layout, map.name(), packed.words.data() + gap_layout.words()).pack(constants.length, 1);
  return packed;
}

}  // namespace scree
