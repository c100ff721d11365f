// `scree view` of a program that was built without the viewer.
#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "scree/base/error.hpp"

namespace scree::cli {

void add_view_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("view", "look at a run or a scene in a browser (not in this build)");
  command->allow_extras();
  command->callback([] {
    throw Error(ErrorKind::system, "scree view",
                "this program was built without the viewer: missing " SCREE_VIEW_MISSING,
                "run scripts/setup and build again; `scree render` makes pictures and films without it");
  });
}

}  // namespace scree::cli
