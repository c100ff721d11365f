#pragma once
// Links in groups of which no two move the same body, so that a group can be swept side by side.
#include <cstdint>
#include <vector>

#include "scree/world/link.hpp"

namespace scree {

struct Colouring {
  std::vector<std::uint32_t> order;  // links by colour, each colour by the lower body
  std::vector<std::uint32_t> ends;   // where each colour ends
  // Colours from this one on hold links that found no other: one at a time.
  std::size_t crowded = 0;
};

// The first colour that neither body has. `links`: those of pairs by the lower body, then those with walls likewise.
// `moves`: by body; those that do not move take part in any number.
void colour(const std::vector<Link>& links, const std::vector<std::uint8_t>& moves, Colouring& out);

}  // namespace scree
