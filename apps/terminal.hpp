#pragma once
// Text for people: one line of progress, aligned tables, numbers and times in words. Nothing else of the program writes
// to the terminal.
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace scree::cli {

// Writes to stderr. False when nobody reads it any more, which is no reason to give up a run.
bool say(const std::string& text);

// A line on stderr that is redrawn in place on a terminal. Elsewhere it is printed anew, after 5 s and then after twice
// the time each, up to a minute, so that a log stays short.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet = false);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Time to show something new? Keeps the cost of making the text away from the loop.
  bool due() const;
  void show(const std::string& line);
  // A bar before the text, as long as the terminal has room for.
  void show(double fraction, const std::string& text);
  // Takes the line off the terminal, so that other text can follow.
  void clear();
  bool terminal() const { return terminal_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point last_;
  std::chrono::seconds pause_{5};  // when there is no terminal
};

// "[######----]", `width` characters inside the brackets.
std::string bar(double fraction, int width = 20);

// Rows of text with aligned columns, two spaces apart; cells that read as numbers are right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text(const std::string& indent = "  ") const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

std::string number(double value, int digits = 4);  // "0.001234", "1.2e+09"
std::string grouped(std::size_t value);            // "1,574"
std::string duration(double seconds);              // "3.2 s", "4 min 05 s", "2 h 11 min"
// The same as on a clock: "1:44", "2:03:10".
std::string short_duration(double seconds);
std::size_t display_width(const std::string& utf8);

}  // namespace scree::cli
