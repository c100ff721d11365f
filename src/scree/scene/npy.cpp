#include "scree/scene/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {

namespace {

constexpr std::uint64_t longest_header = 1 << 20;  // bytes; a dtype is a line of text

[[noreturn]] void fail(const std::string& where, const std::string& problem) {
  throw Error(ErrorKind::input, where, problem, "write it again with numpy.save or numpy.savez");
}

// The header is the text of a Python dictionary: texts, True and False, whole numbers, tuples and lists.
struct Literal {
  std::string text;            // of a text, word or number
  std::vector<Literal> items;  // of a tuple, list or dictionary (keys and values in turn)
  char opening = 0;            // ( [ { or 0
};

class LiteralReader {
 public:
  LiteralReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Literal value(int depth = 0) {
    constexpr int deepest = 8;
    const char c = peek();
    if (depth > deepest) fail_header();
    if (c == '(' || c == '[' || c == '{') return sequence(c, depth);
    return {c == '\'' || c == '"' ? quoted(c) : word(), {}, 0};
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    if (at_ >= text_.size()) fail_header();
    return text_[at_];
  }
  Literal sequence(char opening, int depth) {
    const char closing = opening == '(' ? ')' : opening == '[' ? ']' : '}';
    Literal out{{}, {}, opening};
    ++at_;
    while (peek() != closing) {
      out.items.push_back(value(depth + 1));
      const char mark = peek();
      const bool separated = mark == ',' || (opening == '{' && mark == ':');
      if (!separated && mark != closing) fail_header();
      if (separated) ++at_;
    }
    ++at_;
    return out;
  }
  std::string quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail_header();
    const std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }
  std::string word() {
    const std::size_t end = std::min(text_.find_first_of(",:)]} \n", at_), text_.size());
    if (end == at_) fail_header();
    const std::string out(text_.substr(at_, end - at_));
    at_ = end;
    return out;
  }
  [[noreturn]] void fail_header() const { fail(where_, "its header is damaged"); }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

std::uint64_t whole(const Literal& literal, const std::string& where) {
  std::uint64_t value = 0;
  const std::string& t = literal.text;
  const auto [end, failed] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (failed != std::errc{} || end != t.data() + t.size())
    fail(where, "its header is damaged: \"" + t + "\" is no length");
  return value;
}

// "<f8", "|S5", ">i4": order of bytes, kind, size.
NpyField field_of(const std::string& name, const std::string& dtype, const std::string& where) {
  NpyField out;
  out.name = name;
  out.dtype = dtype;
  const bool ordered = !dtype.empty() && std::strchr("<>|=", dtype[0]) != nullptr;
  const std::string rest = dtype.substr(ordered ? 1 : 0);
  constexpr bool little = std::endian::native == std::endian::little;
  out.swapped = ordered && ((dtype[0] == '>' && little) || (dtype[0] == '<' && !little));
  out.kind = rest.empty() ? '?' : rest[0];
  if (out.kind == 'O')
    throw Error(ErrorKind::input, where, "holds Python objects (dtype " + dtype + ")",
                "give it a dtype of numbers or texts, such as float or \"U16\", and save it again");
  const auto [end, failed] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), out.size);
  if (rest.size() < 2 || failed != std::errc{} || end != rest.data() + rest.size() || out.size == 0 ||
      out.size > longest_header)
    throw Error(ErrorKind::input, where, "has a dtype that is not understood, \"" + dtype + "\"",
                "use numbers or texts, such as float or \"U16\"");
  if (out.kind == 'U') out.size *= 4;
  return out;
}

// ('x', '<f8') or ('position', '<f8', (2,)): a field of a structured array.
NpyField member(const Literal& item, std::size_t offset, const std::string& where) {
  if (item.items.size() < 2) fail(where, "its header is damaged: a field without a type");
  const std::string& name = item.items[0].text;
  if (item.items[1].opening != 0)
    throw Error(ErrorKind::input, where + ": " + name, "is itself a structured array", "write its fields side by side");
  NpyField field = field_of(name, item.items[1].text, where + ": " + name);
  if (item.items.size() > 2) {
    for (const Literal& length : item.items[2].items) {
      field.width *= std::min(whole(length, where), longest_header);
      if (field.width > longest_header) fail(where, "field \"" + name + "\" is too wide");
    }
  }
  field.offset = offset;
  return field;
}

struct Header {
  NpyArray array;
  bool by_columns = false;  // fortran_order
  std::vector<std::uint64_t> shape;
};

Header parse_header(const std::string& text, const std::string& where) {
  const Literal root = LiteralReader(text, where).value();
  Header out;
  for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
    const std::string& key = root.items[i].text;
    const Literal& value = root.items[i + 1];
    if (key == "fortran_order") out.by_columns = value.text == "True";
    if (key == "shape")
      for (const Literal& length : value.items) out.shape.push_back(whole(length, where));
    if (key != "descr") continue;
    out.array.structured = value.opening == '[';
    if (!out.array.structured) out.array.fields = {field_of("", value.text, where)};
    for (const Literal& item : value.items) {
      out.array.fields.push_back(member(item, out.array.row_size, where));
      out.array.row_size += out.array.fields.back().size * out.array.fields.back().width;
    }
  }
  if (out.array.fields.empty()) fail(where, "its header names no dtype");
  return out;
}

std::string header_text(const ByteSource& source, std::uint64_t& used, const std::string& where) {
  const std::string start = source(8);
  if (start.size() < 8 || !start.starts_with("\x93NUMPY")) fail(where, "is not a NumPy array");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) fail(where, cat("is of version ", version, " of NumPy's format, which is not known"));
  const std::string length = source(version == 1 ? 2 : 4);
  std::uint64_t size = 0;
  for (std::size_t k = 0; k < length.size(); ++k)
    size |= std::uint64_t{static_cast<unsigned char>(length[k])} << (8 * k);
  if (size > longest_header) fail(where, "its header is damaged: it claims to be megabytes long");
  std::string text = source(size);
  if (text.size() < size) fail(where, "is cut short within its header");
  used = 8 + length.size() + size;
  return text;
}

// Columns of a plain array become rows.
std::string by_rows(const std::string& columns, std::size_t rows, std::size_t width, std::size_t size) {
  std::string out(columns.size(), '\0');
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < width; ++k)
      std::memcpy(out.data() + (i * width + k) * size, columns.data() + (k * rows + i) * size, size);
  return out;
}

template <class T>
T as(std::string bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// IEEE half precision.
double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double size = exponent == 31 ? (fraction > 0 ? NAN : INFINITY)
                      : exponent > 0 ? std::ldexp(1024 + fraction, exponent - 25)
                                     : std::ldexp(fraction, -24);
  return bits >> 15 ? -size : size;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
  } else if (code < 0x10000) {
    out += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
            static_cast<char>(0x80 | (code & 63))};
  } else {
    out += {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 63)),
            static_cast<char>(0x80 | (code >> 6 & 63)), static_cast<char>(0x80 | (code & 63))};
  }
}

}  // namespace

double NpyArray::number(const NpyField& field, std::size_t row, std::size_t k) const {
  std::string value = bytes.substr(row * row_size + field.offset + k * field.size, field.size);
  if (field.swapped) std::reverse(value.begin(), value.end());
  const auto integer = [&]<class Signed, class Unsigned>(Signed, Unsigned) {
    return field.kind == 'i' ? static_cast<double>(as<Signed>(value)) : static_cast<double>(as<Unsigned>(value));
  };
  switch (field.size) {
    case 1:
      return integer(std::int8_t{}, std::uint8_t{});
    case 2:
      return field.kind == 'f' ? half(as<std::uint16_t>(value)) : integer(std::int16_t{}, std::uint16_t{});
    case 4:
      return field.kind == 'f' ? double{as<float>(value)} : integer(std::int32_t{}, std::uint32_t{});
    default:
      return field.kind == 'f' ? as<double>(value) : integer(std::int64_t{}, std::uint64_t{});
  }
}

std::string NpyArray::text(const NpyField& field, std::size_t row) const {
  const std::string value = bytes.substr(row * row_size + field.offset, field.size);
  if (field.kind == 'S') return value.substr(0, value.find('\0'));
  std::string out;
  for (std::size_t k = 0; k + 4 <= value.size(); k += 4) {
    std::string code = value.substr(k, 4);
    if (field.swapped) std::reverse(code.begin(), code.end());
    if (as<std::uint32_t>(code) == 0) break;
    append_utf8(out, as<std::uint32_t>(code));
  }
  return out;
}

NpyArray read_npy(const ByteSource& source, std::uint64_t size, std::uint64_t most_rows, const std::string& where) {
  std::uint64_t used = 0;
  Header header = parse_header(header_text(source, used, where), where);
  NpyArray& out = header.array;
  const std::size_t dimensions = header.shape.size();
  if (dimensions == 0 || dimensions > 2 || (out.structured && dimensions > 1))
    throw Error(ErrorKind::input, where, cat("has ", dimensions, " dimensions"), "give it one row a grain");
  if (header.shape[0] > most_rows)
    throw Error(ErrorKind::input, where, cat("claims ", header.shape[0], " rows, more than ", most_rows),
                "use fewer grains");
  out.rows = header.shape[0];
  if (!out.structured) {
    out.fields[0].width = dimensions == 2 ? std::min(header.shape[1], longest_header) : 1;
    out.row_size = out.fields[0].width * out.fields[0].size;
  }
  if (used > size) fail(where, "is cut short");
  if (out.row_size > 0 && out.rows > (size - used) / out.row_size)
    fail(where, cat("is cut short: it claims ", out.rows, " rows of ", out.row_size, " bytes, and ", size - used,
                    " bytes are there"));
  const std::uint64_t wanted = out.rows * out.row_size;
  out.bytes = source(wanted);
  if (out.bytes.size() < wanted) fail(where, "is cut short");
  if (header.by_columns && !out.structured && out.fields[0].width > 1)
    out.bytes = by_rows(out.bytes, out.rows, out.fields[0].width, out.fields[0].size);
  return std::move(out);
}

}  // namespace scree
