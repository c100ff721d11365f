#include "scree/map/map_file.hpp"

#include <charconv>
#include <cstring>

#include "scree/base/error.hpp"
#include "scree/base/hash.hpp"
#include "scree/base/text.hpp"
#include "scree/map/checksum.hpp"
#include "scree/map/neural_map.hpp"
#include "scree/map/table_map.hpp"

namespace scree {
namespace {

constexpr const char* format_name = "scree-map";

[[noreturn]] void refuse(const std::string& where, const std::string& problem) {
  throw Error(ErrorKind::input, where, problem, "delete the file; the map is built again when it is needed");
}

std::string exact_text(double v) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr};
}

// Reads metadata fields and names the file and the field when one is missing or no number.
struct Fields {
  const std::map<std::string, std::string>& data;
  const std::string& where;

  const std::string& text(const std::string& name) const {
    const auto it = data.find(name);
    if (it == data.end()) refuse(where, "the metadata has no field '" + name + "'");
    return it->second;
  }
  template <class T>
  T number(const std::string& name, int base = 10) const {
    const std::string& s = text(name);
    T v{};
    std::from_chars_result r;
    if constexpr (std::is_floating_point_v<T>)
      r = std::from_chars(s.data(), s.data() + s.size(), v);
    else
      r = std::from_chars(s.data(), s.data() + s.size(), v, base);
    if (r.ec != std::errc() || r.ptr != s.data() + s.size()) refuse(where, "field '" + name + "' is no number: " + s);
    return v;
  }
  std::uint64_t hex(const std::string& name) const { return number<std::uint64_t>(name, 16); }
};

void put_identity(std::map<std::string, std::string>& meta, const MapIdentity& id) {
  const MapSettings& s = id.settings;
  meta["scree.shape_a"] = id.name_a;
  meta["scree.shape_b"] = id.name_b;
  meta["scree.hash_a"] = to_hex(id.hash_a);
  meta["scree.hash_b"] = to_hex(id.hash_b);
  meta["scree.ratio"] = exact_text(id.ratio);
  meta["scree.key"] = to_hex(id.key());
  meta["settings.kind"] = s.kind;
  meta["settings.epsilon"] = exact_text(s.epsilon);
  meta["settings.nodes"] = std::to_string(s.nodes);
  meta["settings.theta_nodes"] = std::to_string(s.theta_nodes);
  meta["settings.storage"] = s.storage == TableStorage::fp16 ? "fp16" : "fp32";
  meta["settings.net"] = s.net;
  meta["settings.seed"] = std::to_string(s.seed);
  meta["settings.samples"] = std::to_string(s.samples);
  meta["settings.epochs"] = std::to_string(s.epochs);
  meta["settings.grid"] = std::to_string(s.grid);
}

MapIdentity get_identity(const Fields& f) {
  MapIdentity id;
  MapSettings& s = id.settings;
  id.name_a = f.text("scree.shape_a");
  id.name_b = f.text("scree.shape_b");
  id.hash_a = f.hex("scree.hash_a");
  id.hash_b = f.hex("scree.hash_b");
  id.ratio = f.number<double>("scree.ratio");
  s.kind = f.text("settings.kind");
  s.epsilon = f.number<double>("settings.epsilon");
  s.nodes = f.number<int>("settings.nodes");
  s.theta_nodes = f.number<int>("settings.theta_nodes");
  s.storage = f.text("settings.storage") == "fp16" ? TableStorage::fp16 : TableStorage::fp32;
  s.net = f.text("settings.net");
  s.seed = f.number<std::uint64_t>("settings.seed");
  s.samples = f.number<int>("settings.samples");
  s.epochs = f.number<int>("settings.epochs");
  s.grid = f.number<int>("settings.grid");
  return id;
}

void put_error(std::map<std::string, std::string>& meta, const MapError& e) {
  meta["error.band"] = exact_text(e.band);
  meta["error.gap_rmse"] = exact_text(e.gap_rmse);
  meta["error.gap_max"] = exact_text(e.gap_max);
  meta["error.gap_jump"] = exact_text(e.gap_jump);
  meta["error.angle_median"] = exact_text(e.angle_median);
  meta["error.arm_rmse"] = exact_text(e.arm_rmse);
  meta["error.samples"] = std::to_string(e.samples);
}

MapError get_error(const Fields& f) {
  MapError e;
  e.band = f.number<double>("error.band");
  e.gap_rmse = f.number<double>("error.gap_rmse");
  e.gap_max = f.number<double>("error.gap_max");
  e.gap_jump = f.number<double>("error.gap_jump");
  e.angle_median = f.number<double>("error.angle_median");
  e.arm_rmse = f.number<double>("error.arm_rmse");
  e.samples = f.number<std::size_t>("error.samples");
  return e;
}

template <class T>
Tensor make_tensor(const char* dtype, const std::vector<T>& values, int layers, int nodes) {
  Tensor t{dtype, {layers, nodes, nodes}, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

void put_table(TensorFile& file, const TableData& data) {
  const TableLayout& t = data.layout;
  file.metadata["table.theta_nodes"] = std::to_string(t.theta_nodes);
  file.metadata["table.periods"] = std::to_string(t.periods);
  file.metadata["table.quarters"] = std::to_string(t.quarters);
  file.metadata["table.reach"] = exact_text(t.reach);
  file.metadata["table.spacing"] = exact_text(t.spacing);
  if (const auto* wide = std::get_if<std::vector<float>>(&data.gap))
    file.tensors["gap"] = make_tensor("F32", *wide, t.gap_layers(), t.nodes);
  else
    file.tensors["gap"] = make_tensor("F16", std::get<std::vector<std::uint16_t>>(data.gap), t.gap_layers(), t.nodes);
  file.tensors["arm"] = make_tensor("F16", data.arm, t.arm_layers(), t.nodes);
}

template <class T>
std::vector<T> take_values(const Tensor& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

const Tensor& find_tensor(const TensorFile& file, const char* name, int layers, int nodes, const std::string& where) {
  const auto it = file.tensors.find(name);
  if (it == file.tensors.end()) refuse(where, cat("there is no tensor '", name, "'"));
  if (it->second.shape != std::vector<std::int64_t>{layers, nodes, nodes})
    refuse(where, cat("tensor '", name, "' does not have the shape that the metadata asks for"));
  return it->second;
}

std::unique_ptr<ContactMap> get_table(const TensorFile& file, const Fields& f) {
  const auto gap_tensor = file.tensors.find("gap");
  if (gap_tensor == file.tensors.end() || gap_tensor->second.shape.size() != 3)
    refuse(f.where, "there is no table 'gap'");
  TableData data;
  TableLayout& t = data.layout;
  t.nodes = static_cast<int>(std::min<std::int64_t>(gap_tensor->second.shape[2], 1 << 20));
  t.theta_nodes = f.number<int>("table.theta_nodes");
  t.periods = f.number<int>("table.periods");
  t.quarters = f.number<int>("table.quarters");
  t.reach = f.number<double>("table.reach");
  t.spacing = f.number<double>("table.spacing");
  const bool sane = t.nodes >= 16 && t.nodes <= 1024 && (t.theta_nodes == 1 || t.theta_nodes >= 4) &&
                    t.theta_nodes <= 1 << 20 && t.periods >= 1 && t.periods <= 1 << 20 && t.quarters >= 0 &&
                    t.quarters <= 3 && t.reach > 0 && t.reach < 1e9 &&
                    std::abs(t.spacing * (t.nodes - 4) - 2 * t.reach) < 1e-9 * t.reach;
  if (!sane) refuse(f.where, "the table's layout makes no sense");
  const Tensor& gap = find_tensor(file, "gap", t.gap_layers(), t.nodes, f.where);
  const Tensor& arm = find_tensor(file, "arm", t.arm_layers(), t.nodes, f.where);
  if ((gap.dtype != "F32" && gap.dtype != "F16") || arm.dtype != "F16") refuse(f.where, "a table has another dtype");
  if (gap.dtype == "F32")
    data.gap = take_values<float>(gap);
  else
    data.gap = take_values<std::uint16_t>(gap);
  data.arm = take_values<std::uint16_t>(arm);
  return std::make_unique<TableMap>(std::move(data));
}

void check_envelope(const TensorFile& file, const Fields& f) {
  const auto format = file.metadata.find("scree.format");
  if (format == file.metadata.end() || format->second != format_name)
    throw Error(ErrorKind::input, f.where, "this is a safetensors file, but no Scree map",
                "name a file that `scree map build` wrote");
  const int version = f.number<int>("scree.version");
  if (version != map_format_version)
    refuse(f.where, cat("map format version ", version, ", but this program reads version ", map_format_version));
  if (f.hex("scree.checksum") != map_checksum(file)) refuse(f.where, "the checksum is wrong: the file is corrupt");
}

}  // namespace

std::uint64_t map_checksum(const TensorFile& file) {
  std::uint64_t sum = 0;
  for (const auto& [name, value] : file.metadata)
    if (name != "scree.checksum") sum = checksum(value.data(), value.size(), checksum(name.data(), name.size(), sum));
  for (const auto& [name, tensor] : file.tensors)
    sum = checksum(tensor.data.data(), tensor.data.size(), checksum(name.data(), name.size(), sum));
  return sum;
}

std::uint64_t MapIdentity::key() const {
  const MapSettings& s = settings;
  Hash h;
  h.number(map_format_version).number(map_recipe_version).text(s.kind).number(hash_a).number(hash_b).number(ratio);
  if (s.kind == "table")
    h.number(s.epsilon).number(s.nodes).number(s.theta_nodes).number(static_cast<int>(s.storage));
  else if (s.kind == "neural")
    h.text(s.net).number(s.seed).number(s.samples).number(s.epochs);
  else if (s.kind == "star")
    h.number(s.star_nodes).number(static_cast<int>(s.star_distance));
  else if (s.kind == "clump")
    h.number(s.clump_discs).number(s.clump_tolerance);
  return h.value();
}

MapIdentity identity_of(const ShapePair& pair, const MapSettings& settings) {
  return {pair.a->name, pair.b->name, pair.a->hash, pair.b->hash, pair.ratio, settings};
}

bool storable(const ContactMap& map) { return map.kind() == "table" || map.kind() == "neural"; }

void save_map(const std::filesystem::path& path, const ContactMap& map, const MapIdentity& identity) {
  TensorFile file;
  if (const auto* table = dynamic_cast<const TableMap*>(&map))
    put_table(file, table->data());
  else if (const auto* neural = dynamic_cast<const NeuralMap*>(&map))
    neural->store(file);
  else
    throw Error(ErrorKind::input, path.string(), cat("a map of kind '", map.kind(), "' has no file format"),
                "save a table or a neural map; the others are made from the shapes alone");
  file.metadata["scree.format"] = format_name;
  file.metadata["scree.version"] = std::to_string(map_format_version);
  file.metadata["scree.kind"] = std::string(map.kind());
  put_identity(file.metadata, identity);
  put_error(file.metadata, map.error());
  file.metadata["scree.checksum"] = to_hex(map_checksum(file));
  write_safetensors(path, file);
}

LoadedMap load_map(const std::filesystem::path& path) {
  const TensorFile file = read_safetensors(path);
  const std::string where = path.string();
  const Fields fields{file.metadata, where};
  check_envelope(file, fields);
  LoadedMap loaded;
  loaded.identity = get_identity(fields);
  const std::string& kind = fields.text("scree.kind");
  if (kind == "table")
    loaded.map = get_table(file, fields);
  else if (kind == "neural")
    loaded.map = NeuralMap::load(file, where);
  else
    refuse(where, "unknown kind of map '" + kind + "'");
  loaded.map->set_error(get_error(fields));
  return loaded;
}

}  // namespace scree
