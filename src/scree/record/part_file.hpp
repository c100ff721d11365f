#pragma once
// Files that are there whole or not at all.
#include <filesystem>
#include <memory>
#include <string>

namespace scree {

// The name a file has while it is written. commit() gives it its own; without that it is removed again.
class PartFile {
 public:
  explicit PartFile(const std::filesystem::path& file);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& temporary() const { return temporary_; }  // beside the file
  // Flushes what was written under the temporary name to the disk and renames it. Error(system) when that fails.
  void commit();

 private:
  std::filesystem::path file_, temporary_;
};

// Text that grows until it is committed. Error(system) when the disk fails.
class PartText {
 public:
  explicit PartText(const std::filesystem::path& file);
  ~PartText();
  PartText(PartText&&) noexcept;

  void put(const std::string& text);  // handed to the operating system before this returns
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A reader sees the old file or the whole new one.
void write_atomic(const std::filesystem::path& file, const std::string& text);

}  // namespace scree
