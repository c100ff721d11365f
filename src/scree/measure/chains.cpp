#include "scree/measure/chains.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scree/measure/stress.hpp"

namespace scree {

namespace {

// Sets that grow together; the root of a set is its lowest index.
class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t i, std::uint32_t j) {
    i = root(i), j = root(j);
    parent_[std::max(i, j)] = std::min(i, j);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

std::size_t ForceChains::in_chains() const {
  std::size_t n = 0;
  for (const Members& m : grains) n += m.size();
  return n;
}

std::size_t ForceChains::longest() const {
  std::size_t n = 0;
  for (const Members& m : grains) n = std::max(n, m.size());
  return n;
}

ForceChains force_chains(const Snapshot& s, const Selection& selection, const ChainSettings& settings) {
  const std::vector<SymmetricTensor> load = grain_compression(s);
  const Members members = chosen_inside(s, selection);
  ForceChains out;
  double sum = 0;
  for (const std::uint32_t i : members) {
    if (!(load[i].major() > 0)) continue;
    sum += load[i].major();
    ++out.loaded;
  }
  out.threshold = out.loaded > 0 ? sum / static_cast<double>(out.loaded) : 0;
  std::vector<bool> strong(s.size(), false);
  for (const std::uint32_t i : members) strong[i] = load[i].major() > out.threshold;

  UnionFind sets(s.size());
  const double least_cosine = std::cos(settings.angle) - 1e-12;  // a branch at exactly the angle is in
  for (const SnapshotContact& c : s.contacts) {
    if (c.a == no_body || !strong[c.a] || !strong[c.b]) continue;
    const Vec2d branch = s.separation(s.x[c.a], s.x[c.b]);
    const auto aligned = [&](std::uint32_t grain) {
      return std::abs(dot(branch, load[grain].axis())) >= least_cosine * norm(branch);
    };
    if (aligned(c.a) && aligned(c.b)) sets.join(c.a, c.b);
  }
  std::vector<Members> by_root(s.size());
  for (const std::uint32_t i : members) {
    if (strong[i]) by_root[sets.root(i)].push_back(i);
  }
  out.chain.assign(s.size(), -1);
  for (Members& set : by_root) {
    if (set.size() < settings.least) continue;
    for (const std::uint32_t i : set) out.chain[i] = static_cast<int>(out.grains.size());
    out.grains.push_back(std::move(set));
  }
  return out;
}

}  // namespace scree
