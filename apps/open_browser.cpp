#include "open_browser.hpp"

#include <fcntl.h>
#include <spawn.h>

#include <cstdlib>

extern char** environ;

namespace scree::cli {

void open_browser(const std::string& url) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {0, 1, 2}) posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  std::string program = "xdg-open", address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;  // not waited for: it ends by itself, and the address is on the terminal in any case
  posix_spawnp(&child, "xdg-open", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
}

}  // namespace scree::cli
