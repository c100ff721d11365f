// parse_scene_events: events by name for a world that is there already.
#include <gtest/gtest.h>

#include "scree/base/error.hpp"
#include "scree/scene/scene.hpp"

namespace scree {

namespace {

const char* const scene_text = R"(
[run]
duration = 1
[step]
dt = 1e-4
[grains.disc]
radius = 0.1
[[bodies]]
grain = "disc"
position = [0, 1]
group = "falling"
[[walls]]
kind = "box"
name = "box"
x = [-1, 1]
y = [0, 3]
[[walls]]
kind = "half-plane"
name = "lid.left"
point = [0, -1]
)";

}  // namespace

TEST(SceneEvents, TakeTheirTargetsFromTheWorldInOrderOfTime) {
  const World world = parse_scene(scene_text, "scene").world;
  const std::vector<Event> events = parse_scene_events(
      "[[events]]\ntime = 2\naction = \"remove-group\"\ntargets = [\"falling\"]\n"
      "[[events]]\ntime = 1\naction = \"remove-wall\"\ntargets = [\"box\", \"lid.left\"]\n",
      "events", world);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].action, Event::Action::remove_wall);
  EXPECT_EQ(events[0].targets, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(world.groups[static_cast<std::size_t>(events[1].targets.at(0))], "falling");
}

TEST(SceneEvents, RefuseWhatTheWorldDoesNotHave) {
  const World world = parse_scene(scene_text, "scene").world;
  try {
    parse_scene_events("[[events]]\ntime = 1\naction = \"remove-wall\"\ntargets = [\"bax\"]\n", "events", world);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("events:4:"), std::string::npos) << e.what();
    EXPECT_NE(e.remedy().find("box"), std::string::npos) << e.what();
  }
}

}  // namespace scree
