// Schema of [[walls]].
#include "scree/scene/schema_tools.hpp"

namespace scree::schema {

std::vector<Section> wall_sections() {
  using enum FieldType;
  const Words circles = {"circle-inside", "circle-outside"};
  const Words chains = {"segment", "polyline"};
  Section s{"walls[]",
            "Boundaries that are not grains. A `box` is four half-planes called NAME.left, NAME.right, NAME.bottom and "
            "NAME.top; NAME stands for all of them.",
            "kind",
            {}};
  s.fields = {
      choice("kind", "required",
             {"half-plane", "box", "circle-inside", "circle-outside", "segment", "polyline", "outline"},
             "what it is; circle-inside is a container, circle-outside an obstacle"),
      field(text, "name", "", "", "for motions, events and messages; left out: `wall1`, `wall2`, ..."),
      field(text, "material", "", "", "its material; left out: the only one, or `default`"),
      field(boolean, "active", "true", "", "false: waits for an `add-wall` event"),
      only({"half-plane"}, field(vector, "point", "[0, 0]", "length", "on its surface")),
      only({"half-plane"}, field(vector, "normal", "[0, 1]", "", "out of the solid; any length")),
      only({"half-plane"}, field(angle, "tilt", "0", "rad", "turns the normal counter-clockwise about `point`")),
      only({"box"}, field(interval, "x", "required", "length", "inner range in x")),
      only({"box"}, field(interval, "y", "required", "length", "inner range in y")),
      only({"box"}, field(texts, "sides", "[\"left\", \"right\", \"bottom\", \"top\"]", "", "which sides exist")),
      only(circles, field(vector, "centre", "[0, 0]", "length", "of the circle")),
      only(circles, number("radius", "required", "length", "of the circle", positive)),
      only({"segment"}, field(vector, "from", "required", "length", "one end")),
      only({"segment"}, field(vector, "to", "required", "length", "other end")),
      only({"polyline"}, field(points, "points", "required", "length", "nodes")),
      only({"polyline"}, field(boolean, "closed", "false", "", "the last node joins the first")),
      only(chains, number("thickness", "0", "length", "of the chain, with round ends; grains with corners need some",
                          not_negative)),
      only({"outline"}, field(text, "shape", "", "", "a shape of [shapes] or the library, about its centroid")),
      only({"outline"}, number("size", "", "length", "with `shape`: circumradius; left out: as drawn", positive)),
      only({"outline"}, field(loops, "loops", "", "length", "instead of `shape`: outlines in wall coordinates")),
      only({"outline"}, field(vector, "position", "[0, 0]", "length", "where its origin is")),
      only({"outline"}, field(angle, "angle", "0", "rad", "orientation")),
  };
  return {s};
}

}  // namespace scree::schema
