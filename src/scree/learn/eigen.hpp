#pragma once
// Eigen for the trainer. GCC 12 takes the deliberately undefined operands of its own AVX-512 intrinsics for a mistake
// (GCC bug 105593), once per inlined packet operation, so that warning is off in files that include this one.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Core>
