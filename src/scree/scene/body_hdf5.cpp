// Grains from HDF5 files: what `scree run` writes (docs/files.md), or plain datasets.
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "scree/base/error.hpp"
#include "scree/base/h5.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/body_file.hpp"
#include "scree/world/body.hpp"

namespace scree {

namespace {

using Path = std::filesystem::path;

// ---- trajectories and states ---------------------------------------------------------------------------------------

// What indices of grains stand for.
struct OwnNames {
  std::vector<std::string> types, groups;
  std::vector<double> radii;  // of the types
};

OwnNames own_names(hid_t statics, const Path& file) {
  OwnNames out;
  const h5::Handle types = h5::open_group(statics, "types", file);
  std::uint64_t count = 0;
  h5::read_attribute(types, "count", H5T_NATIVE_UINT64, 1, &count, file);
  for (std::uint64_t t = 0; t < count; ++t) {
    const h5::Handle type = h5::open_group(types, std::to_string(t), file);
    out.types.push_back(h5::read_attribute(type, "name", file));
    h5::read_attribute(type, "radius", H5T_NATIVE_DOUBLE, 1, &out.radii.emplace_back(), file);
  }
  std::istringstream text(h5::read_text(statics, "groups", file));
  for (std::string line; std::getline(text, line);) out.groups.push_back(line);
  return out;
}

// Rows [first, first + count) of the grains of a file of Scree's. `grains` has a dataset a column, `statics` the types
// and groups they refer to.
BodyTable own_rows(hid_t grains, hid_t statics, hsize_t first, hsize_t count, const Path& file) {
  const auto read = [&]<class T>(const char* name, hsize_t width, T) {
    std::vector<T> values(count * width);
    h5::read_rows(grains, name, h5::type_of<T>(), first, count, width, values.data(), file);
    return values;
  };
  BodyTable out;
  out.rows = count;
  out.one_instant = true;
  out.numbers["angle"] = read("theta", 1, double{});
  out.numbers["spin"] = read("omega", 1, double{});
  const auto split = [&](const char* name, const char* x, const char* y) {
    const std::vector<double> pairs = read(name, 2, double{});
    for (std::size_t i = 0; i < pairs.size(); i += 2)
      out.numbers[x].push_back(pairs[i]), out.numbers[y].push_back(pairs[i + 1]);
  };
  split("x", "x", "y");
  split("v", "vx", "vy");
  const OwnNames names = own_names(statics, file);
  const auto name_of = [&](const std::vector<std::string>& known, std::size_t k, const char* what) {
    if (k >= known.size()) h5::fail_read(file, cat("a grain is of a ", what, " that is missing"));
    return known[k];
  };
  for (const std::uint16_t t : read("type", 1, std::uint16_t{})) {
    out.texts["grain"].push_back(name_of(names.types, t, "type"));
    out.numbers["radius"].push_back(names.radii[t]);
  }
  for (const std::uint16_t g : read("group", 1, std::uint16_t{}))
    out.texts["group"].push_back(name_of(names.groups, g, "group"));
  for (const std::uint8_t k : read("kind", 1, std::uint8_t{}))
    out.texts["kind"].push_back(name_of({"moving", "fixed", "kinematic"}, k, "kind"));
  out.place = [path = file.string(), ids = read("id", 1, std::uint32_t{})](std::size_t row, const std::string& column) {
    return cat(path, ": grain ", ids[row], ", ", column);
  };
  return out;
}

// The frame nearest to the time, or the last one, among those that are whole.
BodyTable trajectory_rows(hid_t id, const BodyFile& file) {
  const h5::Handle frames = h5::open_group(id, "frames", file.path);
  const h5::Handle grains = h5::open_group(id, "grains", file.path);
  const h5::Handle statics = h5::open_group(id, "statics", file.path);
  hsize_t n = std::min(h5::rows_of(frames, "time", 1, file.path), h5::rows_of(frames, "grain_end", 1, file.path));
  std::vector<double> times(n);
  std::vector<std::uint64_t> ends(n);
  h5::read_rows(frames, "time", H5T_NATIVE_DOUBLE, 0, n, 1, times.data(), file.path);
  h5::read_rows(frames, "grain_end", H5T_NATIVE_UINT64, 0, n, 1, ends.data(), file.path);
  const hsize_t rows = h5::rows_of(grains, "omega", 1, file.path);
  while (n > 0 && ends[n - 1] > rows) --n;
  if (n == 0) file.fail("has no frame yet", "let its run get further");
  std::size_t k = n - 1;
  const auto off = [&](std::size_t i) { return std::abs(times[i] - *file.time); };
  for (std::size_t i = 0; file.time && i < n; ++i)
    if (off(i) < off(k)) k = i;
  const std::uint64_t first = k == 0 ? 0 : ends[k - 1];
  if (first > ends[k]) h5::fail_read(file.path, "the index of frames is not in order");
  return own_rows(grains, statics, first, ends[k] - first, file.path);
}

BodyTable state_rows(hid_t id, const BodyFile& file) {
  if (file.time) file.fail("is a state, which is one instant", "remove the field `time`, or use a trajectory.h5");
  const h5::Handle bodies = h5::open_group(id, "bodies", file.path);
  return own_rows(bodies, id, 0, h5::rows_of(bodies, "id", 1, file.path), file.path);
}

// ---- plain datasets ------------------------------------------------------------------------------------------------

// A dataset, or a member of a compound one, and how to read it.
struct PlainColumn {
  hid_t dataset;
  std::string member;  // "" for the dataset itself
  hid_t type;          // as stored
  hsize_t rows = 0;
  hsize_t width = 1;  // values a row
  std::string where;
};

// The type in memory: the value alone, or a compound of this one member.
h5::Handle memory_type(const PlainColumn& c, hid_t value) {
  if (c.member.empty()) return {H5Tcopy(value), H5Tclose};
  h5::Handle type(H5Tcreate(H5T_COMPOUND, H5Tget_size(value)), H5Tclose);
  H5Tinsert(type, c.member.c_str(), 0, value);
  return type;
}

void read_values(const PlainColumn& c, hid_t type, void* out) {
  const h5::Handle memory = memory_type(c, type);
  if (c.rows > 0 && H5Dread(c.dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
    throw Error(ErrorKind::input, c.where, cat("cannot be read: ", h5::last_error()), "write the file again");
}

std::vector<double> read_numbers(const PlainColumn& c) {
  const H5T_class_t kind = H5Tget_class(c.type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER)
    throw Error(ErrorKind::input, c.where, "does not hold numbers", "use numbers, such as dtype float");
  std::vector<double> out(c.rows * c.width);
  read_values(c, H5T_NATIVE_DOUBLE, out.data());
  return out;
}

std::vector<std::string> read_texts(const PlainColumn& c) {
  if (H5Tget_class(c.type) != H5T_STRING || c.width != 1)
    throw Error(ErrorKind::input, c.where, "does not hold one text a row", "use texts, such as dtype \"S16\"");
  std::vector<std::string> out;
  if (H5Tis_variable_str(c.type) > 0) {
    std::vector<char*> texts(c.rows, nullptr);
    read_values(c, c.type, texts.data());
    for (char* text : texts) {
      out.emplace_back(text ? text : "");
      H5free_memory(text);
    }
    return out;
  }
  const std::size_t size = H5Tget_size(c.type);
  std::string bytes(c.rows * size, '\0');
  read_values(c, c.type, bytes.data());
  for (hsize_t i = 0; i < c.rows; ++i) {
    const std::string cell = bytes.substr(i * size, size);
    out.push_back(cell.substr(0, cell.find('\0')));
    if (H5Tget_strpad(c.type) == H5T_STR_SPACEPAD) out.back().resize(out.back().find_last_not_of(' ') + 1);
  }
  return out;
}

// Rows and values a row of a dataset.
void measure(PlainColumn& c) {
  const h5::Handle space(H5Dget_space(c.dataset), H5Sclose);
  std::array<hsize_t, 2> dims{0, 1};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1 || rank > 2)
    throw Error(ErrorKind::input, c.where, cat("has ", rank, " dimensions"), "give it one row a grain");
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  if (dims[0] > most_bodies)
    throw Error(ErrorKind::input, c.where, cat("has ", dims[0], " rows, more than ", most_bodies), "use fewer grains");
  c.rows = dims[0], c.width = dims[1];
}

void add_column(BodyTable& table, const PlainColumn& c, const std::string& name, BodyColumn kind) {
  const hsize_t width = kind == BodyColumn::pair ? 2 : 1;
  if (c.width != width)
    throw Error(ErrorKind::input, c.where, cat("has ", c.width, " values a row, where ", width, " is needed"),
                width == 2 ? "give it the shape [n, 2]" : "give it one value a row");
  if (table.numbers.empty() && table.texts.empty()) table.rows = c.rows;
  if (c.rows != table.rows)
    throw Error(ErrorKind::input, c.where, cat("has ", c.rows, " rows, where the others have ", table.rows),
                "give all columns one row a grain");
  if (kind == BodyColumn::text) {
    table.texts[name] = read_texts(c);
    return;
  }
  const std::vector<double> values = read_numbers(c);
  const std::vector<std::string> parts = width == 2 ? parts_of_pair(name) : std::vector{name};
  for (hsize_t k = 0; k < width; ++k) {
    if (table.numbers.contains(parts[k]))
      throw Error(ErrorKind::input, c.where, "\"" + parts[k] + "\" stands twice", "give it once");
    for (hsize_t i = 0; i < c.rows; ++i) table.numbers[parts[k]].push_back(values[i * width + k]);
  }
}

// The members of a compound dataset.
void add_members(BodyTable& table, hid_t dataset, const BodyFile& file, const std::string& where) {
  const h5::Handle type(H5Dget_type(dataset), H5Tclose);
  if (H5Tget_class(type) != H5T_COMPOUND)
    throw Error(ErrorKind::input, where, "is a dataset without named columns",
                "name a group in the field `table`, or write a structured array");
  for (int k = 0; k < H5Tget_nmembers(type); ++k) {
    char* given = H5Tget_member_name(type, static_cast<unsigned>(k));
    const std::string name = given;
    H5free_memory(given);
    const auto kind = file.column(name, where);
    if (!kind) continue;
    const h5::Handle member(H5Tget_member_type(type, static_cast<unsigned>(k)), H5Tclose);
    PlainColumn c{dataset, name, member, 0, 1, where + ": " + name};
    measure(c);
    if (H5Tget_class(member) == H5T_ARRAY)
      throw Error(ErrorKind::input, c.where, "has several values a row", "write x and y, vx and vy as columns");
    add_column(table, c, name, *kind);
  }
}

// The datasets of a group; groups below it are passed over.
void add_datasets(BodyTable& table, hid_t group, const BodyFile& file, const std::string& where) {
  H5G_info_t info{};
  H5Gget_info(group, &info);
  for (hsize_t k = 0; k < info.nlinks; ++k) {
    std::array<char, 256> buffer{};
    H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, buffer.data(), buffer.size(), H5P_DEFAULT);
    const std::string name = buffer.data();
    const h5::Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset.ok()) continue;
    const auto kind = file.column(name, where);
    if (!kind) continue;
    const h5::Handle type(H5Dget_type(dataset), H5Tclose);
    PlainColumn c{dataset, "", type, 0, 1, where + ": " + name};
    measure(c);
    add_column(table, c, name, *kind);
  }
}

BodyTable plain_rows(hid_t id, const BodyFile& file) {
  BodyTable table;
  const std::string where = file.path.string() + (file.table.empty() ? "" : ": " + file.table);
  table.place = [where](std::size_t row, const std::string& column) { return cat(where, ": row ", row, ", ", column); };
  const std::string name = file.table.empty() ? "/" : file.table;
  const h5::Handle group(H5Gopen2(id, name.c_str(), H5P_DEFAULT), H5Gclose);
  const h5::Handle dataset(group.ok() ? -1 : H5Dopen2(id, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!group.ok() && !dataset.ok()) file.fail("is not in the file", "name a group or a dataset of it");
  if (group.ok()) add_datasets(table, group, file, where);
  if (dataset.ok()) add_members(table, dataset, file, where);
  return table;
}

bool of_scree(hid_t id, const Path& file) {
  if (!h5::has_attribute(id, "format")) return false;
  try {
    return h5::read_attribute(id, "format", file).starts_with("scree-");
  } catch (const Error&) { return false; }  // another program's, of another type
}

}  // namespace

BodyTable read_hdf5_bodies(const BodyFile& file) {
  const h5::Handle any = h5::open_any(file.path, "write it with h5py, or give a file of `scree run`");
  if (!of_scree(any, file.path)) return plain_rows(any, file);
  if (!file.table.empty()) file.fail("is a file of Scree's, whose grains are found by themselves", "remove `table`");
  const h5::Handle own = h5::open_file(file.path, "");
  return h5::read_attribute(own, "format", file.path) == "scree-state" ? state_rows(own, file)
                                                                       : trajectory_rows(own, file);
}

}  // namespace scree
