#pragma once
// Numbers over time as CSV: one line a sample, a header that names the columns.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "scree/step/simulation.hpp"

namespace scree {

class SeriesWriter {
 public:
  // Starts a new file. Error(system) when it cannot.
  explicit SeriesWriter(const std::filesystem::path& csv);
  // One line, handed to the operating system before this returns. Error(system) when the disk fails.
  void write(double time, std::uint64_t step, const Ledger& ledger, const StepStats& stats, std::size_t grains);

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  void put(const std::string& line);
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace scree
