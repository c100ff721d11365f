// Named shapes with curves: arc, heart, chain link.
#include "scree/shape/library_recipes.hpp"

namespace scree {

std::vector<LibraryEntry> curved_entries() { return {}; }

}  // namespace scree
