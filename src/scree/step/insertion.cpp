// Insertion of grains. Every random choice comes from counters kept in the Insertion, so a restart goes on exactly.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/base/text.hpp"
#include "scree/step/drive.hpp"
#include "scree/step/energy.hpp"

namespace scree {

namespace {

// By index, the bodies that may be in the way of new grains; or none: all may be.
using Candidates = std::optional<std::span<const std::uint32_t>>;

// Bounding circles near a region, in square cells, to keep new grains clear of them.
class Occupancy {
 public:
  // `margin`: how far a new grain with its clearance may stick out of the region.
  Occupancy(const World& world, double cell, const Box& region, double margin, Candidates candidates)
      : world_(world), cell_(cell) {
    const Vec2d middle = 0.5 * (region.lo + region.hi);
    const Vec2d half = 0.5 * (region.hi - region.lo);
    const auto consider = [&](std::size_t k) {
      const double radius = world.types[world.bodies.type[k]].radius;
      const Vec2d off = world.separation(middle, world.bodies.x[k]);
      const double reach = radius + margin;
      if (std::abs(off.x) <= half.x + reach && std::abs(off.y) <= half.y + reach) add(world.bodies.x[k], radius);
    };
    if (candidates) {
      for (const std::uint32_t k : *candidates) consider(k);
    } else {
      for (std::size_t k = 0; k < world.bodies.size(); ++k) consider(k);
    }
  }

  void add(Vec2d x, double radius) {
    const auto index = circles_.size();
    circles_.push_back({x, radius});
    if (radius > cell_) {
      large_.push_back(index);
    } else {
      cells_[key(x, 0, 0)].push_back(index);
    }
  }

  // True when a circle at x keeps `clearance` from all others.
  bool free(Vec2d x, double radius, double clearance) const {
    const auto clear = [&](std::size_t c) {
      // Rounding must not part neighbours of a lattice whose pitch is just this reach.
      const double reach = (radius + circles_[c].radius + clearance) * (1 - 1e-9);
      return norm2(world_.separation(x, circles_[c].x)) >= reach * reach;
    };
    if (!std::all_of(large_.begin(), large_.end(), clear)) return false;
    const Vec2d period = world_.periodic.box.hi - world_.periodic.box.lo;
    const int sx = world_.periodic.x ? 1 : 0;
    const int sy = world_.periodic.y ? 1 : 0;
    for (int a = -sx; a <= sx; ++a) {
      for (int b = -sy; b <= sy; ++b) {
        if (!free_around(x + Vec2d{a * period.x, b * period.y}, radius + clearance, clear)) return false;
      }
    }
    return true;
  }

 private:
  struct Circle {
    Vec2d x;
    double radius;
  };
  // Asks the circles in the cells within reach of x.
  template <class Clear>
  bool free_around(Vec2d x, double reach, Clear clear) const {
    const int range = static_cast<int>(std::ceil((reach + cell_) / cell_));
    for (int i = -range; i <= range; ++i) {
      for (int j = -range; j <= range; ++j) {
        const auto it = cells_.find(key(x, i, j));
        if (it != cells_.end() && !std::all_of(it->second.begin(), it->second.end(), clear)) return false;
      }
    }
    return true;
  }
  std::int64_t key(Vec2d x, int di, int dj) const {
    const auto i = static_cast<std::int64_t>(std::floor(x.x / cell_)) + di;
    const auto j = static_cast<std::int64_t>(std::floor(x.y / cell_)) + dj;
    return i * 0x100000001LL + j;
  }
  const World& world_;
  double cell_;
  std::vector<Circle> circles_;
  std::vector<std::size_t> large_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> cells_;
};

double largest_radius(const World& world, const Insertion& in) {
  double r = 0;
  for (const MixtureEntry& m : in.mixture) r = std::max(r, world.types[static_cast<std::size_t>(m.type)].radius);
  for (const int type : in.sequence) r = std::max(r, world.types[static_cast<std::size_t>(type)].radius);
  return r;
}

// Share of a grain by which rounding of rate * time may be off: 10 / s make 10 grains in a second, not 9.
constexpr double rain_rounding = 1e-9;

// How far a new grain with its clearance may stick out of the region.
double margin_of(const World& world, const Insertion& in) {
  return largest_radius(world, in) + in.clearance + in.jitter;
}

// Grains of a rain that should be there by the end of the coming step.
std::uint64_t wanted_by_then(const World& world, const Insertion& in, double dt) {
  const double elapsed = std::min(world.time + dt, in.stop) - in.start;
  const auto due = static_cast<std::uint64_t>(std::max(0.0, std::floor(in.rate * elapsed + rain_rounding)));
  return in.count > 0 ? std::min(due, in.count) : due;
}

class Inserter {
 public:
  Inserter(World& world, Insertion& in, Candidates candidates = {})
      : world_(world),
        in_(in),
        rng_(in.seed, 0x5c3ee, in.draws),
        occupancy_(world, std::max(largest_radius(world, in), 1e-300), in.region, margin_of(world, in), candidates) {}
  ~Inserter() { in_.draws = rng_.counter(); }
  Inserter(const Inserter&) = delete;
  Inserter& operator=(const Inserter&) = delete;

  std::size_t list() {
    for (const Placement& p : in_.list) place(p.type, p.x, p.theta, p.v, p.omega);
    return in_.list.size();
  }

  std::size_t lattice() {
    const double largest = largest_radius(world_, in_);
    const double pitch = in_.spacing > 0 ? in_.spacing : 2 * largest + in_.clearance + 2 * in_.jitter;
    const Vec2d extent = in_.region.hi - in_.region.lo;
    const double margin = largest + in_.jitter;  // of a site from the border, so that no grain crosses it
    const auto sites = [&](double length) {
      const double count = std::floor((length - 2 * margin) / pitch + 1e-9) + 1;
      return static_cast<int>(std::clamp(count, 0.0, 2e9));
    };
    const int nx = sites(extent.x);
    const int ny = sites(extent.y);
    const Vec2d start{in_.region.lo.x + 0.5 * (extent.x - (nx - 1) * pitch), in_.region.lo.y + margin};
    std::size_t placed = 0;
    for (int row = 0; row < ny; ++row) {
      const int j = in_.sequence.empty() ? row : ny - 1 - row;
      for (int i = 0; i < nx && !full(); ++i) {
        const Vec2d site = start + pitch * Vec2d{static_cast<double>(i), static_cast<double>(j)};
        const Vec2d x = site + in_.jitter * Vec2d{rng_.uniform(-1, 1), rng_.uniform(-1, 1)};
        if (!in_disc(x, largest)) continue;
        const int type = next_type();
        placed += try_place({type, draw_angle(rng_)}, x) ? 1 : 0;
      }
    }
    return placed;
  }

  // Ends with the first grain that finds no place: going on with the smaller ones would change the shares.
  std::size_t poisson() {
    constexpr int patience = 4000;  // tries for a grain before the region counts as full
    std::size_t placed = 0;
    for (int failures = 0; failures < patience && !full();) {
      if (try_place_anywhere(next_grain())) {
        ++placed;
        failures = 0;
      } else {
        ++failures;
      }
    }
    return placed;
  }

  // Grains due by the end of the coming step; the one that finds no room now is tried again next step, the others wait.
  std::size_t rain(double dt) {
    constexpr int patience = 20;
    const std::uint64_t due = wanted_by_then(world_, in_, dt);
    std::size_t placed = 0;
    for (int failures = 0; in_.inserted < due && failures < patience;) {
      if (try_place_anywhere(next_grain())) {
        ++placed;
      } else {
        ++failures;
      }
    }
    return placed;
  }

 private:
  struct Grain {
    int type;
    double angle;
  };

  bool full() const { return in_.count > 0 && in_.inserted >= in_.count; }

  bool in_disc(Vec2d x, double radius) const {
    if (in_.disc_radius <= 0) return true;
    return norm(x - 0.5 * (in_.region.lo + in_.region.hi)) + radius <= in_.disc_radius;
  }

  int next_type() {
    if (in_.sequence.empty()) return draw_type(rng_);
    return in_.sequence[in_.inserted % in_.sequence.size()];
  }

  // The grain after the `inserted` first ones: of the seed and its number alone, so that it stays the same grain, try
  // after try and step after step, until it finds a place. A new draw after each failure would favour the small ones.
  Grain next_grain() const {
    Rng rng(in_.seed, 0x9ea15, 2 * in_.inserted);
    const int type = draw_type(rng);
    return {type, draw_angle(rng)};
  }

  double draw_angle(Rng& rng) const {
    return in_.random_angle ? rng.uniform(-std::numbers::pi, std::numbers::pi) : in_.angle;
  }

  int draw_type(Rng& rng) const {
    double total = 0;
    for (const MixtureEntry& m : in_.mixture) total += m.fraction;
    double u = rng.uniform() * total;
    for (const MixtureEntry& m : in_.mixture) {
      u -= m.fraction;
      if (u < 0) return m.type;
    }
    return in_.mixture.back().type;
  }

  Vec2d draw_site(int type) {
    const double r = world_.types[static_cast<std::size_t>(type)].radius;
    // In the middle of a region that is narrower than the grain.
    const auto draw = [&](double lo, double hi) {
      const double room = std::max(0.0, 0.5 * (hi - lo) - r);
      return 0.5 * (lo + hi) + room * rng_.uniform(-1, 1);
    };
    const double x = draw(in_.region.lo.x, in_.region.hi.x);
    return {x, draw(in_.region.lo.y, in_.region.hi.y)};
  }

  bool try_place_anywhere(Grain grain) {
    const Vec2d x = draw_site(grain.type);
    return in_disc(x, world_.types[static_cast<std::size_t>(grain.type)].radius) && try_place(grain, x);
  }

  bool try_place(Grain grain, Vec2d x) {
    const double radius = world_.types[static_cast<std::size_t>(grain.type)].radius;
    if (!occupancy_.free(x, radius, in_.clearance)) return false;
    occupancy_.add(x, radius);
    place(grain.type, x, grain.angle, in_.velocity, in_.omega);
    return true;
  }

  void place(int type, Vec2d x, double theta, Vec2d v, double omega) {
    world_.add_body(type, in_.group, in_.kind, x, theta, v, omega);
    const std::size_t body = world_.bodies.size() - 1;
    world_.wrap(body);
    world_.bodies.force[body] = world_.types[static_cast<std::size_t>(type)].mass * world_.gravity.at(world_.time);
    world_.ledger.inserted += body_energy(world_, body);
    ++in_.inserted;
  }

  World& world_;
  Insertion& in_;
  Rng rng_;
  Occupancy occupancy_;
};

void demand_all_placed(const Insertion& in) {
  if (in.inserted >= std::max<std::uint64_t>(in.count, 1)) return;
  throw Error(ErrorKind::input, "insert '" + in.name + "'",
              cat("only ", in.inserted, in.count > 0 ? cat(" of ", in.count) : "", " grains fit into the region [",
                  in.region.lo.x, ", ", in.region.lo.y, "] to [", in.region.hi.x, ", ", in.region.hi.y, "]"),
              "enlarge the region, lower count, clearance or spacing, or use method = \"rain\"");
}

bool rain_is_over(const World& world, const Insertion& in) {
  return world.time >= in.stop || (in.count > 0 && in.inserted >= in.count);
}

bool next_is_due(const World& world, const Insertion& in, double dt) {
  const double next = in.start + (static_cast<double>(in.inserted + 1) - rain_rounding) / in.rate;
  return !rain_is_over(world, in) && world.time + dt >= next;
}

bool has_begun(const World& world, const Insertion& in) {
  return in.enabled && !in.finished && world.time + 1e-12 * std::max(1.0, world.time) >= in.start;
}

bool run(World& world, Insertion& in, double dt) {
  if (in.method == Insertion::Method::rain) {
    if (rain_is_over(world, in)) in.finished = true;
    return next_is_due(world, in, dt) && Inserter(world, in).rain(dt) > 0;
  }
  in.finished = true;
  std::size_t placed = 0;
  {
    Inserter inserter(world, in);
    if (in.method == Insertion::Method::list) placed = inserter.list();
    if (in.method == Insertion::Method::lattice) placed = inserter.lattice();
    if (in.method == Insertion::Method::poisson) placed = inserter.poisson();
  }
  if (in.method != Insertion::Method::list) demand_all_placed(in);
  return placed > 0;
}

bool rains(const World& world, const Insertion& in, double dt) {
  return in.method == Insertion::Method::rain && has_begun(world, in) && next_is_due(world, in, dt);
}

// True when a grain that comes may be deleted at once.
bool may_come_to_nothing(const World& world, const Insertion& in) {
  return std::ranges::any_of(world.deletion_zones, [&](const DeletionZone& z) {
    const Box &a = z.box, &b = in.region;
    if (z.outside) return !(a.contains(b.lo) && a.contains(b.hi));
    return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y;
  });
}

}  // namespace

bool rain_due(const World& world, double dt) {
  return std::ranges::any_of(world.insertions, [&](const Insertion& in) { return rains(world, in, dt); });
}

Rain coming_rain(const World& world, double dt) {
  double widest = 0;
  for (const GrainType& type : world.types) widest = std::max(widest, type.radius);
  Rain rain;
  for (const Insertion& in : world.insertions) {
    if (!rains(world, in, dt)) continue;
    const std::uint64_t wanted = wanted_by_then(world, in, dt);
    rain.most += static_cast<std::size_t>(wanted > in.inserted ? wanted - in.inserted : 0);
    const double reach = widest + margin_of(world, in);
    rain.regions.push_back({in.region.lo - Vec2d{reach, reach}, in.region.hi + Vec2d{reach, reach}});
    rain.simple = rain.simple && in.kind == BodyKind::moving && !may_come_to_nothing(world, in);
  }
  return rain;
}

std::size_t rain_to_come(const World& world, std::size_t most) {
  double grains = 0;
  for (const Insertion& in : world.insertions) {
    if (in.method != Insertion::Method::rain || !in.enabled || rain_is_over(world, in)) continue;
    const double by_rate = in.rate * (in.stop - world.time) + 1;
    grains += in.count > 0 ? std::min(by_rate, static_cast<double>(in.count - in.inserted)) : by_rate;
  }
  return grains < static_cast<double>(most) ? static_cast<std::size_t>(grains) : most;
}

bool apply_rain(World& world, double dt, std::span<const std::uint32_t> candidates) {
  std::vector<std::uint32_t> in_the_way(candidates.begin(), candidates.end());
  const std::size_t before = world.bodies.size();
  for (Insertion& in : world.insertions) {
    if (!rains(world, in, dt)) continue;
    const auto first = static_cast<std::uint32_t>(world.bodies.size());
    Inserter(world, in, in_the_way).rain(dt);
    for (std::uint32_t k = first; k < world.bodies.size(); ++k) in_the_way.push_back(k);
  }
  return world.bodies.size() > before;
}

bool apply_insertions(World& world, double dt) {
  bool changed = false;
  for (Insertion& in : world.insertions) {
    if (has_begun(world, in)) changed = run(world, in, dt) || changed;
  }
  return changed;
}

}  // namespace scree
