// Messages of a page to `scree view`, a line each, to a live simulation that takes two steps after every one.
#include <sstream>

#include "input.hpp"
#include "scree/view/live_run.hpp"
#include "view/live_world.hpp"

namespace {

struct Carry {
  scree::LiveRun& run;
  void operator()(const scree::StartAgain&) const { run.start_again(); }
  void operator()(const scree::SetGravity& m) const { run.apply(m); }
  void operator()(const scree::Drive& m) const { run.apply(m); }
  void operator()(const scree::Drop& m) const { run.apply(m); }
  void operator()(const auto&) const {}  // of the session, which has a clock
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  static const World box = testing::disc_box();
  std::istringstream lines{std::string(fuzz::text_of(data, size))};
  LiveRun run(box, testing::disc_steps());
  for (std::string line; std::getline(lines, line);) {
    fuzz::answered([&] {
      std::visit(Carry{run}, parse_message(line));
      run.movers();
      run.step();
      run.step();
    });
  }
  return 0;
}
