// `scree check`: read a scene, check it, and say what it holds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "interrupt.hpp"
#include "scene_options.hpp"
#include "scree/base/text.hpp"
#include "scree/scene/schema.hpp"
#include "scree/step/resolve.hpp"

namespace scree::cli {

namespace {

struct CheckOptions {
  SceneOptions scene;
  bool maps = false;
  bool reference = false;
};

void print_types(const World& world) {
  if (world.types.empty()) return;
  TextTable table({"grain", "shape", "radius", "material", "mass", "inertia", "thinnest", "vertices", "symmetry"});
  for (const GrainType& t : world.types) {
    const Shape& s = *world.shapes[static_cast<std::size_t>(t.shape)];
    table.row({t.name, s.name, number(t.radius), world.materials[static_cast<std::size_t>(t.material)].name,
               number(t.mass), number(t.inertia), number(t.thinnest), std::to_string(s.outline.vertex_count()),
               s.symmetry == 0 ? "disc" : std::to_string(s.symmetry)});
  }
  fmt::print("\ngrains\n{}", table.text());
}

void print_materials(const World& world, bool large_steps) {
  TextTable table({"material", "density", "friction", "rolling", "restitution", "c_n", "stiffness"});
  for (const Material& m : world.materials) {
    table.row({m.name, number(m.density), number(m.friction), number(m.rolling_friction),
               m.normal_damping ? "" : number(m.restitution), m.normal_damping ? number(*m.normal_damping) : "",
               large_steps && !m.normal_damping ? "" : number(m.stiffness)});
  }
  fmt::print("\nmaterials\n{}", table.text());
}

std::string inserted(const Insertion& in) {
  if (in.method == Insertion::Method::list) return grouped(in.list.size());
  if (in.count > 0) return (in.method == Insertion::Method::rain ? "up to " : "") + grouped(in.count);
  return in.method == Insertion::Method::rain ? "no limit" : "as many as fit";
}

void print_bodies(const World& world) {
  TextTable table({"placed", "count", "from", "group"});
  std::size_t kinds[3] = {};
  for (const BodyKind k : world.bodies.kind) ++kinds[static_cast<std::size_t>(k)];
  const char* names[3] = {"moving", "fixed", "kinematic"};
  for (std::size_t k = 0; k < 3; ++k) {
    if (kinds[k] > 0) table.row({fmt::format("{} bodies", names[k]), grouped(kinds[k]), "the start", ""});
  }
  for (const Insertion& in : world.insertions) {
    table.row({in.name, inserted(in), in.enabled ? "t = " + number(in.start) : "an event",
               world.groups[static_cast<std::size_t>(in.group)]});
  }
  fmt::print("\nbodies\n{}", table.text());
}

void print_step(const Scene& scene) {
  TextTable table({});
  const StepAdvice& a = scene.advice;
  table.row({"dt", fmt::format("{:.6g}", scene.step.dt)});
  const bool large_steps = scene.step.solver == "implicit";
  if (a.dt_advised > 0) {
    const std::string why = large_steps ? "sqrt(0.0027 R / g)" : "0.33 / omega_max, " + a.stiffest;
    table.row({"advised", fmt::format("{:.6g} ({})", a.dt_advised, why)});
  }
  if (a.dt_limit > 0) table.row({"limit", fmt::format("{:.6g}", a.dt_limit)});
  table.row({"duration", fmt::format("{:.6g} = {} steps", scene.run.duration,
                                     grouped(static_cast<std::size_t>(scene.run.duration / scene.step.dt + 0.5)))});
  if (large_steps) {
    const ImplicitSettings& s = scene.step.implicit;
    table.row({"solver", fmt::format("implicit, overlap {:.3g} R, {}{}", s.overlap,
                                     s.substeps > 0 ? fmt::format("substeps = {}", s.substeps)
                                                    : fmt::format("up to {} substeps", s.most_substeps),
                                     s.one_plane ? ", one plane a pair" : "")});
    if (s.sleep > 0) table.row({"sleep", fmt::format("islands that have been quiet for {:.6g}", s.sleep)});
  } else {
    table.row({"integrator", scene.step.integrator + ", law " + scene.step.law});
  }
  fmt::print("\nstep\n{}", table.text());
}

void print_measures(const Scene& scene) {
  if (scene.measures.empty()) return;
  TextTable table({"measure", "kind", "every"});
  for (const MeasureSettings& m : scene.measures) table.row({m.name, m.kind, number(m.every)});
  fmt::print("\nmeasures\n{}", table.text());
}

void print_needs(const World& world) {
  const std::vector<MapNeed> needs = needed_maps(world);
  fmt::print("\nmaps needed: {} (check --maps builds or loads them)\n", needs.size());
}

void print_maps(const std::vector<MapUse>& uses) {
  TextTable table({"map", "ratio", "kind", "kB", "rmse d", "max d", "angle", "from", "seconds"});
  for (const MapUse& u : uses) {
    table.row({u.shape_a + "-" + u.shape_b, number(u.ratio), u.kind, number(static_cast<double>(u.bytes) / 1024, 3),
               number(u.error.gap_rmse, 2), number(u.error.gap_max, 2), number(u.error.angle_median, 2),
               u.from_cache ? "cache" : "built", fmt::format("{:.2f}", u.seconds)});
  }
  fmt::print("\nmaps (lengths in radii of A, angle in degrees)\n{}", table.text());
}

// A scene may be meant for another machine.
void warn_device(Scene& scene) {
  try {
    require_device(scene.step);
  } catch (const Error& e) {
    scene.warnings.push_back(cat("step.device = \"", scene.step.device, "\" does not run here: ", e.problem()));
  }
}

void check(const CheckOptions& options) {
  Scene scene = options.scene.load();
  warn_device(scene);
  fmt::print("{}{}\n", options.scene.file, scene.title.empty() ? "" : ": " + scene.title);
  print_types(scene.world);
  print_materials(scene.world, scene.step.solver == "implicit");
  print_bodies(scene.world);
  fmt::print("\nwalls {}, motions {}, events {}, deletion zones {}\n", scene.world.walls.size(),
             scene.world.motions.size(), scene.world.events.size(), scene.world.deletion_zones.size());
  print_step(scene);
  print_measures(scene);
  if (options.maps) {
    const InterruptGuard guard;
    ThreadPool pool(scene.step.threads);
    ProgressLine line;
    print_maps(attach_maps_shown(scene, options.scene.no_cache, pool, line));
  } else {
    print_needs(scene.world);
  }
  std::fflush(stdout);
  print_warnings(scene);
  fmt::print("\nok{}\n", scene.warnings.empty() ? "" : fmt::format(", {} warning(s)", scene.warnings.size()));
}

}  // namespace

void add_check_command(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "read and check a scene; say what it holds");
  options->scene.add_to(*command);
  command->get_option("scene")->required(false);
  command->add_flag("--maps", options->maps, "also build or load the contact maps and show their errors");
  command->add_flag("--reference", options->reference, "print every field of the scene format instead (Markdown)");
  command->footer("Example:\n  scree check scenes/first.toml --set step.dt=1e-4 --maps");
  command->callback([options] {
    if (options->reference) {
      fmt::print("{}", schema_markdown());
    } else {
      if (options->scene.file.empty()) throw CLI::RequiredError("scene");
      check(*options);
    }
  });
}

}  // namespace scree::cli
