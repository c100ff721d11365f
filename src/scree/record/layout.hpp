#pragma once
// Where things stand on a picture. Private to record/.
#include "scree/record/canvas.hpp"
#include "scree/record/picture.hpp"

namespace scree {

struct PictureLayout {
  int width = 0, height = 0;
  double font = 12;       // pixels of body text
  double margin = 0;      // around everything
  Rect scene;             // the view box on the page
  Rect legend;            // empty without one
  Vec2d label;            // top left of title and time
  Vec2d bar;              // left end of the scale bar
  double bar_length = 0;  // world length
  double scale = 1;       // pixels a world length
  Box view;

  double x(double world_x) const { return scene.x + (world_x - view.lo.x) * scale; }
  double y(double world_y) const { return scene.bottom() - (world_y - view.lo.y) * scale; }
};

// `legend_size` in units of the font: width and height that the legend wants.
PictureLayout lay_out(const PictureStyle& style, const Scales& scales, Vec2d legend_size);

// One row of a legend of kinds.
struct LegendRow {
  std::string name;
  Colour colour;
  const Outline* outline = nullptr;  // null: a plain square
};
// A colour bar.
struct LegendBar {
  std::string title;
  double top = 1;
  Colour (*ramp)(double t, bool dark) = nullptr;
  std::vector<double> tick_values;
  std::vector<std::string> tick_labels;
  double faded = 0;  // share of the ground in its colours, as in those of the grains
};

// A bar from 0 to `top` with about six round ticks.
LegendBar number_bar(std::string title, double top, Colour (*ramp)(double, bool));

Vec2d legend_size(const std::vector<LegendRow>& rows);
Vec2d legend_size(const LegendBar& bar);
void draw_legend(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const std::vector<LegendRow>& rows);
void draw_legend(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const LegendBar& bar);
// A colour bar in a given rectangle, labels on its right.
void draw_bar(const Canvas& canvas, const Rect& bar, double font, const Theme& theme, const LegendBar& legend);

void draw_scale_bar(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const std::string& unit);
void draw_label(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const std::string& title,
                const std::string& time);

std::string time_label(double time, const std::string& unit);

void draw_walls(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const Statics& statics,
                const Frame& frame);

}  // namespace scree
