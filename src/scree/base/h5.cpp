#include "scree/base/h5.hpp"

#include <algorithm>

#include "scree/base/hash.hpp"
#include "scree/base/text.hpp"

namespace scree::h5 {

namespace {

constexpr hsize_t checked_rows = 1 << 20;  // of one chunk, with a checksum of its own

constexpr unsigned swmr_attempts = 20;  // a tenth of a second in all

constexpr const char* own_files = "give a trajectory.h5 or state.h5 that `scree run` wrote";

herr_t remember_innermost(unsigned n, const H5E_error2_t* entry, void* out) {
  if (n == 0 && entry->desc != nullptr) *static_cast<std::string*>(out) = entry->desc;
  return 0;
}

void check(herr_t status, const std::filesystem::path& file, const std::string& what) {
  if (status < 0) fail_write(file, what);
}

Handle simple_space(hsize_t rows, hsize_t columns) {
  const std::array<hsize_t, 2> dims{rows, columns};
  return {H5Screate_simple(columns == 1 ? 1 : 2, dims.data(), nullptr), H5Sclose};
}

Handle string_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(size, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

std::string trimmed(std::string text) {
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

// Rejects a file that is missing or not HDF5 at all, before HDF5 gives its less helpful answer.
void check_is_hdf5(const std::filesystem::path& file, const std::string& wanted) {
  if (!std::filesystem::exists(file))
    throw Error(ErrorKind::system, file.string(), "there is no such file", "check the path");
  if (std::filesystem::is_directory(file))
    throw Error(ErrorKind::input, file.string(), "this is a folder, not a file", "name a file inside it");
  if (!std::filesystem::is_regular_file(file))  // a pipe would block for ever
    throw Error(ErrorKind::system, file.string(), "is not a file that can be read", "check the path");
  if (H5Fis_hdf5(file.c_str()) <= 0) throw Error(ErrorKind::input, file.string(), "not an HDF5 file", wanted);
}

}  // namespace

void silence() {
  // Every handle is closed by its owner. At the end of the program the library would try once more to write a file that
  // a full disk cut short, and crash over it.
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, remember_innermost, &text);
  const std::string key = "error message = '";
  if (const auto at = text.find(key); at != std::string::npos) {
    const auto begin = at + key.size();
    return text.substr(begin, text.find('\'', begin) - begin);
  }
  return text.empty() ? "unknown reason" : text;
}

void fail_write(const std::filesystem::path& file, const std::string& what) {
  throw Error(ErrorKind::system, file.string(), cat("cannot write ", what, ": ", last_error()),
              "check that the disk has room and that the folder exists and may be written, or choose another with -o");
}

void fail_read(const std::filesystem::path& file, const std::string& what) {
  throw Error(
      ErrorKind::input, file.string(), what,
      "the file is damaged, cut short or from another version of Scree; run the scene again to write a new one");
}

Handle create_file(const std::filesystem::path& file, const std::string& format) {
  silence();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  // A handle still open somewhere must not keep the file open after its owner is gone.
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  Handle id(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  if (!id.ok()) fail_write(file, "this file");
  const std::int32_t version = current_version;
  write_attribute(id, "format", format, file);
  write_attribute(id, "version", H5T_NATIVE_INT32, 1, &version, file);
  return id;
}

Handle open_any(const std::filesystem::path& file, const std::string& wanted) {
  silence();
  check_is_hdf5(file, wanted);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  Handle id(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  // A writer that still runs, or was killed, leaves a mark that only SWMR readers accept. They look again at what does
  // not add up, as it may be half written, and wait twice as long each time: by default for ever, if it is damaged.
  H5Pset_metadata_read_attempts(access, swmr_attempts);
  if (!id.ok()) id = Handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access), H5Fclose);
  if (!id.ok()) fail_read(file, cat("cannot open this HDF5 file: ", last_error()));
  return id;
}

Handle open_file(const std::filesystem::path& file, const std::string& format) {
  Handle id = open_any(file, own_files);
  if (!has_attribute(id, "format"))
    throw Error(ErrorKind::input, file.string(), "an HDF5 file, but not one of Scree's", own_files);
  const std::string found = read_attribute(id, "format", file);
  if (!format.empty() && found != format)
    throw Error(ErrorKind::input, file.string(), cat("this file is a ", found, ", where a ", format, " is needed"));
  std::int32_t version = 0;
  read_attribute(id, "version", H5T_NATIVE_INT32, 1, &version, file);
  if (version != current_version)
    throw Error(ErrorKind::input, file.string(),
                cat("format version ", version, ", but this program reads version ", current_version),
                "use the version of Scree that wrote it");
  return id;
}

Handle create_group(hid_t parent, const std::string& name, const std::filesystem::path& file) {
  Handle group(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group.ok()) fail_write(file, name);
  return group;
}

Handle open_group(hid_t parent, const std::string& name, const std::filesystem::path& file) {
  Handle group(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose);
  if (!group.ok()) fail_read(file, cat("group \"", name, "\" is missing"));
  return group;
}

void write_attribute(hid_t group, const std::string& name, hid_t type, hsize_t count, const void* data,
                     const std::filesystem::path& file) {
  const Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle attribute(H5Acreate2(group, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) fail_write(file, name);
  check(H5Awrite(attribute, type, data), file, name);
}

void write_attribute(hid_t group, const std::string& name, const std::string& text, const std::filesystem::path& file) {
  const Handle type = string_type(text.size());
  write_attribute(group, name, type, 1, text.c_str(), file);
}

bool has_attribute(hid_t group, const std::string& name) { return H5Aexists(group, name.c_str()) > 0; }
bool has_dataset(hid_t group, const std::string& name) { return H5Lexists(group, name.c_str(), H5P_DEFAULT) > 0; }

void read_attribute(hid_t group, const std::string& name, hid_t type, hsize_t count, void* data,
                    const std::filesystem::path& file) {
  const Handle attribute(H5Aopen(group, name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) fail_read(file, cat("attribute \"", name, "\" is missing"));
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(count) || H5Aread(attribute, type, data) < 0)
    fail_read(file, cat("attribute \"", name, "\" is damaged"));
}

std::string read_attribute(hid_t group, const std::string& name, const std::filesystem::path& file) {
  const Handle attribute(H5Aopen(group, name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) fail_read(file, cat("attribute \"", name, "\" is missing"));
  const Handle stored(H5Aget_type(attribute), H5Tclose);
  if (H5Tget_class(stored) != H5T_STRING || H5Tis_variable_str(stored) > 0)
    fail_read(file, cat("attribute \"", name, "\" is not a text"));
  std::string text(H5Tget_size(stored), '\0');
  const Handle type = string_type(text.size());
  if (H5Aread(attribute, type, text.data()) < 0) fail_read(file, cat("attribute \"", name, "\" is damaged"));
  return trimmed(std::move(text));
}

void write_dataset(hid_t group, const std::string& name, hid_t type, hsize_t rows, hsize_t columns, const void* data,
                   const std::filesystem::path& file) {
  const Handle space = simple_space(rows, columns);
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (rows > 0) {
    const std::array<hsize_t, 2> chunk{std::min(rows, checked_rows), columns};
    H5Pset_chunk(layout, columns == 1 ? 1 : 2, chunk.data());
    H5Pset_fletcher32(layout);
  }
  const Handle dataset(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, layout, H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) fail_write(file, name);
  if (rows > 0) check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), file, name);
}

hsize_t rows_of(hid_t group, const std::string& name, hsize_t columns, const std::filesystem::path& file) {
  const Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) fail_read(file, cat("dataset \"", name, "\" is missing"));
  const Handle space(H5Dget_space(dataset), H5Sclose);
  std::array<hsize_t, 2> dims{0, 1};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank != (columns == 1 ? 1 : 2) || H5Sget_simple_extent_dims(space, dims.data(), nullptr) < 0 ||
      dims[1] != columns)
    fail_read(file, cat("dataset \"", name, "\" has the wrong shape"));
  return dims[0];
}

void read_rows(hid_t group, const std::string& name, hid_t type, hsize_t first, hsize_t count, hsize_t columns,
               void* data, const std::filesystem::path& file) {
  const hsize_t rows = rows_of(group, name, columns, file);
  if (first + count > rows) fail_read(file, cat("dataset \"", name, "\" ends too early"));
  if (count == 0) return;
  const Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const std::array<hsize_t, 2> start{first, 0};
  const std::array<hsize_t, 2> size{count, columns};
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
  const Handle memory = simple_space(count, columns);
  if (H5Dread(dataset, type, memory, space, H5P_DEFAULT, data) < 0)
    fail_read(file, cat("dataset \"", name, "\" cannot be read: ", last_error()));
}

void write_text(hid_t group, const std::string& name, const std::string& text, const std::filesystem::path& file) {
  const Handle type = string_type(text.size());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle dataset(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) fail_write(file, name);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), file, name);
  write_attribute(dataset, "checksum", to_hex(Hash().text(trimmed(text)).value()), file);
}

std::string read_text(hid_t group, const std::string& name, const std::filesystem::path& file) {
  const Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) fail_read(file, cat("dataset \"", name, "\" is missing"));
  const Handle stored(H5Dget_type(dataset), H5Tclose);
  std::string text(H5Tget_size(stored), '\0');
  const Handle type = string_type(text.size());
  if (H5Tget_class(stored) != H5T_STRING || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
    fail_read(file, cat("dataset \"", name, "\" is damaged"));
  text = trimmed(std::move(text));
  if (read_attribute(dataset, "checksum", file) != to_hex(Hash().text(text).value()))
    fail_read(file, cat("dataset \"", name, "\" does not agree with its checksum"));
  return text;
}

Column::Column(hid_t group, const std::string& name, hid_t type, hsize_t columns, hsize_t chunk, bool compress,
               const std::filesystem::path& file)
    : type_(type), columns_(columns), file_(&file), name_(name) {
  const int rank = columns == 1 ? 1 : 2;
  const std::array<hsize_t, 2> none{0, columns};
  const std::array<hsize_t, 2> unlimited{H5S_UNLIMITED, columns};
  const std::array<hsize_t, 2> chunks{chunk, columns};
  const Handle space(H5Screate_simple(rank, none.data(), unlimited.data()), H5Sclose);
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(layout, rank, chunks.data());
  if (compress) {
    H5Pset_shuffle(layout);
    H5Pset_deflate(layout, 1);
  }
  dataset_ = Handle(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, layout, H5P_DEFAULT), H5Dclose);
  if (!dataset_.ok()) fail_write(file, name);
}

void Column::append(const void* data, hsize_t rows) {
  if (rows == 0) return;
  const std::array<hsize_t, 2> start{rows_, 0};
  const std::array<hsize_t, 2> size{rows, columns_};
  const std::array<hsize_t, 2> total{rows_ + rows, columns_};
  check(H5Dset_extent(dataset_, total.data()), *file_, name_);
  const Handle space(H5Dget_space(dataset_), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
  const Handle memory = simple_space(rows, columns_);
  check(H5Dwrite(dataset_, type_, memory, space, H5P_DEFAULT, data), *file_, name_);
  rows_ += rows;
}

void Column::flush() { check(H5Dflush(dataset_), *file_, name_); }

}  // namespace scree::h5
