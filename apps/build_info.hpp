#pragma once
// Which program this is and where it runs: for --version and run.json.
#include <string>

namespace scree::cli {

std::string version();   // "0.1.0"
std::string commit();    // git commit of the sources, "-dirty" when they were changed, or "unknown"
std::string compiler();  // "GCC 12.2.0, Release"
std::string cpu_model();
int cpu_threads();
std::string utc_now();  // "2025-01-31T12:00:00Z"

}  // namespace scree::cli
