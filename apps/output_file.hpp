#pragma once
// Names of files that a command is asked to write.
#include <string>
#include <vector>

namespace scree::cli {

// Error(input) unless `file` ends in one of these: a slip such as `--poster run.json` must not cost a file. "" passes.
void require_extension(const std::string& option, const std::string& file, const std::vector<std::string>& extensions);

}  // namespace scree::cli
