#pragma once
// Grains that leave, and how grains move.
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "scree/measure/memory.hpp"
#include "scree/measure/packing.hpp"
#include "scree/measure/selection.hpp"

namespace scree {

// Counts grains that were seen inside a region and are not inside now: fallen out of it, or deleted. A grain that comes
// back counts as inside again. Snapshots are given in order of time.
class DischargeCounter {
 public:
  void add(const Snapshot& s, const Selection& inside);

  std::size_t count() const { return seen_count_ - inside_count_; }
  double mass() const { return seen_mass_ - inside_mass_; }
  std::size_t inside() const { return inside_count_; }
  void remember(Memory& m) { m(seen_), m(seen_count_), m(inside_count_), m(seen_mass_), m(inside_mass_); }

 private:
  std::unordered_set<std::uint32_t> seen_;  // ids; they need not be dense
  std::size_t seen_count_ = 0, inside_count_ = 0;
  double seen_mass_ = 0, inside_mass_ = 0;
};

struct Discharge {
  std::size_t count = 0;
  double mass = 0;
  std::optional<double> rate;       // grains / time, over the window; nothing at the first sample
  std::optional<double> mass_rate;  // mass / time
};

// Discharge with its rate: the growth since the latest sample that is at least `window` old, or the first one while
// there is none. Window 0: since the sample before.
class DischargeMeter {
 public:
  explicit DischargeMeter(double window) : window_(window) {}
  Discharge add(const Snapshot& s, const Selection& inside);
  void remember(Memory& m) { m(counter_), m(samples_); }

 private:
  struct Sample {
    double time = 0;
    std::size_t count = 0;
    double mass = 0;
    void remember(Memory& m) { m(time), m(count), m(mass); }
  };
  double window_;
  DischargeCounter counter_;
  std::vector<Sample> samples_;  // no older than the rate needs
};

struct Clog {
  bool clogged = false;
  double idle = 0;            // time since the last grain left, or since the first sample
  std::size_t remaining = 0;  // grains inside that could still leave: above the opening
  std::size_t discharged = 0;
};

// Clogged: nothing has left for `hold`, and grains remain above the opening (x interval; none: the whole region).
class ClogDetector {
 public:
  ClogDetector(double hold, std::optional<Vec2d> opening) : hold_(hold), opening_(opening) {}
  Clog add(const Snapshot& s, const Selection& inside);
  void remember(Memory& m) { m(counter_), m(last_), m(most_); }

 private:
  double hold_;
  std::optional<Vec2d> opening_;
  DischargeCounter counter_;
  std::optional<double> last_;  // time of the last change
  std::size_t most_ = 0;
};

struct VelocitySlice {
  double lo = 0, hi = 0;
  double grains = 0;       // by centroid; a mean over the samples taken
  Vec2d velocity;          // mean, by mass
  double omega = 0;        // mean, by number
  double temperature = 0;  // sum m |v - mean|^2 / (2 sum m)
};

// Velocities by slices of the region along an axis. Several samples are averaged over, as if they were one.
class VelocityProfile {
 public:
  VelocityProfile(Axis axis, int slices) : axis_(axis), sums_(static_cast<std::size_t>(slices)) {}
  // Open sides of the region are closed at the first sample.
  void add(const Snapshot& s, const Selection& selection);
  std::vector<VelocitySlice> slices() const;
  void remember(Memory& m) { m(region_), m(sums_), m(samples_); }

 private:
  struct Sums {
    double grains = 0, mass = 0, omega = 0, square = 0;
    Vec2d momentum;
    void remember(Memory& m) { m(grains), m(mass), m(omega), m(square), m(momentum); }
  };
  Axis axis_;
  std::optional<Box> region_;
  std::vector<Sums> sums_;
  std::size_t samples_ = 0;
};

}  // namespace scree
