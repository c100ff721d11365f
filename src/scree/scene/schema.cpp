#include "scree/scene/schema.hpp"

#include <algorithm>
#include <stdexcept>

#include "scree/base/text.hpp"
#include "scree/scene/schema_tools.hpp"

namespace scree {

namespace {

std::vector<Section> all_sections() {
  std::vector<Section> all;
  for (auto part : {schema::run_sections, schema::matter_sections, schema::body_sections, schema::wall_sections,
                    schema::time_sections, schema::measure_sections}) {
    for (Section& section : part()) all.push_back(std::move(section));
  }
  return all;
}

std::string type_text(const Field& f) {
  const auto word = [&] { return f.words.empty() ? std::string{} : " or `\"" + join(f.words, "\"`, `\"") + "\"`"; };
  switch (f.type) {
    case FieldType::real:
      return "number" + word();
    case FieldType::angle:
      return "angle" + word();
    case FieldType::integer:
      return "integer" + word();
    case FieldType::boolean:
      return "true or false";
    case FieldType::text:
      return "text";
    case FieldType::word:
      return "`\"" + join(f.words, "\"`, `\"") + "\"`";
    case FieldType::vector:
      return "`[x, y]`";
    case FieldType::interval:
      return "`[lo, hi]`";
    case FieldType::texts:
      return "list of text";
    case FieldType::numbers:
      return "list of numbers";
    case FieldType::points:
      return "`[[x, y], ...]`";
    case FieldType::loops:
      return "`[[[x, y], ...], ...]`";
    case FieldType::table:
      return "table";
    case FieldType::tables:
      return "list of tables";
    case FieldType::size:
      return "number or table";
  }
  return {};
}

std::string default_text(const Field& f) {
  if (f.required) return "required";
  return f.fallback.empty() ? "none" : "`" + f.fallback + "`";
}

std::string row(const Section& section, const Field& f) {
  std::string meaning = f.meaning;
  if (!f.only.empty()) meaning += " (" + section.selector + ": " + join(f.only) + ")";
  const std::string range = f.range.text();
  return "| `" + f.name + "` | " + type_text(f) + (range.empty() ? "" : ", " + range) + " | " + default_text(f) +
         " | " + f.unit + " | " + meaning + " |\n";
}

std::string heading(const std::string& name) {
  if (name.empty()) return "Top level";
  if (name.ends_with("[]")) return "`[[" + name.substr(0, name.size() - 2) + "]]`";
  return "`[" + name + "]`";
}

}  // namespace

std::string Range::text() const {
  if (lowest == -unlimited && highest == unlimited) return {};
  if (highest == unlimited) return cat(open ? "> " : ">= ", lowest);
  if (lowest == -unlimited) return cat("<= ", highest);
  return cat(open ? "above " : "", lowest, " to ", highest);
}

const Field* Section::find(const std::string& field) const {
  const auto it = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == field; });
  return it == fields.end() ? nullptr : &*it;
}

std::vector<std::string> Section::field_names(const std::string& selected) const {
  std::vector<std::string> names;
  for (const Field& f : fields) {
    const bool exists = selected.empty() || f.only.empty() || std::ranges::count(f.only, selected) > 0;
    if (exists) names.push_back(f.name);
  }
  return names;
}

const std::vector<Section>& scene_schema() {
  static const std::vector<Section> schema = all_sections();
  return schema;
}

const Section& schema_section(const std::string& name) {
  for (const Section& section : scene_schema()) {
    if (section.name == name) return section;
  }
  throw std::logic_error("the scene schema has no section '" + name + "'");
}

std::string schema_markdown() {
  std::string out;
  for (const Section& section : scene_schema()) {
    out += "### " + heading(section.name) + "\n\n" + section.summary + "\n\n";
    out += "| field | type and range | default | unit | meaning |\n|---|---|---|---|---|\n";
    for (const Field& f : section.fields) out += row(section, f);
    out += "\n";
  }
  return out;
}

}  // namespace scree
