#include "scree/record/lammps_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "scree/record/view.hpp"

namespace scree {

namespace {

Box box_of(const Statics& statics, const Frame& f, Box box) {
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    const double r = statics.types[f.type[i]].radius;
    box.lo = {std::min(box.lo.x, f.x[i].x - r), std::min(box.lo.y, f.x[i].y - r)};
    box.hi = {std::max(box.hi.x, f.x[i].x + r), std::max(box.hi.y, f.x[i].y + r)};
  }
  const Periodic& p = statics.periodic;
  if (p.x) box.lo.x = p.box.lo.x, box.hi.x = p.box.hi.x;
  if (p.y) box.lo.y = p.box.lo.y, box.hi.y = p.box.hi.y;
  return box;
}

float single(double value) { return static_cast<float>(value); }

}  // namespace

std::string lammps_header(const std::string& units) {
  return fmt::format("ITEM: UNITS\n{}\n", units.starts_with("SI") ? "si" : "lj");
}

std::string lammps_frame(const Statics& statics, const Frame& f, const Box& view) {
  const Box box = box_of(statics, f, view);
  const auto border = [](bool periodic) { return periodic ? "pp" : "ff"; };
  fmt::memory_buffer out;
  // The plane is a slab of unit depth about z = 0.
  fmt::format_to(std::back_inserter(out),
                 "ITEM: TIME\n{}\nITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\nITEM: BOX BOUNDS {} {} pp\n{} {}\n{} "
                 "{}\n-0.5 0.5\nITEM: ATOMS id type x y z vx vy vz radius quatw quati quatj quatk omegax omegay omegaz "
                 "angle force coordination\n",
                 f.time, f.step, f.id.size(), border(statics.periodic.x), border(statics.periodic.y), box.lo.x,
                 box.hi.x, box.lo.y, box.hi.y);
  const std::vector<double> forces = grain_forces(f);
  const std::vector<std::int32_t> partners = grain_partners(f);
  for (std::size_t i = 0; i < f.id.size(); ++i) {
    // Ids and types of LAMMPS count from 1.
    fmt::format_to(std::back_inserter(out), "{} {} {} {} 0 {} {} 0 {} {} 0 0 {} 0 0 {} {} {} {}\n", f.id[i] + 1ull,
                   f.type[i] + 1, f.x[i].x, f.x[i].y, single(f.v[i].x), single(f.v[i].y),
                   statics.types[f.type[i]].radius, single(std::cos(0.5 * f.theta[i])),
                   single(std::sin(0.5 * f.theta[i])), single(f.omega[i]), f.theta[i], single(forces[i]), partners[i]);
  }
  return fmt::to_string(out);
}

}  // namespace scree
