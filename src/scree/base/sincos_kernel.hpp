#pragma once
// Sine and cosine of many angles: branch-free, so that a compiler turns the loop into vectors, and in terms of sums and
// products alone, so that every machine and every C library gives the same bits. Within 2 units in the last place of
// libm's for |x| <= largest_angle; beyond it the reduction loses digits and the caller must ask libm.
#include <bit>
#include <cstdint>

#include "scree/base/macros.hpp"

namespace scree {

inline constexpr double largest_angle = 1e5;  // rad

SCREE_HD inline void sine_cosine(double x, double& sine, double& cosine) {
  // x = n pi/2 + y. Adding 1.5 * 2^52 rounds to an integer, which is then in the lowest bits of the sum.
  constexpr double shift = 6755399441055744.0;
  // pi/2 in three parts; the first two have 33 bits, so that n times them is exact.
  constexpr double high = 0x1.921fb544p+0, middle = 0x1.0b4611a6p-34, low = 0x1.3198a2e037073p-69;
  const double shifted = x * 0x1.45f306dc9c883p-1 + shift;  // 2/pi
  const double n = shifted - shift;
  const double y = ((x - n * high) - n * middle) - n * low;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  // Taylor series over |y| <= pi/4: the first term left out is 5e-17 of the sine and 2e-18 of the cosine.
  const double z = y * y;
  const double s =
      y + y * z *
              (-1.0 / 6 +
               z * (1.0 / 120 +
                    z * (-1.0 / 5040 +
                         z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800 - z / 1307674368000.0))))));
  const double c =
      1 - 0.5 * z +
      z * z *
          (1.0 / 24 +
           z * (-1.0 / 720 +
                z * (1.0 / 40320 + z * (-1.0 / 3628800 +
                                        z * (1.0 / 479001600 + z * (-1.0 / 87178291200.0 + z / 20922789888000.0))))));
  const bool odd = (quadrant & 1) != 0;
  sine = odd ? c : s;
  cosine = odd ? s : c;
  if (quadrant & 2) sine = -sine;
  if ((quadrant + 1) & 2) cosine = -cosine;
}

}  // namespace scree
