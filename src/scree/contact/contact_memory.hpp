#pragma once
// What a contact hands on to the next step: its spring, and what finds and turns it. Copied out of World::contacts
// before the next contacts take its place.
#include <functional>
#include <span>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/world/world.hpp"

namespace scree {

struct RememberedContact {
  std::uint32_t a;
  std::uint32_t b;
  std::int32_t wall;
  std::uint32_t feature;
  Vec2d normal;
  double spring;
};

// By index of World::contacts.
using ContactMemory = std::vector<RememberedContact>;

inline RememberedContact remembered(const Contact& c) { return {c.a, c.b, c.wall, c.feature, c.normal, c.spring}; }

inline void make_room(std::size_t contacts, ContactMemory& memory) {
  if (contacts > memory.capacity()) memory = {}, memory.reserve(contacts + contacts / 16);  // they come and go by few
  memory.resize(contacts);
}

inline void remember(const World& world, ThreadPool& pool, ContactMemory& out) {
  make_room(world.contacts.size(), out);
  for_chunks(pool, out.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) out[k] = remembered(world.contacts[k]);
  });
}

// What is done to contacts while they are at hand: the law. Called with some at a time, in their order, for each share
// of them by one thread.
using FinishContacts = std::function<void(std::size_t share, std::span<Contact> contacts)>;
// What is done when the contacts of a share have got their place.
using PlacedContacts = std::function<void(std::size_t share)>;

// The spring of a contact that goes on with another normal.
inline double carried_spring(const RememberedContact& before, Vec2d normal) {
  const double along = dot(before.normal, normal);
  return before.spring * (along > 0 ? along : 0);
}

}  // namespace scree
