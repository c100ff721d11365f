#include "scree/record/part_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {

namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int code) {
  throw Error(ErrorKind::system, file.string(), cat("cannot be written: ", std::strerror(code)),
              "check that the folder exists, may be written and has room");
}

}  // namespace

PartFile::PartFile(const std::filesystem::path& file)
    : file_(file), temporary_(file.string() + ".part" + std::to_string(getpid())) {}

PartFile::~PartFile() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void PartFile::commit() {
  const int descriptor = open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(file_, errno);
  const int failed = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  if (failed != 0) fail(file_, failed);
  if (std::rename(temporary_.c_str(), file_.c_str()) != 0) fail(file_, errno);
}

struct PartText::Impl {
  explicit Impl(const std::filesystem::path& f) : file(f), part(f), out(std::fopen(part.temporary().c_str(), "wb")) {
    if (!out) fail(file, errno);
  }
  ~Impl() {
    if (out) std::fclose(out);
  }
  std::filesystem::path file;
  PartFile part;
  std::FILE* out;
};

PartText::PartText(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}
PartText::~PartText() = default;
PartText::PartText(PartText&&) noexcept = default;

void PartText::put(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), impl_->out) != text.size() || std::fflush(impl_->out) != 0)
    fail(impl_->file, errno);
}

void PartText::commit() {
  std::FILE* const out = std::exchange(impl_->out, nullptr);
  if (std::fclose(out) != 0) fail(impl_->file, errno);
  impl_->part.commit();
}

void write_atomic(const std::filesystem::path& file, const std::string& text) {
  PartText out(file);
  out.put(text);
  out.commit();
}

}  // namespace scree
