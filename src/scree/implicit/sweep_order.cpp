#include "scree/implicit/sweep_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace scree {

namespace {

// With fewer links a slab is swept sooner than threads have met; with more, few threads find work.
constexpr std::size_t links_a_slab = 1000, most_slabs = 64;
constexpr double few_strangers = 0.05;  // share of links that one thread may be left with
constexpr std::size_t samples_a_slab = 256;

constexpr std::uint8_t no_slab = 0xff;  // of bodies that do not move

double spread(std::vector<double> values) {
  const auto at = [&](std::size_t tenths) {
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(values.size() * tenths / 10);
    std::ranges::nth_element(values, nth);
    return *nth;
  };
  return at(9) - at(1);
}

}  // namespace

SweepOrder::Kind SweepOrder::kind_of(std::size_t part) const {
  if (part < slabs_) return slab;
  if (part == 2 * slabs_) return strangers;
  return (part - slabs_) % 2 == 0 ? even_border : odd_border;
}

std::size_t SweepOrder::part_of(std::size_t slab_a, std::size_t slab_b) const {
  const auto [low, high] = std::minmax(slab_a, slab_b);
  if (low == high) return low;
  if (high == low + 1) return slabs_ + low;
  return high == low + slabs_ - 1 ? slabs_ + high : 2 * slabs_;
}

void SweepOrder::arrange(std::span<const Link> links, std::span<const Vec2d> at, std::span<const std::uint8_t> moves,
                         ThreadPool& pool) {
  slabs_ = std::bit_floor(std::clamp<std::size_t>(links.size() / links_a_slab, 1, most_slabs));
  for (;; slabs_ /= 2) {
    cut(at, moves, pool);
    divide(links, moves, pool);
    const Part& last = parts_.back();
    if (slabs_ <= 2 || last.end - last.begin <= few_strangers * static_cast<double>(links.size())) break;
  }
  const auto for_parts = [&](const auto& task) {
    if (slabs_ > 1) return pool.run(parts_.size(), task);
    for (std::size_t k = 0; k < parts_.size(); ++k) task(k);  // sooner done than others are called
  };
  for (std::vector<std::uint64_t>& taken : taken_) taken.assign(moves.size(), 0);
  colour_of_.resize(links.size());
  for_parts([&](std::size_t k) { colour(moves, parts_[k], taken_[kind_of(k)]); });

  threads_ = std::min(static_cast<std::size_t>(pool.threads()), slabs_);
  shares_.clear();
  std::size_t packs = 0;
  for (const std::vector<std::size_t>& phase : find_phases(moves)) {
    const std::size_t before = packs;
    for (const std::size_t k : phase) {
      parts_[k].first_pack = packs;
      packs += parts_[k].packs;
    }
    if (packs > before) share_out(phase);
  }
  link_at_.resize(packs * pack_lanes);
  lane_of_.resize(links.size());
  for_parts([&](std::size_t k) { place(parts_[k]); });
}

bool SweepOrder::borders_touch(std::span<const std::uint8_t> moves) const {
  const auto at_even = [&](std::uint32_t body) { return moves[body] && taken_[even_border][body] != 0; };
  for (std::size_t part = slabs_ + 1; part < 2 * slabs_; part += 2) {
    for (std::uint32_t k = parts_[part].begin; k < parts_[part].end; ++k) {
      const auto [a, b] = ends_[by_part_[k]];
      if (at_even(a) || at_even(b)) return true;
    }
  }
  return false;
}

std::vector<std::vector<std::size_t>> SweepOrder::find_phases(std::span<const std::uint8_t> moves) const {
  const std::size_t odd = borders_touch(moves) ? odd_border : even_border;
  std::vector<std::vector<std::size_t>> phases(kind_count);
  for (std::size_t k = 0; k < parts_.size(); ++k) phases[kind_of(k) == odd_border ? odd : kind_of(k)].push_back(k);
  return phases;
}

// Across the longer way of the bed, so that borders are short.
void SweepOrder::cut(std::span<const Vec2d> at, std::span<const std::uint8_t> moves, ThreadPool& pool) {
  slab_of_.resize(at.size());
  std::vector<double> x, y;
  for (std::size_t k = 0, stride = at.size() / (slabs_ * samples_a_slab) + 1; slabs_ > 1 && k < at.size();
       k += stride) {
    if (!moves[k] || !std::isfinite(at[k].x + at[k].y)) continue;  // the watchdog has not yet seen this step
    x.push_back(at[k].x), y.push_back(at[k].y);
  }
  if (x.empty()) slabs_ = 1;
  const bool across = slabs_ > 1 && spread(x) > spread(y);
  std::vector<double>& along = across ? x : y;
  std::vector<double> cuts;
  for (std::size_t k = 1, from = 0; k < slabs_; ++k) {
    const std::size_t nth = along.size() * k / slabs_;
    const auto place = [&](std::size_t n) { return along.begin() + static_cast<std::ptrdiff_t>(n); };
    std::nth_element(place(from), place(nth), along.end());
    cuts.push_back(along[nth]);
    from = nth;
  }
  for_chunks(pool, at.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t k = begin; k < end; ++k) {
      const double here = across ? at[k].x : at[k].y;
      slab_of_[k] = moves[k] ? static_cast<std::uint8_t>(std::ranges::upper_bound(cuts, here) - cuts.begin()) : no_slab;
    }
  });
}

// Links by part, each part in the order of the links.
void SweepOrder::divide(std::span<const Link> links, std::span<const std::uint8_t> moves, ThreadPool& pool) {
  parts_.assign(2 * slabs_ + 1, {});
  ends_.resize(links.size());
  part_of_.resize(links.size());
  by_part_.resize(links.size());
  std::vector<std::vector<std::uint32_t>> places(chunk_count(links.size(), default_chunk));
  for_chunks(pool, links.size(), [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    places[chunk].assign(parts_.size(), 0);
    for (std::size_t k = begin; k < end; ++k) {
      const Link& link = links[k];
      const std::uint32_t mover = moves[link.b] ? link.b : link.a, other = moves[link.a] ? link.a : mover;
      const bool any = moves[mover];
      const std::size_t part = any ? part_of(slab_of_[mover], slab_of_[other]) : 0;
      ends_[k] = {link.a, link.b};
      part_of_[k] = static_cast<std::uint8_t>(part);
      ++places[chunk][part];
    }
  });
  std::uint32_t next = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    parts_[part].begin = next;
    for (std::vector<std::uint32_t>& of_chunk : places) next += std::exchange(of_chunk[part], next);
    parts_[part].end = next;
  }
  for_chunks(pool, links.size(), [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    for (std::size_t k = begin; k < end; ++k) by_part_[places[chunk][part_of_[k]]++] = static_cast<std::uint32_t>(k);
  });
}

// Each link has the first colour that neither body has.
void SweepOrder::colour(std::span<const std::uint8_t> moves, Part& part, std::span<std::uint64_t> taken) {
  for (std::uint32_t k = part.begin; k < part.end; ++k) {
    const auto [a, b] = ends_[by_part_[k]];
    const std::uint64_t busy = (moves[a] ? taken[a] : 0) | (moves[b] ? taken[b] : 0);
    const auto c = std::min<std::size_t>(static_cast<std::size_t>(std::countr_one(busy)), most_colours);
    colour_of_[k] = static_cast<std::uint8_t>(c);
    ++part.links[c];
    if (c == most_colours) continue;
    if (moves[a]) taken[a] |= std::uint64_t{1} << c;
    if (moves[b]) taken[b] |= std::uint64_t{1} << c;
  }
  part.packs = part.links.back();
  for (std::size_t c = 0; c < most_colours; ++c) part.packs += (part.links[c] + pack_lanes - 1) / pack_lanes;
}

void SweepOrder::place(const Part& part) {
  std::array<std::size_t, most_colours + 1> next;  // lane
  std::size_t pack = part.first_pack;
  for (std::size_t c = 0; c <= most_colours; ++c) {
    next[c] = pack * pack_lanes;
    pack += (part.links[c] + pack_lanes - 1) / pack_lanes;
  }
  const auto lane = [&](std::size_t n) { return link_at_.begin() + static_cast<std::ptrdiff_t>(n * pack_lanes); };
  std::fill(lane(part.first_pack), lane(part.first_pack + part.packs), no_link);
  for (std::uint32_t k = part.begin; k < part.end; ++k) {
    const std::size_t c = colour_of_[k];
    link_at_[next[c]] = by_part_[k];
    lane_of_[by_part_[k]] = static_cast<std::uint32_t>(next[c]);
    next[c] += c == most_colours ? pack_lanes : 1;
  }
}

// Neighbouring parts of a phase go to one thread: then few bodies change cores from phase to phase.
void SweepOrder::share_out(std::span<const std::size_t> phase) {
  const auto at = [&](std::size_t n) -> const Part& { return parts_[phase[n]]; };
  const std::size_t begin = at(0).first_pack, end = at(phase.size() - 1).first_pack + at(phase.size() - 1).packs;
  shares_.push_back(begin);
  for (std::size_t t = 1, n = 0; t < threads_; ++t) {
    const std::size_t cut = begin + share_of(end - begin, t, threads_).first;
    while (n < phase.size() && at(n).first_pack + at(n).packs / 2 < cut) ++n;
    shares_.push_back(n < phase.size() ? at(n).first_pack : end);
  }
  shares_.push_back(end);
}

}  // namespace scree
