// [run], [step], [watchdog], [maps], [gravity], [periodic], [bounds], [render].
#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"

namespace scree {

namespace {

void check_interval(const Fields& f, const std::string& name, double interval, double duration) {
  if (interval > 0 && duration / interval > most_records) {
    f.fail(name, cat("makes ", duration / interval, " records"), cat("choose at least ", duration / most_records));
  }
}

void set_interval(const Fields& f, bool& on, double& lo, double& hi, const std::string& name) {
  if (const auto range = f.maybe_interval(name)) {
    on = true;
    lo = (*range)[0];
    hi = (*range)[1];
  }
}

void read_gravity(SceneBuilder& b) {
  const Fields f = b.section("gravity");
  const std::string way = f.at_most_one({"g", "magnitude"});
  if (way == "g") b.world().gravity.value = f.vector("g");
  if (way == "magnitude") b.world().gravity.value = Rotation2d(f.number("angle")) * Vec2d{0, -f.number("magnitude")};
  if (way != "magnitude" && f.has("angle")) f.fail("angle", "needs 'magnitude'", "give magnitude instead of g");
  b.world().gravity.turn_rate = f.number("turn_rate");
}

bool is_hex_colour(const std::string& text) {
  return text.size() == 7 && text[0] == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
}

void check_background(const Fields& f, const std::string& colour) {
  if (colour != "white" && colour != "black" && !is_hex_colour(colour)) {
    f.fail("background", "unknown colour \"" + colour + "\"", "write \"white\", \"black\" or \"#rrggbb\"");
  }
}

void read_colours(const Fields& f, std::map<std::string, std::string>& colours) {
  if (!f.has("colours")) return;
  const toml::node& node = *f.node("colours");
  if (!node.is_table()) f.fail("colours", "must be a table such as { sand = \"#c2a878\" }, not " + shown(node));
  for (const auto& [key, value] : *node.as_table()) {
    const std::string colour = value.value_or(std::string{});
    if (!is_hex_colour(colour)) {
      scene_error(f.source(), value, f.path_of("colours." + std::string(key.str())),
                  "must be a colour, not " + shown(value), "write \"#rrggbb\", e.g. \"#c2a878\"");
    }
    colours[std::string(key.str())] = colour;
  }
}

}  // namespace

void read_run(SceneBuilder& b) {
  const Fields f = b.section("run");
  RunSettings& run = b.scene.run;
  run.duration = f.number("duration");
  run.frame_interval = f.maybe_number("frames").value_or(run.duration / 200);
  run.series_interval = f.maybe_number("series").value_or(run.frame_interval);
  run.state_interval = f.maybe_number("states").value_or(run.duration / 10);
  run.seed = f.large_integer("seed");
  check_interval(f, "frames", run.frame_interval, run.duration);
  check_interval(f, "series", run.series_interval, run.duration);
  check_interval(f, "states", run.state_interval, run.duration);
}

void read_step(SceneBuilder& b) {
  const Fields f = b.section("step");
  StepSettings& step = b.scene.step;
  step.solver = f.choice("solver");
  step.dt = f.maybe_number("dt").value_or(0);
  step.implicit.overlap = f.number("overlap");
  step.implicit.substeps = f.maybe_integer("substeps").value_or(0);
  step.implicit.most_substeps = f.integer("most_substeps");
  step.implicit.sleep = f.number("sleep");
  step.implicit.one_plane = f.boolean("one_plane");
  step.integrator = f.choice("integrator");
  step.law = f.choice("law");
  step.device = f.choice("device");
  step.precision = f.choice("precision");
  step.threads = f.integer("threads");
  step.skin = f.maybe_number("skin").value_or(0);
  step.skip_queries = f.boolean("skip_queries");
  step.ledger = f.boolean("ledger");
  const Fields w = b.section("watchdog");
  step.watchdog.enabled = w.boolean("enabled");
  step.watchdog.max_speed = w.maybe_number("max_speed").value_or(0);
  step.watchdog.max_overlap = w.number("max_overlap");
}

void read_maps(SceneBuilder& b) {
  const Fields f = b.section("maps");
  MapSettings& maps = b.scene.maps;
  maps.kind = f.choice("kind");
  maps.epsilon = f.number("epsilon");
  maps.nodes = f.integer("nodes");
  maps.theta_nodes = f.integer("theta_nodes");
  maps.storage = f.choice("storage") == "fp16" ? TableStorage::fp16 : TableStorage::fp32;
  maps.net = f.choice("net");
  maps.seed = f.large_integer("seed");
  maps.samples = f.integer("samples");
  maps.epochs = f.integer("epochs");
  maps.grid = f.integer("grid");
  maps.star_nodes = f.integer("star_nodes");
  maps.star_distance = f.choice("star_distance") == "radial" ? StarDistance::radial : StarDistance::first_order;
  maps.clump_discs = f.integer("clump_discs");
  maps.clump_tolerance = f.number("clump_tolerance");
}

void read_surroundings(SceneBuilder& b) {
  read_gravity(b);
  Periodic& periodic = b.world().periodic;
  const Fields cell = b.section("periodic");
  set_interval(cell, periodic.x, periodic.box.lo.x, periodic.box.hi.x, "x");
  set_interval(cell, periodic.y, periodic.box.lo.y, periodic.box.hi.y, "y");
  Box& bounds = b.world().bounds;
  const Fields limits = b.section("bounds");
  bool limited = false;
  set_interval(limits, limited, bounds.lo.x, bounds.hi.x, "x");
  set_interval(limits, limited, bounds.lo.y, bounds.hi.y, "y");
}

void read_render(SceneBuilder& b) {
  const Fields f = b.section("render");
  RenderSettings& render = b.scene.render;
  const auto region = [&](const char* x, const char* y, const char* what) -> std::optional<Box> {
    if (f.has(x) != f.has(y)) f.fail(f.has(x) ? y : x, "is missing", cat("the ", what, " needs both ", x, " and ", y));
    if (!f.has(x)) return {};
    const auto in_x = f.interval(x), in_y = f.interval(y);
    return Box{{in_x[0], in_y[0]}, {in_x[1], in_y[1]}};
  };
  render.view = region("x", "y", "view");
  render.lens = region("lens_x", "lens_y", "lens");
  render.colour = f.choice("colour");
  read_colours(f, render.colours);
  render.sized = f.has("width") || f.has("height");
  render.width = f.integer("width");
  render.height = f.integer("height");
  render.fps = f.number("fps");
  render.background = f.text("background");
  check_background(f, render.background);
  render.forces = f.boolean("forces");
  render.walls = f.boolean("walls");
  render.legend = f.boolean("legend");
  render.scale_bar = f.boolean("scale_bar");
  render.time = f.boolean("time");
}

}  // namespace scree
