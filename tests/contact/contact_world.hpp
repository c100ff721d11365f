#pragma once
// Worlds for the contact tests, built without the layers above contact/.
#include <memory>

#include "scree/base/rng.hpp"
#include "scree/contact/pair_list.hpp"
#include "scree/contact/rotations.hpp"
#include "scree/contact/type_tables.hpp"
#include "scree/map/disc_map.hpp"
#include "scree/map/exact_map.hpp"
#include "scree/shape/library.hpp"
#include "scree/world/world.hpp"

namespace scree::testing {

inline int add_type(World& w, const std::string& shape, double radius) {
  if (w.materials.empty()) w.materials.emplace_back();
  GrainType t;
  t.name = shape;
  t.radius = radius;
  t.shape = -1;
  for (std::size_t k = 0; k < w.shapes.size(); ++k) {
    if (w.shapes[k]->name == shape) t.shape = static_cast<int>(k);
  }
  if (t.shape < 0) {
    t.shape = static_cast<int>(w.shapes.size());
    Shape made = make_named_shape(shape);
    made.name = shape;
    w.shapes.push_back(std::make_shared<const Shape>(std::move(made)));
  }
  return w.add_type(t);
}

// Closed form for discs, exact map (smoothed by epsilon) for the rest.
inline void add_maps(World& w, double epsilon = 0) {
  for (const MapNeed& need : needed_maps(w)) {
    const auto shape = [&](int t) {
      return w.shapes[static_cast<std::size_t>(w.types[static_cast<std::size_t>(t)].shape)].get();
    };
    const Shape* a = shape(need.type_a);
    const Shape* b = shape(need.type_b);
    if (a->is_disc && b->is_disc) {
      assign_map(w, need, std::make_shared<DiscMap>(need.ratio));
    } else {
      assign_map(w, need, std::make_shared<ExactMap>(ShapePair{a, b, need.ratio}, epsilon));
    }
  }
}

inline Vec2d random_in(Rng& rng, const Box& box) {
  const double x = rng.uniform(box.lo.x, box.hi.x);
  return {x, rng.uniform(box.lo.y, box.hi.y)};
}

}  // namespace scree::testing
