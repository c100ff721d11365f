#pragma once
// Which contact of the last step goes on as which contact of this one, where a pair has several.
#include <cstdint>
#include <limits>

#include "scree/base/macros.hpp"
#include "scree/base/vec.hpp"

namespace scree {

// The spring of a contact that goes on with another normal.
template <class T>
SCREE_HD inline T carried_spring(T spring, Vec2<T> normal_before, Vec2<T> normal) {
  const T along = dot(normal_before, normal);
  return spring * (along > T(0) ? along : T(0));
}

// Marks for 64 contacts at most: working memory of carry_over_several() where memory is dear. The caller must see that
// a pair has no more than that.
class FewMarks {
 public:
  static constexpr int most = 64;
  SCREE_HD void clear(int) { bits_ = 0; }
  SCREE_HD bool operator[](int k) const { return (bits_ >> k & 1) != 0; }
  SCREE_HD void set(int k) { bits_ |= std::uint64_t{1} << k; }

 private:
  std::uint64_t bits_ = 0;
};

// Calls carry(o, k) where contact o of the pair in the last step goes on as contact k: nearest features first, so that
// a contact which slides on keeps its spring and one which splits gives it to its nearer half. before(o) and now(k) are
// features; distance(feature, feature) is that of the pair's map, infinite for unrelated ones. `taken` and `served`
// are working memory: marks for the contacts before and now.
template <class T, class Before, class Now, class Distance, class Marks, class Carry>
SCREE_HD inline void carry_over_several(int before_count, int now_count, const Before& before, const Now& now,
                                        const Distance& distance, Marks& taken, Marks& served, const Carry& carry) {
  bool same = before_count == now_count;
  for (int k = 0; same && k < now_count; ++k) same = now(k) == before(k);
  if (same) {  // as a rule
    for (int k = 0; k < now_count; ++k) carry(k, k);
    return;
  }
  taken.clear(before_count);
  served.clear(now_count);
  for (;;) {
    T nearest = std::numeric_limits<T>::infinity();
    int from = 0, to = 0;
    for (int o = 0; o < before_count; ++o) {
      if (taken[o]) continue;
      for (int k = 0; k < now_count; ++k) {
        if (served[k]) continue;
        const T d = distance(before(o), now(k));
        if (d < nearest) nearest = d, from = o, to = k;
      }
    }
    if (nearest == std::numeric_limits<T>::infinity()) return;
    carry(from, to);
    taken.set(from);
    served.set(to);
  }
}

}  // namespace scree
