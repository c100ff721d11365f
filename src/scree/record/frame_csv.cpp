#include "scree/record/frame_csv.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "scree/record/view.hpp"

namespace scree {

namespace {

// A text as a cell: in quotes where it needs them.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string grain_lines(const Statics& statics, const Frame& f, std::size_t index) {
  constexpr std::array kinds = {"moving", "fixed", "kinematic"};
  const std::vector<double> forces = grain_forces(f);
  const std::vector<std::int32_t> partners = grain_partners(f);
  fmt::memory_buffer out;
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const GrainType& type = statics.types[f.type[i]];
    const std::string group = f.group[i] < statics.groups.size() ? cell(statics.groups[f.group[i]]) : "";
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", index, f.time, f.id[i],
                   cell(type.name), group, kinds.at(static_cast<std::size_t>(f.kind[i])), f.x[i].x, f.x[i].y,
                   f.theta[i], f.v[i].x, f.v[i].y, f.omega[i], type.radius, forces[i], partners[i]);
  }
  return fmt::to_string(out);
}

std::string contact_lines(const Statics&, const Frame& f, std::size_t index) {
  fmt::memory_buffer out;
  for (const FrameContact& c : f.contacts) {
    const std::string a = c.a == no_body ? "" : std::to_string(c.a);
    const std::string wall = c.a == no_body ? std::to_string(c.wall) : "";
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}\n", index, f.time, a, c.b, wall,
                   c.point.x, c.point.y, c.normal.x, c.normal.y, c.normal_force, c.tangential_force);
  }
  return fmt::to_string(out);
}

std::string wall_lines(const Statics& statics, const Frame& f, std::size_t index) {
  fmt::memory_buffer out;
  for (std::size_t w = 0; w < statics.walls.size(); ++w)
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{}\n", index, f.time, w, cell(statics.walls[w].name),
                   f.wall_active[w], f.wall_pose[w].x.x, f.wall_pose[w].x.y, f.wall_pose[w].theta);
  return fmt::to_string(out);
}

}  // namespace

FrameCsv grains_csv() {
  return {"frame,time,id,grain,group,kind,x,y,angle,vx,vy,spin,radius,force,coordination\n", grain_lines};
}
FrameCsv contacts_csv() {
  return {"frame,time,a,b,wall,point_x,point_y,normal_x,normal_y,normal_force,tangential_force\n", contact_lines};
}
FrameCsv walls_csv() { return {"frame,time,wall,name,active,x,y,angle\n", wall_lines}; }

}  // namespace scree
