#pragma once
// Structs of a World to and from HDF5 groups, by the lists of world_fields.hpp. Private to record/.
//
//   numbers, vectors, flags, names   attributes of the struct's group (flags as 0 or 1, enumerations as numbers)
//   arrays                           datasets, one row an element
//   Outline                          datasets <name>_points (n x 2) and <name>_loops (first point of each loop)
//   lists of structs                 `list`: one sub-group each, "0", "1", ...; `table`: one dataset a field
//   unset optional numbers           no attribute; nor `unless_zero`, and no dataset or group `..unless_empty`
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "scree/base/h5.hpp"
#include "scree/base/pose.hpp"
#include "scree/base/text.hpp"
#include "scree/world/event.hpp"

namespace scree::h5 {

// How a C++ value lies in a file: element type and number of elements. Enumerations and flags become whole numbers.
template <class T>
struct Layout {
  using Element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  static constexpr hsize_t width = 1;
};
template <class T>
requires std::is_enum_v<T>
struct Layout<T> {
  using Element = std::underlying_type_t<T>;
  static constexpr hsize_t width = 1;
};
template <>
struct Layout<Vec2d> {
  using Element = double;
  static constexpr hsize_t width = 2;
};
template <>
struct Layout<Pose2d> {
  using Element = double;
  static constexpr hsize_t width = 3;
};
template <>
struct Layout<Box> {
  using Element = double;
  static constexpr hsize_t width = 4;
};
template <>
struct Layout<std::array<std::int32_t, 2>> {
  using Element = std::int32_t;
  static constexpr hsize_t width = 2;
};

template <class T>
hid_t element_type() {
  static_assert(sizeof(T) == Layout<T>::width * sizeof(typename Layout<T>::Element));
  return type_of<typename Layout<T>::Element>();
}

// Columns of a table: every field of n structs side by side.
class TableWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    if (cursor_ == columns_.size()) columns_.push_back({name, element_type<T>(), Layout<T>::width, {}});
    auto& bytes = columns_[cursor_++].bytes;
    bytes.resize(bytes.size() + sizeof(T));
    std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
  }
  template <class T>
  void if_there(const char* name, const T& value) {
    (*this)(name, value);
  }
  void next() { cursor_ = 0; }
  void write(hid_t group, hsize_t rows, const std::filesystem::path& file) const {
    for (const auto& c : columns_) write_dataset(group, c.name, c.type, rows, c.width, c.bytes.data(), file);
  }
  // Forgets the bytes of the struct that only named the columns.
  void clear() {
    for (auto& c : columns_) c.bytes.clear();
    next();
  }

 private:
  struct Entry {
    std::string name;
    hid_t type;
    hsize_t width;
    std::vector<unsigned char> bytes;
  };
  std::vector<Entry> columns_;
  std::size_t cursor_ = 0;
};

class TableReader {
 public:
  TableReader(hid_t group, hsize_t rows, const std::filesystem::path& file) : group_(group), rows_(rows), file_(file) {}
  template <class T>
  void operator()(const char* name, T& value) {
    if (cursor_ == columns_.size()) {
      std::vector<unsigned char> bytes(rows_ * sizeof(T));
      read_rows(group_, name, element_type<T>(), 0, rows_, Layout<T>::width, bytes.data(), file_);
      columns_.push_back(std::move(bytes));
    }
    std::memcpy(static_cast<void*>(&value), columns_[cursor_++].data() + row_ * sizeof(T), sizeof(T));
  }
  // A column that older files do not have: values stay as they are.
  template <class T>
  void if_there(const char* name, T& value) {
    if (cursor_ == columns_.size() && !has_dataset(group_, name)) columns_.emplace_back();
    if (cursor_ < columns_.size() && columns_[cursor_].empty()) {
      ++cursor_;
    } else {
      (*this)(name, value);
    }
  }
  void next() { cursor_ = 0, ++row_; }

 private:
  hid_t group_;
  hsize_t rows_;
  const std::filesystem::path& file_;
  std::vector<std::vector<unsigned char>> columns_;
  std::size_t cursor_ = 0, row_ = 0;
};

class Writer {
 public:
  Writer(hid_t group, const std::filesystem::path& file) : group_(group), file_(file) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    write_attribute(group_, name, element_type<T>(), Layout<T>::width, &value, file_);
  }
  void operator()(const char* name, const std::string& value) { write_attribute(group_, name, value, file_); }
  void operator()(const char* name, const std::optional<double>& value) {
    if (value) (*this)(name, *value);
  }
  template <class T>
  void unless_zero(const char* name, T value) {
    if (value != T{}) (*this)(name, value);
  }
  template <class T>
  void unless_empty(const char* name, const std::vector<T>& values) {
    if (!values.empty()) (*this)(name, values);
  }
  template <class T>
  void operator()(const char* name, const std::vector<T>& values) {
    write_dataset(group_, name, element_type<T>(), values.size(), Layout<T>::width, values.data(), file_);
  }
  void operator()(const char* name, const std::vector<std::string>& values) {
    write_text(group_, name, join(values, "\n"), file_);
  }
  void operator()(const char* name, const Outline& outline) {
    std::vector<Vec2d> points;
    std::vector<std::uint64_t> starts;
    for (const Loop& loop : outline.loops) {
      starts.push_back(points.size());
      points.insert(points.end(), loop.begin(), loop.end());
    }
    (*this)(cat(name, "_points").c_str(), points);
    (*this)(cat(name, "_loops").c_str(), starts);
  }
  template <class S>
  void group(const char* name, S& value) {
    const Handle id = create_group(group_, name, file_);
    Writer inner(id, file_);
    fields(inner, value);
  }
  template <class S>
  void list(const char* name, std::vector<S>& values) {
    const Handle id = create_group(group_, name, file_);
    Writer inner(id, file_);
    inner("count", static_cast<std::uint64_t>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) inner.group(std::to_string(i).c_str(), values[i]);
  }
  template <class S>
  void table_unless_empty(const char* name, std::vector<S>& values) {
    if (!values.empty()) table(name, values);
  }
  template <class S>
  void table(const char* name, std::vector<S>& values) {
    const Handle id = create_group(group_, name, file_);
    Writer(id, file_)("count", static_cast<std::uint64_t>(values.size()));
    TableWriter columns;
    S names_only{};
    fields(columns, names_only);
    columns.clear();
    for (S& value : values) fields(columns, value), columns.next();
    columns.write(id, values.size(), file_);
  }
  hid_t id() const { return group_; }

 private:
  hid_t group_;
  const std::filesystem::path& file_;
};

class Reader {
 public:
  Reader(hid_t group, const std::filesystem::path& file) : group_(group), file_(file) {}

  template <class T>
  void operator()(const char* name, T& value) {
    read_attribute(group_, name, element_type<T>(), Layout<T>::width, &value, file_);
  }
  void operator()(const char* name, std::string& value) { value = read_attribute(group_, name, file_); }
  void operator()(const char* name, std::optional<double>& value) {
    value.reset();
    if (has_attribute(group_, name)) (*this)(name, value.emplace());
  }
  template <class T>
  void unless_zero(const char* name, T& value) {
    value = {};
    if (has_attribute(group_, name)) (*this)(name, value);
  }
  template <class T>
  void unless_empty(const char* name, std::vector<T>& values) {
    values.clear();
    if (has_dataset(group_, name)) (*this)(name, values);
  }
  template <class T>
  void operator()(const char* name, std::vector<T>& values) {
    values.resize(rows_of(group_, name, Layout<T>::width, file_));
    read_rows(group_, name, element_type<T>(), 0, values.size(), Layout<T>::width, values.data(), file_);
  }
  void operator()(const char* name, std::vector<std::string>& values) {
    values.clear();
    std::string text = read_text(group_, name, file_);
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      values.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  void operator()(const char* name, Outline& outline) {
    std::vector<Vec2d> points;
    std::vector<std::uint64_t> starts;
    (*this)(cat(name, "_points").c_str(), points);
    (*this)(cat(name, "_loops").c_str(), starts);
    outline.loops.clear();
    starts.push_back(points.size());
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      if (starts[i] > starts[i + 1] || starts[i + 1] > points.size()) fail_read(file_, cat("bad loops of ", name));
      outline.loops.emplace_back(points.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                                 points.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]));
    }
  }
  template <class S>
  void group(const char* name, S& value) {
    const Handle id = open_group(group_, name, file_);
    Reader inner(id, file_);
    fields(inner, value);
  }
  template <class S>
  void list(const char* name, std::vector<S>& values) {
    const Handle id = open_group(group_, name, file_);
    Reader inner(id, file_);
    values.assign(inner.count(), S{});
    for (std::size_t i = 0; i < values.size(); ++i) inner.group(std::to_string(i).c_str(), values[i]);
  }
  template <class S>
  void table_unless_empty(const char* name, std::vector<S>& values) {
    values.clear();
    if (has_dataset(group_, name)) table(name, values);
  }
  template <class S>
  void table(const char* name, std::vector<S>& values) {
    const Handle id = open_group(group_, name, file_);
    values.assign(Reader(id, file_).count(), S{});
    TableReader columns(id, values.size(), file_);
    for (S& value : values) fields(columns, value), columns.next();
  }
  hid_t id() const { return group_; }

 private:
  std::size_t count() {
    std::uint64_t n = 0;
    (*this)("count", n);
    if (n > 1'000'000'000) fail_read(file_, cat("a list claims ", n, " entries"));
    return n;
  }
  hid_t group_;
  const std::filesystem::path& file_;
};

}  // namespace scree::h5
