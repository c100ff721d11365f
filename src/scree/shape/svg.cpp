#include "scree/shape/svg.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <pugixml.hpp>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/shape/fill.hpp"
#include "scree/shape/svg_path.hpp"

namespace scree {

namespace {

// One element to fill: its curves, not yet flattened, and where they go.
struct Drawing {
  std::string element;  // for messages
  std::vector<SubPath> paths;
  Affine transform;
  FillRule rule = FillRule::nonzero;
};

// What an element takes over from the groups around it.
struct Context {
  Affine transform;
  FillRule rule = FillRule::nonzero;
  bool filled = true;
  int depth = 0;  // elements around, <use> elements included
};

// A drawing made by hand or by a program stays far below both; a file that refers to itself does not.
constexpr int deepest_nesting = 256;
constexpr int most_elements = 100000;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// A presentation property: from the style attribute, which wins, or from the attribute of that name.
std::string property(pugi::xml_node node, const std::string& name) {
  std::string_view style = node.attribute("style").value();
  while (!style.empty()) {
    const auto end = std::min(style.find(';'), style.size());
    const std::string_view item = style.substr(0, end);
    if (const auto colon = item.find(':'); colon != std::string_view::npos && trimmed(item.substr(0, colon)) == name)
      return trimmed(item.substr(colon + 1));
    style.remove_prefix(std::min(end + 1, style.size()));
  }
  return trimmed(node.attribute(name.c_str()).value());
}

class SvgReader {
 public:
  explicit SvgReader(const std::string& file) : file_(file) {
    if (std::filesystem::is_directory(file))
      throw Error(ErrorKind::system, file, "is a folder", "name the SVG file in it");
    const pugi::xml_parse_result result = document_.load_file(file.c_str());
    if (result.status == pugi::status_file_not_found || result.status == pugi::status_io_error)
      throw Error(ErrorKind::system, file, "cannot read the file", "check the path and its permissions");
    if (!result)
      throw Error(ErrorKind::input, file,
                  cat("not well-formed XML at byte ", result.offset, ": ", result.description()),
                  "save the drawing again as plain SVG");
    root_ = document_.document_element();
    if (local_name(root_) != "svg") throw Error(ErrorKind::input, file, "the document is not an SVG drawing");
  }

  std::vector<Drawing> read(const std::optional<std::string>& id) {
    if (!id) {
      visit(root_, {}, true);
      return std::move(drawings_);
    }
    const pugi::xml_node wanted = find(*id);
    if (!wanted) throw Error(ErrorKind::input, file_, cat("no element has the id \"", *id, "\""));
    visit(wanted, context_around(wanted), false);
    return std::move(drawings_);
  }

  // Elements that were seen but are not drawn, for the message when nothing is left.
  const std::vector<std::string>& skipped() const { return skipped_; }

 private:
  static std::string local_name(pugi::xml_node node) {
    const std::string name = node.name();
    return name.substr(name.find(':') + 1);
  }

  std::string label(pugi::xml_node node) const {
    const std::string id = node.attribute("id").value();
    if (!id.empty()) return cat("<", local_name(node), " id=\"", id, "\">");
    int index = 1;
    for (pugi::xml_node before = node.previous_sibling(node.name()); before;
         before = before.previous_sibling(node.name()))
      ++index;
    return cat("<", local_name(node), "> number ", index, " in its group");
  }

  [[noreturn]] void fail(pugi::xml_node node, const std::string& problem, const std::string& remedy = {}) const {
    throw Error(ErrorKind::input, cat(file_, ", ", label(node)), problem, remedy);
  }

  pugi::xml_node find(const std::string& id) const {
    return document_.find_node([&](pugi::xml_node node) { return id == node.attribute("id").value(); });
  }

  Context context_around(pugi::xml_node node) const {
    std::vector<pugi::xml_node> around;
    for (node = node.parent(); node && node.type() == pugi::node_element; node = node.parent()) around.push_back(node);
    Context context;
    for (auto it = around.rbegin(); it != around.rend(); ++it) context = entered(*it, context);
    return context;
  }

  template <class Parse>
  auto with_syntax_errors(pugi::xml_node node, const char* attribute, Parse&& parse) const {
    try {
      return parse();
    } catch (const SvgSyntaxError& error) {
      fail(node, cat("attribute ", attribute, ", character ", error.offset, ": ", error.what()));
    }
  }

  // The context inside `node`.
  Context entered(pugi::xml_node node, Context context) const {
    ++context.depth;
    if (const char* text = node.attribute("transform").value(); *text != '\0')
      context.transform =
          context.transform * with_syntax_errors(node, "transform", [&] { return parse_transform(text); });
    const std::string rule = property(node, "fill-rule");
    if (rule == "evenodd") context.rule = FillRule::evenodd;
    if (rule == "nonzero") context.rule = FillRule::nonzero;
    const std::string fill = property(node, "fill");
    if (!fill.empty() && fill != "inherit") context.filled = fill != "none";
    return context;
  }

  void visit(pugi::xml_node node, const Context& around, bool skip_definitions) {
    if (node.type() != pugi::node_element) return;
    const std::string name = local_name(node);
    if (around.depth > deepest_nesting) fail(node, "is nested too deeply, or uses itself");
    if (++visited_ > most_elements) fail(node, cat("the drawing has more than ", most_elements, " elements"));
    if (property(node, "display") == "none" && skip_definitions) return;
    const Context context = entered(node, around);
    if (name == "use") return visit_used(node, context);
    if (name == "svg" || name == "g" || name == "a" || name == "switch" || (name == "symbol" && !skip_definitions)) {
      for (const pugi::xml_node child : node.children()) visit(child, context, true);
      return;
    }
    std::vector<SubPath> paths = geometry(node, name);
    if (paths.empty()) return;
    if (!context.filled) {
      skipped_.push_back(cat(label(node), " (fill=\"none\")"));
      return;
    }
    drawings_.push_back({label(node), std::move(paths), context.transform, context.rule});
  }

  void visit_used(pugi::xml_node node, Context context) {
    std::string target = node.attribute("href").value();
    if (target.empty()) target = node.attribute("xlink:href").value();
    const pugi::xml_node used = target.starts_with('#') ? find(target.substr(1)) : pugi::xml_node();
    if (!used) fail(node, cat("refers to \"", target, "\", which is not in the file"));
    context.transform = context.transform * Affine{1, 0, 0, 1, length(node, "x", 0), length(node, "y", 0)};
    visit(used, context, false);
  }

  // The curves of a basic shape or path; empty for elements that draw nothing here.
  std::vector<SubPath> geometry(pugi::xml_node node, const std::string& name) {
    if (name == "path") {
      const char* data = node.attribute("d").value();
      return closed_paths(node, with_syntax_errors(node, "d", [&] { return parse_path_data(data); }));
    }
    if (name == "polygon" || name == "polyline") return point_list(node);
    if (name == "rect") return rect(node);
    if (name == "circle" || name == "ellipse") {
      const double rx = length(node, name == "circle" ? "r" : "rx", 0);
      const double ry = name == "circle" ? rx : length(node, "ry", 0);
      if (!(rx > 0 && ry > 0)) fail(node, "has no positive radius");
      return {ellipse_path({length(node, "cx", 0), length(node, "cy", 0)}, rx, ry)};
    }
    if (name == "text" || name == "image" || name == "line")
      skipped_.push_back(cat(label(node), name == "text" ? " (convert text to paths)" : ""));
    return {};
  }

  std::vector<SubPath> point_list(pugi::xml_node node) const {
    const char* text = node.attribute("points").value();
    const std::vector<Vec2d> points = with_syntax_errors(node, "points", [&] { return parse_points(text); });
    if (points.size() < 3) fail(node, cat("has ", points.size(), " points"), "a closed loop needs at least 3");
    SubPath path{points.front(), {}, true};
    for (std::size_t i = 1; i < points.size(); ++i) {
      PathSegment line;
      line.end = points[i];
      path.segments.push_back(line);
    }
    return {path};
  }

  std::vector<SubPath> rect(pugi::xml_node node) const {
    const double width = length(node, "width", 0);
    const double height = length(node, "height", 0);
    if (!(width > 0 && height > 0)) fail(node, "has no positive width and height");
    const double rx = length(node, "rx", -1);
    const double ry = length(node, "ry", -1);
    return {rect_path(length(node, "x", 0), length(node, "y", 0), width, height, std::max(0.0, rx < 0 ? ry : rx),
                      std::max(0.0, ry < 0 ? rx : ry))};
  }

  // Every sub-path with a length must end where it began. Lone moves are dropped.
  std::vector<SubPath> closed_paths(pugi::xml_node node, std::vector<SubPath> paths) const {
    std::erase_if(paths, [](const SubPath& p) { return p.segments.empty(); });
    for (std::size_t k = 0; k < paths.size(); ++k) {
      const SubPath& p = paths[k];
      double size = norm(p.start);
      for (const PathSegment& s : p.segments) size = std::max(size, norm(s.end - p.start));
      const Vec2d end = p.segments.back().end;
      if (p.closed || norm(end - p.start) <= 1e-6 * size) continue;
      fail(node,
           cat("sub-path ", k, " is open: it starts at (", p.start.x, ", ", p.start.y, ") and ends at (", end.x, ", ",
               end.y, ")"),
           "close it with Z");
    }
    return paths;
  }

  double length(pugi::xml_node node, const char* name, double fallback) const {
    const std::string text = trimmed(node.attribute(name).value());
    if (text.empty()) return fallback;
    double value = 0;
    const char* first = text.data() + (text.front() == '+' ? 1 : 0);
    const auto [rest, error] = std::from_chars(first, text.data() + text.size(), value);
    const std::string unit(rest, text.data() + text.size());
    // CSS: 96 user units to the inch.
    static const std::pair<const char*, double> units[] = {
        {"", 1}, {"px", 1}, {"in", 96}, {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"pt", 96 / 72.0}, {"pc", 16}};
    if (error == std::errc() && std::isfinite(value))
      for (const auto& [suffix, factor] : units)
        if (unit == suffix) return value * factor;
    fail(node, cat("attribute ", name, "=\"", text, "\" is not a length"),
         "use a number, alone or with px, mm, cm, in, pt");
  }

  std::string file_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  std::vector<Drawing> drawings_;
  std::vector<std::string> skipped_;
  int visited_ = 0;
};

std::vector<FilledPart> flatten_all(const std::vector<Drawing>& drawings, double tolerance) {
  constexpr Affine y_up{1, 0, 0, -1, 0, 0};
  std::vector<FilledPart> parts;
  for (const Drawing& drawing : drawings) {
    FilledPart& part = parts.emplace_back();
    part.rule = drawing.rule;
    for (const SubPath& path : drawing.paths)
      part.loops.push_back(flattened(path, y_up * drawing.transform, tolerance));
  }
  return parts;
}

// Size of the box around all end and control points.
double control_extent(const std::vector<Drawing>& drawings) {
  FilledPart points;
  Loop& all = points.loops.emplace_back();
  for (const Drawing& drawing : drawings)
    for (const SubPath& path : drawing.paths) {
      all.push_back(drawing.transform * path.start);
      for (const PathSegment& s : path.segments) {
        all.push_back(drawing.transform * s.end);
        if (s.kind == PathSegment::Kind::quadratic || s.kind == PathSegment::Kind::cubic)
          all.push_back(drawing.transform * s.control1);
        if (s.kind == PathSegment::Kind::cubic) all.push_back(drawing.transform * s.control2);
      }
    }
  return largest_extent({points});
}

void check_finite(const std::vector<Drawing>& drawings, const std::vector<FilledPart>& parts, const std::string& file) {
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const Loop& loop : parts[k].loops)
      for (const Vec2d v : loop)
        if (!(std::abs(v.x) <= 1e9 && std::abs(v.y) <= 1e9))
          throw Error(ErrorKind::input, cat(file, ", ", drawings[k].element), "has a point beyond 1e9 user units",
                      "draw it near the origin");
}

}  // namespace

Shape make_svg_shape(const std::string& path, const std::optional<std::string>& element_id, double tolerance) {
  if (!(tolerance >= 1e-6 && tolerance <= 0.1))
    throw Error(ErrorKind::input, path, cat("flattening tolerance ", tolerance, " is out of range"),
                "it is a share of the circumradius; choose 1e-6 to 0.1, usually 1e-3");
  SvgReader reader(path);
  const std::vector<Drawing> drawings = reader.read(element_id);
  // Twice: coarsely for the size, then to the tolerance that follows from it. Half the extent of points on the curves
  // bounds the circumradius from below.
  const std::vector<FilledPart> coarse = flatten_all(drawings, 0.01 * control_extent(drawings));
  check_finite(drawings, coarse, path);
  const double extent = largest_extent(coarse);
  Outline outline;
  if (extent > 0) outline = filled_outline(flatten_all(drawings, tolerance * extent / 2));
  if (outline.loops.empty())
    throw Error(ErrorKind::input, path,
                reader.skipped().empty() ? std::string("there is nothing to fill")
                                         : cat("there is nothing to fill; not drawn: ", join(reader.skipped())),
                "draw closed, filled paths; turn strokes and text into paths");
  std::string name = std::filesystem::path(path).stem().string();
  if (element_id) name += "#" + *element_id;
  return make_shape(name, std::move(outline), tolerance);
}

}  // namespace scree
