// Grains from CSV: a line of names, then a line a grain. Cells may stand in double quotes; empty lines and lines that
// begin with # are passed over.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/body_file.hpp"

namespace scree {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

class CsvReader {
 public:
  explicit CsvReader(const BodyFile& file) : file_(file), in_(file.path, std::ios::binary) {
    if (!in_) throw Error(ErrorKind::system, file.path.string(), "cannot be read", "check its permissions");
  }

  BodyTable read() {
    std::vector<std::string> cells;
    if (!next_line(cells)) file_.fail("is empty", "begin it with a line of names such as grain,x,y,angle");
    name_columns(cells);
    while (next_line(cells)) {
      if (cells.size() != names_.size())
        fail_line(cat("has ", cells.size(), " cells, where the first line names ", names_.size()),
                  "write one cell a column, separated by commas");
      for (std::size_t k = 0; k < cells.size(); ++k) add(k, cells[k]);
      lines_->push_back(line_);
      if (++table_.rows > most_bodies) fail_line(cat("is beyond ", most_bodies, " grains"), "use fewer");
    }
    // Shared with the table, which outlives this reader.
    table_.place = [path = file_.path.string(), names = names_, lines = lines_](std::size_t row,
                                                                                const std::string& column) {
      const auto k = std::ranges::find(names, column) - names.begin();
      return cat(path, ":", (*lines)[row], ": column ", k + 1, ", ", column);
    };
    return std::move(table_);
  }

 private:
  // The cells of the next line that has any.
  bool next_line(std::vector<std::string>& cells) {
    std::string text;
    while (std::getline(in_, text)) {
      ++line_;
      if (line_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
      if (text.ends_with('\r')) text.pop_back();
      if (trimmed(text).empty() || text.starts_with('#')) continue;
      split(text, cells);
      return true;
    }
    return false;
  }

  void split(const std::string& text, std::vector<std::string>& cells) const {
    cells.assign(1, "");
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool mark = text[i] == '"';
      const bool doubled = mark && quoted && text.substr(i + 1, 1) == "\"";  // stands for itself
      if (mark && !doubled) {
        quoted = !quoted;
      } else if (text[i] == ',' && !quoted) {
        cells.emplace_back();
      } else {
        cells.back() += text[i];
      }
      if (doubled) ++i;
    }
    if (quoted) fail_line("opens a quote that it does not close", "close it in the same line");
    for (std::string& cell : cells) cell = trimmed(cell);
  }

  void name_columns(const std::vector<std::string>& cells) {
    if (cells.size() == 1 && cells[0].find_first_of(";\t") != std::string::npos)
      fail_line("does not separate its names by commas", "write commas, and a point in numbers: x,y,angle");
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::string where = cat(file_.path.string(), ":", line_, ": column ", k + 1);
      if (std::ranges::count(names_, cells[k]) > 0)
        throw Error(ErrorKind::input, where, "\"" + cells[k] + "\" stands twice", "name each column once");
      names_.push_back(cells[k]);
      std::optional<BodyColumn> kind = file_.column(cells[k], where);
      if (kind == BodyColumn::pair)
        throw Error(ErrorKind::input, where, "a cell holds no pair of numbers",
                    "write two columns, " + join(parts_of_pair(cells[k]), " and "));
      kinds_.push_back(kind);
      if (kind == BodyColumn::number) table_.numbers[cells[k]];
      if (kind == BodyColumn::text) table_.texts[cells[k]];
    }
    for (std::size_t k = 0; k < names_.size(); ++k) {
      numbers_.push_back(kinds_[k] == BodyColumn::number ? &table_.numbers[names_[k]] : nullptr);
      texts_.push_back(kinds_[k] == BodyColumn::text ? &table_.texts[names_[k]] : nullptr);
    }
  }

  void add(std::size_t k, const std::string& cell) {
    if (texts_[k]) texts_[k]->push_back(cell);
    if (!numbers_[k]) return;
    const char* begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
    const char* end = cell.data() + cell.size();
    double value = 0;
    const auto [stop, failed] = std::from_chars(begin, end, value);
    if (failed != std::errc{} || stop != end)
      throw Error(ErrorKind::input, cat(file_.path.string(), ":", line_, ": column ", k + 1, ", ", names_[k]),
                  cell.empty() ? "is empty" : "\"" + cell.substr(0, 40) + "\" is not a number",
                  "write a number such as 0.25");
    numbers_[k]->push_back(value);
  }

  [[noreturn]] void fail_line(const std::string& problem, const std::string& remedy) const {
    throw Error(ErrorKind::input, cat(file_.path.string(), ":", line_), problem, remedy);
  }

  const BodyFile& file_;
  std::ifstream in_;
  std::size_t line_ = 0;
  std::vector<std::string> names_;
  std::vector<std::optional<BodyColumn>> kinds_;
  std::vector<std::vector<double>*> numbers_;     // of each column; null where it is none
  std::vector<std::vector<std::string>*> texts_;  // likewise
  std::shared_ptr<std::vector<std::size_t>> lines_ = std::make_shared<std::vector<std::size_t>>();  // of each row
  BodyTable table_;
};

}  // namespace

BodyTable read_csv_bodies(const BodyFile& file) { return CsvReader(file).read(); }

}  // namespace scree
