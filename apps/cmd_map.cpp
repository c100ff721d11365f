// `scree map`: build, train, judge, draw and describe contact maps.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <numbers>

#include "commands.hpp"
#include "finite_number.hpp"
#include "interrupt.hpp"
#include "map_options.hpp"
#include "output_file.hpp"
#include "scree/base/error.hpp"
#include "scree/base/hash.hpp"
#include "scree/base/parallel.hpp"
#include "scree/learn/evaluate.hpp"
#include "scree/learn/factory.hpp"
#include "scree/map/map_cache.hpp"
#include "scree/map/map_file.hpp"
#include "scree/map/safetensors.hpp"
#include "scree/record/plot.hpp"
#include "shape_argument.hpp"

namespace scree::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::vector<std::string> names;  // A B, or FILE, or FILE A B
  double ratio = 1;
  MapSettings settings;
  std::string output, theme = "light";
  std::vector<double> thetas;
  std::size_t samples = default_error_samples;
  std::string device = "cpu";
  int threads = 0;
};

// A map with its shapes, from a file or built now.
struct Subject {
  OwnedPair shapes;
  std::shared_ptr<const ContactMap> map;
  MapIdentity identity;
  double seconds = -1;  // to build; < 0 when it came from a file
};

// A shape alone is more likely half a pair than a file of that name.
void demand_file_or_pair(const Options& o) {
  if (o.names.size() != 1 || fs::exists(o.names[0]) || o.names[0].ends_with(".safetensors")) return;
  throw Error(ErrorKind::input, "scree map", "\"" + o.names[0] + "\" is no file, and one shape makes no pair",
              "name two shapes, e.g. " + o.names[0] + " " + o.names[0] + "; a shape is " + shape_argument_help);
}

// Only the cache builds its files again: the remedy of the reader, to delete a bad one, is for those.
LoadedMap load_map_argument(const std::string& file) {
  try {
    return load_map(file);
  } catch (const Error& e) {
    const bool cached = fs::absolute(file).lexically_normal().parent_path() ==
                        fs::absolute(MapCache::default_folder()).lexically_normal();
    if (e.kind() != ErrorKind::input || cached) throw;
    throw Error(e.kind(), e.where(), e.problem(), "name a file that `scree map build -o FILE` wrote");
  }
}

void check_shape(const Shape& shape, std::uint64_t hash, const std::string& file, const std::string& role) {
  if (shape.hash != hash)
    throw Error(ErrorKind::input, file,
                fmt::format("its shape {} is not \"{}\" as that is made today", role, shape.name),
                "name the two shapes it was made from: FILE A B");
}

Subject from_file(const Options& o) {
  Subject s;
  demand_file_or_pair(o);
  LoadedMap loaded = load_map_argument(o.names[0]);
  s.identity = loaded.identity;
  s.map = std::move(loaded.map);
  const bool named = o.names.size() == 3;
  s.shapes = make_pair_argument(named ? o.names[1] : s.identity.name_a, named ? o.names[2] : s.identity.name_b,
                                s.identity.ratio);
  check_shape(s.shapes.a, s.identity.hash_a, o.names[0], "A");
  check_shape(s.shapes.b, s.identity.hash_b, o.names[0], "B");
  return s;
}

Subject built(const Options& o, ThreadPool& pool) {
  Subject s;
  s.shapes = make_pair_argument(o.names[0], o.names[1], o.ratio);
  s.identity = identity_of(s.shapes.pair(), o.settings);
  ProgressLine line;
  s.map = build_map_shown(s.shapes.pair(), o.settings, pool, line, s.seconds, fitter_on(o.device));
  return s;
}

Subject subject(const Options& o, ThreadPool& pool) {
  return o.names.size() == 1 || o.names.size() == 3 ? from_file(o) : built(o, pool);
}

std::string title(const Subject& s) {
  return fmt::format("{} - {}{}, {} map{}", s.shapes.a.name, s.shapes.b.name,
                     s.shapes.ratio != 1 ? fmt::format(" (ratio {:.4g})", s.shapes.ratio) : "", s.map->kind(),
                     s.map->kind() == "neural" ? " " + s.identity.settings.net : "");
}

void print_error(const MapError& e, TextTable& t) {
  t.row({"gap RMSE", fmt::format("{:.2e}", e.gap_rmse)});
  t.row({"gap bound", fmt::format("{:.2e}", e.gap_max)});
  if (e.gap_jump > 0) t.row({"exact depth jumps by", fmt::format("{:.2e}", e.gap_jump)});
  t.row({"gradient angle, median", fmt::format("{:.2f}°", e.angle_median)});
  t.row({"arm RMSE", fmt::format("{:.2e}", e.arm_rmse)});
  t.row({"samples", fmt::format("{} with |gap| <= {:g}", grouped(e.samples), e.band)});
}

void build(const Options& o) {
  ThreadPool pool(o.threads);
  const Subject s = built(o, pool);
  TextTable t({});
  t.row({"built in", duration(s.seconds)});
  t.row({"memory", bytes_text(s.map->bytes())});
  t.row({"key", to_hex(s.identity.key())});
  print_error(s.map->error(), t);
  fmt::print("{}\n{}lengths in units of A's circumradius\n", title(s), t.text());
  if (o.output.empty()) return;
  save_map(o.output, *s.map, s.identity);
  fmt::print("{}  {}\n", o.output, bytes_text(fs::file_size(o.output)));
}

void evaluate(const Options& o) {
  ThreadPool pool(o.threads);
  const Subject s = subject(o, pool);
  TextTable t({});
  print_error(measure_error(*s.map, s.shapes.pair(), pool, o.samples), t);
  t.row({"seam at ±π", fmt::format("{:.1e}", seam(*s.map))});
  t.row({"memory", bytes_text(s.map->bytes())});
  t.row({"query, one core", nanoseconds_text(query_nanoseconds(*s.map, s.shapes.pair()))});
  if (s.seconds >= 0) t.row({"built in", duration(s.seconds)});
  fmt::print("{}, against the exact map\n{}lengths in units of A's circumradius\n", title(s), t.text());
}

// Four angles over the period of the pair, the first one aligned.
std::vector<double> default_thetas(const Subject& s) {
  const int order = std::max(1, std::max(s.shapes.a.symmetry, s.shapes.b.symmetry));
  std::vector<double> out;
  for (int k = 0; k < 4; ++k) out.push_back(2 * std::numbers::pi / order * k / (order == 1 ? 4 : 6));
  return out;
}

void plot(const Options& o) {
  require_extension("-o", o.output, {".png"});
  ThreadPool pool(o.threads);
  const Subject s = subject(o, pool);
  MapFigure figure;
  figure.theme = o.theme == "dark" ? dark_theme() : light_theme();
  figure.title = title(s);
  figure.thetas = default_thetas(s);
  if (!o.thetas.empty()) figure.thetas.clear();
  for (double degrees : o.thetas) figure.thetas.push_back(degrees * std::numbers::pi / 180);
  if (figure.thetas.size() > 12) throw Error(ErrorKind::input, "--theta", "more than 12 angles", "give fewer");
  const Image image = map_figure(s.shapes.pair(), *s.map, figure);
  write_png(image, o.output);
  fmt::print("{}  {}x{}\n", o.output, image.width, image.height);
}

void info(const Options& o) {
  const std::string& file = o.names[0];
  const LoadedMap loaded = load_map_argument(file);
  const MapIdentity& id = loaded.identity;
  TextTable t({});
  t.row({"kind", std::string(loaded.map->kind())});
  t.row({"A", fmt::format("{} ({})", id.name_a, to_hex(id.hash_a))});
  t.row({"B", fmt::format("{} ({})", id.name_b, to_hex(id.hash_b))});
  t.row({"ratio", fmt::format("{:.6g}", id.ratio)});
  t.row({"key", to_hex(id.key())});
  t.row({"epsilon", fmt::format("{:g}", id.settings.epsilon)});
  t.row({"smoothness", loaded.map->smoothness() == 2 ? "C2" : "continuous"});
  t.row({"memory", bytes_text(loaded.map->bytes())});
  t.row({"file", bytes_text(fs::file_size(file))});
  print_error(loaded.map->error(), t);
  fmt::print("{}\n{}", file, t.text());
  TextTable tensors({"tensor", "type", "shape"});
  for (const auto& [name, tensor] : read_safetensors(file).tensors) {
    std::string shape;
    for (std::int64_t n : tensor.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(n);
    tensors.row({name, tensor.dtype, shape.empty() ? "scalar" : shape});
  }
  fmt::print("tensors\n{}", tensors.text());
}

// The usage line would say `names(1x)`, as if one were enough.
class PairHelp : public CLI::Formatter {
 public:
  std::string make_option_usage(const CLI::Option* option) const override { return option->get_option_text(); }
};

void add_pair(CLI::App& c, Options& o, bool file_too) {
  c.formatter(std::make_shared<PairHelp>());
  c.add_option("names", o.names, std::string("a shape is ") + shape_argument_help)
      ->required()
      ->expected(file_too ? 1 : 2, file_too ? 3 : 2)
      ->option_text(file_too ? "A B | FILE | FILE A B" : "A B");
  c.add_option("--ratio", o.ratio, "circumradius of B over that of A")
      ->check(finite_number)
      ->check(CLI::Range(0.01, 100.0))
      ->capture_default_str();
  c.add_option("--threads", o.threads, "0: one per core; never changes the results")
      ->check(CLI::Range(0, most_threads));
  c.add_option("--device", o.device, "neural: what trains the nets, cpu or cuda (docs/gpu.md)")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
}

}  // namespace

void add_map_command(CLI::App& app) {
  CLI::App* map = app.add_subcommand("map", "build, train, judge, draw and describe contact maps");
  map->require_subcommand(1);
  const auto guarded = [](auto action, std::shared_ptr<Options> o) {
    return [action, o] {
      const InterruptGuard guard;
      action(*o);
    };
  };
  map->footer(
      "Examples:\n"
      "  scree map build hash disc -o hash-disc.safetensors\n"
      "  scree map eval hash-disc.safetensors\n"
      "  scree map plot hash hash -o hash.png\n"
      "  scree map build --help                        all options of one of them");
  const auto add = [&](const char* name, const char* help, const char* examples, auto action, auto configure) {
    auto o = std::make_shared<Options>();
    CLI::App* c = map->add_subcommand(name, help);
    configure(*c, *o);
    c->footer(examples);
    c->callback(guarded(action, o));
  };
  add("build", "build the map of a pair of shapes and measure its error",
      "Examples:\n"
      "  scree map build hash disc                          build, print size and error\n"
      "  scree map build hash glyph:G --ratio 0.5 -o hash-g.safetensors\n"
      "  scree map build star:points=5 box --kind clump --clump-discs 20",
      build, [](CLI::App& c, Options& o) {
        add_pair(c, o, false);
        add_map_settings(c, o.settings, true);
        c.add_option("-o,--output", o.output, "safetensors file to write")->type_name("FILE");
      });
  add("train", "train the neural map of a pair of shapes",
      "Examples:\n"
      "  scree map train hash hash -o hash.safetensors      the default net, minutes on one core\n"
      "  scree map train hash hash --device cuda -o hash.safetensors   the same in seconds\n"
      "  scree map train hash disc --net relu-3x32          the small net of the paper",
      build, [](CLI::App& c, Options& o) {
        o.settings.kind = "neural";
        add_pair(c, o, false);
        add_map_settings(c, o.settings, false);
        c.add_option("-o,--output", o.output, "safetensors file to write; PyTorch opens it")->type_name("FILE");
      });
  add("eval", "compare a map with the exact one",
      "Examples:\n"
      "  scree map eval hash hash                           build a table and compare it\n"
      "  scree map eval hash hash --kind neural\n"
      "  scree map eval hash-disc.safetensors               a map from a file",
      evaluate, [](CLI::App& c, Options& o) {
        add_pair(c, o, true);
        add_map_settings(c, o.settings, true);
        c.add_option("--error-samples", o.samples, "poses to compare at")->check(CLI::Range(100, 100000000));
      });
  add("plot", "draw zero level sets and errors at several angles",
      "Examples:\n"
      "  scree map plot hash hash -o hash.png\n"
      "  scree map plot hash glyph:G -o hash-g.png --theta 0,15,30,45 --theme dark",
      plot, [](CLI::App& c, Options& o) {
        add_pair(c, o, true);
        add_map_settings(c, o.settings, true);
        c.add_option("-o,--output", o.output, "PNG file to write")->required()->type_name("FILE");
        c.add_option("--theta", o.thetas, "angles in degrees")->delimiter(',');
        c.add_option("--theme", o.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
      });
  add("info", "describe a map file", "Example:\n  scree map info hash-disc.safetensors", info,
      [](CLI::App& c, Options& o) {
        c.add_option("file", o.names, "map file")->required()->expected(1)->type_name("FILE");
      });
}

}  // namespace scree::cli
