#pragma once
// HDF5 with owners for handles and errors that name the file. For scene/ and record/; part of scree_io.
#include <hdf5.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scree/base/error.hpp"

namespace scree::h5 {

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool ok() const { return id_ >= 0; }
  herr_t close() { return id_ >= 0 ? close_(std::exchange(id_, -1)) : 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Stops HDF5 from printing its own error stack; ours says it in one line.
void silence();
// Innermost message of HDF5's error stack, or the operating system's words inside it.
std::string last_error();
// Error(system): writing failed; names file and remedy.
[[noreturn]] void fail_write(const std::filesystem::path& file, const std::string& what);
// Error(input): the file is damaged or not what it claims to be.
[[noreturn]] void fail_read(const std::filesystem::path& file, const std::string& what);

template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return H5T_NATIVE_UINT16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

inline constexpr std::int32_t current_version = 4;  // of the layouts in docs/files.md

// A new file in the newest layout, which SWMR needs, with the root attributes `format` ("scree-trajectory" or
// "scree-state") and `version`, or an Error(system).
Handle create_file(const std::filesystem::path& file, const std::string& format);
// Any HDF5 file for reading, also one whose writer was killed or still runs. Error(system) when it is missing,
// Error(input) with the remedy `wanted` when it is no HDF5 file.
Handle open_any(const std::filesystem::path& file, const std::string& wanted);
// The same of a file of Scree's, of the version this program writes, whose root attribute `format` is `format`;
// `format` empty: any of them. Error(input) otherwise.
Handle open_file(const std::filesystem::path& file, const std::string& format);

Handle create_group(hid_t parent, const std::string& name, const std::filesystem::path& file);
Handle open_group(hid_t parent, const std::string& name, const std::filesystem::path& file);

// Attributes: scalars, short vectors and strings that describe a group.
void write_attribute(hid_t group, const std::string& name, hid_t type, hsize_t count, const void* data,
                     const std::filesystem::path& file);
void write_attribute(hid_t group, const std::string& name, const std::string& text, const std::filesystem::path& file);
bool has_attribute(hid_t group, const std::string& name);
bool has_dataset(hid_t group, const std::string& name);
void read_attribute(hid_t group, const std::string& name, hid_t type, hsize_t count, void* data,
                    const std::filesystem::path& file);
std::string read_attribute(hid_t group, const std::string& name, const std::filesystem::path& file);

// Whole datasets, written once, with checksums: rows x columns, or one-dimensional when columns == 1.
void write_dataset(hid_t group, const std::string& name, hid_t type, hsize_t rows, hsize_t columns, const void* data,
                   const std::filesystem::path& file);
// Rows of an existing dataset, whose row must have `columns` entries.
hsize_t rows_of(hid_t group, const std::string& name, hsize_t columns, const std::filesystem::path& file);
void read_rows(hid_t group, const std::string& name, hid_t type, hsize_t first, hsize_t count, hsize_t columns,
               void* data, const std::filesystem::path& file);
// One string of any length as a scalar dataset, with its checksum as an attribute.
void write_text(hid_t group, const std::string& name, const std::string& text, const std::filesystem::path& file);
std::string read_text(hid_t group, const std::string& name, const std::filesystem::path& file);

// A dataset that grows by rows: chunked, shuffled and compressed.
class Column {
 public:
  Column(hid_t group, const std::string& name, hid_t type, hsize_t columns, hsize_t chunk, bool compress,
         const std::filesystem::path& file);
  void append(const void* data, hsize_t rows);
  void flush();

 private:
  Handle dataset_;
  hid_t type_;
  hsize_t columns_;
  hsize_t rows_ = 0;
  const std::filesystem::path* file_;
  std::string name_;
};

}  // namespace scree::h5
