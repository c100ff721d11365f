#include "terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace scree::cli {

namespace {

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

bool numeric(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,+-eE%") == std::string::npos && cell != "-";
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::size_t space = width - std::min(width, display_width(cell));
  return right ? fmt::format("{:{}}{}", "", space, cell) : fmt::format("{}{:{}}", cell, "", space);
}

}  // namespace

bool say(const std::string& text) { return std::fputs(text.c_str(), stderr) >= 0 && std::fflush(stderr) == 0; }

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), last_(Clock::now()) {}

bool ProgressLine::due() const {
  using namespace std::chrono_literals;
  return !quiet_ && Clock::now() - last_ >= (terminal_ ? Clock::duration(100ms) : Clock::duration(pause_));
}

void ProgressLine::show(const std::string& line) {
  if (quiet_) return;
  last_ = Clock::now();
  if (terminal_) {
    const std::size_t columns = terminal_columns();
    quiet_ = !say("\r\033[K" + (line.size() < columns ? line : line.substr(0, columns - 1)));
    drawn_ = true;
  } else {
    quiet_ = !say(line + "\n");
    pause_ = std::min(2 * pause_, std::chrono::seconds(60));
  }
}

void ProgressLine::show(double fraction, const std::string& text) {
  constexpr int widest = 20;
  constexpr int narrowest = 4;
  const int room = static_cast<int>(terminal_columns()) - static_cast<int>(display_width(text)) - 4;
  show(room < narrowest ? fmt::format("{:3.0f}% {}", 100 * fraction, text)
                        : bar(fraction, std::min(room, widest)) + " " + text);
}

void ProgressLine::clear() {
  if (drawn_) say("\r\033[K");
  drawn_ = false;
}

std::string short_duration(double seconds) {
  if (!(seconds < 360000)) return "long";
  const int s = static_cast<int>(seconds + 0.5);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string bar(double fraction, int width) {
  const int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width + 1e-9);
  return fmt::format("[{:#<{}}{:-<{}}]", "", full, "", width - full);
}

std::string TextTable::text(const std::string& indent) const {
  std::vector<std::size_t> width;
  for (const std::string& cell : header_) width.push_back(display_width(cell));
  for (const auto& cells : rows_) width.resize(std::max(width.size(), cells.size()));
  std::vector<bool> right(width.size(), !rows_.empty());
  for (const auto& cells : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      width[i] = std::max(width[i], display_width(cells[i]));
      right[i] = right[i] && (numeric(cells[i]) || cells[i].empty());
    }
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out = indent;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out.append("  ");
      out.append(padded(cells[i], width[i], right[i]));
    }
    out.resize(out.find_last_not_of(' ') + 1);
    return out.append("\n");
  };
  std::string out = header_.empty() ? "" : line(header_);
  for (const auto& cells : rows_) out += line(cells);
  return out;
}

std::string number(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string grouped(std::size_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::size_t display_width(const std::string& utf8) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), starts));
}

}  // namespace scree::cli
