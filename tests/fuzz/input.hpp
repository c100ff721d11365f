#pragma once
// What the targets share. Each reads one input; an Error is a good answer, any other exception, a crash, a hang or an
// absurd allocation is a fault.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "scree/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace scree::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A folder of this process that goes when it ends.
const std::filesystem::path& folder();
// The input as a file in it, for readers that take a path.
std::filesystem::path as_file(const std::filesystem::path& name, std::string_view content);

template <class Read>
void answered(Read&& read) {
  try {
    read();
  } catch (const Error&) {}
}

}  // namespace scree::fuzz
