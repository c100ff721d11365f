#pragma once
// The stages of a device step one after the other on the CPU: for tests of everything but the launches, and for
// machines without a GPU. What a backend offers is what stands here.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "scree/base/parallel.hpp"
#include "scree/cuda/answer_on_host.hpp"
#include "scree/map/neural_map.hpp"

namespace scree::gpu {

// How it goes about that. A GPU has items in any order, many at a time, and memory that holds anything at first: so
// none of this may matter, and tests see to it that it does not.
struct SerialManner {
  enum class Order { forward, backward, scattered };
  Order order = Order::forward;  // of the items of a launch
  int threads = 1;               // that share a launch
  bool dirty = false;            // fresh memory holds bytes of ones, not zeros
};
// Of the backends that are made from now on, and of the memory that they take.
inline SerialManner& serial_manner() {
  static SerialManner manner;
  return manner;
}

class SerialBackend {
 public:
  // Memory of the device.
  template <class X>
  class Array {
   public:
    X* data() { return values_.data(); }
    std::size_t size() const { return values_.size(); }
    void resize(std::size_t n) {  // contents are lost
      values_.assign(n, X{});
      soil(0);
    }
    void grow(std::size_t n) {  // contents stay
      const std::size_t before = values_.size();
      values_.resize(n);
      soil(before);
    }
    void upload(std::span<const X> from, std::size_t first = 0) {
      std::copy(from.begin(), from.end(), values_.begin() + static_cast<std::ptrdiff_t>(first));
    }
    void download(std::span<X> to, std::size_t first = 0) const {
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
    }

   private:
    static_assert(std::is_trivially_copyable_v<X>, "device memory is copied byte by byte");
    void soil(std::size_t first) {
      if (!serial_manner().dirty || first >= values_.size()) return;
      std::memset(static_cast<void*>(values_.data() + first), 0xff, (values_.size() - first) * sizeof(X));
    }
    std::vector<X> values_;
  };

  // stage.run(k) for k in [0, stage.count()). At most `capacity` of them.
  template <class Stage>
  void launch(const Stage& stage, std::size_t /*capacity*/) {
    each(0, stage.count(), [&](std::uint32_t k) { stage.run(k); });
  }
  // The same for those with stage.open(k); stage.tried() is told how many they are.
  template <class Stage>
  void launch_open(const Stage& stage, std::size_t /*capacity*/) {
    each(0, stage.count(), [&](std::uint32_t k) {
      if (!stage.open(k)) return;
      stage.run(k);
      stage.tried(1);
    });
  }
  // The same for pairs of stars. Where stage.item(k) says so, nodes that may touch are looked for; those of them with a
  // gap < 0 go to a writer.
  template <class Stage>
  void launch_nodes(const Stage& stage, std::size_t /*capacity*/) {
    each(0, stage.count(), [&](std::uint32_t k) {
      if (!stage.open(k)) return;
      auto item = stage.item(k);
      if (item.look) look_for_nodes(stage, k, item);
      auto writer = stage.writer(k, item);
      find_runs(stage, item, true, item.near_a, writer);
      find_runs(stage, item, false, item.near_b, writer);
      stage.finish(k, item, writer);
    });
  }
  // Stages that do not depend on each other. All in all at most `capacity` items.
  template <class... Stages>
  void launch_together(std::size_t capacity, const Stages&... stages) {
    (launch(stages, capacity), ...);
  }
  // stage.run(k) for k in [stage.begin(phase), stage.end(phase)), one phase after the other, of which each is small.
  template <class Stage>
  void launch_in_turn(const Stage& stage) {
    for (std::uint32_t phase = 0, n = stage.phases(); phase < n; ++phase)
      each(stage.begin(phase), stage.end(phase), [&](std::uint32_t k) { stage.run(k); });
  }
  // All stage.value(k) merged, in an order that is always the same, then stage.finish().
  template <class Stage>
  void reduce(const Stage& stage) {
    typename Stage::Value all{};
    for (std::uint32_t k = 0, n = stage.count(); k < n; ++k) all.merge(stage.value(k));
    stage.finish(all);
  }
  // Nets, and the poses that are asked of them and of other maps.
  using Nets = std::vector<const NeuralMap*>;
  void ask(const Nets& nets, const AskView<float>& ask, std::size_t /*capacity*/) {
    const std::vector<const ContactMap*> maps(nets.begin(), nets.end());
    answer_on_host<float>(maps, ask);
  }
  void ask_host(std::span<const ContactMap* const> maps, const AskView<double>& ask, std::size_t /*capacity*/) {
    answer_on_host<double>(maps, ask);
  }
  // Each becomes the sum of those before it.
  void sum_before(std::uint32_t* values, std::size_t n) {
    std::exclusive_scan(values, values + n, values, std::uint32_t{0});
  }
  // Both by ascending key; of equal keys the order stays.
  void sort(std::uint32_t* keys, std::uint32_t* values, std::size_t n) {
    std::vector<std::uint32_t> order(n), k(keys, keys + n), v(values, values + n);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return k[i]; });
    for (std::size_t i = 0; i < n; ++i) keys[i] = k[order[i]], values[i] = v[order[i]];
  }

  template <class Body>
  void when(const std::uint32_t* flag, Body body) {
    if (*flag) body();
  }
  // As long as the flag is up; `body` takes it down.
  template <class Body>
  void repeat(const std::uint32_t* flag, Body body) {
    while (*flag) body();
  }
  // `step` many times. `which`: names the program, so that a device can keep what it made of it.
  template <class Step>
  void play(int /*which*/, std::size_t times, Step step) {
    for (std::size_t k = 0; k < times; ++k) step();
  }
  void forget_programs() {}  // arrays have moved
  void finish() {}           // waits until all is done

 private:
  // item(k) for k in [begin, end), in this backend's manner.
  template <class Item>
  void each(std::uint32_t begin, std::uint32_t end, Item item) {
    if (begin >= end) return;
    const std::uint32_t n = end - begin;
    const bool scattered = manner_.order == SerialManner::Order::scattered;
    const bool backward = manner_.order == SerialManner::Order::backward;
    const std::uint64_t stride = scattered ? stride_of(n) : 1;
    const auto nth = [&](std::uint32_t i) {
      item(begin + (scattered ? static_cast<std::uint32_t>(i * stride % n) : backward ? n - 1 - i : i));
    };
    if (!pool_) {
      for (std::uint32_t i = 0; i < n; ++i) nth(i);
      return;
    }
    const auto threads = static_cast<std::uint32_t>(pool_->threads());
    pool_->run(threads, [&](std::size_t t) {
      for (auto i = static_cast<std::uint32_t>(t); i < n; i += threads) nth(i);
    });
  }
  // What has no divisor in common with n: its multiples meet every item.
  static std::uint64_t stride_of(std::uint32_t n) {
    std::uint64_t stride = n * 618ull / 1000 + 1;
    while (std::gcd(stride, std::uint64_t{n}) != 1) ++stride;
    return stride;
  }

  template <class Stage, class Item>
  static void look_for_nodes(const Stage& stage, std::uint32_t k, Item& item) {
    for (const bool of_a : {true, false}) {
      NearNodes& near = of_a ? item.near_a : item.near_b;
      near = {};
      for (int unit = 0, units = stage.units(item.seat, of_a); unit < units; ++unit)
        if (stage.may_touch(item.seat, of_a, unit)) near.add(unit, unit + 1);
    }
    float least = std::numeric_limits<float>::infinity();
    for (int lane = 0; lane < most_star_parts; ++lane) least = std::min(least, stage.clearance(item.seat, lane));
    stage.keep(k, item, least);
  }
  template <class Stage, class Item, class Writer>
  static void find_runs(const Stage& stage, const Item& item, bool of_a, NearNodes near, Writer& writer) {
    while (near.any()) {
      const auto& star = stage.star(item.seat);
      const NearNodes::Range range = near.take();
      const int a_unit = star.side(of_a).nodes_a_unit;
      for (int node = range.first * a_unit; node < range.end * a_unit; ++node) {
        const auto gap = stage.gaps(stage.sight_of(item.seat, of_a), item.seat, of_a, node - node % 2).of[node % 2];
        if (gap < 0) writer.add(of_a, Stage::Run::of_node(node, gap));
      }
    }
  }

  SerialManner manner_ = serial_manner();
  std::unique_ptr<ThreadPool> pool_ = manner_.threads > 1 ? std::make_unique<ThreadPool>(manner_.threads) : nullptr;
};

}  // namespace scree::gpu
