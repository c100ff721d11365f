#pragma once
// An outline moved inwards, for edges drawn inside the true outline. Private to record/.
#include "scree/shape/outline.hpp"

namespace scree {

// The solid without a rim of `width`; parts thinner than twice that vanish. `width` in units of the outline's
// circumradius, which is 1.
Outline inset(const Outline& outline, double width);

}  // namespace scree
