#include "scree/scene/body_file.hpp"

#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/fields.hpp"

namespace scree {

namespace {

const std::map<std::string, BodyColumn>& known_columns() {
  using enum BodyColumn;
  static const std::map<std::string, BodyColumn> known = {
      {"x", number},     {"y", number},           {"position", pair}, {"angle", number}, {"vx", number},
      {"vy", number},    {"velocity", pair},      {"spin", number},   {"grain", text},   {"kind", text},
      {"group", text},   {"time", number},        {"radius", number}, {"id", unused},    {"frame", unused},
      {"force", unused}, {"coordination", unused}};
  return known;
}

// Keeps the rows of the instant nearest to `time`, or of the last one.
void choose_instant(BodyTable& table, const BodyFile& file) {
  const auto times = table.numbers.find("time");
  if (times == table.numbers.end()) {
    if (file.time) file.fail("has no column \"time\" to choose an instant by", "remove the field `time`");
    return;
  }
  const std::vector<double> all = times->second;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!std::isfinite(all[i]))
      throw Error(ErrorKind::input, table.place(i, "time"), "is not a finite number", "give the time of the row");
  const auto later = [&](double a, double b) {
    return file.time ? std::abs(a - *file.time) > std::abs(b - *file.time) : a < b;
  };
  const double chosen = *std::max_element(all.begin(), all.end(), later);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == chosen) rows.push_back(i);
  const auto keep = [&](auto& column) {
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (rows[k] != k) column[k] = std::move(column[rows[k]]);
    column.resize(rows.size());
  };
  for (auto& [name, column] : table.numbers) keep(column);
  for (auto& [name, column] : table.texts) keep(column);
  table.rows = rows.size();
  table.place = [place = table.place, rows](std::size_t row, const std::string& column) {
    return place(rows[row], column);
  };
}

void check_columns(const BodyTable& table, const BodyFile& file) {
  std::vector<std::string> found;
  for (const auto& [name, column] : table.numbers) found.push_back(name);
  for (const auto& [name, column] : table.texts) found.push_back(name);
  for (const char* needed : {"x", "y"}) {
    if (!table.has(needed))
      file.fail(cat("has no column \"", needed, "\"; it has ", found.empty() ? "none" : join(found)),
                "give x and y, or position with two numbers a row");
  }
  if (table.rows == 0) file.fail("holds no grains", "give it at least one row");
  if (table.rows > most_bodies) file.fail(cat("holds ", table.rows, " grains, more than ", most_bodies), "use fewer");
}

}  // namespace

std::optional<BodyColumn> BodyFile::column(const std::string& name, const std::string& where) const {
  if (std::ranges::count(ignore, name) > 0) return {};
  const auto known = known_columns().find(name);
  if (known == known_columns().end()) {
    std::vector<std::string> names;
    for (const auto& [column, kind] : known_columns())
      if (kind != BodyColumn::unused) names.push_back(column);
    throw Error(ErrorKind::input, where, "unknown column \"" + name + "\"",
                suggestion(name, names) + "; to pass over it, name it in `ignore`");
  }
  if (known->second == BodyColumn::unused) return {};
  return known->second;
}

void BodyFile::fail(const std::string& problem, const std::string& remedy) const {
  throw Error(ErrorKind::input, path.string() + (table.empty() ? "" : ": " + table), problem, remedy);
}

std::vector<std::string> parts_of_pair(const std::string& name) {
  return name == "position" ? std::vector<std::string>{"x", "y"} : std::vector<std::string>{"vx", "vy"};
}

BodyTable read_body_table(const BodyFile& file) {
  static const std::map<std::string, BodyTable (*)(const BodyFile&)> readers = {{".csv", read_csv_bodies},
                                                                                {".npy", read_npy_bodies},
                                                                                {".npz", read_npz_bodies},
                                                                                {".h5", read_hdf5_bodies},
                                                                                {".hdf5", read_hdf5_bodies}};
  const std::string extension = file.path.extension().string();
  const auto reader = readers.find(extension);
  if (reader == readers.end())
    file.fail("cannot be read: its name tells no format", "use a name that ends in .csv, .npy, .npz or .h5");
  if (!file.table.empty() && (extension == ".csv" || extension == ".npy"))
    file.fail("has no tables inside", "remove the field `table`");
  BodyTable table = reader->second(file);
  check_columns(table, file);
  if (!table.one_instant) choose_instant(table, file);
  return table;
}

}  // namespace scree
