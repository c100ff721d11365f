#include "scree/measure/contacts.hpp"

#include <algorithm>
#include <cmath>

namespace scree {

namespace {

constexpr std::uint32_t boundary = no_body;

std::vector<bool> marks(const Snapshot& s, const Members& members) {
  std::vector<bool> out(s.size(), false);
  for (const std::uint32_t i : members) out[i] = true;
  return out;
}

// Partners of every member, each once; a boundary is known by a number past all grains.
std::vector<Members> partners_of(const Snapshot& s, const std::vector<const SnapshotContact*>& contacts) {
  std::vector<Members> out(s.size());
  for (const SnapshotContact* c : contacts) {
    const auto other =
        c->a == boundary ? static_cast<std::uint32_t>(s.size()) + static_cast<std::uint32_t>(c->wall) : c->a;
    out[c->b].push_back(other);
    if (c->a != boundary) out[c->a].push_back(c->b);
  }
  for (Members& list : out) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return out;
}

// Takes away members with fewer than `least` partners, then those that have too few without them, and so on.
std::vector<bool> without_rattlers(const Snapshot& s, const Members& members, const std::vector<Members>& partners,
                                   int least) {
  std::vector<bool> gone(s.size(), false);
  std::vector<int> left(s.size(), 0);
  const std::vector<bool> counts = marks(s, members);
  std::vector<std::uint32_t> queue;
  for (const std::uint32_t i : members) {
    left[i] = static_cast<int>(partners[i].size());
    if (left[i] < least) gone[i] = true, queue.push_back(i);
  }
  while (!queue.empty()) {
    const std::uint32_t i = queue.back();
    queue.pop_back();
    for (const std::uint32_t j : partners[i]) {
      if (j >= s.size() || !counts[j] || gone[j] || --left[j] >= least) continue;
      gone[j] = true;
      queue.push_back(j);
    }
  }
  return gone;
}

}  // namespace

bool at_boundary(const Snapshot& s, const SnapshotContact& c) {
  return c.a == boundary || s.driven(c.a) || s.driven(c.b);
}

std::vector<const SnapshotContact*> contacts_of(const Snapshot& s, const Members& members, bool boundaries) {
  const std::vector<bool> counts = marks(s, members);
  std::vector<const SnapshotContact*> out;
  for (const SnapshotContact& c : s.contacts) {
    const bool belongs = counts[c.b] || (c.a != boundary && counts[c.a]);
    if (belongs && (boundaries || !at_boundary(s, c))) out.push_back(&c);
  }
  return out;
}

Coordination coordination(const Snapshot& s, const Selection& selection, bool boundaries, int least) {
  const Members members = chosen_inside(s, selection);
  if (members.empty()) nothing_to_measure("no grain has its centre in the region", "check x, y, groups and grains");
  const auto contacts = contacts_of(s, members, boundaries);
  const std::vector<Members> partners = partners_of(s, contacts);
  const std::vector<bool> rattler = without_rattlers(s, members, partners, least);
  const std::vector<bool> counts = marks(s, members);
  Coordination out;
  out.grains = members.size();
  double sum = 0, inner = 0, points = 0;
  for (const std::uint32_t i : members) {
    sum += static_cast<double>(partners[i].size());
    out.rattlers += rattler[i] ? 1 : 0;
    for (const std::uint32_t j : partners[i]) {
      const bool other_member = j < s.size() && counts[j];
      if (!other_member || i < j) ++out.pairs;
      if (!rattler[i] && !(other_member && rattler[j])) inner += 1;
    }
  }
  for (const SnapshotContact* c : contacts)
    points += (counts[c->b] ? 1 : 0) + (c->a != boundary && counts[c->a] ? 1 : 0);
  const auto n = static_cast<double>(members.size());
  out.mean = sum / n;
  out.contacts = points / n;
  if (out.rattlers < out.grains) out.mean_inner = inner / static_cast<double>(out.grains - out.rattlers);
  return out;
}

Fabric fabric(const Snapshot& s, const Selection& selection, bool boundaries) {
  Fabric out;
  SymmetricTensor sum;
  for (const SnapshotContact* c : contacts_of(s, chosen_inside(s, selection), boundaries)) {
    const Vec2d n = c->normal;
    if (!(norm2(n) > 0)) continue;
    ++out.contacts;
    sum.xx += n.x * n.x, sum.xy += n.x * n.y, sum.yy += n.y * n.y;
  }
  if (out.contacts == 0)
    nothing_to_measure("no contact among the chosen grains", "choose a time at which they touch, or walls = true");
  const auto count = static_cast<double>(out.contacts);
  out.tensor = {sum.xx / count, sum.xy / count, sum.yy / count};
  out.anisotropy = 4 * out.tensor.spread();
  out.direction = out.tensor.direction();
  return out;
}

ForceDistribution force_distribution(const Snapshot& s, const Selection& selection, bool boundaries, int bins) {
  std::vector<double> forces;
  double sum = 0, tangential = 0;
  for (const SnapshotContact* c : contacts_of(s, chosen_inside(s, selection), boundaries)) {
    if (!(c->normal_force > 0)) continue;
    forces.push_back(c->normal_force);
    sum += c->normal_force;
    tangential += std::abs(c->tangential_force);
  }
  if (forces.empty())
    nothing_to_measure("no contact with a force among the chosen grains",
                       "choose a time at which they touch, or walls = true");
  // Their mean is what all is divided by.
  if (!std::isnormal(sum)) nothing_to_measure("the forces add up to no usable number", "check the units of the scene");
  ForceDistribution out;
  const auto n = static_cast<double>(forces.size());
  out.contacts = forces.size();
  out.mean = sum / n;
  out.friction = tangential / sum;
  double squares = 0, weak = 0;
  for (double& f : forces) {
    f /= out.mean;
    out.largest = std::max(out.largest, f);
    squares += (f - 1) * (f - 1);
    weak += f < 1 ? 1 : 0;
  }
  out.deviation = std::sqrt(squares / n);
  out.weak = weak / n;
  const double width = out.largest / bins;
  out.counts.assign(static_cast<std::size_t>(bins), 0);
  for (const double f : forces) ++out.counts[std::min(static_cast<std::size_t>(f / width), out.counts.size() - 1)];
  for (int k = 0; k <= bins; ++k) out.edges.push_back(k * width);
  for (const std::size_t count : out.counts) out.density.push_back(static_cast<double>(count) / (n * width));
  return out;
}

}  // namespace scree
