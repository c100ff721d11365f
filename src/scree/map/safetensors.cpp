#include "scree/map/safetensors.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {
namespace {

using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "tensor data is written as it lies in memory");

constexpr std::uint64_t max_header = 100'000'000;  // the limit of the reference implementation
constexpr std::size_t max_rank = 32;

const std::map<std::string_view, std::size_t>& dtypes() {
  static const std::map<std::string_view, std::size_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"I16", 2}, {"U16", 2}, {"F16", 2},
      {"BF16", 2}, {"I32", 4}, {"U32", 4}, {"F32", 4},     {"F64", 8},     {"I64", 8}, {"U64", 8}};
  return sizes;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& problem) {
  throw Error(ErrorKind::input, path.string(), problem,
              "the file is damaged or is no safetensors file; delete it so that it is built again");
}

[[noreturn]] void system_failure(const std::filesystem::path& path, const std::string& action, int code) {
  throw Error(ErrorKind::system, path.string(), cat("cannot ", action, ": ", std::strerror(code)),
              "check that the folder exists, that it may be written, and that the disk is not full");
}

// Bytes a tensor of this dtype and shape takes; false on an unknown dtype, a negative extent or overflow.
bool byte_count(std::string_view dtype, const std::vector<std::int64_t>& shape, std::uint64_t& bytes) {
  bytes = dtype_size(dtype);
  if (bytes == 0) return false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return false;
    const auto n = static_cast<std::uint64_t>(extent);
    if (n != 0 && bytes > std::numeric_limits<std::int64_t>::max() / n) return false;
    bytes *= n;
  }
  return true;
}

// As the reference writer orders data: widest elements first, then by name, so that every tensor is aligned.
std::vector<const std::pair<const std::string, Tensor>*> data_order(const TensorFile& file) {
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& entry : file.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* l, auto* r) { return dtype_size(l->second.dtype) > dtype_size(r->second.dtype); });
  return order;
}

std::string make_header(const std::filesystem::path& path, const TensorFile& file) {
  json header = json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::uint64_t offset = 0;
  for (const auto* entry : data_order(file)) {
    const auto& [name, tensor] = *entry;
    std::uint64_t bytes = 0;
    if (name == "__metadata__" || tensor.shape.size() > max_rank || !byte_count(tensor.dtype, tensor.shape, bytes) ||
        bytes != tensor.data.size()) {
      throw Error(ErrorKind::input, path.string(),
                  cat("tensor '", name, "' of dtype ", tensor.dtype, " holds ", tensor.data.size(),
                      " bytes, which do not fit its shape"),
                  "give a dtype of the safetensors format and as many bytes as the shape asks for");
    }
    header[name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", json::array({offset, offset + bytes})}};
    offset += bytes;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception&) {
    throw Error(ErrorKind::input, path.string(), "a tensor name or metadata text is not valid UTF-8",
                "use UTF-8 names");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

// A file descriptor under a temporary name, closed and removed unless `commit` renamed it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path target) : target_(std::move(target)) {
    name_ = target_.string() + ".XXXXXX";
    descriptor_ = ::mkstemp(name_.data());
    if (descriptor_ < 0) system_failure(target_, "create a temporary file beside it", errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!committed_) ::unlink(name_.c_str());
  }

  void write(const void* data, std::size_t size) {
    const auto* p = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t done = ::write(descriptor_, p, size);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) system_failure(target_, "write", errno);
      p += done;
      size -= static_cast<std::size_t>(done);
    }
  }

  void commit() {
    ::fchmod(descriptor_, 0644);
    if (::fsync(descriptor_) != 0) system_failure(target_, "flush", errno);
    const int closed = ::close(std::exchange(descriptor_, -1));
    if (closed != 0) system_failure(target_, "close", errno);
    if (::rename(name_.c_str(), target_.c_str()) != 0) system_failure(target_, "rename the temporary file", errno);
    committed_ = true;
  }

 private:
  std::filesystem::path target_;
  std::string name_;
  int descriptor_ = -1;
  bool committed_ = false;
};

std::vector<std::byte> read_all(const std::filesystem::path& path) {
  std::error_code failed;
  const bool regular = std::filesystem::is_regular_file(path, failed);  // anything else may block for ever
  std::ifstream in(regular ? path : std::filesystem::path(), std::ios::binary | std::ios::ate);
  if (!in) {
    throw Error(ErrorKind::system, path.string(), "cannot open the file", "check the name and the permissions");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in) throw Error(ErrorKind::system, path.string(), "cannot read the file", "check the disk");
  return bytes;
}

json parse_header(const std::filesystem::path& path, const char* begin, const char* end) {
  if (begin == end || *begin != '{') refuse(path, "the header does not start with '{'");
  // nlohmann keeps the last of two equal keys; the format forbids them, so they are counted while parsing.
  std::set<std::string> seen;
  std::string repeated;
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    if (depth == 1 && event == json::parse_event_t::key && !seen.insert(value.get<std::string>()).second) {
      repeated = value.get<std::string>();
    }
    return true;
  };
  json header = json::parse(begin, end, watch, /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object()) refuse(path, "the header is not a JSON object");
  if (!repeated.empty()) refuse(path, cat("the header names '", repeated, "' twice"));
  return header;
}

struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string name;
};

// Checks one entry of the header; fills dtype and shape of `tensor`.
Extent parse_entry(const std::filesystem::path& path, const std::string& name, const json& entry, std::uint64_t size,
                   Tensor& tensor) {
  const auto is_index = [](const json& j) { return j.is_number_unsigned(); };
  const bool well_formed = entry.is_object() && entry.size() == 3 && entry.contains("dtype") &&
                           entry["dtype"].is_string() && entry.contains("shape") && entry["shape"].is_array() &&
                           entry["shape"].size() <= max_rank && entry.contains("data_offsets") &&
                           entry["data_offsets"].is_array() && entry["data_offsets"].size() == 2 &&
                           std::all_of(entry["shape"].begin(), entry["shape"].end(), is_index) &&
                           std::all_of(entry["data_offsets"].begin(), entry["data_offsets"].end(), is_index);
  if (!well_formed) refuse(path, cat("tensor '", name, "' needs dtype, shape and data_offsets, and nothing else"));
  tensor.dtype = entry["dtype"].get<std::string>();
  if (dtype_size(tensor.dtype) == 0) refuse(path, cat("tensor '", name, "' has the unknown dtype ", tensor.dtype));
  for (const json& extent : entry["shape"]) {
    const auto n = extent.get<std::uint64_t>();
    if (n > std::numeric_limits<std::int64_t>::max()) refuse(path, cat("the shape of '", name, "' is absurd"));
    tensor.shape.push_back(static_cast<std::int64_t>(n));
  }
  Extent range{entry["data_offsets"][0].get<std::uint64_t>(), entry["data_offsets"][1].get<std::uint64_t>(), name};
  if (range.begin > range.end || range.end > size) {
    refuse(path, cat("tensor '", name, "' lies beyond the end of the file, which is truncated"));
  }
  std::uint64_t bytes = 0;
  if (!byte_count(tensor.dtype, tensor.shape, bytes) || bytes != range.end - range.begin) {
    refuse(path, cat("the offsets of tensor '", name, "' do not fit its shape and dtype"));
  }
  return range;
}

void check_cover(const std::filesystem::path& path, std::vector<Extent> ranges, std::uint64_t size) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Extent& l, const Extent& r) { return std::pair(l.begin, l.end) < std::pair(r.begin, r.end); });
  std::uint64_t at = 0;
  for (const Extent& range : ranges) {
    if (range.begin < at) refuse(path, cat("tensor '", range.name, "' overlaps another"));
    if (range.begin > at) refuse(path, cat("there is a hole in the data before tensor '", range.name, "'"));
    at = range.end;
  }
  if (at != size) refuse(path, cat(size - at, " bytes follow the last tensor"));
}

}  // namespace

std::size_t dtype_size(std::string_view dtype) {
  const auto found = dtypes().find(dtype);
  return found == dtypes().end() ? 0 : found->second;
}

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  const std::string header = make_header(path, file);
  const std::uint64_t length = header.size();
  TemporaryFile out(path);
  out.write(&length, sizeof length);
  out.write(header.data(), header.size());
  for (const auto* entry : data_order(file)) out.write(entry->second.data.data(), entry->second.data.size());
  out.commit();
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_all(path);
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) refuse(path, "the file is shorter than its header length");
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > max_header) refuse(path, cat("the header claims ", length, " bytes, more than the format allows"));
  if (length > bytes.size() - sizeof length) refuse(path, "the file ends inside its header");
  const char* text = reinterpret_cast<const char*>(bytes.data()) + sizeof length;
  const json header = parse_header(path, text, text + length);
  const std::byte* data = bytes.data() + sizeof length + length;
  const std::uint64_t size = bytes.size() - sizeof length - length;

  TensorFile file;
  std::vector<Extent> ranges;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object()) refuse(path, "__metadata__ is not an object");
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) refuse(path, cat("metadata '", key, "' is not text"));
        file.metadata[key] = value.get<std::string>();
      }
      continue;
    }
    Tensor tensor;
    const Extent range = parse_entry(path, name, entry, size, tensor);
    tensor.data.assign(data + range.begin, data + range.end);
    ranges.push_back(range);
    file.tensors.emplace(name, std::move(tensor));
  }
  check_cover(path, std::move(ranges), size);
  return file;
}

}  // namespace scree
