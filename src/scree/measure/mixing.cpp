#include "scree/measure/mixing.hpp"

#include <cmath>
#include <map>

namespace scree {

namespace {

using Counts = std::map<int, double>;  // grains by species

double sum_over(const Counts& counts) {
  double n = 0;
  for (const auto& [species, count] : counts) n += count;
  return n;
}

}  // namespace

Mixing lacey_index(const Snapshot& s, const Selection& selection, const std::vector<int>& species, double cell) {
  Members members = chosen_inside(s, selection);
  std::erase_if(members, [&](std::uint32_t i) { return species[i] < 0; });
  if (members.empty()) nothing_to_measure("no grain has its centre in the region", "check x, y, groups and grains");
  if (!(cell > 0)) cell = 4 * mean_diameter(s, members);
  if (cell < finest * mean_diameter(s, members)) nothing_to_measure("the cells are too small", "choose a larger cell");
  const Box region = closed_region(s, members, selection.region);

  Counts total;
  std::map<std::pair<double, double>, Counts> cells;
  for (const std::uint32_t i : members) {
    const Vec2d at = (1 / cell) * (image_in(s, s.x[i], region).value_or(s.x[i]) - region.lo);
    total[species[i]] += 1;
    cells[{std::floor(at.x), std::floor(at.y)}][species[i]] += 1;
  }
  const auto n = static_cast<double>(members.size());
  const auto k = static_cast<double>(cells.size());
  if (total.size() < 2) nothing_to_measure("all grains are of one species", "choose other species with `by`");
  if (cells.size() < 2) nothing_to_measure("all grains are in one cell", "choose a smaller cell");
  if (cells.size() == members.size()) nothing_to_measure("every cell holds one grain only", "choose a larger cell");

  double segregated = 0, now = 0;
  for (const auto& [kind, count] : total) segregated += count / n * (1 - count / n);
  for (const auto& [place, counts] : cells) {
    const double here = sum_over(counts);
    for (const auto& [kind, count] : total) {
      const auto it = counts.find(kind);
      const double off = (it == counts.end() ? 0 : it->second / here) - count / n;
      now += here * off * off / n;
    }
  }
  const double random = segregated * (k - 1) / (n - 1);
  return {(segregated - now) / (segregated - random), cells.size(), total.size()};
}

std::vector<int> species_by_grain(const Snapshot& s) {
  std::map<std::string, int> numbers;
  std::vector<int> of_type;
  for (const GrainType& t : s.types) {
    const std::string name = t.name.substr(0, t.name.find(':'));
    of_type.push_back(numbers.emplace(name, static_cast<int>(numbers.size())).first->second);
  }
  std::vector<int> out;
  for (const std::uint16_t t : s.type) out.push_back(of_type[t]);
  return out;
}

std::vector<int> species_by_group(const Snapshot& s) { return {s.group.begin(), s.group.end()}; }

}  // namespace scree
