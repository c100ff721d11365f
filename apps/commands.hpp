#pragma once
// The commands of `scree`, one file each (apps/cmd_<name>.cpp). A function adds its subcommand with options, help and a
// callback; the callback throws scree::Error for what went wrong, or CLI::RuntimeError(code) to end quietly with an
// exit code of exit_codes.hpp. To add a command: write the file, declare it here, list it in main.cpp.
namespace CLI {
class App;
}

namespace scree::cli {

void add_check_command(CLI::App& app);
void add_run_command(CLI::App& app);
void add_render_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_view_command(CLI::App& app);
void add_measure_command(CLI::App& app);
void add_reproduce_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_shapes_command(CLI::App& app);
void add_map_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_bench_stars(CLI::App& bench);     // `scree bench stars`
void add_bench_scenes(CLI::App& bench);    // `scree bench scenes`
void add_bench_implicit(CLI::App& bench);  // `scree bench implicit`
void add_bench_device(CLI::App& bench);    // `scree bench --device`

}  // namespace scree::cli
