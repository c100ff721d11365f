#pragma once
// Content hashes for cache keys, file checksums and golden tests (FNV-1a, 64 bit, over bytes).
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace scree {

class Hash {
 public:
  Hash& bytes(const void* data, std::size_t size) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ p[i]) * 0x100000001b3ULL;
    return *this;
  }
  Hash& text(std::string_view s) { return number(static_cast<std::uint64_t>(s.size())).bytes(s.data(), s.size()); }
  // Bits of an arithmetic value; -0.0 hashes as 0.0.
  template <class T>
  Hash& number(T v) {
    if (v == T(0)) v = T(0);
    return bytes(&v, sizeof v);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

// 16 lower-case hexadecimal digits.
inline std::string to_hex(std::uint64_t value) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4) out[static_cast<std::size_t>(i)] = digits[value & 15];
  return out;
}

}  // namespace scree
