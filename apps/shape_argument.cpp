#include "shape_argument.hpp"

#include <map>
#include <optional>
#include <sstream>

#include "scree/base/error.hpp"
#include "scree/shape/glyph.hpp"
#include "scree/shape/library.hpp"
#include "scree/shape/svg.hpp"

namespace scree::cli {

namespace {

constexpr double tolerance = 1e-3;

[[noreturn]] void bad(const std::string& text, const std::string& problem) {
  throw Error(ErrorKind::input, "shape \"" + text + "\"", problem, std::string("write ") + shape_argument_help);
}

std::map<std::string, double> parameters(const std::string& text, const std::string& list) {
  std::map<std::string, double> out;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0) bad(text, "\"" + item + "\" is not of the form parameter=value");
    const std::string value = item.substr(equals + 1);
    std::size_t used = 0;
    double number = 0;
    try {
      number = std::stod(value, &used);
    } catch (const std::exception&) { used = 0; }
    if (used == 0 || used != value.size()) bad(text, "\"" + value + "\" is not a number");
    if (!out.emplace(item.substr(0, equals), number).second) bad(text, item.substr(0, equals) + " is given twice");
  }
  return out;
}

Shape glyph(const std::string& rest) {
  const std::string key = ",font=";
  const std::size_t at =
      rest.size() > 1 ? rest.find(key, 1) : std::string::npos;  // the character itself may be a comma
  return make_glyph(rest.substr(0, at), at == std::string::npos ? "" : rest.substr(at + key.size()), tolerance);
}

Shape svg(const std::string& rest) {
  const std::size_t mark = rest.rfind('#');
  if (mark == std::string::npos) return make_svg_shape(rest, std::nullopt, tolerance);
  return make_svg_shape(rest.substr(0, mark), rest.substr(mark + 1), tolerance);
}

}  // namespace

Shape shape_argument(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind.empty() || (colon != std::string::npos && rest.empty())) bad(text, "nothing after the colon");
  Shape shape = kind == "glyph" ? glyph(rest)
                : kind == "svg" ? svg(rest)
                                : make_named_shape(kind, parameters(text, rest), tolerance);
  shape.name = text;
  return shape;
}

}  // namespace scree::cli
