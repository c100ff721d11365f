#pragma once
// What a measure remembers between samples, as a list of numbers, so that it goes on after a restart as if nothing had
// been. A class that remembers has one function remember(Memory&) that names its members in order: it saves them or
// takes them back.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scree/base/error.hpp"
#include "scree/world/event.hpp"

namespace scree {

class Memory {
 public:
  Memory() = default;  // saves
  explicit Memory(std::vector<double> values) : values_(std::move(values)), loads_(true) {}

  bool loads() const { return loads_; }
  const std::vector<double>& values() const { return values_; }

  void operator()(double& v) {
    if (!loads_) {
      values_.push_back(v);
      return;
    }
    if (next_ == values_.size()) fail();
    v = values_[next_++];
  }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void operator()(Integer& v) {
    auto number = static_cast<double>(v);  // exact: counts and ids are far below 2^53
    (*this)(number);
    v = static_cast<Integer>(number);
  }
  void operator()(Vec2d& v) { (*this)(v.x), (*this)(v.y); }
  void operator()(Box& v) { (*this)(v.lo), (*this)(v.hi); }
  template <class T>
  void operator()(std::optional<T>& v) {
    bool set = v.has_value();
    (*this)(set);
    if (!set) v.reset();
    if (!set) return;
    if (!v) v.emplace();
    (*this)(*v);
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    resize(list);
    for (T& v : list) (*this)(v);
  }
  // Anything with a remember() of its own.
  template <class T>
  requires requires(T& v, Memory& m) { v.remember(m); }
  void operator()(T& v) { v.remember(*this); }

  // Ids in ascending order, so that the same set gives the same numbers.
  void operator()(std::unordered_set<std::uint32_t>& ids) {
    std::vector<std::uint32_t> list(ids.begin(), ids.end());
    std::ranges::sort(list);
    (*this)(list);
    if (loads_) ids = {list.begin(), list.end()};
  }
  void operator()(std::unordered_map<std::uint32_t, int>& map) {
    std::vector<std::pair<std::uint32_t, int>> list(map.begin(), map.end());
    std::ranges::sort(list);
    resize(list);
    for (auto& [id, value] : list) (*this)(id), (*this)(value);
    if (loads_) map = {list.begin(), list.end()};
  }

  // All that was saved must have been taken back.
  void finish() const {
    if (loads_ && next_ != values_.size()) fail();
  }

 private:
  void resize(auto& list) {
    std::size_t n = list.size();
    (*this)(n);
    if (loads_ && n > values_.size()) fail();
    list.resize(n);
  }
  [[noreturn]] static void fail() {
    throw Error(ErrorKind::input, "measures", "what a measure remembered does not fit the measure",
                "restart with the version of Scree that began the run");
  }

  std::vector<double> values_;
  bool loads_ = false;
  std::size_t next_ = 0;
};

}  // namespace scree
