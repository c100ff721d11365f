#include "scree/record/csv_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "scree/base/error.hpp"

namespace scree {

CsvFile::CsvFile(const std::filesystem::path& csv, const std::string& header)
    : path_(csv), file_(std::fopen(csv.c_str(), "w")) {
  if (!file_)
    throw Error(ErrorKind::system, csv.string(), fmt::format("cannot create this file: {}", std::strerror(errno)),
                "check that the folder exists and may be written, or choose another with -o");
  put(header);
}

void CsvFile::put(const std::string& lines) {
  if (std::fwrite(lines.data(), 1, lines.size(), file_.get()) != lines.size() || std::fflush(file_.get()) != 0)
    throw Error(ErrorKind::system, path_.string(), fmt::format("cannot write: {}", std::strerror(errno)),
                "check that the disk has room");
}

}  // namespace scree
