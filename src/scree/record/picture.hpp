#pragma once
// Pictures of a run: true outlines with holes, walls, contact forces, legend, scale bar and time. docs/rendering.md.
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scree/record/colours.hpp"
#include "scree/record/frame.hpp"
#include "scree/record/image.hpp"
#include "scree/record/view.hpp"

namespace scree {

enum class ColourBy { type, group, speed, force, angle };
// Error(input) with the nearest known name.
ColourBy parse_colour_by(const std::string& name);

struct PictureStyle {
  int width = 1920;   // pixels
  int height = 1080;  // pixels; 0: from the aspect of the view
  int longer = 0;     // pixels: instead of width and height, the longer side; the other follows the view
  ColourBy colour = ColourBy::type;
  std::map<std::string, Colour> colours;  // of types or groups by name; the others take the palette's
  bool forces = false;                    // contact forces as a network
  bool walls = true;
  bool legend = true;
  bool scale_bar = true;
  bool time = true;
  bool neutral_fixed = true;  // fixed and kinematic grains in grey, whatever the colouring
  std::string title;
  Theme theme = light_theme();
  std::optional<Box> view;                         // instead of Scales::view
  std::optional<Box> lens;                         // shown enlarged in the lower right corner as well
  std::string length_unit, time_unit, force_unit;  // for labels; empty: bare numbers
};

// Palette colours in order for the `first`, which move, then for the rest.
std::vector<Colour> spread_palette(std::size_t count, const std::vector<std::size_t>& first);
// Of each type: the scene's own, by its name or by the grain of which it is one size class ("sand:2" of "sand"), or the
// palette's.
std::vector<Colour> type_colours(const Statics& statics, const std::vector<std::size_t>& first,
                                 const std::map<std::string, Colour>& own);

// Draws frames of one run. Thread-safe: draw() may run for several images at once.
class Picture {
 public:
  // `statics` must outlive it.
  Picture(const Statics& statics, const PictureStyle& style, const Scales& scales);
  ~Picture();
  Picture(Picture&&) noexcept;
  Picture& operator=(Picture&&) noexcept;

  int width() const;
  int height() const;
  // `image` of width() x height() pixels.
  void draw(const Frame& frame, Image& image) const;
  Image draw(const Frame& frame) const;
  // The same picture as lines and areas. Error(system) when the file cannot be written.
  void write_svg(const Frame& frame, const std::filesystem::path& file) const;
  // Where a world point lies in the picture, pixels from the top left.
  Vec2d page(Vec2d world) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scree
