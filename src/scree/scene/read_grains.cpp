// [grains.NAME]: types of the world, several for a size distribution.
#include <algorithm>
#include <numeric>

#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"
#include "scree/scene/size_classes.hpp"

namespace scree {

namespace {

// Every pair of types may need a contact map, so their number grows with the square.
constexpr std::size_t most_types = 200;

std::vector<SizeClass> stated_classes(const Fields& f) {
  const std::vector<double> radii = f.numbers("radii");
  if (radii.empty()) f.fail("radii", "is empty", "give at least one radius");
  std::vector<double> fractions(radii.size(), 1.0);
  if (f.has("fractions")) fractions = f.numbers("fractions");
  if (fractions.size() != radii.size()) {
    f.fail("fractions", cat("has ", fractions.size(), " entries for ", radii.size(), " radii"), "give one for each");
  }
  const double total = std::accumulate(fractions.begin(), fractions.end(), 0.0);
  if (!(total > 0)) f.fail("fractions", "are all 0", "give at least one class a share");
  std::vector<SizeClass> out;
  for (std::size_t i = 0; i < radii.size(); ++i) out.push_back({radii[i], fractions[i] / total});
  return out;
}

std::vector<SizeClass> distribution(const Fields& grain) {
  const Fields f(*grain.node("radius")->as_table(), "grains.NAME.radius", grain.path_of("radius"), grain.source());
  const std::string name = f.choice("distribution");
  if (name == "classes") return stated_classes(f);
  const std::vector<SizeClass> out = size_classes(name, f.number("mean"), f.number("spread"), f.integer("classes"));
  if (out.front().radius < 0.01 * f.number("mean")) {
    f.fail("spread", cat("makes a smallest radius of ", out.front().radius), "choose a smaller spread");
  }
  return out;
}

std::vector<SizeClass> sizes(const Fields& f, const Shape& shape) {
  const std::string way = f.exactly_one({"radius", "scale"});
  if (way == "scale") return {{f.number("scale") * shape.natural_radius, 1}};
  if (f.node("radius")->is_table()) return distribution(f);
  return {{f.number("radius"), 1}};
}

// Masses whose squares are no numbers, and sizes that no contact map can hold side by side.
void check_type(const Fields& f, const World& world, const GrainType& type) {
  const auto sane = [](double v) { return v > 1e-100 && v < 1e100; };
  const std::string size = f.has("scale") ? "scale" : "radius";
  if (!sane(type.mass) || !sane(type.inertia))
    f.fail(size, cat("makes a mass of ", type.mass, " and a moment of inertia of ", type.inertia),
           "choose units in which these, and the density, are nearer to 1");
  const auto [small, large] = std::ranges::minmax_element(world.types, {}, &GrainType::radius);
  if (large->radius > most_size_ratio * small->radius)
    f.fail(size, cat("makes grains from ", small->radius, " to ", large->radius, ", too far apart"),
           cat("keep the largest within ", most_size_ratio, " times the smallest; a larger thing can be a wall"));
}

void read_grain(SceneBuilder& b, const NamedTable& entry) {
  const Fields f(*entry.table, "grains.NAME", entry.path, b.source);
  GrainType type;
  type.shape = shape_of(b, f, "shape", f.maybe_text("shape").value_or(entry.name));
  type.material = material_of(b, f);
  const std::vector<SizeClass> classes = sizes(f, *b.world().shapes[static_cast<std::size_t>(type.shape)]);
  std::vector<MixtureEntry>& types = b.grains[entry.name];
  for (std::size_t i = 0; i < classes.size(); ++i) {
    type.name = classes.size() == 1 ? entry.name : cat(entry.name, ":", i + 1);
    type.radius = classes[i].radius;
    types.push_back({b.world().add_type(type), classes[i].fraction});
    check_type(f, b.world(), b.world().types.back());
    if (classes.size() > 1) b.grains[type.name] = {{types.back().type, 1}};
  }
  if (b.world().types.size() > most_types) {
    f.fail("radius", cat("makes ", b.world().types.size(), " types of grain in all, more than ", most_types),
           "use fewer grains or fewer size classes: each pair of types may need a contact map");
  }
}

}  // namespace

void read_grains(SceneBuilder& b) {
  for (const NamedTable& entry : named_tables(b.root, "grains", b.source)) read_grain(b, entry);
}

int single_type(const SceneBuilder& b, const Fields& at, const std::string& name) {
  const std::vector<MixtureEntry>& types = reference(at, "grain", "grain", name, b.grains);
  if (types.size() > 1) {
    at.fail("grain", cat("\"", name, "\" has ", types.size(), " size classes"),
            cat("name one of them, \"", name, ":1\" to \"", name, ":", types.size(), "\""));
  }
  return types.front().type;
}

BodyKind body_kind(const Fields& at) {
  const std::string kind = at.choice("kind");
  if (kind == "fixed") return BodyKind::fixed;
  return kind == "kinematic" ? BodyKind::kinematic : BodyKind::moving;
}

}  // namespace scree
