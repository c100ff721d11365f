#include "scree/step/watchdog.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/contact/wall_features.hpp"

namespace scree {

double thinnest_moving(const World& world) {
  const std::vector<TypeUse> use = type_use(world);
  double thinnest = 0;
  for (std::size_t t = 0; t < world.types.size(); ++t) {
    if (!use[t].moving) continue;
    thinnest = thinnest == 0 ? world.types[t].thinnest : std::min(thinnest, world.types[t].thinnest);
  }
  return thinnest;
}

std::string describe_grain(const World& world, std::size_t body) {
  return cat("grain ", world.bodies.id[body], " (", world.types[world.bodies.type[body]].name, ") at (",
             world.bodies.x[body].x, ", ", world.bodies.x[body].y, ")");
}

std::string describe_time(const World& world) { return cat("t = ", world.time, ", step ", world.step); }

namespace {

enum class Fault : std::uint8_t { none, not_finite, too_fast, lost };

struct Finding {
  Fault fault = Fault::none;
  std::size_t body = 0;
  double fastest = 0;
};

// Speed of the fastest point of a grain.
double point_speed(const World& world, std::size_t k) {
  const Bodies& b = world.bodies;
  return norm(b.v[k]) + std::abs(b.omega[k]) * world.types[b.type[k]].radius;
}

Fault examine(const World& world, std::size_t k, double limit, double& fastest) {
  const Bodies& b = world.bodies;
  if (!std::isfinite(b.x[k].x + b.x[k].y + b.theta[k] + b.v[k].x + b.v[k].y + b.omega[k])) return Fault::not_finite;
  const double speed = point_speed(world, k);
  fastest = std::max(fastest, speed);
  if (speed > limit) return Fault::too_fast;
  return world.bounds.contains(b.x[k]) ? Fault::none : Fault::lost;
}

Finding examine_all(const World& world, double limit, ThreadPool& pool) {
  const std::size_t n = world.bodies.size();
  std::vector<Finding> parts(chunk_count(n, default_chunk));
  for_chunks(pool, n, [&](std::size_t begin, std::size_t end, std::size_t c) {
    Finding& f = parts[c];
    for (std::size_t k = begin; k < end; ++k) {
      if (world.bodies.kind[k] != BodyKind::moving) continue;
      const Fault fault = examine(world, k, limit, f.fastest);
      if (fault != Fault::none && f.fault == Fault::none) f.fault = fault, f.body = k;
    }
  });
  Finding total;
  for (const Finding& f : parts) {
    total.fastest = std::max(total.fastest, f.fastest);
    if (total.fault == Fault::none && f.fault != Fault::none) total.fault = f.fault, total.body = f.body;
  }
  return total;
}

[[noreturn]] void bark_speed(const World& world, std::size_t body, const char* does, double speed, double limit,
                             const StepSettings& settings) {
  throw Error(ErrorKind::physics, describe_time(world),
              cat(describe_grain(world, body), does, speed, ", faster than the limit ", limit),
              cat("contacts cannot be resolved at this speed: ",
                  settings.solver == "implicit" ? "raise step.most_substeps, or step.substeps where given, " : "",
                  "lower step.dt (now ", settings.dt,
                  "), check initial overlaps, or raise watchdog.max_speed if the speed is meant"));
}

[[noreturn]] void bark(const World& world, const Finding& f, double limit, const StepSettings& settings) {
  const double dt = settings.dt;
  switch (f.fault) {
    case Fault::not_finite:
      throw Error(ErrorKind::physics, describe_time(world),
                  describe_grain(world, f.body) + " has a position or velocity that is not a number",
                  cat("the step is unstable: lower step.dt (now ", dt, ")",
                      settings.solver == "implicit" ? ", or look for speeds and sizes that are far off"
                                                    : " or the stiffness of its material"));
    case Fault::too_fast:
      bark_speed(world, f.body, " moves at ", point_speed(world, f.body), limit, settings);
    default:
      throw Error(ErrorKind::physics, describe_time(world),
                  describe_grain(world, f.body) + " has left the bounds of the scene",
                  "close the gap in the walls, enlarge [bounds], or delete such grains with a [[delete]] zone");
  }
}

[[noreturn]] void bark_overlap(const World& world, const Contact& c, double relative, const StepSettings& s) {
  const std::string partner =
      c.a == no_body ? "wall '" + world.walls[static_cast<std::size_t>(c.wall)].name + "'" : describe_grain(world, c.a);
  const std::string met = cat(describe_grain(world, c.b), " overlaps ", partner, " by ", -c.gap);
  if (std::isinf(relative))
    throw Error(ErrorKind::physics, describe_time(world),
                met + ", which has no thickness: a corner that crosses it is lost to it",
                "give the wall a thickness, some tenths of the grains' thinnest feature");
  throw Error(ErrorKind::physics, describe_time(world),
              cat(met, ", ", relative, " of the thinnest feature (limit ", s.watchdog.max_overlap, ")"),
              cat(s.solver == "implicit" ? "raise step.most_substeps, give step.substeps, or lower step.dt (now "
                                         : "raise the stiffness and lower step.dt (now ",
                  s.dt, "), or start the grains farther apart if this is the first step"));
}

}  // namespace

OverlapGauge::OverlapGauge(const World& world, const TypeTables& tables)
    : tables_(tables), wall_count_(world.walls.size()) {
  for (const GrainType& type : world.types) {
    const bool is_disc = world.shapes[static_cast<std::size_t>(type.shape)]->is_disc;
    for (const Wall& wall : world.walls) { walls_.push_back(wall_overlap_limit(type, is_disc, wall)); }
  }
}

double OverlapGauge::deepest(const World& world, std::span<const Contact> contacts) const {
  double deepest = 0;
  for (const Contact& c : contacts) deepest = std::max(deepest, relative(world, c));
  return deepest;
}

double OverlapGauge::deepest(const World& world, ThreadPool& pool) const {
  const std::span<const Contact> all = world.contacts;
  std::vector<double> parts(chunk_count(all.size(), default_chunk), 0);
  for_chunks(pool, all.size(), [&](std::size_t begin, std::size_t end, std::size_t k) {
    parts[k] = deepest(world, all.subspan(begin, end - begin));
  });
  return parts.empty() ? 0 : std::ranges::max(parts);
}

void watch(const World& world, const OverlapGauge& overlaps, const StepSettings& settings, ThreadPool& pool,
           StepStats& stats) {
  const double limit = settings.watchdog.max_speed > 0 ? settings.watchdog.max_speed : 4.5 * stats.advised_speed;
  const Finding f = examine_all(world, limit > 0 ? limit : 1e300, pool);
  stats.max_speed = f.fastest;
  if (settings.watchdog.enabled && f.fault != Fault::none) bark(world, f, limit, settings);
  if (settings.watchdog.enabled && limit > 0 && stats.meeting.speed > limit)
    bark_speed(world, stats.meeting.body, " meets others or a wall at ", stats.meeting.speed, limit, settings);
  if (!settings.watchdog.enabled || stats.deepest_overlap <= settings.watchdog.max_overlap) return;
  const auto deepest = std::find_if(world.contacts.begin(), world.contacts.end(), [&](const Contact& c) {
    return overlaps.relative(world, c) == stats.deepest_overlap;
  });
  bark_overlap(world, *deepest, stats.deepest_overlap, settings);
}

}  // namespace scree
