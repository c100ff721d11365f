#pragma once
// Where `scree export` writes. Nothing that is there is lost unless --force says so, and nothing half-written stays.
#include <filesystem>
#include <regex>
#include <string>

namespace scree::cli {

// Error(input) when `file` exists and `force` is not set. `option`: what names the file on the command line.
void refuse_existing(const std::filesystem::path& file, const char* option, bool force);

// A folder whose files appear together. One that exists must be empty, or `force` set: then commit() takes away the
// files of an earlier export, whose names match `own_files`, and leaves the others.
class ExportFolder {
 public:
  ExportFolder(const std::filesystem::path& folder, const std::string& own_files, bool force);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return part_ / name; }  // until commit()
  // A file of the folder. Error(system) when the disk fails. Not flushed to the disk one by one: there may be
  // thousands.
  void write(const std::string& name, const std::string& text) const;
  // Bytes of all files. Error(system) when they cannot take their place.
  std::uintmax_t commit();

 private:
  std::filesystem::path folder_, part_;
  std::regex own_files_;
};

}  // namespace scree::cli
