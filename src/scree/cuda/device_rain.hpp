#pragma once
// Rain on a device: which grains may be in the way of those that come, and room for these. Room is bodies that are
// `gone` from the beginning, in the last slots, by index: the keys of what is gone are the last and sorting is stable.
#include <algorithm>
#include <span>
#include <vector>

#include "scree/cuda/views.hpp"

namespace scree::gpu {

struct FoundBody {
  std::uint32_t index = 0;
  Vec2d x;
};

// By slot: whether its centre lies in one of the boxes. Sums are made of these.
template <class T>
struct FlagBodies {
  WorldView<T> w;
  const Box* boxes = nullptr;
  std::uint32_t box_count = 0;
  std::uint32_t* rank = nullptr;  // bodies + 1
  SCREE_HD std::uint32_t count() const { return w.bodies.count + 1; }
  SCREE_HD void run(std::uint32_t k) const { rank[k] = k < w.bodies.count && inside(k) ? 1 : 0; }

 private:
  SCREE_HD bool inside(std::uint32_t k) const {
    if (w.bodies.moving[k].kind == gone) return false;
    for (std::uint32_t b = 0; b < box_count; ++b) {
      const Vec2d half = 0.5 * (boxes[b].hi - boxes[b].lo);
      const Vec2d off = separation(w.periodic, boxes[b].lo + half, w.bodies.placed[k].x);
      if (std::abs(off.x) <= half.x && std::abs(off.y) <= half.y) return true;
    }
    return false;
  }
};

template <class T>
struct CollectBodies {
  WorldView<T> w;
  const std::uint32_t* rank = nullptr;
  FoundBody* found = nullptr;
  SCREE_HD std::uint32_t count() const { return w.bodies.count; }
  SCREE_HD void run(std::uint32_t k) const {
    if (rank[k + 1] > rank[k]) found[rank[k]] = {w.bodies.index[k], w.bodies.placed[k].x};
  }
};

template <class T, class Backend>
class DeviceRain {
 public:
  // By index. Their places are written into the world.
  std::vector<std::uint32_t> find(Backend& backend, const WorldView<T>& view, std::span<const Box> boxes,
                                  World& world) {
    const std::size_t n = view.bodies.count;
    boxes_.resize(boxes.size());
    boxes_.upload(boxes);
    rank_.resize(n + 1);
    backend.launch(FlagBodies<T>{view, boxes_.data(), static_cast<std::uint32_t>(boxes.size()), rank_.data()}, n + 1);
    backend.sum_before(rank_.data(), n + 1);
    backend.finish();
    std::uint32_t total = 0;
    rank_.download({&total, 1}, n);
    if (total > found_.size()) found_.resize(total + total / 4);
    backend.launch(CollectBodies<T>{view, rank_.data(), found_.data()}, n);
    backend.finish();
    std::vector<FoundBody> found(total);
    found_.download(found);
    std::ranges::sort(found, {}, &FoundBody::index);
    std::vector<std::uint32_t> indices;
    for (const FoundBody& body : found) {
      world.bodies.x[body.index] = body.x;
      indices.push_back(body.index);
    }
    return indices;
  }

 private:
  template <class X>
  using Array = typename Backend::template Array<X>;
  Array<Box> boxes_;
  Array<std::uint32_t> rank_;
  Array<FoundBody> found_;
};

}  // namespace scree::gpu
