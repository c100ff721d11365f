#pragma once
// A CSV file that grows by a line at a time.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace scree {

class CsvFile {
 public:
  // Starts a new file with its header line. With `keep_until`, goes on with the one that is there, if it has this
  // header: its lines up to that time, the first column, stay. Error(system) when it cannot.
  CsvFile(const std::filesystem::path& csv, const std::string& header, std::optional<double> keep_until = {});
  // Lines, handed to the operating system before this returns. Error(system) when the disk fails.
  void put(const std::string& lines);

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace scree
