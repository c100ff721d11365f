#pragma once
#include <ctime>

namespace scree::cli {

// Of all threads of this program: on a shared machine, what is left of a time when waiting for a core is taken out.
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace scree::cli
