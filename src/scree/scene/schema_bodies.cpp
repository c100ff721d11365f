// Schema of grains placed in the world: [[bodies]], [[arrays]], [[insert]].
#include "scree/scene/schema_tools.hpp"

namespace scree::schema {

namespace {

using enum FieldType;

const Words body_kinds = {"moving", "fixed", "kinematic"};

Section bodies() {
  Section s{"bodies[]",
            "Grains that are there from the start: one `position`, many `positions`, or those of a `file`. A CSV file "
            "has a line of names and a line a grain; NumPy files hold a structured array (.npy), an array [n, 2] or "
            "[n, 3] of x, y and angle, or an array a column (.npz); HDF5 files a dataset a column, or what `scree run` "
            "wrote: a trajectory or a state. Columns are `x` and `y`, or `position` [n, 2]; `angle`; `vx` and `vy`, or "
            "`velocity` [n, 2]; `spin`; `grain`, `kind` and `group` as texts. Those that are missing, and empty texts, "
            "take the fields below. `radius` is compared with the grain's; `id`, `frame`, `force` and `coordination` "
            "of an export are passed over, any other column is refused. Velocities of grains that do not obey forces "
            "are not taken, nor is the memory of contacts: to go on with a run, use `scree run --restart`.",
            "",
            {}};
  s.fields = {
      field(text, "grain", "", "",
            "kind of grain, required unless the file names it; of a size distribution one class, e.g. \"sand:2\""),
      field(vector, "position", "", "length", "of the centroid"),
      field(table, "positions", "", "length, rad", "instead of `position`: [[x, y], [x, y, angle], ...]"),
      field(text, "file", "", "",
            "instead of `position`: .csv, .npy, .npz or .h5 file of grains, relative to the scene file"),
      field(text, "table", "", "",
            "with an HDF5 or .npz `file`: the group of columns, or the structured array; left out: the file itself"),
      number("time", "", "time", "with a `file` of several instants: the nearest to this; left out: the last"),
      field(texts, "ignore", "[]", "", "with `file`: columns to pass over"),
      field(angle, "angle", "0", "rad", "orientation"),
      field(vector, "velocity", "[0, 0]", "length/time", "at the start"),
      field(angle, "spin", "0", "rad/time", "angular velocity at the start"),
      choice("kind", "moving", body_kinds, "obeys forces, never moves, or follows [[motions]]"),
      field(text, "group", "\"grains\"", "", "group, for motions and events; made when first named"),
  };
  return s;
}

Section arrays() {
  const Words round = {"ring", "arc"};
  Section s{"arrays[]",
            "Grains laid along a curve, each turned to the curve's tangent. Give `count` or `spacing`.",
            "along",
            {}};
  s.fields = {
      choice("along", "required", {"line", "polyline", "arc", "ring"}, "the curve"),
      field(text, "grain", "required", "", "kind of grain"),
      only({"line"}, field(vector, "from", "required", "length", "first centroid")),
      only({"line"}, field(vector, "to", "required", "length", "last centroid")),
      only({"polyline"}, field(points, "points", "required", "length", "nodes of the curve")),
      only({"polyline"}, field(boolean, "closed", "false", "", "the last node joins the first")),
      only(round, field(vector, "centre", "[0, 0]", "length", "of the circle")),
      only(round, number("radius", "required", "length", "of the circle through the centroids", positive)),
      only(round, field(angle, "start", "0", "rad", "where on the circle the first grain is")),
      only({"arc"}, field(angle, "end", "required", "rad", "where the last grain is; below `start`: clockwise")),
      field(integer, "count", "", "", "number of grains", {1, 1e6}),
      number("spacing", "", "length", "largest distance along the curve from centroid to centroid", positive),
      field(angle, "angle", "0", "rad", "orientation relative to the tangent"),
      choice("kind", "fixed", body_kinds, "obeys forces, never moves, or follows [[motions]]"),
      field(text, "group", "\"grains\"", "", "group, for motions and events"),
  };
  return s;
}

Section insert() {
  const Words filled = {"lattice", "poisson", "rain"};
  Section s{
      "insert[]",
      "Many grains. `lattice` and `poisson` fill a box once, `rain` drops grains into it at a rate. A grain whose site "
      "of "
      "the lattice is taken by another is left out. `poisson` and `rain` try one grain, drawn once, at random places: "
      "`rain` until there is room, later grains waiting for it; `poisson` 4000 times, and the box is full when that "
      "fails. So the shares of a mixture and of a size distribution hold in a full box too. Walls are not looked at: "
      "keep "
      "the box clear of them. `list` places given grains as they are.",
      "method",
      {}};
  s.fields = {
      choice("method", "required", {"lattice", "poisson", "rain", "list"}, "how grains are placed"),
      field(text, "name", "", "", "for events and messages; left out: `insert1`, `insert2`, ..."),
      only(filled, field(text, "grain", "", "", "one kind of grain; or give `mixture`")),
      only(filled, field(table, "mixture", "", "", "shares by number, e.g. { sand = 0.7, gravel = 0.3 }")),
      only({"lattice"},
           field(texts, "sequence", "", "",
                 "instead of `grain` and `mixture`: kinds of grain in this order, again and again, in rows "
                 "from the top, as text runs")),
      only({"list"}, field(tables, "list", "required", "", "the grains; see the next table")),
      only(filled, field(interval, "x", "required", "length", "range of the box in x")),
      only(filled, field(interval, "y", "required", "length", "range of the box in y")),
      only(filled, number("disc", "", "length",
                          "radius: only where the bounding circle lies in this disc about the box's centre", positive)),
      only(filled,
           field(integer, "count", "0", "",
                 "grains in all, an error when they do not fit; 0: as many as fit, for rain no limit", {0, 1e8})),
      only(filled, number("clearance", "0", "length", "gap kept between bounding circles", not_negative)),
      only({"lattice"},
           or_word("auto",
                   number("spacing", "\"auto\"", "length",
                          "pitch; auto: twice the largest radius plus clearance and twice the jitter", positive))),
      only({"lattice"}, number("jitter", "0", "length", "largest random shift in x and in y", not_negative)),
      only({"rain"}, number("rate", "required", "1/time", "grains a unit of time", positive)),
      field(integer, "seed", "", "", "of this insertion; left out: from run.seed", not_negative),
      number("start", "0", "time", "when it begins", not_negative),
      only({"rain"}, number("stop", "", "time", "when it ends; left out: never", positive)),
      only(filled, field(vector, "velocity", "[0, 0]", "length/time", "of new grains")),
      only(filled, field(angle, "spin", "0", "rad/time", "of new grains")),
      only(filled, or_word("random", field(angle, "angle", "\"random\"", "rad", "orientation of new grains"))),
      choice("kind", "moving", body_kinds, "obeys forces, never moves, or follows [[motions]]"),
      field(text, "group", "\"grains\"", "", "group, for motions and events"),
      field(boolean, "enabled", "true", "", "false: waits for an `insert` event"),
  };
  return s;
}

Section insert_list() {
  Section s{"insert[].list[]", "One grain of an insertion of method `list`.", "", {}};
  s.fields = {
      field(text, "grain", "required", "", "kind of grain; of a size distribution one class, e.g. \"sand:2\""),
      field(vector, "position", "required", "length", "of the centroid"),
      field(angle, "angle", "0", "rad", "orientation"),
      field(vector, "velocity", "[0, 0]", "length/time", "at the start"),
      field(angle, "spin", "0", "rad/time", "angular velocity at the start"),
  };
  return s;
}

}  // namespace

std::vector<Section> body_sections() { return {bodies(), arrays(), insert(), insert_list()}; }

}  // namespace scree::schema
