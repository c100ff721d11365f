#include "scree/view/html.hpp"

#include <zlib.h>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {

namespace {

constexpr std::size_t most_bytes = 400ull << 20;  // before compression: a browser holds them all

// A block with its length before it.
void put_block(std::string& out, const void* data, std::size_t length) {
  for (int k = 0; k < 4; ++k) out += static_cast<char>(length >> (8 * k) & 255);
  out.append(static_cast<const char*>(data), length);
}

Bytes compressed(const std::string& data) {
  uLongf size = compressBound(static_cast<uLong>(data.size()));
  Bytes out(size);
  if (compress2(out.data(), &size, reinterpret_cast<const Bytef*>(data.data()), static_cast<uLong>(data.size()),
                Z_DEFAULT_COMPRESSION) != Z_OK)
    throw Error(ErrorKind::system, "zlib", "cannot compress the frames", "use fewer: --every");
  out.resize(size);
  return out;
}

std::string base64(const Bytes& data) {
  static constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < data.size(); k += 3) {
    const std::size_t left = data.size() - k;
    const unsigned bits =
        static_cast<unsigned>(data[k] << 16 | (left > 1 ? data[k + 1] << 8 : 0) | (left > 2 ? data[k + 2] : 0));
    out += digits[bits >> 18];
    out += digits[bits >> 12 & 63];
    out += left > 1 ? digits[bits >> 6 & 63] : '=';
    out += left > 2 ? digits[bits & 63] : '=';
  }
  return out;
}

}  // namespace

std::string html_of(const std::string& page, const RecordedRun& run, const std::vector<std::size_t>& frames,
                    const std::function<void(double)>& progress) {
  const RunInfo info = info_of(run);
  nlohmann::json hello = hello_of(info, run);
  std::vector<double> times;
  for (const std::size_t k : frames) times.push_back(run.times[k]);
  hello["times"] = times;
  const std::string text = hello.dump();
  std::string data;
  put_block(data, text.data(), text.size());
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const Bytes frame = encode_frame(run.statics, run.read(frames[k]), info.origin);
    put_block(data, frame.data(), frame.size());
    if (data.size() > most_bytes)
      throw Error(ErrorKind::input, "--html",
                  cat("more than ", most_bytes >> 20, " MB of frames after ", k + 1, " of ", frames.size()),
                  "take fewer frames: --every");
    progress(static_cast<double>(k + 1) / static_cast<double>(frames.size()));
  }
  const std::size_t end = page.rfind("</body>");
  std::string out = page.substr(0, end);
  out += "<script type=\"text/plain\" id=\"scree-run\">" + base64(compressed(data)) + "</script>";
  return out + page.substr(end);
}

}  // namespace scree
