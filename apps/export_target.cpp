#include "export_target.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "scree/base/error.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::system, path.string(), "cannot be written: " + why,
              "check the path, its permissions and free space, or choose another with -o");
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path());
  return out;
}

}  // namespace

void refuse_existing(const fs::path& file, const char* option, bool force) {
  if (force || !fs::exists(file)) return;
  throw Error(ErrorKind::input, file.string(), "exists",
              fmt::format("choose another name with {}, or replace it with --force", option));
}

ExportFolder::ExportFolder(const fs::path& folder, const std::string& own_files, bool force)
    : folder_(folder.has_filename() ? folder : folder.parent_path()),
      part_(folder_.string() + ".part" + std::to_string(getpid())),
      own_files_(own_files) {
  try {
    if (fs::exists(folder_) && !fs::is_directory(folder_))
      throw Error(ErrorKind::input, folder_.string(), "is not a folder, and this format is several files",
                  "name a folder with -o");
    if (fs::exists(folder_) && !fs::is_empty(folder_) && !force)
      throw Error(ErrorKind::input, folder_.string(), "is not empty",
                  "choose another folder with -o, or replace an earlier export in it with --force");
    fs::create_directories(part_);
  } catch (const fs::filesystem_error& e) { fail(folder_, e.code().message()); }
}

ExportFolder::~ExportFolder() {
  std::error_code ignored;
  fs::remove_all(part_, ignored);
}

void ExportFolder::write(const std::string& name, const std::string& text) const {
  std::FILE* const out = std::fopen((part_ / name).c_str(), "wb");
  if (!out) fail(folder_ / name, std::strerror(errno));
  const bool whole = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const int code = errno;
  if (std::fclose(out) != 0 || !whole) fail(folder_ / name, std::strerror(whole ? errno : code));
}

std::uintmax_t ExportFolder::commit() {
  try {
    std::uintmax_t bytes = 0;
    for (const fs::path& file : entries(part_)) bytes += fs::file_size(file);
    if (!fs::exists(folder_)) {
      fs::rename(part_, folder_);
      return bytes;
    }
    for (const fs::path& file : entries(folder_))
      if (std::regex_match(file.filename().string(), own_files_)) fs::remove(file);
    for (const fs::path& file : entries(part_)) fs::rename(file, folder_ / file.filename());
    return bytes;
  } catch (const fs::filesystem_error& e) { fail(folder_, e.code().message()); }
}

}  // namespace scree::cli
