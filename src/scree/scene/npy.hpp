#pragma once
// NumPy's array files: the format of numpy.lib.format, versions 1 to 3. Inside scene/ only.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace scree {

// One field of a structured array, or the whole of a plain one (name "").
struct NpyField {
  std::string name;
  char kind = 'f';         // of the dtype: f, i, u, b numbers; U, S texts; others cannot be read
  std::string dtype;       // as the file says it, for messages
  bool swapped = false;    // bytes in the other order than this machine's
  std::size_t size = 8;    // bytes of one element
  std::size_t width = 1;   // elements a row, of a field with a shape of its own
  std::size_t offset = 0;  // within a row
};

struct NpyArray {
  std::vector<NpyField> fields;
  bool structured = false;
  std::size_t rows = 0;
  std::size_t row_size = 0;  // bytes; rows of a plain array of two dimensions hold `width` elements
  std::string bytes;

  double number(const NpyField& field, std::size_t row, std::size_t k = 0) const;
  std::string text(const NpyField& field, std::size_t row) const;
};

// Bytes of a file, in order; fewer than asked for at its end.
using ByteSource = std::function<std::string(std::size_t count)>;

// Reads an array of `size` bytes in all, header included, and of at most `most_rows` rows. `where` names the file, and
// the array within it, in Error(input).
NpyArray read_npy(const ByteSource& source, std::uint64_t size, std::uint64_t most_rows, const std::string& where);

}  // namespace scree
