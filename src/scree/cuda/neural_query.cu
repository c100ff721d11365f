#include <algorithm>
#include <array>
#include <string>

#include "scree/base/pose.hpp"
#include "scree/base/sincos_kernel.hpp"
#include "scree/base/text.hpp"
#include "scree/cuda/neural_net.cuh"
#include "scree/cuda/neural_query.hpp"

namespace scree {
namespace neural {
namespace {

constexpr int shared_alignment = 1024;  // of matrices, and so of nets

template <Activation kind, int gap_hidden, int gap_width, int arm_hidden, int arm_width>
struct Nets {
  using Gap = TileNet<kind, gap_hidden, gap_width, Task::gradient>;
  using Arm = TileNet<kind, arm_hidden, arm_width, Task::value>;
  static constexpr NeuralKind neural_kind{kind, gap_hidden, gap_width, arm_hidden, arm_width};
  static constexpr int net_words = Gap::layout().words() + Arm::layout().words();
  static constexpr int most_warps = gap_width == 64 ? 16 : 8;  // of a block
  static constexpr int blocks_per_sm = gap_width == 64 ? 1 : 3;
  static constexpr int team = Gap::grouped ? group_warps : 1;  // warps that multiply together
  static_assert(net_words * 4 % shared_alignment == 0 && most_warps % group_warps == 0);
};

// What a lane knows of its own sample, number lane % 16 of the tile. Two lanes have the same one.
struct Sample {
  float x = 0, y = 0, theta = 0;
  float third = 0, fourth = 0;  // encoded angle: cos, sin or theta, 0
};

__device__ Sample load_sample(const PoseArrays& poses, std::uint32_t index, const NeuralConstants& constants) {
  Sample s{poses.x[index], poses.y[index], poses.theta[index]};
  if (constants.periodic) {
    double sine, cosine;
    sine_cosine(constants.order * static_cast<double>(s.theta), sine, cosine);
    s.third = static_cast<float>(cosine);
    s.fourth = static_cast<float>(sine);
  } else {
    s.third = static_cast<float>(wrap_angle(static_cast<double>(s.theta)));
  }
  return s;
}

// Rows of the first product, as NetLayout says: x h, x l, x h, 1 1 0 0.
__device__ Operand<1> encode(const Sample& s, float length, int lane) {
  const float x = length * s.x, y = length * s.y;
  const std::uint32_t high[2] = {pack_halves(x, y), pack_halves(s.third, s.fourth)};
  const std::uint32_t low[2] = {pack_rest(x, y, high[0]), pack_rest(s.third, s.fourth, high[1])};
  const int g = lane / 4, t = lane % 4;
  Operand<1> operand;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int from = 8 * i + g;
    const std::uint32_t h0 = __shfl_sync(~0u, high[0], from), h1 = __shfl_sync(~0u, high[1], from);
    const std::uint32_t l0 = __shfl_sync(~0u, low[0], from), l1 = __shfl_sync(~0u, low[1], from);
    const std::uint32_t h = t % 2 ? h1 : h0, l = t % 2 ? l1 : l0;
    constexpr std::uint32_t ones = 0x3c003c00;  // two halves of 1
    operand.part[0][i] = t < 2 ? h : l;
    operand.part[0][i + 2] = t < 2 ? h : t == 2 ? ones : 0;
  }
  return operand;
}

// A value that lane 4 g + t has for rows g and g + 8, for the sample of this lane.
__device__ float collect(float row, float row_below, int t, int lane) {
  const float upper = __shfl_sync(~0u, row, 4 * (lane % 8) + t);
  const float lower = __shfl_sync(~0u, row_below, 4 * (lane % 8) + t);
  return lane / 8 % 2 ? lower : upper;
}

struct Answer {
  float gap = 0, gap_theta = 0, gap_x = 0, gap_y = 0, arm = 0;
};

// |x| - reach with the radial normal, as on the CPU (map/contact_map.cpp).
__device__ Answer beyond_reach(const Sample& s, float reach) {
  const float r = sqrtf(s.x * s.x + s.y * s.y);
  return {isfinite(s.theta) ? r - reach : s.theta - s.theta, 0, s.x / r, s.y / r, 1 - 0.5f * reach};
}

// Whether it holds for a sample of the team.
template <class N>
__device__ bool any_of_team(bool holds) {
  if constexpr (N::team > 1) return any_of_group(holds);
  return __any_sync(~0u, holds);
}

template <class N>
__device__ Answer evaluate_tile(const std::uint32_t* words, std::uint32_t* slopes, const NeuralConstants& constants,
                                const Sample& sample, bool within, bool all) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Operand<1> input = encode(sample, constants.length, lane);
  Answer answer;
  float value[2];
  typename N::Gap gap_net(words, slopes, lane);
  gap_net.value(input, value);
  answer.gap = fmaf(constants.gap_scale, collect(value[0], value[1], 0, lane), constants.gap_bias);
  if (!all && !any_of_team<N>(within && answer.gap < 0)) return answer;

  float g[4];
  gap_net.gradient(g);
  answer.gap_x = collect(g[0], g[2], 0, lane) * (constants.gap_scale * constants.length);
  answer.gap_y = collect(g[1], g[3], 0, lane) * (constants.gap_scale * constants.length);
  const float by_third = collect(g[0], g[2], 1, lane), by_fourth = collect(g[1], g[3], 1, lane);
  const float turn =
      constants.periodic ? constants.order * (by_fourth * sample.third - by_third * sample.fourth) : by_third;
  answer.gap_theta = constants.gap_scale * turn;

  typename N::Arm(words + N::Gap::layout().words(), nullptr, lane).value(input, value);
  answer.arm = collect(value[0], value[1], 0, lane) + constants.arm_bias;
  return answer;
}

// Blocks blockIdx.x of gridDim.x share the poses of map blockIdx.y, a tile of 16 a warp of a team at a time.
template <class N>
__global__ __launch_bounds__(32 * N::most_warps,
                             N::blocks_per_sm) void query_kernel(const NeuralEntry* entries, const PoseRange* ranges,
                                                                 PoseArrays poses, GeometryArrays out, bool all) {
  extern __shared__ unsigned char shared[];
  constexpr std::uint32_t at_once = tile_samples * N::team;
  const NeuralEntry entry = entries[blockIdx.y];
  const PoseRange range = ranges[entry.range];
  const std::uint32_t rounds = (range.count + at_once - 1) / at_once;
  if (blockIdx.x >= rounds) return;
  const auto start = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  auto* words = reinterpret_cast<std::uint32_t*>(shared + (0 - start) % shared_alignment);
  for (std::uint32_t i = threadIdx.x; i < N::net_words / 4; i += blockDim.x) {
    reinterpret_cast<uint4*>(words)[i] = reinterpret_cast<const uint4*>(entry.words)[i];
  }
  if constexpr (N::team > 1) publish_weights();
  __syncthreads();

  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::uint32_t team = warp / N::team, teams = blockDim.x / (32 * N::team);
  std::uint32_t* slopes = words + N::net_words + warp * N::Gap::slope_words;
  for (std::uint32_t round = blockIdx.x + gridDim.x * team; round < rounds; round += gridDim.x * teams) {
    const std::uint32_t mine = round * at_once + warp % N::team * tile_samples + lane % tile_samples;
    const std::uint32_t index = range.first + min(mine, range.count - 1);
    Sample sample = load_sample(poses, index, entry.constants);
    const float reach = entry.constants.reach;
    const bool within = sample.x * sample.x + sample.y * sample.y <= reach * reach && isfinite(sample.theta);
    Answer answer = evaluate_tile<N>(words, slopes, entry.constants, sample, within, all);
    if (!within) answer = beyond_reach(sample, reach);
    if (mine >= range.count || lane >= tile_samples) continue;
    out.gap[index] = answer.gap;
    out.gap_theta[index] = answer.gap_theta;
    out.gap_x[index] = answer.gap_x;
    out.gap_y[index] = answer.gap_y;
    out.arm[index] = answer.arm;
  }
}

using Kernel = void (*)(const NeuralEntry*, const PoseRange*, PoseArrays, GeometryArrays, bool);

struct KernelChoice {
  NeuralKind kind;
  Kernel kernel;
  int net_bytes;    // of shared memory, for a block
  int slope_bytes;  // for each of its warps
  int most_warps;
  int blocks_per_sm;
};

template <class N>
constexpr KernelChoice choice() {
  return {N::neural_kind,          query_kernel<N>, shared_alignment + 4 * N::net_words,
          4 * N::Gap::slope_words, N::most_warps,   N::blocks_per_sm};
}

const auto& choices() {
  static const std::array all = {
      choice<Nets<Activation::silu, 5, 64, 5, 32>>(),
      choice<Nets<Activation::relu, 5, 64, 5, 64>>(),
      choice<Nets<Activation::relu, 3, 32, 3, 32>>(),
  };
  return all;
}

std::string describe(const NeuralKind& k) {
  return cat(to_string(k.activation), " ", k.gap_hidden, "x", k.gap_width, " with ", k.arm_hidden, "x", k.arm_width);
}

std::size_t find_kernel(const NeuralKind& kind, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < choices().size(); ++i) {
    if (choices()[i].kind == kind) return i;
    known.push_back(describe(choices()[i].kind));
  }
  throw Error(ErrorKind::input, name, cat("the GPU has no kernel for nets of ", describe(kind)),
              cat("train one of ", join(known), ", or run on the CPU"));
}

int ask_device(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  cuda_check(cudaGetDevice(&device), "choosing the GPU");
  cuda_check(cudaDeviceGetAttribute(&value, attribute, device), "asking the GPU for its size");
  return value;
}

// As many as the shared memory of this GPU has room for.
int warps_of(const KernelChoice& chosen) {
  const int room = ask_device(cudaDevAttrMaxSharedMemoryPerBlockOptin) - chosen.net_bytes;
  const int warps = std::min(chosen.most_warps, room / chosen.slope_bytes);
  if (warps < 1) {
    throw Error(ErrorKind::input, "GPU", cat("its shared memory has no room for nets of ", describe(chosen.kind)),
                "train smaller ones, or run on the CPU");
  }
  return warps < group_warps ? warps : warps / group_warps * group_warps;
}

}  // namespace
}  // namespace neural

NeuralMapSet::NeuralMapSet(std::span<const NeuralMap* const> maps) : size_(maps.size()) {
  std::vector<std::uint32_t> words;
  std::vector<std::size_t> starts;
  std::vector<PackedNeuralMap> packed;
  for (const NeuralMap* map : maps) {
    packed.push_back(pack_neural_map(*map));
    starts.push_back(words.size());
    words.insert(words.end(), packed.back().words.begin(), packed.back().words.end());
  }
  words_ = DeviceBuffer<std::uint32_t>(std::span<const std::uint32_t>(words));
  for (std::size_t kernel = 0; kernel < neural::choices().size(); ++kernel) {
    std::vector<NeuralEntry> entries;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      if (neural::find_kernel(packed[i].kind, maps[i]->name()) != kernel) continue;
      entries.push_back({words_.data() + starts[i], packed[i].constants, static_cast<std::uint32_t>(i)});
    }
    if (entries.empty()) continue;
    const neural::KernelChoice& chosen = neural::choices()[kernel];
    const int warps = neural::warps_of(chosen), shared_bytes = chosen.net_bytes + warps * chosen.slope_bytes;
    cuda_check(cudaFuncSetAttribute(reinterpret_cast<const void*>(chosen.kernel),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
               "shared memory for neural maps");
    groups_.push_back({kernel, DeviceBuffer<NeuralEntry>(std::span<const NeuralEntry>(entries)),
                       static_cast<unsigned>(32 * warps), static_cast<std::size_t>(shared_bytes)});
  }
}

void NeuralMapSet::query(const PoseArrays& poses, const PoseRange* ranges, std::size_t capacity,
                         const GeometryArrays& out, NeuralAnswer answer, cudaStream_t stream) const {
  if (capacity == 0) return;
  static const int sms = neural::ask_device(cudaDevAttrMultiProcessorCount);
  for (const Group& group : groups_) {
    const neural::KernelChoice& chosen = neural::choices()[group.kernel];
    const std::size_t tiles = (capacity + neural::tile_samples - 1) / neural::tile_samples;
    const auto blocks = static_cast<unsigned>(std::min<std::size_t>(tiles, sms * chosen.blocks_per_sm));
    const dim3 grid(blocks, static_cast<unsigned>(group.entries.size()));
    chosen.kernel<<<grid, group.threads, group.shared_bytes, stream>>>(group.entries.data(), ranges, poses, out,
                                                                       answer == NeuralAnswer::all);
    cuda_check_launch("querying neural maps");
  }
}

}  // namespace scree
