// Where the GPU part is not built.
#include "card.hpp"
#include "scree/base/error.hpp"

namespace scree::cli {

namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::input, "--device cuda", "this build has no GPU part",
              "build with a CUDA compiler and -D SCREE_CUDA=ON (docs/gpu.md)");
}

}  // namespace

Card find_card() { refuse(); }
std::size_t free_card_memory() { refuse(); }
double query_milliseconds(const NeuralMap&, std::size_t) { refuse(); }

}  // namespace scree::cli
