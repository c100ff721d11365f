// Reading the small languages inside SVG attributes.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "scree/base/text.hpp"
#include "scree/shape/svg_path.hpp"

namespace scree {

namespace {

constexpr double pi = std::numbers::pi;

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::size_t offset() const { return at_; }
  bool at_end() {
    skip_space();
    return at_ >= text_.size();
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  char take() {
    skip_space();
    return at_ < text_.size() ? text_[at_++] : '\0';
  }
  [[noreturn]] void fail(const std::string& problem) const { throw SvgSyntaxError(at_, problem); }

  bool number_follows() {
    skip_separator();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    return c == '+' || c == '-' || c == '.' || is_digit(c);
  }

  double number() {
    skip_separator();
    const std::size_t begin = at_;
    std::size_t first = at_;
    if (first < text_.size() && text_[first] == '+') ++first;
    std::size_t digits = first;
    if (digits < text_.size() && text_[digits] == '-' && digits == begin) ++digits;
    // from_chars would take "inf" and "nan" too.
    const bool starts_well = digits < text_.size() && (is_digit(text_[digits]) || text_[digits] == '.');
    if (!starts_well) fail(cat("expected a number, found ", found()));
    double value = 0;
    const auto result = std::from_chars(text_.data() + first, text_.data() + text_.size(), value);
    if (result.ec == std::errc::result_out_of_range) fail("this number is out of range");
    if (result.ec != std::errc()) fail(cat("expected a number, found ", found()));
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return value;
  }

  // The flags of an arc may stand without space: "a1 1 0 01 5 5".
  bool flag() {
    skip_separator();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c != '0' && c != '1') fail(cat("expected an arc flag 0 or 1, found ", found()));
    ++at_;
    return c == '1';
  }

  std::string word() {
    skip_separator();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string found() const {
    if (at_ >= text_.size()) return "the end of the text";
    return cat("\"", std::string(text_.substr(at_, 12)), "\"");
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  void skip_separator() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == ',') ++at_;
    skip_space();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Endpoint to centre form of an elliptical arc (SVG 1.1, appendix F.6.5 and F.6.6).
PathSegment arc_from_ends(Vec2d start, Vec2d radii, double degrees, bool large, bool ccw, Vec2d end) {
  PathSegment s;
  s.end = end;
  double rx = std::abs(radii.x);
  double ry = std::abs(radii.y);
  if (rx == 0 || ry == 0 || start == end) return s;
  const double tilt = degrees * pi / 180;
  const Rotation2d turn(tilt);
  const Vec2d half = turn.back(0.5 * (start - end));
  const double excess = (half.x / rx) * (half.x / rx) + (half.y / ry) * (half.y / ry);
  if (excess > 1) {
    rx *= std::sqrt(excess);
    ry *= std::sqrt(excess);
  }
  const double reach = excess > 1 ? 0 : std::sqrt(std::max(0.0, 1 / excess - 1));
  const Vec2d offset = (large == ccw ? -reach : reach) * Vec2d{rx * half.y / ry, -ry * half.x / rx};
  const auto angle = [&](Vec2d p) { return std::atan2(p.y / ry, p.x / rx); };
  s.kind = PathSegment::Kind::arc;
  s.centre = turn * offset + 0.5 * (start + end);
  s.radii = {rx, ry};
  s.tilt = tilt;
  s.from = angle(half - offset);
  s.sweep = angle(-half - offset) - s.from;
  if (ccw && s.sweep < 0) s.sweep += 2 * pi;
  if (!ccw && s.sweep > 0) s.sweep -= 2 * pi;
  return s;
}

class PathParser {
 public:
  explicit PathParser(std::string_view text) : in_(text) {}

  std::vector<SubPath> run() {
    while (!in_.at_end()) {
      const std::size_t at = in_.offset();
      const char command = in_.take();
      if (std::string_view("MmLlHhVvCcSsQqTtAaZz").find(command) == std::string_view::npos)
        throw SvgSyntaxError(at, cat("\"", std::string(1, command), "\" is not a path command"));
      if (paths_.empty() && command != 'M' && command != 'm')
        throw SvgSyntaxError(at, "path data must begin with M or m");
      run_command(command);
    }
    return std::move(paths_);
  }

 private:
  void run_command(char command) {
    relative_ = command >= 'a';
    const char upper = static_cast<char>(relative_ ? command - 'a' + 'A' : command);
    if (upper == 'Z') {
      paths_.back().closed = true;
      here_ = paths_.back().start;
      after_close_ = true;
      last_ = 'Z';
      return;
    }
    bool first = true;
    do {
      // Further pairs after a move are lines.
      draw(upper == 'M' && !first ? 'L' : upper);
      first = false;
    } while (in_.number_follows());
  }

  Vec2d point() {
    const double x = in_.number();
    const double y = in_.number();
    return relative_ ? here_ + Vec2d{x, y} : Vec2d{x, y};
  }

  void draw(char command) {
    if (command == 'M') {
      here_ = point();
      paths_.push_back({here_, {}, false});
      after_close_ = false;
      last_ = 'M';
      return;
    }
    if (after_close_) paths_.push_back({here_, {}, false});
    after_close_ = false;
    PathSegment s = segment(command);
    here_ = s.end;
    last_ = command;
    paths_.back().segments.push_back(s);
  }

  PathSegment segment(char command) {
    PathSegment s;
    switch (command) {
      case 'L':
        s.end = point();
        break;
      case 'H':
        s.end = {in_.number() + (relative_ ? here_.x : 0), here_.y};
        break;
      case 'V':
        s.end = {here_.x, in_.number() + (relative_ ? here_.y : 0)};
        break;
      case 'C':
      case 'S':
        s.kind = PathSegment::Kind::cubic;
        s.control1 = command == 'C' ? point() : mirrored("CS");
        s.control2 = point();
        s.end = point();
        control_ = s.control2;
        break;
      case 'Q':
      case 'T':
        s.kind = PathSegment::Kind::quadratic;
        s.control1 = command == 'Q' ? point() : mirrored("QT");
        s.end = point();
        control_ = s.control1;
        break;
      default:
        s = arc();
    }
    return s;
  }

  PathSegment arc() {
    const double rx = in_.number();
    const double ry = in_.number();
    const double degrees = in_.number();
    const bool large = in_.flag();
    const bool ccw = in_.flag();
    return arc_from_ends(here_, {rx, ry}, degrees, large, ccw, point());
  }

  // The last control point mirrored in the current point, if the last command was of the same family.
  Vec2d mirrored(std::string_view family) const {
    return family.find(last_) == std::string_view::npos ? here_ : 2.0 * here_ - control_;
  }

  Scanner in_;
  std::vector<SubPath> paths_;
  Vec2d here_;
  Vec2d control_;
  char last_ = 'M';
  bool relative_ = false;
  bool after_close_ = false;
};

Affine translation(double x, double y) { return {1, 0, 0, 1, x, y}; }

Affine one_transform(const std::string& name, const std::vector<double>& v, std::size_t at) {
  const auto takes = [&](std::initializer_list<std::size_t> counts) {
    if (std::find(counts.begin(), counts.end(), v.size()) == counts.end())
      throw SvgSyntaxError(at, cat(name, " does not take ", v.size(), " numbers"));
  };
  if (name == "matrix") {
    takes({6});
    return {v[0], v[1], v[2], v[3], v[4], v[5]};
  }
  if (name == "translate") {
    takes({1, 2});
    return translation(v[0], v.size() > 1 ? v[1] : 0);
  }
  if (name == "scale") {
    takes({1, 2});
    return {v[0], 0, 0, v.size() > 1 ? v[1] : v[0], 0, 0};
  }
  if (name == "rotate") {
    takes({1, 3});
    const double t = v[0] * pi / 180;
    const Affine turn{std::cos(t), std::sin(t), -std::sin(t), std::cos(t), 0, 0};
    return v.size() == 1 ? turn : translation(v[1], v[2]) * turn * translation(-v[1], -v[2]);
  }
  if (name == "skewX" || name == "skewY") {
    takes({1});
    const double k = std::tan(v[0] * pi / 180);
    return name == "skewX" ? Affine{1, 0, k, 1, 0, 0} : Affine{1, k, 0, 1, 0, 0};
  }
  throw SvgSyntaxError(at, cat("\"", name, "\" is not a transform"));
}

}  // namespace

std::vector<SubPath> parse_path_data(std::string_view text) { return PathParser(text).run(); }

Affine parse_transform(std::string_view text) {
  Scanner in(text);
  Affine all;
  while (!in.at_end()) {
    const std::size_t at = in.offset();
    const std::string name = in.word();
    if (name.empty()) in.fail(cat("expected the name of a transform, found ", in.found()));
    if (in.take() != '(') throw SvgSyntaxError(at, cat("expected \"(\" after ", name));
    std::vector<double> values;
    while (in.number_follows()) values.push_back(in.number());
    if (in.take() != ')') in.fail("expected \")\"");
    all = all * one_transform(name, values, at);
    if (in.peek() == ',') in.take();
  }
  return all;
}

std::vector<Vec2d> parse_points(std::string_view text) {
  Scanner in(text);
  std::vector<Vec2d> points;
  while (!in.at_end()) {
    const double x = in.number();
    points.push_back({x, in.number()});
  }
  return points;
}

}  // namespace scree
