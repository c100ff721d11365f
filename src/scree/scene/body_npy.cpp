// Grains from NumPy files.
#include <zip.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/body_file.hpp"
#include "scree/scene/npy.hpp"

namespace scree {

namespace {

// Adds one field under its name to the table. `where`: of the field, before the row.
void add_column(BodyTable& table, const NpyArray& array, const NpyField& field, const std::string& name,
                BodyColumn kind, const std::string& where) {
  const bool is_text = field.kind == 'U' || field.kind == 'S';
  const std::string kinds = kind == BodyColumn::text ? "US" : "fiub";
  const bool sized =
      is_text || field.size == 8 || field.size == 4 || field.size == 2 || (field.size == 1 && field.kind != 'f');
  if (kinds.find(field.kind) == std::string::npos || !sized)
    throw Error(ErrorKind::input, where, "is of dtype " + field.dtype,
                kind == BodyColumn::text ? "use texts, such as dtype \"U16\"" : "use numbers, such as dtype float");
  const std::size_t width = kind == BodyColumn::pair ? 2 : 1;
  if (field.width != width)
    throw Error(ErrorKind::input, where, cat("has ", field.width, " values a row, where ", width, " is needed"),
                width == 2 ? "give it the shape [n, 2]" : "give it one value a row");
  if (kind == BodyColumn::text) {
    for (std::size_t i = 0; i < array.rows; ++i) table.texts[name].push_back(array.text(field, i));
    return;
  }
  const std::vector<std::string> parts = kind == BodyColumn::pair ? parts_of_pair(name) : std::vector{name};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::vector<double>& numbers = table.numbers[parts[k]];
    if (!numbers.empty()) throw Error(ErrorKind::input, where, "\"" + parts[k] + "\" stands twice", "give it once");
    numbers.reserve(array.rows);
    for (std::size_t i = 0; i < array.rows; ++i) numbers.push_back(array.number(field, i, k));
  }
}

BodyTable table_of(const BodyFile& file, const NpyArray& array, const std::string& where) {
  BodyTable table;
  table.rows = array.rows;
  table.place = [where](std::size_t row, const std::string& column) { return cat(where, ": row ", row, ", ", column); };
  for (const NpyField& field : array.fields) {
    const auto kind = file.column(field.name, where);
    if (kind) add_column(table, array, field, field.name, *kind, where + ": " + field.name);
  }
  return table;
}

// An array [n, 2] or [n, 3] of x, y and angle.
BodyTable plain_table(const NpyArray& array, const std::string& where) {
  NpyField field = array.fields[0];
  if (field.width != 2 && field.width != 3)
    throw Error(ErrorKind::input, where, cat("is a plain array of ", field.width, " values a row"),
                "give it 2 (x, y) or 3 (x, y, angle), or make it a structured array with names");
  BodyTable table;
  table.rows = array.rows;
  table.place = [where](std::size_t row, const std::string& column) { return cat(where, ": row ", row, ", ", column); };
  const std::vector<std::string> names = {"x", "y", "angle"};
  const std::size_t width = std::exchange(field.width, 1);
  for (std::size_t k = 0; k < width; ++k) {
    field.offset = k * field.size;
    add_column(table, array, field, names[k], BodyColumn::number, where);
  }
  return table;
}

class Archive {
 public:
  explicit Archive(const BodyFile& file) : file_(file) {
    int code = 0;
    zip_.reset(zip_open(file.path.c_str(), ZIP_RDONLY, &code));
    if (!zip_) file.fail("is not an archive of NumPy arrays", "write it again with numpy.savez");
  }

  // Names of the arrays: the members without their ending.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (zip_int64_t i = 0; i < zip_get_num_entries(zip_.get(), 0); ++i) {
      const char* name = zip_get_name(zip_.get(), static_cast<zip_uint64_t>(i), 0);
      std::string text = name ? name : "";
      if (text.ends_with(".npy")) out.push_back(text.substr(0, text.size() - 4));
    }
    return out;
  }

  NpyArray read(const std::string& name) const {
    zip_stat_t stat{};
    const std::string member = name + ".npy";
    const std::string where = file_.path.string() + ": " + name;
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> in(zip_fopen(zip_.get(), member.c_str(), 0), zip_fclose);
    if (!in || zip_stat(zip_.get(), member.c_str(), 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE))
      throw Error(ErrorKind::input, where, "cannot be read from the archive", "write it again with numpy.savez");
    const auto bytes = [&](std::size_t count) {
      constexpr std::size_t block = 1 << 24;  // an archive may claim more than it holds
      std::string out;
      std::size_t have = 0;
      while (have < count) {
        out.resize(std::min(count, have + block));
        const zip_int64_t n = zip_fread(in.get(), out.data() + have, out.size() - have);
        if (n < 0)
          throw Error(ErrorKind::input, where, cat("is damaged: ", zip_file_strerror(in.get())),
                      "write it again with numpy.savez");
        if (n == 0) break;
        have += static_cast<std::size_t>(n);
      }
      out.resize(have);
      return out;
    };
    NpyArray out = read_npy(bytes, stat.size, most_bodies, where);
    bytes(1);  // the checksum is compared at the end of the member
    return out;
  }

 private:
  struct Close {
    void operator()(zip_t* zip) const { zip_discard(zip); }
  };
  const BodyFile& file_;
  std::unique_ptr<zip_t, Close> zip_;
};

// One array a column.
BodyTable table_of_arrays(const BodyFile& file, const Archive& archive, const std::vector<std::string>& names) {
  BodyTable table;
  std::string first;
  for (const std::string& name : names) {
    const std::string where = file.path.string() + ": " + name;
    const auto kind = file.column(name, where);
    if (!kind) continue;
    const NpyArray array = archive.read(name);
    if (array.structured)
      throw Error(ErrorKind::input, where, "is a structured array beside others", "choose it with the field `table`");
    if (first.empty()) first = name, table.rows = array.rows;
    if (array.rows != table.rows)
      throw Error(ErrorKind::input, where, cat("has ", array.rows, " rows, and ", first, " has ", table.rows),
                  "give all arrays one row a grain");
    add_column(table, array, array.fields[0], name, *kind, where);
  }
  table.place = [path = file.path.string()](std::size_t row, const std::string& column) {
    return cat(path, ": row ", row, ", ", column);
  };
  return table;
}

}  // namespace

BodyTable read_npy_bodies(const BodyFile& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.path.c_str(), "rb"), std::fclose);
  if (!in) throw Error(ErrorKind::system, file.path.string(), "cannot be read", "check its permissions");
  const auto bytes = [&](std::size_t count) {
    std::string out(count, '\0');
    out.resize(std::fread(out.data(), 1, count, in.get()));
    return out;
  };
  const std::string where = file.path.string();
  const NpyArray array = read_npy(bytes, std::filesystem::file_size(file.path), most_bodies, where);
  return array.structured ? table_of(file, array, where) : plain_table(array, where);
}

BodyTable read_npz_bodies(const BodyFile& file) {
  const Archive archive(file);
  const std::vector<std::string> names = archive.names();
  if (names.empty()) file.fail("holds no arrays", "write it with numpy.savez(file, x=..., y=...)");
  const std::string table = file.table.empty() && names.size() == 1 ? names[0] : file.table;
  if (table.empty()) return table_of_arrays(file, archive, names);
  if (std::ranges::count(names, table) == 0) file.fail("is not in the file", "it has " + join(names));
  const NpyArray array = archive.read(table);
  const std::string where = file.path.string() + ": " + table;
  return array.structured ? table_of(file, array, where) : plain_table(array, where);
}

}  // namespace scree
