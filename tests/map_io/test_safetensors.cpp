// The tensor container: what is written comes back, and no damage goes unnoticed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "scree/base/error.hpp"
#include "scree/base/rng.hpp"
#include "scree/map/safetensors.hpp"

namespace scree {
namespace {

class Safetensors : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("scree_safetensors_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "net.safetensors";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // A file with this header, whatever it says, and `data` zero bytes.
  void put_header(const std::string& header, std::size_t data) const {
    const std::uint64_t n = header.size();
    std::string file(8, '\0');
    std::memcpy(file.data(), &n, 8);
    put(file + header + std::string(data, '\0'));
  }
  void expect_refused(const std::string& word) const {
    try {
      read_safetensors(path_);
      FAIL() << "a damaged file was accepted; expected a message with: " << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_EQ(error.where(), path_.string());
      EXPECT_NE(error.problem().find(word), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
};

Tensor zeros(const std::string& dtype, std::vector<std::int64_t> shape) {
  std::size_t n = dtype_size(dtype);
  for (const std::int64_t s : shape) n *= static_cast<std::size_t>(s);
  return {dtype, std::move(shape), std::vector<std::byte>(n)};
}

TensorFile example() {
  TensorFile file;
  file.metadata = {{"kind", "neural"}, {"note", "θ in \"quotes\"\n"}};
  file.tensors["b"] = zeros("F16", {3});
  file.tensors["a"] = zeros("F32", {2, 3});
  file.tensors["scalar"] = zeros("F64", {});
  file.tensors["empty"] = zeros("F32", {0, 5});
  Rng rng(7);
  for (auto& [name, tensor] : file.tensors) {
    for (std::byte& byte : tensor.data) byte = static_cast<std::byte>(rng.below(256));
  }
  return file;
}

TEST_F(Safetensors, RoundTripKeepsEverything) {
  const TensorFile file = example();
  write_safetensors(path_, file);
  const TensorFile back = read_safetensors(path_);
  EXPECT_EQ(back.metadata, file.metadata);
  ASSERT_EQ(back.tensors.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(back.tensors.at(name).dtype, tensor.dtype);
    EXPECT_EQ(back.tensors.at(name).shape, tensor.shape);
    EXPECT_EQ(back.tensors.at(name).data, tensor.data);
  }
}

TEST_F(Safetensors, LayoutIsThatOfTheFormat) {
  write_safetensors(path_, example());
  const std::string file = bytes();
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(file[8], '{');
  EXPECT_EQ(file.size(), 8 + length + 8 + 24 + 6);  // F64 scalar, 2x3 F32, 3 F16
  const std::string header = file.substr(8, length);
  EXPECT_NE(header.find(R"("scalar":{"data_offsets":[0,8],"dtype":"F64","shape":[]})"), std::string::npos) << header;
}

TEST_F(Safetensors, EmptyFileOfNoTensors) {
  write_safetensors(path_, {});
  EXPECT_TRUE(read_safetensors(path_).tensors.empty());
}

TEST_F(Safetensors, ReplacesTheOldFileAndLeavesNothingElse) {
  write_safetensors(path_, example());
  write_safetensors(path_, {});
  EXPECT_TRUE(read_safetensors(path_).tensors.empty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Safetensors, RefusesToWriteWhatDoesNotFit) {
  for (Tensor bad : {Tensor{"F32", {2}, std::vector<std::byte>(7)}, Tensor{"F31", {2}, std::vector<std::byte>(8)},
                     Tensor{"F32", {-1}, {}}}) {
    TensorFile file;
    file.tensors["bad"] = std::move(bad);
    EXPECT_THROW(write_safetensors(path_, file), Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Safetensors, SystemErrorsNameTheFile) {
  for (const auto& action : {+[](const std::filesystem::path& p) { write_safetensors(p / "x", {}); },
                             +[](const std::filesystem::path& p) { read_safetensors(p / "x"); },
                             +[](const std::filesystem::path& p) { read_safetensors(p.parent_path()); }}) {
    try {
      action(folder_ / "missing");
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::system);
      EXPECT_NE(error.where().find(folder_.string()), std::string::npos);
    }
  }
}

TEST_F(Safetensors, EveryTruncationIsSeen) {
  write_safetensors(path_, example());
  const std::string whole = bytes();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    put(whole.substr(0, n));
    EXPECT_THROW(read_safetensors(path_), Error) << "accepted the first " << n << " of " << whole.size() << " bytes";
  }
  put(whole + 'x');
  expect_refused("1 bytes follow the last tensor");
}

// A changed byte of the header is refused or read as another valid file; it never crashes (run under ASan in CI).
TEST_F(Safetensors, ChangedHeaderBytesNeverCrash) {
  write_safetensors(path_, example());
  const std::string whole = bytes();
  std::uint64_t length = 0;
  std::memcpy(&length, whole.data(), 8);
  Rng rng(3);
  for (std::size_t at = 0; at < 8 + length; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(rng.below(256));
    put(damaged);
    try {
      read_safetensors(path_);
    } catch (const Error& error) { EXPECT_EQ(error.kind(), ErrorKind::input); }
  }
}

TEST_F(Safetensors, NamesTheDamage) {
  put(std::string(7, 'x'));
  expect_refused("shorter");
  put(std::string(100, '\xff'));
  expect_refused("more than the format allows");
  put_header("[1, 2]  ", 0);
  expect_refused("does not start with '{'");
  put_header("{\"a\": ", 0);
  expect_refused("not a JSON object");
  put_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{}})", 4);
  expect_refused("twice");
  put_header(R"({"__metadata__":{"k":1}})", 0);
  expect_refused("not text");
  put_header(R"({"__metadata__":[]})", 0);
  expect_refused("not an object");
  put_header(R"({"a":{"dtype":"F32","shape":[1]}})", 4);
  expect_refused("needs dtype, shape and data_offsets");
  put_header(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4);
  expect_refused("needs dtype, shape and data_offsets");
  put_header(R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", 4);
  expect_refused("unknown dtype");
  put_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4);
  expect_refused("do not fit its shape");
  put_header(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,4]}})", 4);
  expect_refused("do not fit its shape");
  put_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4);
  expect_refused("truncated");
  put_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 4);
  expect_refused("truncated");
  put_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8);
  expect_refused("hole");
  put_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
             8);
  expect_refused("overlaps");
}

}  // namespace
}  // namespace scree
