#include "scree/implicit/colouring.hpp"

#include <algorithm>
#include <bit>

namespace scree {

namespace {

constexpr std::size_t most_colours = 63;

}  // namespace

void colour(const std::vector<Link>& links, const std::vector<std::uint8_t>& moves, Colouring& out) {
  std::vector<std::uint64_t> taken(moves.size(), 0);
  std::vector<std::uint8_t> colour_of(links.size());
  std::vector<std::uint32_t> lower(links.size());
  std::vector<std::uint32_t> count(most_colours + 1, 0);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Link& link = links[k];
    const std::uint64_t busy = (moves[link.a] ? taken[link.a] : 0) | (moves[link.b] ? taken[link.b] : 0);
    const auto c = std::min<std::size_t>(static_cast<std::size_t>(std::countr_one(busy)), most_colours);
    colour_of[k] = static_cast<std::uint8_t>(c);
    lower[k] = lower_body(link);
    ++count[c];
    if (c == most_colours) continue;
    taken[link.a] |= std::uint64_t{1} << c;
    taken[link.b] |= std::uint64_t{1} << c;
  }
  out.ends.clear();
  std::vector<std::uint32_t> next(count.size());
  std::uint32_t sum = 0;
  std::size_t used = 0;
  for (std::size_t c = 0; c < most_colours; ++c) {
    next[c] = sum;
    sum += count[c];
    if (count[c] > 0) used = c + 1;
  }
  next[most_colours] = sum;
  // Links with walls come last, and are to lie beside the other links of their grains.
  const auto walls = static_cast<std::size_t>(std::ranges::is_sorted_until(lower) - lower.begin());
  out.order.resize(links.size());
  for (std::size_t pair = 0, wall = walls; pair < walls || wall < links.size();) {
    const bool of_pair = wall == links.size() || (pair < walls && lower[pair] <= lower[wall]);
    const std::size_t k = of_pair ? pair++ : wall++;
    out.order[next[colour_of[k]]++] = static_cast<std::uint32_t>(k);
  }
  for (std::size_t c = 0; c < used; ++c) out.ends.push_back(next[c]);
  out.crowded = used;
  for (std::uint32_t k = sum; k < links.size(); ++k) out.ends.push_back(k + 1);
}

}  // namespace scree
