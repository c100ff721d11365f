#pragma once
// Contacts of World and records of a device, one into the other.
#include <algorithm>
#include <vector>

#include "scree/cuda/views.hpp"

namespace scree::gpu {

template <class T>
Record<T> record_of(const Contact& c) {
  const auto vec = [](Vec2d v) { return Vec2<T>{static_cast<T>(v.x), static_cast<T>(v.y)}; };
  return {{static_cast<T>(c.gap), vec(c.gap_x), static_cast<T>(c.gap_theta_a), static_cast<T>(c.gap_theta_b),
           vec(c.normal), static_cast<T>(c.arm_a), static_cast<T>(c.arm_b)},
          {static_cast<T>(c.normal_force), static_cast<T>(c.tangential_force), static_cast<T>(c.spring),
           static_cast<T>(c.rotational_torque)}};
}

// Of a contact whose geometry is not known any more.
template <class T>
Record<T> remembered(const Memory<T>& memory) {
  Record<T> r{};
  r.geometry.normal = memory.normal;
  r.force.spring = memory.spring;
  return r;
}

template <class T>
Contact contact_of(const Record<T>& r, std::uint32_t a, std::uint32_t b, std::uint32_t feature) {
  const auto vec = [](Vec2<T> v) { return Vec2d{static_cast<double>(v.x), static_cast<double>(v.y)}; };
  return {.a = a,
          .b = b,
          .feature = feature,
          .gap = static_cast<double>(r.geometry.gap),
          .gap_x = vec(r.geometry.gap_x),
          .gap_theta_a = static_cast<double>(r.geometry.gap_theta_a),
          .gap_theta_b = static_cast<double>(r.geometry.gap_theta_b),
          .normal = vec(r.geometry.normal),
          .arm_a = static_cast<double>(r.geometry.arm_a),
          .arm_b = static_cast<double>(r.geometry.arm_b),
          .spring = static_cast<double>(r.force.spring),
          .normal_force = static_cast<double>(r.force.normal),
          .tangential_force = static_cast<double>(r.force.tangential),
          .rotational_torque = static_cast<double>(r.force.rotational)};
}

// Of consecutive contacts that `same` takes for those of one pair, or of one body.
template <class Same>
std::size_t longest_run(const std::vector<Contact>& contacts, std::size_t first, std::size_t end, Same same) {
  std::size_t longest = 0, run = 0;
  for (std::size_t c = first; c < end; ++c) {
    run = c > first && same(contacts[c], contacts[c - 1]) ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace scree::gpu
