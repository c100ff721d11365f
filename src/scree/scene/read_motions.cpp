// [[motions]].
#include <algorithm>

#include "scree/base/text.hpp"
#include "scree/scene/builder.hpp"

namespace scree {

namespace {

std::vector<Keyframe> keyframes(const SceneBuilder& b, const Fields& f) {
  std::vector<Keyframe> out;
  for (const TableEntry& entry : table_list(f.table(), "keyframes", f.path(), b.source)) {
    const Fields k(*entry.table, "motions[].keyframes[]", entry.path, b.source);
    const Keyframe frame{k.number("time"), k.number("angle"), k.vector("shift")};
    if (!out.empty() && !(frame.time > out.back().time)) {
      k.fail("time", cat("is not after the frame before, at ", out.back().time), "put the frames in order of time");
    }
    out.push_back(frame);
  }
  if (out.empty()) f.fail("keyframes", "is empty", "give at least one frame");
  return out;
}

void read_kind(const SceneBuilder& b, const Fields& f, Motion& m) {
  const std::string kind = f.choice("kind");
  if (kind != "constant") m.centre = f.vector("centre");
  if (kind == "constant" || kind == "rotation") m.ramp = f.number("ramp");
  if (kind == "constant") {
    m.kind = Motion::Kind::constant;
    m.velocity = f.vector("velocity");
  } else if (kind == "rotation") {
    m.kind = Motion::Kind::rotation;
    m.omega = f.number("omega");
  } else if (kind == "oscillation") {
    m.kind = Motion::Kind::oscillation;
    m.amplitude = f.vector("amplitude");
    m.angular_amplitude = f.number("angular_amplitude");
    m.frequency = f.number("frequency");
    m.phase = f.number("phase");
  } else {
    m.kind = Motion::Kind::keyframes;
    m.keyframes = keyframes(b, f);
  }
}

bool has_kinematic(const World& world, int group) {
  const Bodies& bodies = world.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.group[i] == group && bodies.kind[i] == BodyKind::kinematic) return true;
  }
  return std::ranges::any_of(world.insertions,
                             [&](const Insertion& in) { return in.group == group && in.kind == BodyKind::kinematic; });
}

void read_targets(SceneBuilder& b, const Fields& f, Motion& m) {
  for (const std::string& name : f.texts("walls")) {
    const std::vector<int>& found = reference(f, "walls", "wall", name, b.walls);
    m.walls.insert(m.walls.end(), found.begin(), found.end());
  }
  std::map<std::string, int> groups;
  for (std::size_t i = 0; i < b.world().groups.size(); ++i) groups[b.world().groups[i]] = static_cast<int>(i);
  for (const std::string& name : f.texts("groups")) {
    const int group = reference(f, "groups", "group", name, groups);
    if (!has_kinematic(b.world(), group)) {
      f.fail("groups", "group \"" + name + "\" has no kinematic grains", "give its grains kind = \"kinematic\"");
    }
    m.groups.push_back(group);
  }
  if (m.walls.empty() && m.groups.empty()) f.fail("walls", "is missing", "name what moves, in walls or groups");
}

// Two motions of one thing at one time have no meaning; one after the other is fine.
void refuse_overlap(const Fields& f, const World& world, const Motion& m) {
  for (const Motion& other : world.motions) {
    const bool together =
        m.running && other.running && m.start < other.start + other.duration && other.start < m.start + m.duration;
    const auto shared = [](const std::vector<int>& a, const std::vector<int>& c) {
      return std::ranges::find_first_of(a, c) != a.end();
    };
    if (together && (shared(m.walls, other.walls) || shared(m.groups, other.groups))) {
      f.fail(m.walls.empty() ? "groups" : "walls", "motion \"" + other.name + "\" moves the same at the same time",
             "let one end (start, duration) before the other starts");
    }
  }
}

}  // namespace

void read_motions(SceneBuilder& b) {
  const std::vector<TableEntry> entries = table_list(b.root, "motions", "", b.source);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Fields f(*entries[i].table, "motions[]", entries[i].path, b.source);
    Motion m;
    m.name = entry_name(f, "motion", i, b.motions);
    m.start = f.number("start");
    m.running = f.boolean("running");
    if (f.has("duration")) m.duration = f.number("duration");
    read_kind(b, f, m);
    read_targets(b, f, m);
    refuse_overlap(f, b.world(), m);
    b.motions[m.name] = static_cast<int>(i);
    b.world().motions.push_back(std::move(m));
  }
}

}  // namespace scree
