// Map files, which are also the entries of the cache. The checksum is put right, so that it hides nothing behind it.
#include "input.hpp"
#include "scree/base/hash.hpp"
#include "scree/map/map_file.hpp"
#include "scree/map/safetensors.hpp"

namespace {

void ask(const scree::ContactMap& map) {
  for (int k = 0; k < 32; ++k) {
    const double r = map.reach() * k / 31;
    map.query({0.7 * k - 9, {r * (k % 3 - 1), k % 3 == 1 ? r : 0}});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  const std::filesystem::path file = fuzz::as_file("a.safetensors", fuzz::text_of(data, size));
  fuzz::answered([&] {
    TensorFile tensors = read_safetensors(file);
    tensors.metadata["scree.checksum"] = to_hex(map_checksum(tensors));
    write_safetensors(file, tensors);
    ask(*load_map(file).map);
  });
  return 0;
}
