#pragma once
// What `scree` returns to the shell; docs/cli.md and --help say the same.
namespace scree::cli {

inline constexpr int exit_ok = 0;
inline constexpr int exit_internal = 1;       // a bug: please report it
inline constexpr int exit_input = 2;          // bad usage, scene, shape or map file
inline constexpr int exit_physics = 3;        // the watchdog stopped the run
inline constexpr int exit_system = 4;         // a file, the disk, memory or a helper program failed
inline constexpr int exit_interrupted = 130;  // Ctrl-C or SIGTERM; what was done is saved

}  // namespace scree::cli
