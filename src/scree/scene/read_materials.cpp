// [materials.NAME] and [[pairs]].
#include <algorithm>
#include <limits>

#include "scree/scene/builder.hpp"

namespace scree {

namespace {

// Large steps have no use for a stiffness but this, and none follows from their dt.
void refuse_damping_alone(const SceneBuilder& b, const Fields& f) {
  if (b.scene.step.solver == "implicit")
    f.fail("normal_damping", "says nothing without a stiffness, with solver = \"implicit\"",
           "give stiffness too, or restitution instead of normal_damping");
}

Material read_material(SceneBuilder& b, const Fields& f, const std::string& name) {
  Material m;
  m.name = name;
  f.at_most_one({"restitution", "normal_damping"});
  m.density = f.number("density");
  m.friction = f.number("friction");
  m.restitution = f.number("restitution");
  m.normal_damping = f.maybe_number("normal_damping");
  m.tangential_ratio = f.number("tangential_ratio");
  m.tangential_damping_ratio = f.number("tangential_damping_ratio");
  m.rotational_damping = f.number("rotational_damping");
  m.rolling_friction = f.number("rolling_friction");
  const std::optional<double> stiffness = f.maybe_number("stiffness");
  if (!stiffness && b.scene.step.dt == 0 && b.scene.step.solver == "explicit") {
    f.fail("stiffness", "is \"auto\" while step.dt is \"auto\" too", "give a number to one of the two");
  }
  if (!stiffness) {
    if (m.normal_damping) refuse_damping_alone(b, f);
    b.auto_stiffness.push_back(static_cast<int>(b.world().materials.size()));
  }
  m.stiffness = stiffness.value_or(1);
  return m;
}

}  // namespace

void read_materials(SceneBuilder& b) {
  static const toml::table nothing;
  std::vector<NamedTable> tables = named_tables(b.root, "materials", b.source);
  if (tables.empty()) tables.push_back({"default", &nothing, "materials.default"});
  for (const NamedTable& entry : tables) {
    const Fields f(*entry.table, "materials.NAME", entry.path, b.source);
    b.materials[entry.name] = static_cast<int>(b.world().materials.size());
    b.world().materials.push_back(read_material(b, f, entry.name));
  }
}

void read_pairs(SceneBuilder& b) {
  for (const TableEntry& entry : table_list(b.root, "pairs", "", b.source)) {
    const Fields f(*entry.table, "pairs[]", entry.path, b.source);
    const std::vector<std::string> names = f.texts("materials");
    if (names.size() != 2) f.fail("materials", "must name two materials", "the same twice is allowed");
    f.at_most_one({"restitution", "normal_damping"});
    PairOverride pair;
    pair.material_a = reference(f, "materials", "material", names[0], b.materials);
    pair.material_b = reference(f, "materials", "material", names[1], b.materials);
    for (const PairOverride& p : b.world().pair_overrides) {
      const bool same = std::minmax(p.material_a, p.material_b) == std::minmax(pair.material_a, pair.material_b);
      if (same) f.fail("materials", "this pair of materials is there already", "put both into one entry");
    }
    pair.friction = f.maybe_number("friction");
    pair.restitution = f.maybe_number("restitution");
    pair.normal_damping = f.maybe_number("normal_damping");
    pair.stiffness = f.maybe_number("stiffness");
    const auto automatic = [&](int material) { return std::ranges::count(b.auto_stiffness, material) > 0; };
    if (pair.normal_damping && !pair.stiffness && (automatic(pair.material_a) || automatic(pair.material_b)))
      refuse_damping_alone(b, f);
    pair.tangential_ratio = f.maybe_number("tangential_ratio");
    pair.tangential_damping_ratio = f.maybe_number("tangential_damping_ratio");
    pair.rotational_damping = f.maybe_number("rotational_damping");
    pair.rolling_friction = f.maybe_number("rolling_friction");
    b.world().pair_overrides.push_back(pair);
  }
}

int material_of(const SceneBuilder& b, const Fields& at) {
  if (at.has("material")) return reference(at, "material", "material", at.text("material"), b.materials);
  if (b.materials.size() == 1) return 0;
  return reference(at, "material", "material", "default", b.materials);
}

}  // namespace scree
