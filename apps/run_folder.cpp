// The folder of a run before it starts.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "run_scene.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* lock_name = ".lock";

bool holds_only_the_lock(const fs::path& folder) {
  const fs::directory_iterator entries(folder);
  return std::all_of(begin(entries), end(entries), [](const auto& e) { return e.path().filename() == lock_name; });
}

// A file that a run was writing when it was killed: "state.h5.part1234", "series.csv.part", "measure-flow.csv.part".
bool is_half_written(const std::string& name) {
  const std::size_t end = name.rfind(".part");
  if (end == std::string::npos || name.find_first_not_of("0123456789", end + 5) != std::string::npos) return false;
  const std::string whole = name.substr(0, end);
  const bool of_measure = whole.starts_with(measure_file_prefix) || whole.starts_with(table_file_prefix);
  return std::ranges::count(run_file_names, whole) > 0 || (of_measure && name.ends_with(".csv.part"));
}

void sweep(const fs::path& folder) {
  std::error_code ignored;  // what stays does no harm
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
    std::error_code failed;
    if (is_half_written(it->path().filename())) fs::remove(it->path(), failed);
  }
}

// Does `file` still name what `descriptor` has open? Not when the run before removed it in between.
bool still_there(const fs::path& file, int descriptor) {
  struct stat named {
  }, opened{};
  return stat(file.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

void refuse_own_scene(const fs::path& folder, const Scene& scene) {
  std::error_code none;
  if (fs::equivalent(folder / "scene.toml", scene.file, none)) {
    throw Error(ErrorKind::input, folder.string(), "holds the scene file itself, which the run would replace",
                "choose another folder with -o");
  }
}

}  // namespace

std::string recorded_run(const fs::path& folder) {
  std::ifstream in(folder / "run.json", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> recorded_files(const fs::path& folder) {
  const nlohmann::json run = nlohmann::json::parse(recorded_run(folder), nullptr, false);
  if (!run.is_object() || !run.contains("program") || run["program"] != "scree" || !run.contains("files")) return {};
  std::vector<std::string> names;
  for (const auto& name : run["files"]) {
    // A name with a folder in it was not written by a run.
    if (name.is_string() && !fs::path(name.get<std::string>()).has_parent_path()) names.push_back(name);
  }
  return names;
}

FolderLock::FolderLock(const fs::path& folder) : file_(folder / lock_name) {
  for (;;) {
    descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) {
      throw Error(ErrorKind::system, folder.string(), std::string("cannot be used: ") + std::strerror(errno),
                  "check the path and its permissions");
    }
    // A file system that knows no locks is used without: only a lock that another run holds is a reason to stop.
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(descriptor_);
      throw Error(ErrorKind::system, folder.string(), "another run is writing here",
                  "wait until it ends, or choose another folder with -o");
    }
    if (still_there(file_, descriptor_)) break;
    close(descriptor_);
  }
  sweep(folder);
}

FolderLock::~FolderLock() {
  std::error_code ignored;
  fs::remove(file_, ignored);  // before the lock goes, or it could be another run's
  close(descriptor_);
}

std::unique_ptr<FolderLock> prepare_folder(const fs::path& folder, const Scene& scene, bool force) {
  try {
    if (fs::exists(folder) && !fs::is_directory(folder)) {
      throw Error(ErrorKind::input, folder.string(), "is not a folder", "choose another one with -o");
    }
    fs::create_directories(folder);
    auto lock = std::make_unique<FolderLock>(folder);
    if (holds_only_the_lock(folder)) return lock;
    refuse_own_scene(folder, scene);
    const std::vector<std::string> old = recorded_files(folder);
    if (!force) {
      throw Error(
          ErrorKind::input, folder.string(), "is not empty",
          "choose another folder with -o" + std::string(old.empty() ? "" : ", or replace the run in it with --force"));
    }
    if (old.empty()) {
      throw Error(ErrorKind::input, folder.string(),
                  "is not empty and holds no run of scree, so --force leaves it alone",
                  "choose another folder with -o");
    }
    for (const std::string& name : old) fs::remove(folder / name);
    return lock;
  } catch (const fs::filesystem_error& e) {
    throw Error(ErrorKind::system, folder.string(), "cannot be used: " + e.code().message(),
                "check the path and its permissions");
  }
}

}  // namespace scree::cli
