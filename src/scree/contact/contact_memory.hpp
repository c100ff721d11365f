#pragma once
// What a contact hands on to the next step: its spring, and what finds and turns it.
#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "scree/contact/carry_over_kernel.hpp"
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

inline RememberedContact remembered(const Contact& c) { return {c.a, c.b, c.wall, c.feature, c.normal, c.spring}; }

// Contacts of the last step, remembered a little before new ones take their places.
class OldContacts {
 public:
  // All that follow are of `contacts`, which must hold what it has until it is remembered.
  void begin(std::span<const Contact> contacts) {
    contacts_ = contacts;
    window_.clear();
    first_ = 0;
  }
  void remember_until(std::size_t end) {
    for (std::size_t k = this->end(); k < std::min(end, contacts_.size()); ++k)
      window_.push_back(remembered(contacts_[k]));
  }
  // With all others of its pair.
  void remember_pair(std::size_t k) {
    remember_until(k + 1);
    while (end() < contacts_.size() && same_pair(contacts_[end()], window_.back())) remember_until(end() + 1);
  }
  // Nothing before `first` is asked for any more.
  void forget_before(std::size_t first) {
    if (first >= end()) {
      window_.clear();
      first_ = first;
      return;
    }
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(first - first_));
    first_ = first;
  }

  std::size_t end() const { return first_ + window_.size(); }
  const RememberedContact& operator[](std::size_t k) const { return window_[k - first_]; }

 private:
  template <class A, class B>
  static bool same_pair(const A& p, const B& q) {
    return p.a == q.a && p.b == q.b;
  }

  std::span<const Contact> contacts_;
  std::vector<RememberedContact> window_;
  std::size_t first_ = 0;  // index of the first in the window
};

// Contacts come and go by few: no doubling.
inline void reserve_contacts(std::size_t count, std::vector<Contact>& contacts) {
  if (contacts.capacity() < count) contacts.reserve(count + count / 32);
}

// What is done to contacts while they are at hand: the law. Called with some at a time, in their order, for each share
// of them by one thread.
using FinishContacts = std::function<void(std::size_t share, std::span<Contact> contacts)>;
// What is done when the contacts of a share have got their place.
using PlacedContacts = std::function<void(std::size_t share)>;

inline double carried_spring(const RememberedContact& before, Vec2d normal) {
  return carried_spring(before.spring, before.normal, normal);
}

}  // namespace scree
