// The command line `scree`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <system_error>

#include "build_info.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "interrupt.hpp"
#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "terminal.hpp"

namespace scree::cli {

namespace {

constexpr const char* overview =
    "Scree simulates granular media whose grains have any shape.\n\n"
    "A scene file says what there is: shapes, materials, grains, walls, motions.\n"
    "`scree run` turns it into a folder of results, `scree render` into pictures.";

constexpr const char* footer =
    "Examples:\n"
    "  scree check scenes/first.toml                       read, check and summarise a scene\n"
    "  scree run scenes/first.toml -o out/first            simulate it\n"
    "  scree run scenes/first.toml -o out/slippery --set materials.default.friction=0.1\n"
    "  scree view out/first                                look at it in a browser\n"
    "  scree render out/first                              pictures and a video of it\n"
    "  scree export out/first vtk                          files for ParaView; also LAMMPS, CSV, SVG, GIF\n"
    "  scree measure out/first -m packing -m coordination  numbers from it\n"
    "  scree run --help                                    all options of one command\n\n"
    "Exit codes: 0 ok, 1 internal error, 2 bad usage or input, 3 stopped by the watchdog,\n"
    "            4 file or system failure, 130 interrupted (Ctrl-C; the state is saved)\n"
    "Scene format: docs/scene-format.md, or `scree check --reference`";

int code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::input:
      return exit_input;
    case ErrorKind::physics:
      return exit_physics;
    case ErrorKind::system:
      return exit_system;
  }
  return exit_internal;
}

int fail(int code, const std::string& message) {
  say("scree: " + message + "\n");
  return code;
}

void add_commands(CLI::App& app) {
  for (const auto add : {add_check_command, add_run_command, add_view_command, add_render_command, add_export_command,
                         add_measure_command, add_reproduce_command, add_compare_command, add_shapes_command,
                         add_map_command, add_bench_command}) {
    add(app);
  }
}

[[noreturn]] void fail_output(const std::string& why) {
  throw Error(ErrorKind::system, "standard output", "cannot be written: " + why, "check where it leads to");
}

// What is still in the buffer: a full disk may show only now, or may have shown when a command flushed it earlier.
void flush_output() {
  if (std::fflush(stdout) != 0) fail_output(std::strerror(errno));
  if (std::ferror(stdout)) fail_output("an earlier write failed");
}

// A reader that goes away and a limit on file size become error codes where they are met, not the end of the program in
// the middle of a file.
void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// "did you mean --threads? " where the first unknown option is nearly one of the command's.
std::string near_option(const CLI::App& command) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  for (const std::string& argument : command.remaining(true)) {
    if (!argument.starts_with("--")) continue;
    const std::string near = nearest_name(argument.substr(2, argument.find('=') - 2), known);
    return near.empty() ? "" : "did you mean --" + near + "? ";
  }
  return {};
}

// What is wrong with the arguments, and the help of the command they are for.
std::string usage_error(const CLI::App& app, const CLI::ParseError& e) {
  const CLI::App* a = &app;
  std::string command = "scree";
  while (!a->get_subcommands().empty()) {
    a = a->get_subcommands().front();
    command += " " + a->get_name();
  }
  return fmt::format("{}\n  remedy: {}`{} --help` lists what it takes", e.what(), near_option(*a), command);
}

void demand_known_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
    if (known.back() == argv[1]) return;
  }
  const std::string near = nearest_name(argv[1], known);
  throw Error(ErrorKind::input, "arguments", fmt::format("unknown command '{}'", argv[1]),
              (near.empty() ? "" : "did you mean '" + near + "'? ") + "known: " + join(known));
}

int run_program(int argc, char** argv) {
  CLI::App app{overview};
  app.name("scree");
  app.footer(footer);
  app.set_version_flag("--version", fmt::format("scree {} ({}), {}", version(), commit(), compiler()));
  app.require_subcommand(1);
  add_commands(app);
  demand_known_command(app, argc, argv);
  try {
    app.parse(argc, argv);
    flush_output();
  } catch (const CLI::RuntimeError& e) {
    flush_output();
    return e.get_exit_code();
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) return fail(exit_input, usage_error(app, e));
    app.exit(e);  // --help and --version
    std::cout.flush();
    if (!std::cout) fail_output(std::strerror(errno));
    return exit_ok;
  } catch (const std::system_error& e) {
    if (std::ferror(stdout)) fail_output(e.code().message());
    throw Error(ErrorKind::system, "the system", e.what(), "check files, permissions and limits of the process");
  }
  return exit_ok;
}

}  // namespace

}  // namespace scree::cli

int main(int argc, char** argv) {
  using namespace scree::cli;
  ignore_write_signals();
  try {
    return run_program(argc, argv);
  } catch (const scree::Error& e) { return fail(code_of(e.kind()), e.what()); } catch (const Interrupted&) {
    return fail(exit_interrupted, "interrupted");
  } catch (const std::bad_alloc&) {
    return fail(exit_system, "out of memory\n  remedy: use fewer grains, fewer map nodes (maps.nodes) or fp16 storage");
  } catch (const std::exception& e) {
    return fail(exit_internal, std::string("internal error, please report it: ") + e.what());
  } catch (...) { return fail(exit_internal, "internal error, please report it"); }
}
