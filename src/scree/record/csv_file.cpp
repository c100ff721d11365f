#include "scree/record/csv_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "scree/base/error.hpp"

namespace scree {

namespace {

// Header and lines up to a time, of a file that may be missing or cut off within a line.
std::string kept_lines(const std::filesystem::path& csv, const std::string& header, double until) {
  std::ifstream in(csv, std::ios::binary);
  std::string line, kept;
  while (std::getline(in, line) && !in.eof()) {  // what has no end of line was cut off
    line += '\n';
    if (kept.empty() ? line != header : std::strtod(line.c_str(), nullptr) > until) break;
    kept += line;
  }
  return kept.empty() ? header : kept;
}

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& csv, const std::string& header, std::optional<double> keep_until)
    : path_(csv) {
  const auto demand = [&](bool done) {
    if (!done)
      throw Error(ErrorKind::system, csv.string(), fmt::format("cannot create this file: {}", std::strerror(errno)),
                  "check that the folder exists and may be written, or choose another with -o");
  };
  if (!keep_until) {
    file_.reset(std::fopen(csv.c_str(), "w"));
    demand(file_ != nullptr);
    put(header);
    return;
  }
  // The kept lines take the place of the old file when all of them are written: a kill leaves one or the other.
  const std::string first = kept_lines(csv, header, *keep_until), part = csv.string() + ".part";
  file_.reset(std::fopen(part.c_str(), "w"));
  demand(file_ != nullptr);
  put(first);
  demand(std::rename(part.c_str(), csv.c_str()) == 0);
}

void CsvFile::put(const std::string& lines) {
  if (std::fwrite(lines.data(), 1, lines.size(), file_.get()) != lines.size() || std::fflush(file_.get()) != 0)
    throw Error(ErrorKind::system, path_.string(), fmt::format("cannot write: {}", std::strerror(errno)),
                "check that the disk has room");
}

}  // namespace scree
