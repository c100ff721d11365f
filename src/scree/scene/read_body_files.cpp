// [[bodies]] with `file`: grains that another program, or an earlier run, has placed.
#include <cmath>
#include <limits>
#include <set>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/body_file.hpp"
#include "scree/scene/builder.hpp"
#include "scree/scene/scene_files.hpp"

namespace scree {

namespace {

// One row after another; what the file does not say comes from the fields of the entry.
class BodyRows {
 public:
  BodyRows(SceneBuilder& b, const Fields& f, const BodyTable& table)
      : b_(b),
        f_(f),
        table_(table),
        velocity_(f.vector("velocity")),
        angle_(f.number("angle")),
        spin_(f.number("spin")) {}

  void add_all() {
    for (std::size_t row = 0; row < table_.rows; ++row) add(row);
  }

 private:
  static constexpr int most_groups = std::numeric_limits<std::uint16_t>::max();

  void add(std::size_t row) {
    const int type = type_of(row);
    const BodyKind kind = kind_of(row);
    const Vec2d x{number(row, "x", 0), number(row, "y", 0)};
    const double angle = number(row, "angle", angle_);
    const Vec2d v{number(row, "vx", velocity_.x), number(row, "vy", velocity_.y)};
    const double spin = number(row, "spin", spin_);
    const bool moving = kind == BodyKind::moving;
    const int group = b_.group(text(row, "group", "group"));
    if (group > most_groups) fail(row, "group", cat("makes more than ", most_groups, " groups"), "use fewer");
    b_.world().add_body(type, group, kind, x, angle, moving ? v : Vec2d{}, moving ? spin : 0);
    compare_radius(row, type);
  }

  double number(std::size_t row, const char* column, double otherwise) const {
    const auto found = table_.numbers.find(column);
    if (found == table_.numbers.end()) return otherwise;
    const double value = found->second[row];
    if (!std::isfinite(value)) fail(row, column, "is not a finite number", "give a number, or leave the row out");
    return value;
  }

  // The column's text, or the entry's field.
  std::string text(std::size_t row, const std::string& column, const std::string& field) const {
    const auto found = table_.texts.find(column);
    if (found != table_.texts.end() && !found->second[row].empty()) return found->second[row];
    return f_.maybe_text(field).value_or("");
  }

  int type_of(std::size_t row) {
    const std::string name = text(row, "grain", "grain");
    if (const auto known = types_.find(name); known != types_.end()) return known->second;
    if (name.empty()) {
      if (table_.has("grain")) fail(row, "grain", "is empty", "name a kind of grain");
      f_.fail("grain", "is required, for the file has no column of that name", "name the kind of all its grains");
    }
    const auto found = b_.grains.find(name);
    if (found == b_.grains.end()) {
      std::vector<std::string> names;
      for (const auto& [grain, types] : b_.grains) names.push_back(grain);
      if (!table_.has("grain")) f_.fail("grain", "unknown grain \"" + name + "\"", suggestion(name, names));
      fail(row, "grain", "\"" + name + "\" is not in [grains] of the scene", suggestion(name, names));
    }
    if (found->second.size() > 1)
      fail(row, "grain", cat("\"", name, "\" has ", found->second.size(), " size classes"),
           cat("name one of them, \"", name, ":1\" to \"", name, ":", found->second.size(), "\""));
    return types_[name] = found->second.front().type;
  }

  BodyKind kind_of(std::size_t row) const {
    const std::string word = text(row, "kind", "kind");
    if (word == "moving" || word.empty()) return BodyKind::moving;
    if (word == "fixed") return BodyKind::fixed;
    if (word == "kinematic") return BodyKind::kinematic;
    fail(row, "kind", "\"" + word + "\" is no kind of body", suggestion(word, {"moving", "fixed", "kinematic"}));
  }

  // A grain of another size than in the file is likely to overlap its neighbours: said once a kind.
  void compare_radius(std::size_t row, int type) {
    const GrainType& grain = b_.world().types[static_cast<std::size_t>(type)];
    const double radius = number(row, "radius", grain.radius);
    if (std::abs(radius - grain.radius) <= 1e-6 * grain.radius || !compared_.insert(type).second) return;
    b_.warn(f_, cat("grain \"", grain.name, "\" has radius ", radius, " in the file and ", grain.radius, " here"));
  }

  [[noreturn]] void fail(std::size_t row, const std::string& column, const std::string& problem,
                         const std::string& remedy) const {
    throw Error(ErrorKind::input, table_.place(row, column), problem, remedy);
  }

  SceneBuilder& b_;
  const Fields& f_;
  const BodyTable& table_;
  Vec2d velocity_;
  double angle_, spin_;
  std::map<std::string, int> types_;  // by name, as met
  std::set<int> compared_;
};

}  // namespace

void read_body_file(SceneBuilder& b, const Fields& f, toml::table* entry) {
  const std::filesystem::path path = existing_file(b, f, "file");
  const BodyTable table =
      read_body_table({path, f.maybe_text("table").value_or(""), f.maybe_number("time"), f.texts("ignore")});
  BodyRows(b, f, table).add_all();
  keep_file(b, entry, "file", path);
}

}  // namespace scree
