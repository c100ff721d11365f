#pragma once
// States in the memory of a device, that many worlds take up again and again.
#include <vector>

#include "scree/cuda/contact_records.hpp"
#include "scree/cuda/views.hpp"

namespace scree::gpu {

template <class T, class Backend>
class DeviceStates {
 public:
  void add(const World& world) {
    add_bodies(world.bodies);
    add_pairs(world);
    add_walls(world);
    changed_ = true;
  }
  // True when the device has got others.
  bool send() {
    if (!changed_) return false;
    changed_ = false;
    const auto all = [](auto&... pairs) { (pairs.send(), ...); };
    all(placed_, moving_, force_, torque_, image_, pair_first_, partner_, contact_first_, memory_, wall_first_,
        wall_memory_);
    return true;
  }
  StatesView<T> view() {
    return {placed_.device.data(), moving_.device.data(),     force_.device.data(),      torque_.device.data(),
            image_.device.data(),  pair_first_.device.data(), partner_.device.data(),    contact_first_.device.data(),
            memory_.device.data(), wall_first_.device.data(), wall_memory_.device.data()};
  }

 private:
  template <class X>
  struct Both {
    std::vector<X> host;
    typename Backend::template Array<X> device;
    void send() {
      device.resize(host.size());
      device.upload(host);
    }
  };

  void add_bodies(const Bodies& b) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      placed_.host.push_back({b.x[k], b.theta[k], turned_by<T>(b.theta[k])});
      moving_.host.push_back(
          {{static_cast<T>(b.v[k].x), static_cast<T>(b.v[k].y)}, static_cast<T>(b.omega[k]), b.type[k], b.kind[k]});
      force_.host.push_back({static_cast<T>(b.force[k].x), static_cast<T>(b.force[k].y)});
      torque_.host.push_back(static_cast<T>(b.torque[k]));
      image_.host.push_back(b.image[k]);
    }
  }

  // Contacts are by lower body, higher body, feature.
  void add_pairs(const World& world) {
    if (contact_first_.host.empty()) contact_first_.host.push_back(0);
    std::size_t c = 0;
    for (std::size_t k = 0; k < world.bodies.size(); ++k) {
      pair_first_.host.push_back(static_cast<std::uint32_t>(partner_.host.size()));
      for (; c < world.pair_contacts && std::min(world.contacts[c].a, world.contacts[c].b) == k; ++c) {
        const Contact& now = world.contacts[c];
        if (c == 0 || !same_pair(now, world.contacts[c - 1])) {
          partner_.host.push_back(std::max(now.a, now.b));
          contact_first_.host.push_back(contact_first_.host.back());
        }
        memory_.host.push_back(
            {static_cast<T>(now.spring), {static_cast<T>(now.normal.x), static_cast<T>(now.normal.y)}, now.feature});
        ++contact_first_.host.back();
      }
    }
    pair_first_.host.push_back(static_cast<std::uint32_t>(partner_.host.size()));
  }

  void add_walls(const World& world) {
    std::size_t c = world.pair_contacts;
    for (std::size_t k = 0; k < world.bodies.size(); ++k) {
      wall_first_.host.push_back(static_cast<std::uint32_t>(wall_memory_.host.size()));
      for (; c < world.contacts.size() && world.contacts[c].b == k; ++c) {
        const Contact& now = world.contacts[c];
        wall_memory_.host.push_back({now.wall, now.feature, now.spring, now.normal});
      }
    }
    wall_first_.host.push_back(static_cast<std::uint32_t>(wall_memory_.host.size()));
  }

  bool changed_ = false;
  Both<Placed<T>> placed_;
  Both<Moving<T>> moving_;
  Both<Vec2<T>> force_;
  Both<T> torque_;
  Both<std::array<std::int32_t, 2>> image_;
  Both<std::uint32_t> pair_first_, partner_, contact_first_, wall_first_;
  Both<Memory<T>> memory_;
  Both<WallMemory> wall_memory_;
};

}  // namespace scree::gpu
