#include "picture_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "finite_number.hpp"
#include "scree/base/error.hpp"

namespace scree::cli {

namespace {

// Numbers separated by `mark`, exactly `count` of them.
std::vector<double> numbers(const std::string& text, char mark, std::size_t count, const std::string& option,
                            const std::string& form) {
  std::vector<double> out;
  for (const std::string& word : CLI::detail::split(text, mark)) {
    std::size_t used = 0;
    double value = 0;
    try {
      value = std::stod(word, &used);
    } catch (const std::exception&) { used = 0; }
    if (used == 0 || used != word.size() || !std::isfinite(value)) break;
    out.push_back(value);
  }
  if (out.size() != count || std::count(text.begin(), text.end(), mark) != static_cast<std::ptrdiff_t>(count - 1))
    throw Error(ErrorKind::input, option, "\"" + text + "\" is not understood", "write " + form);
  return out;
}

void set_size(PictureStyle& style, const std::string& size) {
  const std::vector<double> wh = numbers(size, 'x', 2, "--size", "WIDTHxHEIGHT, such as 1920x1080; height 0: as fits");
  if (wh[0] < 16 || wh[0] > 16384 || wh[1] < 0 || wh[1] > 16384 || wh[0] != std::floor(wh[0]) ||
      wh[1] != std::floor(wh[1]))
    throw Error(ErrorKind::input, "--size", size + " pixels is not possible", "use whole numbers from 16 to 16384");
  style.width = static_cast<int>(wh[0]);
  style.height = static_cast<int>(wh[1]);
  style.longer = 0;
}

}  // namespace

SceneLook PictureOptions::look(const RunSource& source) const {
  SceneLook look = look_of_scene(source.scene_text);
  PictureStyle& style = look.style;
  if (!size.empty()) set_size(style, size);
  if (!colour.empty()) style.colour = parse_colour_by(colour);
  if (!theme.empty()) style.theme = theme == "dark" ? dark_theme() : light_theme();
  if (!units.empty()) set_units(style, units);
  if (!view.empty()) {
    const auto v = numbers(view, ',', 4, "--view", "x0,y0,x1,y1");
    if (v[0] >= v[2] || v[1] >= v[3])
      throw Error(ErrorKind::input, "--view", "the region has no area", "write x0,y0,x1,y1 with x0 < x1 and y0 < y1");
    style.view = Box{{v[0], v[1]}, {v[2], v[3]}};
  }
  style.title = title;
  style.forces |= forces;
  style.legend &= !no_legend;
  style.walls &= !no_walls;
  style.time &= !no_time;
  style.scale_bar &= !no_scale_bar;
  style.neutral_fixed = !colour_fixed;
  if (fps > 0) look.fps = fps;
  return look;
}

void PictureOptions::add_to(CLI::App& command) {
  command.add_option("--fps", fps, "frames a second of a film (default: [render], 30)")
      ->check(finite_number)
      ->check(CLI::Range(0.1, 240.0))
      ->group(group);
  command
      .add_option("--size", size,
                  "pixels, WxH; height 0: as the view asks for (default: [render], or a longer side of 1280)")
      ->group(group);
  command.add_option("--color,--colour", colour, "what colour means: type, group, speed, force or angle")->group(group);
  command.add_flag("--forces", forces, "draw contact forces as a network, line width by force")->group(group);
  command
      .add_option("--view", view, "world region x0,y0,x1,y1 (default: [render], or walls and grains of the whole run)")
      ->group(group);
  command.add_option("--theme", theme, "light or dark ground")->check(CLI::IsMember({"light", "dark"}))->group(group);
  command.add_option("--title", title, "text at the top left")->group(group);
  command.add_option("--units", units, "labels: SI, none, or names of length, time and force such as mm,s,N")
      ->group(group);
  command.add_flag("--color-fixed", colour_fixed, "colour fixed and driven grains like the others, not grey")
      ->group(group);
  command.add_flag("--no-legend", no_legend, "leave the legend out")->group(group);
  command.add_flag("--no-walls", no_walls, "leave the walls out")->group(group);
  command.add_flag("--no-time", no_time, "leave the time out")->group(group);
  command.add_flag("--no-scale-bar", no_scale_bar, "leave the scale bar out")->group(group);
}

}  // namespace scree::cli
