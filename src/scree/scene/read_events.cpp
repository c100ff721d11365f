// [[events]] and [[delete]].
#include <algorithm>

#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"

namespace scree {

namespace {

using Action = Event::Action;

const std::map<std::string, Action> actions = {
    {"remove-wall", Action::remove_wall},   {"add-wall", Action::add_wall},
    {"set-gravity", Action::set_gravity},   {"start-motion", Action::start_motion},
    {"stop-motion", Action::stop_motion},   {"insert", Action::insert},
    {"remove-group", Action::remove_group}, {"release-group", Action::release_group}};

std::vector<int> target(const SceneBuilder& b, const Fields& f, Action action, const std::string& name) {
  switch (action) {
    case Action::remove_wall:
    case Action::add_wall:
      return reference(f, "targets", "wall", name, b.walls);
    case Action::start_motion:
    case Action::stop_motion:
      return {reference(f, "targets", "motion", name, b.motions)};
    case Action::insert:
      return {reference(f, "targets", "insertion", name, b.insertions)};
    default:
      break;
  }
  std::map<std::string, int> groups;
  for (std::size_t i = 0; i < b.scene.world.groups.size(); ++i) groups[b.scene.world.groups[i]] = static_cast<int>(i);
  return {reference(f, "targets", "group", name, groups)};
}

// What an event starts should wait for it.
void warn_if_running(SceneBuilder& b, const Fields& f, const Event& e) {
  for (const int t : e.targets) {
    const auto i = static_cast<std::size_t>(t);
    const World& w = b.world();
    if (e.action == Action::insert && w.insertions[i].enabled) {
      b.warn(f, "insertion \"" + w.insertions[i].name + "\" does not wait for the event; give it enabled = false");
    }
    if (e.action == Action::start_motion && w.motions[i].running && w.motions[i].start <= e.time) {
      b.warn(f, "motion \"" + w.motions[i].name + "\" does not wait for the event; give it running = false");
    }
  }
}

}  // namespace

void read_events(SceneBuilder& b) {
  for (const TableEntry& entry : table_list(b.root, "events", "", b.source)) {
    const Fields f(*entry.table, "events[]", entry.path, b.source);
    Event e;
    e.time = f.number("time");
    e.action = actions.at(f.choice("action"));
    if (e.action == Action::set_gravity) {
      e.gravity = f.vector("gravity");
    } else {
      for (const std::string& name : f.texts("targets")) {
        const std::vector<int> found = target(b, f, e.action, name);
        e.targets.insert(e.targets.end(), found.begin(), found.end());
      }
      if (e.targets.empty()) f.fail("targets", "is empty", "name at least one");
    }
    if (e.time > b.scene.run.duration) b.warn(f, cat("happens after the end of the run at ", b.scene.run.duration));
    warn_if_running(b, f, e);
    b.world().events.push_back(std::move(e));
  }
  std::ranges::stable_sort(b.world().events, {}, &Event::time);
}

std::vector<Event> parse_scene_events(const std::string& text, const std::string& name, const World& world) {
  toml::table root = parse_scene_toml(text, name);
  const SceneSource source{name};
  Scene scene;
  scene.run.duration = unlimited;
  SceneBuilder b{root, source, scene, {}, {}, {}, {}, {}, {}, {}, {}};
  scene.world.groups = world.groups;
  scene.world.motions = world.motions;
  scene.world.insertions = world.insertions;
  const auto names = [](const auto& list, std::map<std::string, int>& out) {
    for (std::size_t i = 0; i < list.size(); ++i) out[list[i].name] = static_cast<int>(i);
  };
  names(world.motions, b.motions);
  names(world.insertions, b.insertions);
  for (std::size_t i = 0; i < world.walls.size(); ++i) {
    const std::string& wall = world.walls[i].name;
    b.walls[wall].push_back(static_cast<int>(i));
    // A side of a box: its name before the dot stands for all of them.
    if (const std::size_t dot = wall.rfind('.'); dot != std::string::npos)
      b.walls[wall.substr(0, dot)].push_back(static_cast<int>(i));
  }
  read_events(b);
  return std::move(scene.world.events);
}

void read_deletions(SceneBuilder& b) {
  const std::vector<TableEntry> entries = table_list(b.root, "delete", "", b.source);
  std::map<std::string, int> names;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Fields f(*entries[i].table, "delete[]", entries[i].path, b.source);
    DeletionZone zone;
    zone.name = entry_name(f, "delete", i, names);
    names[zone.name] = static_cast<int>(i);
    if (!f.has("x") && !f.has("y")) f.fail("x", "is missing", "give x, y or both");
    constexpr std::array<double, 2> all{-1e300, 1e300};
    const auto x = f.maybe_interval("x").value_or(all);
    const auto y = f.maybe_interval("y").value_or(all);
    zone.box = {{x[0], y[0]}, {x[1], y[1]}};
    zone.outside = f.boolean("outside");
    b.world().deletion_zones.push_back(std::move(zone));
  }
}

}  // namespace scree
