#include "scree/contact/pair_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace scree {

namespace {

// Grains larger than this many mean radii stay out of the cells and are tested against everyone.
constexpr double large_factor = 4;

struct Cells {
  Vec2d origin;
  Vec2d size;  // of one cell
  std::array<int, 2> count{1, 1};
  std::array<bool, 2> wraps{false, false};
  std::vector<std::uint32_t> first;   // cells + 1
  std::vector<std::uint32_t> member;  // bodies by cell, ascending within a cell
  std::vector<std::uint32_t> cell_of;
  std::vector<std::uint32_t> large;  // ascending

  // Cell coordinate along axis k of the coordinate p. A body outside a periodic box (a driven one is never wrapped)
  // belongs where its image inside is.
  int axis(std::size_t k, double p) const {
    const double cell = std::floor((p - (k == 0 ? origin.x : origin.y)) / (k == 0 ? size.x : size.y));
    const double n = count[k];
    const double inside = wraps[k] ? cell - n * std::floor(cell / n) : cell;
    return static_cast<int>(inside > 0 ? std::min(inside, n - 1) : 0);  // 0 for what is not a number
  }
};

double mean_radius(const World& world, const TypeTables& tables) {
  double sum = 0;
  for (const std::uint16_t type : world.bodies.type) sum += tables.radius(type);
  return sum / static_cast<double>(std::max<std::size_t>(1, world.bodies.size()));
}

// Extent and cell counts: cells at least `width` wide, no more than a few per body.
void lay_out(const World& world, double width, Cells& cells) {
  Vec2d lo{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  Vec2d hi = -lo;
  for (const Vec2d& x : world.bodies.x) {
    if (!std::isfinite(x.x + x.y)) continue;
    lo = {std::min(lo.x, x.x), std::min(lo.y, x.y)};
    hi = {std::max(hi.x, x.x), std::max(hi.y, x.y)};
  }
  if (world.periodic.x) lo.x = world.periodic.box.lo.x, hi.x = world.periodic.box.hi.x;
  if (world.periodic.y) lo.y = world.periodic.box.lo.y, hi.y = world.periodic.box.hi.y;
  cells.wraps = {world.periodic.x, world.periodic.y};
  const double most = std::max(16.0, 4.0 * static_cast<double>(world.bodies.size()));
  const Vec2d extent = lo.x <= hi.x && lo.y <= hi.y ? hi - lo : Vec2d{};
  width = std::max({width, 1e-300, std::sqrt(extent.x * extent.y / most), std::max(extent.x, extent.y) / most});
  const auto cells_along = [&](double length) { return std::max(1, static_cast<int>(std::floor(length / width))); };
  cells.count = {cells_along(extent.x), cells_along(extent.y)};
  cells.origin = lo;
  cells.size = {std::max(extent.x / cells.count[0], width * 1e-9), std::max(extent.y / cells.count[1], width * 1e-9)};
}

void sort_into(const World& world, const TypeTables& tables, double large_radius, Cells& cells) {
  const std::size_t n = world.bodies.size();
  const auto total = static_cast<std::size_t>(cells.count[0]) * static_cast<std::size_t>(cells.count[1]);
  cells.first.assign(total + 1, 0);
  cells.cell_of.assign(n, no_body);
  cells.large.clear();
  for (std::size_t k = 0; k < n; ++k) {
    if (tables.radius(world.bodies.type[k]) > large_radius) {
      cells.large.push_back(static_cast<std::uint32_t>(k));
      continue;
    }
    const Vec2d x = world.bodies.x[k];
    const int cx = cells.axis(0, x.x);
    const int cy = cells.axis(1, x.y);
    cells.cell_of[k] = static_cast<std::uint32_t>(cy * cells.count[0] + cx);
    ++cells.first[cells.cell_of[k] + 1];
  }
  for (std::size_t c = 0; c < total; ++c) cells.first[c + 1] += cells.first[c];
  cells.member.resize(cells.first.back());
  std::vector<std::uint32_t> cursor(cells.first.begin(), cells.first.end() - 1);
  for (std::size_t k = 0; k < n; ++k) {
    if (cells.cell_of[k] != no_body) cells.member[cursor[cells.cell_of[k]]++] = static_cast<std::uint32_t>(k);
  }
}

bool close(const World& world, const TypeTables& tables, double skin, std::size_t i, std::size_t j) {
  const Bodies& b = world.bodies;
  if (b.kind[i] != BodyKind::moving && b.kind[j] != BodyKind::moving) return false;
  const double reach = tables.radius(b.type[i]) + tables.radius(b.type[j]) + skin;
  return norm2(world.separation(b.x[i], b.x[j])) < reach * reach;
}

// Distinct neighbour coordinates of cell c along one axis.
int neighbours(int c, int n, bool wraps, std::array<int, 3>& out) {
  int found = 0;
  for (int d = -1; d <= 1; ++d) {
    int k = c + d;
    if (wraps) k = (k + n) % n;
    if (k < 0 || k >= n) continue;
    if (std::find(out.begin(), out.begin() + found, k) == out.begin() + found)
      out[static_cast<std::size_t>(found++)] = k;
  }
  return found;
}

// Bodies j > i that are close to i, ascending.
void partners(const World& world, const TypeTables& tables, const Cells& cells, double skin, std::uint32_t i,
              std::vector<std::uint32_t>& out) {
  out.clear();
  const auto consider = [&](std::uint32_t j) {
    if (j > i && close(world, tables, skin, i, j)) out.push_back(j);
  };
  if (cells.cell_of[i] == no_body) {
    for (std::uint32_t j = i + 1; j < world.bodies.size(); ++j) consider(j);
    return;
  }
  const int cx = static_cast<int>(cells.cell_of[i]) % cells.count[0];
  const int cy = static_cast<int>(cells.cell_of[i]) / cells.count[0];
  std::array<int, 3> xs{};
  std::array<int, 3> ys{};
  const int nx = neighbours(cx, cells.count[0], cells.wraps[0], xs);
  const int ny = neighbours(cy, cells.count[1], cells.wraps[1], ys);
  for (int a = 0; a < ny; ++a) {
    for (int b = 0; b < nx; ++b) {
      const auto c =
          static_cast<std::size_t>(ys[static_cast<std::size_t>(a)] * cells.count[0] + xs[static_cast<std::size_t>(b)]);
      for (std::uint32_t m = cells.first[c]; m < cells.first[c + 1]; ++m) consider(cells.member[m]);
    }
  }
  for (const std::uint32_t j : cells.large) consider(j);
  std::sort(out.begin(), out.end());
}

// Contacts and the pairs of a body are sorted by the higher index: one merge finds each contact's pair.
void match_slots(const World& world, PairList& list) {
  list.slot.assign(list.size(), -1);
  std::size_t p = 0;
  for (std::size_t c = 0; c < world.pair_contacts; ++c) {
    const std::uint32_t lo = std::min(world.contacts[c].a, world.contacts[c].b);
    const std::uint32_t hi = std::max(world.contacts[c].a, world.contacts[c].b);
    p = std::max<std::size_t>(p, list.first[lo]);
    while (p < list.first[lo + 1] && list.j[p] < hi) ++p;
    const bool found = p < list.first[lo + 1] && list.j[p] == hi;
    if (found && list.slot[p] < 0) list.slot[p] = static_cast<std::int32_t>(c);
  }
}

}  // namespace

void build_pair_list(const World& world, const TypeTables& tables, double skin, ThreadPool& pool, PairList& list) {
  const std::size_t n = world.bodies.size();
  const double large_radius = large_factor * mean_radius(world, tables);
  double widest = 0;
  for (const std::uint16_t type : world.bodies.type) {
    const double r = tables.radius(type);
    if (r <= large_radius) widest = std::max(widest, r);
  }
  Cells cells;
  lay_out(world, 2 * widest + skin, cells);
  sort_into(world, tables, large_radius, cells);

  constexpr std::size_t chunk = 256;
  std::vector<std::vector<std::uint32_t>> chunk_j(chunk_count(n, chunk));
  list.first.assign(n + 1, 0);
  for_chunks(
      pool, n,
      [&](std::size_t begin, std::size_t end, std::size_t k) {
        std::vector<std::uint32_t> found;
        for (std::size_t i = begin; i < end; ++i) {
          partners(world, tables, cells, skin, static_cast<std::uint32_t>(i), found);
          list.first[i + 1] = static_cast<std::uint32_t>(found.size());
          chunk_j[k].insert(chunk_j[k].end(), found.begin(), found.end());
        }
      },
      chunk);
  for (std::size_t k = 0; k < n; ++k) list.first[k + 1] += list.first[k];
  list.j.clear();
  list.j.reserve(list.first[n]);
  for (const auto& part : chunk_j) list.j.insert(list.j.end(), part.begin(), part.end());
  list.clear.assign(list.size(), 0);
  list.near.assign(tables.any_several() ? list.size() : 0, 0);
  list.built_at = world.bodies.x;
  list.built_theta = world.bodies.theta;
  list.moved.assign(n, 0);
  list.skin = skin;
  match_slots(world, list);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> brute_force_pairs(const World& world, const TypeTables& tables,
                                                                       double skin) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) {
    for (std::uint32_t j = i + 1; j < world.bodies.size(); ++j) {
      if (close(world, tables, skin, i, j)) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

double track_moves(const World& world, const TypeTables& tables, ThreadPool& pool, PairList& list) {
  const Bodies& bodies = world.bodies;
  const std::size_t n = world.bodies.size();
  std::vector<double> most(chunk_count(n, default_chunk), 0);
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t k) {
    double m = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double way = norm(world.separation(list.built_at[i], bodies.x[i]));
      const double turned = tables.radius(bodies.type[i]) * std::abs(bodies.theta[i] - list.built_theta[i]);
      list.moved[i] = static_cast<float>((way + turned) * (1 + PairList::rounding));
      m = std::max(m, way);
    }
    most[k] = m;
  });
  double m = 0;
  for (const double value : most) m = std::max(m, value);
  return m;
}

}  // namespace scree
