#pragma once
// What [render] says about pictures of a run. Plain data: scene/ reads it, record/ draws by it.
#include <map>
#include <optional>
#include <string>

#include "scree/world/event.hpp"

namespace scree {

struct RenderSettings {
  std::optional<Box> view;                     // world region shown; none: chosen from walls and grains
  std::optional<Box> lens;                     // a part of it, shown enlarged in a corner
  std::string colour = "type";                 // type | group | speed | force | angle
  std::map<std::string, std::string> colours;  // of grains by name, "#rrggbb"; the others take the palette's
  bool sized = false;                          // width or height are stated, else `width` is the longer side
  int width = 1280;                            // pixels
  int height = 0;                              // pixels; 0: from the view's aspect
  double fps = 30;                             // video frames a second
  std::string background = "white";            // "white", "black" or "#rrggbb"
  bool forces = false;                         // contact forces as a network
  bool walls = true;
  bool legend = true;
  bool scale_bar = true;
  bool time = true;
};

}  // namespace scree
