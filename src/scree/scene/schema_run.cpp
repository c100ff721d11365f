// Schema of the run itself: top level, [run], [step], [watchdog], [maps], [gravity], [periodic], [bounds], [render].
#include "scree/learn/factory.hpp"
#include "scree/map/star_map.hpp"
#include "scree/scene/schema_tools.hpp"
#include "scree/shape/clump.hpp"
#include "scree/step/simulation.hpp"

namespace scree::schema {

namespace {

using enum FieldType;

Section top_level() {
  Section s{"", "A scene file is TOML. Single things are tables, repeated things are lists of tables.", "", {}};
  s.fields = {
      field(text, "title", "\"\"", "", "what the scene shows; printed by `scree check` and `scree run`"),
      field(text, "units", "\"\"", "",
            "free text on the units in use, e.g. \"SI\"; the engine only needs them consistent"),
      field(table, "run", "", "", "how long, and how often files are written"),
      field(table, "step", "", "", "time step and integrator"),
      field(table, "watchdog", "", "", "when to stop a run that went wrong"),
      field(table, "maps", "", "", "how contact maps are made"),
      field(table, "gravity", "", "", "gravity"),
      field(table, "periodic", "", "", "periodic directions"),
      field(table, "bounds", "", "", "outside of this box a grain counts as lost"),
      field(table, "render", "", "", "how pictures look"),
      field(table, "materials", "", "", "materials by name"),
      field(tables, "pairs", "", "", "contacts between two materials"),
      field(table, "shapes", "", "", "shapes by name"),
      field(table, "grains", "", "", "kinds of grain by name: a shape, a size, a material"),
      field(tables, "bodies", "", "", "single grains"),
      field(tables, "arrays", "", "", "grains laid along a curve"),
      field(tables, "insert", "", "", "many grains: lattice, Poisson disc, rain, list"),
      field(tables, "walls", "", "", "boundaries that are not grains"),
      field(tables, "motions", "", "", "prescribed motions of walls and kinematic grains"),
      field(tables, "events", "", "", "things that happen at a time"),
      field(tables, "delete", "", "", "zones that remove grains"),
      field(tables, "measures", "", "", "what is measured during the run"),
  };
  return s;
}

Section run() {
  Section s{"run", "How long, and how often files are written.", "", {}};
  s.fields = {
      number("duration", "required", "time", "simulated time", not_negative),
      or_word("auto",
              number("frames", "\"auto\"", "time",
                     "interval between trajectory frames; auto: duration / 200, or whole large steps", positive)),
      or_word("auto", number("series", "\"auto\"", "time", "interval between lines of series.csv; auto: as `frames`",
                             positive)),
      or_word("auto",
              number("states", "\"auto\"", "time", "interval between restart states; auto: duration / 10", positive)),
      field(integer, "seed", "1", "", "of every random choice in the scene", not_negative),
  };
  return s;
}

Section step() {
  Section s{"step", "Time step and integrator.", "", {}};
  s.fields = {
      choice("solver", "explicit", solver_names(),
             "explicit: small steps, contacts are springs; implicit: large steps of nearly rigid grains"),
      or_word("auto", number("dt", "\"auto\"", "time",
                             "time step; auto: 0.33 / omega_max of the stiffest contact that can happen; implicit: "
                             "sqrt(0.0027 R / g), R the smallest circumradius",
                             positive)),
      number("overlap", "0.01", "R", "implicit: overlap tolerated at rest, in units of the smallest circumradius R",
             {1e-9, 0.5}),
      or_word("auto", field(integer, "substeps", "\"auto\"", "",
                            "implicit: parts of a step; auto: from the overlap tolerated, load and speed", {1, 1000})),
      field(integer, "most_substeps", "64", "", "implicit: never more than this when they are chosen", {1, 1000}),
      number("sleep", "0", "time",
             "implicit: grains that touch each other sleep after they have been at rest for this long; 0: never",
             not_negative),
      field(boolean, "one_plane", "false", "",
            "implicit: a pair has one contact, as in the explicit solver, instead of two: for comparisons; not for "
            "stars and clumps"),
      choice("integrator", "symplectic-euler", integrator_names(), "explicit: time integrator"),
      choice("law", "spring-clamp", law_names(), "explicit: friction law"),
      choice("device", "cpu", device_names(),
             "what does the steps: cpu, cuda (an NVIDIA GPU), serial (the GPU's stages on one core, for tests)"),
      choice("precision", "single", precision_names(),
             "of contacts and velocities on a GPU; places and angles are always double"),
      field(integer, "threads", "0", "", "0: one per core; never changes the results", {0, 256}),
      or_word("auto", number("skin", "\"auto\"", "length", "extra reach of the neighbour list", positive)),
      field(boolean, "skip_queries", "true", "",
            "ask no map about a pair that its error bound certifies apart; changes no result"),
      field(boolean, "ledger", "true", "", "account for energy every step"),
  };
  return s;
}

Section watchdog() {
  Section s{"watchdog", "When to stop a run that went wrong.", "", {}};
  s.fields = {
      field(boolean, "enabled", "true", "", "false: let it run whatever happens"),
      or_word("auto",
              number("max_speed", "\"auto\"", "length/time",
                     "fastest grain allowed; auto: half the thinnest feature a step; implicit: what substeps resolve",
                     positive)),
      number("max_overlap", "0.5", "w", "deepest overlap allowed, in units of the thinnest feature w of the pair",
             positive),
  };
  return s;
}

Section maps() {
  Section s{"maps", "How contact maps are made. `scree map eval` compares settings.", "", {}};
  s.fields = {
      choice("kind", "table", map_kinds(), "kind of contact map"),
      number("epsilon", "1e-3", "radius of A", "smoothing length of face contact", {0, 0.2}),
      field(integer, "nodes", "96", "", "table: nodes in x and in y", {16, 1024}),
      field(integer, "theta_nodes", "0", "", "table: nodes over the reduced period of the angle; 0: chosen", {0, 4096}),
      choice("storage", "fp32", {"fp16", "fp32"}, "table: storage of the nodes"),
      choice("net", "silu-5x64", {"silu-5x64", "relu-5x64", "relu-3x32"}, "neural: architecture"),
      field(integer, "seed", "1", "", "neural: of weights and samples", not_negative),
      field(integer, "samples", "0", "", "neural: training samples; 0: the net's own default", not_negative),
      field(integer, "epochs", "0", "", "neural: passes over the samples; 0: the net's own default", not_negative),
      field(integer, "grid", "201", "", "grid-minimum: points a side", {11, 2001}),
      field(integer, "star_nodes", "100", "", "star: nodes a grain", {fewest_star_nodes, most_star_nodes}),
      choice("star_distance", "first-order", {"first-order", "radial"}, "star: distance of a node to the other grain"),
      field(integer, "clump_discs", "0", "", "clump: discs a grain at most; 0: as many as `clump_tolerance` needs",
            {0, most_clump_discs}),
      number("clump_tolerance", "0.05", "radius", "clump: largest distance between the discs and the outline",
             {least_clump_tolerance, most_clump_tolerance}),
  };
  return s;
}

Section gravity() {
  Section s{"gravity", "Gravity: a vector `g`, or `magnitude` and `angle`. Without this table there is none.", "", {}};
  s.fields = {
      field(vector, "g", "", "length/time^2", "the vector"),
      number("magnitude", "", "length/time^2", "its length, instead of `g`", not_negative),
      field(angle, "angle", "0", "rad", "with `magnitude`: 0 points down, positive turns counter-clockwise"),
      field(angle, "turn_rate", "0", "rad/time", "the vector turns counter-clockwise at this rate"),
  };
  return s;
}

Section box(std::string name, std::string summary) {
  Section s{std::move(name), std::move(summary), "", {}};
  s.fields = {
      field(interval, "x", "", "length", "range in x; left out: not limited or not periodic in x"),
      field(interval, "y", "", "length", "range in y; left out: not limited or not periodic in y"),
  };
  return s;
}

Section render() {
  Section s{"render", "How pictures look; options of `scree render` win over it.", "", {}};
  s.fields = {
      field(interval, "x", "", "length", "shown range in x; give `y` too; left out: chosen"),
      field(interval, "y", "", "length", "shown range in y"),
      field(interval, "lens_x", "", "length",
            "of a part that is shown enlarged, too, in the lower right corner; give `lens_y` too"),
      field(interval, "lens_y", "", "length", "likewise"),
      choice("colour", "type", {"type", "group", "speed", "force", "angle"}, "what colour means"),
      field(table, "colours", "", "",
            "colour = \"type\" or \"group\": own colours by grain or group, e.g. { sand = \"#c2a878\" }; the others "
            "are chosen"),
      field(integer, "width", "1280", "pixels", "of the picture", {16, 16384}),
      field(integer, "height", "0", "pixels", "0: from the view's aspect; without both, the longer side is 1280",
            {0, 16384}),
      number("fps", "30", "1/s", "video frames a second", {0, 240, true}),
      field(text, "background", "\"white\"", "", "\"white\", \"black\" or \"#rrggbb\""),
      field(boolean, "forces", "false", "", "draw contact forces as a network"),
      field(boolean, "walls", "true", "", "draw walls"),
      field(boolean, "legend", "true", "", "draw the legend"),
      field(boolean, "scale_bar", "true", "", "draw a scale bar"),
      field(boolean, "time", "true", "", "write the simulated time"),
  };
  return s;
}

}  // namespace

std::vector<Section> run_sections() {
  return {top_level(),
          run(),
          step(),
          watchdog(),
          maps(),
          gravity(),
          box("periodic", "Periodic directions: what leaves on one side comes back on the other."),
          box("bounds", "A grain whose centre leaves this box is lost, and the watchdog stops the run."),
          render()};
}

}  // namespace scree::schema
