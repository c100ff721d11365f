#pragma once
// Colours of links on a device (Jones and Plassmann, 1993): in every round those links choose that come first at both
// of their bodies, by a hash of their number, and take the first colour that is free at both.
#include <bit>

#include "scree/cuda/implicit_views.hpp"

namespace scree::gpu {

// One to one, so that no two come first.
SCREE_HD inline std::uint32_t scattered(std::uint32_t k) {
  k ^= k >> 16, k *= 0x7feb352du;
  k ^= k >> 15, k *= 0x846ca68bu;
  return k ^ k >> 16;
}

SCREE_HD inline std::uint32_t first_free(std::uint64_t taken) {
#if defined(__CUDA_ARCH__)
  return taken == ~0ull ? 64u : static_cast<std::uint32_t>(__ffsll(static_cast<long long>(~taken)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_one(taken));
#endif
}

struct ColourStage {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : l.frame->links; }
  SCREE_HD std::uint64_t bid(std::uint32_t k) const {
    return static_cast<std::uint64_t>(l.frame->rounds + 1) << 32 | scattered(k);
  }
};

struct StartColours : ColourStage {
  SCREE_HD void run(std::uint32_t k) const { l.colour[k] = none; }
};

struct Bid : ColourStage {
  SCREE_HD void run(std::uint32_t k) const {
    if (l.colour[k] != none) return;
    const Held& held = l.now().held[k];
    for (const std::uint32_t end : {held.body, held.other})
      if (obeys(w, end)) raise_at(&l.best[end], bid(k));
  }
};

struct Choose : ColourStage {
  SCREE_HD void run(std::uint32_t k) const {
    if (l.colour[k] != none) return;
    const Held& held = l.now().held[k];
    std::uint64_t busy = 0;
    for (const std::uint32_t end : {held.body, held.other}) {
      if (!obeys(w, end)) continue;
      if (l.best[end] != bid(k)) {
        set_flag(&l.frame->refused, 1);
        return;
      }
      busy |= l.taken[end];
    }
    const std::uint32_t found = first_free(busy), colour = found < most_colours ? found : most_colours;
    l.colour[k] = colour;
    claim(&l.frame->colour_size[colour]);
    if (colour == most_colours) return;
    for (const std::uint32_t end : {held.body, held.other})
      if (obeys(w, end)) l.taken[end] |= std::uint64_t{1} << colour;
  }
};

// One thread, after Choose.
struct EndRound {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return 1; }
  SCREE_HD void run(std::uint32_t) const {
    Frame& f = *l.frame;
    ++f.rounds;
    f.left = w.control->halt ? 0 : f.refused;
    f.refused = 0;
  }
};

// One thread, when all have a colour.
struct OrderColours {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : 1; }
  SCREE_HD void run(std::uint32_t) const {
    Frame& f = *l.frame;
    std::uint32_t sum = 0;
    for (std::uint32_t c = 0; c <= most_colours; ++c) {
      f.colour_first[c] = f.colour_next[c] = sum;
      sum += f.colour_size[c];
      if (c < most_colours && f.colour_size[c] > 0) f.colours = c + 1;
    }
    f.colour_first[most_colours + 1] = sum;
  }
};

struct PlaceLinks : ColourStage {
  SCREE_HD void run(std::uint32_t k) const {
    const std::uint32_t place = claim(&l.frame->colour_next[l.colour[k]]);
    l.order[place] = k;
    l.place[k] = place;
  }
};

// One thread: those that come one by one, by number.
struct OrderCrowd {
  World32 w;
  LinksView l;
  SCREE_HD std::uint32_t count() const { return w.control->halt ? 0 : 1; }
  SCREE_HD void run(std::uint32_t) const {
    const std::uint32_t first = l.frame->colour_first[most_colours], end = l.frame->links;
    for (std::uint32_t k = first + 1; k < end; ++k) {
      const std::uint32_t number = l.order[k];
      std::uint32_t at = k;
      for (; at > first && l.order[at - 1] > number; --at) l.order[at] = l.order[at - 1];
      l.order[at] = number;
    }
    for (std::uint32_t k = first; k < end; ++k) l.place[l.order[k]] = k;
  }
};

}  // namespace scree::gpu
