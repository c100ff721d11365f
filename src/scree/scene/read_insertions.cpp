// [[insert]].
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/base/rng.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"

namespace scree {

namespace {

using Method = Insertion::Method;

Method method_of(const Fields& f) {
  const std::string name = f.choice("method");
  if (name == "lattice") return Method::lattice;
  if (name == "poisson") return Method::poisson;
  return name == "rain" ? Method::rain : Method::list;
}

void add_share(const SceneBuilder& b, const Fields& f, const std::string& field, const std::string& grain, double share,
               std::vector<MixtureEntry>& mixture) {
  for (const MixtureEntry& e : reference(f, field, "grain", grain, b.grains)) {
    mixture.push_back({e.type, e.fraction * share});
  }
}

std::vector<MixtureEntry> mixture(const SceneBuilder& b, const Fields& f) {
  std::vector<MixtureEntry> out;
  if (f.has("grain")) {
    add_share(b, f, "grain", f.text("grain"), 1, out);
    return out;
  }
  const toml::node& node = *f.node("mixture");
  if (!node.is_table()) f.fail("mixture", "must be a table such as { sand = 0.7, gravel = 0.3 }, not " + shown(node));
  double total = 0;
  for (const auto& [key, share] : *node.as_table()) {
    const std::string name(key.str());
    const double value = share.is_number() ? share.value_or(-1.0) : -1.0;
    if (!(value >= 0 && value < 1e12)) {
      scene_error(f.source(), share, f.path_of("mixture." + name), "must be a share >= 0, not " + shown(share), {});
    }
    total += value;
    add_share(b, f, "mixture", name, value, out);
  }
  if (!(total > 0)) f.fail("mixture", "has no shares above 0", "give at least one grain a share");
  for (MixtureEntry& e : out) e.fraction /= total;
  std::erase_if(out, [](const MixtureEntry& e) { return e.fraction == 0; });
  return out;
}

std::vector<Placement> placements(const SceneBuilder& b, const Fields& f) {
  std::vector<Placement> out;
  for (const TableEntry& entry : table_list(f.table(), "list", f.path(), b.source)) {
    const Fields item(*entry.table, "insert[].list[]", entry.path, b.source);
    Placement p;
    p.type = single_type(b, item, item.text("grain"));
    p.x = item.vector("position");
    p.theta = item.number("angle");
    p.v = item.vector("velocity");
    p.omega = item.number("spin");
    out.push_back(p);
  }
  return out;
}

double largest_radius(const SceneBuilder& b, const Insertion& in) {
  double r = 0;
  for (const MixtureEntry& e : in.mixture)
    r = std::max(r, b.scene.world.types[static_cast<std::size_t>(e.type)].radius);
  for (const int type : in.sequence) r = std::max(r, b.scene.world.types[static_cast<std::size_t>(type)].radius);
  return r;
}

void read_kinds(const SceneBuilder& b, const Fields& f, Insertion& in) {
  const bool lattice = in.method == Method::lattice;
  const std::string given =
      lattice ? f.exactly_one({"grain", "mixture", "sequence"}) : f.exactly_one({"grain", "mixture"});
  if (given != "sequence") {
    in.mixture = mixture(b, f);
    return;
  }
  for (const std::string& grain : f.texts("sequence")) in.sequence.push_back(single_type(b, f, grain));
  if (in.sequence.empty()) f.fail("sequence", "is empty", "name at least one kind of grain");
}

void read_box(const SceneBuilder& b, const Fields& f, Insertion& in) {
  read_kinds(b, f, in);
  const auto x = f.interval("x");
  const auto y = f.interval("y");
  in.region = {{x[0], y[0]}, {x[1], y[1]}};
  in.count = f.large_integer("count");
  in.disc_radius = f.maybe_number("disc").value_or(0);
  in.clearance = f.number("clearance");
  in.velocity = f.vector("velocity");
  in.omega = f.number("spin");
  const std::optional<double> angle = f.maybe_number("angle");
  in.random_angle = !angle;
  in.angle = angle.value_or(0);
  // Grains fit when their bounding circles do: the methods keep these inside the box.
  const double diameter = 2 * largest_radius(b, in);
  for (const std::string axis : {"x", "y"}) {
    const auto range = axis == "x" ? x : y;
    if (range[1] - range[0] < diameter) {
      f.fail(axis, cat("is narrower than the largest grain, whose diameter is ", diameter), "make the box larger");
    }
  }
  if (in.disc_radius > 0 && 2 * in.disc_radius < diameter) {
    f.fail("disc", cat("is smaller than the largest grain, whose radius is ", 0.5 * diameter), "make the disc larger");
  }
}

// What a fill may try: more would take hours and all memory before the first step.
constexpr double most_sites = 2e7;
constexpr std::uint64_t most_poisson = 10'000'000;

// Sites of the lattice along one side of the box.
double sites(double length, double diameter, double pitch) {
  return std::max(0.0, std::floor((length - diameter) / pitch * (1 + 1e-12)) + 1);
}

// Grains of mean size that fill the box by area alone.
double room_by_area(const SceneBuilder& b, const Insertion& in) {
  double circle = 0;
  for (const MixtureEntry& e : in.mixture) {
    const double r = b.scene.world.types[static_cast<std::size_t>(e.type)].radius + 0.5 * in.clearance;
    circle += e.fraction * std::numbers::pi * r * r;
  }
  const Vec2d extent = in.region.hi - in.region.lo;
  const double box = extent.x * extent.y;
  const double area = in.disc_radius > 0 ? std::min(box, std::numbers::pi * in.disc_radius * in.disc_radius) : box;
  return area / circle;
}

void check_poisson(const SceneBuilder& b, const Fields& f, const Insertion& in) {
  if (in.count > most_poisson) {
    f.fail("count", cat("of ", in.count, " is more than ", most_poisson), "lower count, or use a lattice");
  }
  if (in.count > 0) return;
  const double room = room_by_area(b, in);
  if (!(room <= most_sites)) {
    f.fail("x", cat("and y make a box with room for ", room, " grains, more than ", most_sites),
           "give count, a smaller box or larger grains");
  }
}

void read_lattice(const SceneBuilder& b, const Fields& f, Insertion& in) {
  in.spacing = f.maybe_number("spacing").value_or(0);
  in.jitter = f.number("jitter");
  const double diameter = 2 * largest_radius(b, in);
  const double pitch = in.spacing > 0 ? in.spacing : diameter + in.clearance + 2 * in.jitter;
  const Vec2d extent = in.region.hi - in.region.lo;
  const double room = sites(extent.x, diameter, pitch) * sites(extent.y, diameter, pitch);
  if (!(room <= most_sites)) {
    f.fail(in.spacing > 0 ? "spacing" : "x",
           cat("makes a lattice of ", room, " sites at pitch ", pitch, ", more than ", most_sites),
           "choose a larger spacing, a smaller box or larger grains");
  }
  if (static_cast<double>(in.count) > room) {
    f.fail("count", cat("of ", in.count, " does not fit: the lattice of pitch ", pitch, " has ", room, " sites"),
           "enlarge the box, or lower count, spacing, clearance or jitter");
  }
}

void read_timing(const SceneBuilder& b, const Fields& f, std::size_t index, Insertion& in) {
  in.start = f.number("start");
  in.enabled = f.boolean("enabled");
  in.seed = f.has("seed") ? f.large_integer("seed") : mix64(b.scene.run.seed + 0x9e3779b97f4a7c15ULL * (index + 1));
  if (in.method != Method::rain) return;
  in.rate = f.number("rate");
  if (f.has("stop")) in.stop = f.number("stop");
  if (!(in.stop > in.start)) f.fail("stop", "is not after start", "make stop later");
}

}  // namespace

void read_insertions(SceneBuilder& b) {
  const std::vector<TableEntry> entries = table_list(b.root, "insert", "", b.source);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Fields f(*entries[i].table, "insert[]", entries[i].path, b.source);
    Insertion in;
    in.name = entry_name(f, "insert", i, b.insertions);
    in.method = method_of(f);
    in.group = b.group(f.text("group"));
    in.kind = body_kind(f);
    read_timing(b, f, i, in);
    if (in.method == Method::list) {
      in.list = placements(b, f);
    } else {
      read_box(b, f, in);
    }
    if (in.method == Method::lattice) read_lattice(b, f, in);
    if (in.method == Method::poisson) check_poisson(b, f, in);
    b.insertions[in.name] = static_cast<int>(i);
    b.world().insertions.push_back(std::move(in));
  }
}

}  // namespace scree
