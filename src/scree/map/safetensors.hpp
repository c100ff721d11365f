#pragma once
// Named tensors in one file, laid out exactly as the safetensors format (github.com/huggingface/safetensors), so that
// PyTorch, NumPy and JAX open what Scree writes:
//
//   8 bytes    N, length of the header, little endian
//   N bytes    JSON: {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets": [begin, end]}, ...},
//              padded with spaces to a multiple of 8
//   the rest   the data, little endian, row-major; offsets count from here and cover every byte once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace scree {

struct Tensor {
  std::string dtype;                // "F32", "F16", "F64", "I64", "U8", ...
  std::vector<std::int64_t> shape;  // row-major; empty for a scalar
  std::vector<std::byte> data;      // product(shape) * dtype_size(dtype) bytes
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

// Bytes of one element, or 0 when the format does not know `dtype`.
std::size_t dtype_size(std::string_view dtype);

// Writes a temporary file beside `path`, flushes it to the disk and renames it over `path`: a reader sees the old file
// or the whole new one, also when the writer is killed. Error(input) for a tensor whose data does not fit its shape,
// Error(system) when the disk fails.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

// Error(system) when the file cannot be read; Error(input), naming the file and what is wrong, for anything that is not
// a complete and valid safetensors file.
TensorFile read_safetensors(const std::filesystem::path& path);

}  // namespace scree
