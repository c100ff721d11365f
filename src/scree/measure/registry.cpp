#include <algorithm>
#include <cmath>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/measure/kinds.hpp"

namespace scree {

const std::vector<MeasureKind>& measure_kinds() {
  static const std::vector<MeasureKind> all = {
      {"packing", "packing fraction, whole and by layer", {"axis", "bins"}, kinds::packing},
      {"surface", "height of the bed and profile of its surface", {"column", "touching"}, kinds::surface},
      {"repose", "angle of repose of a pile's flanks", {"column", "touching", "flank", "band"}, kinds::repose},
      {"surface-angle",
       "inclination of the whole surface, and its mean over time",
       {"column", "touching", "span", "from"},
       kinds::surface_angle},
      {"runout",
       "how far a pile has spread",
       {"from", "side", "origin", "start_radius", "gap", "touching"},
       kinds::runout},
      {"discharge", "grains that have left a region, and their rate", {"from", "window"}, kinds::discharge},
      {"clog", "has an opening clogged?", {"from", "hold", "opening"}, kinds::clog},
      {"coordination", "partners a grain, with and without rattlers", {"walls", "rattlers"}, kinds::coordination},
      {"fabric", "fabric tensor of the contact normals", {"walls"}, kinds::fabric},
      {"stress", "mean stress tensor", {}, kinds::stress},
      {"forces", "distribution of normal forces", {"walls", "bins"}, kinds::forces},
      {"chains", "force chains", {"angle", "least"}, kinds::chains},
      {"velocity", "velocity profile by slices", {"axis", "bins", "average", "from"}, kinds::velocity},
      {"mixing", "Lacey's mixing index", {"by", "cell", "axis", "from"}, kinds::mixing},
      {"energy", "kinetic energy and its decay", {"from", "floor"}, kinds::energy},
  };
  return all;
}

namespace {

void empty_not_finite(Reading::Cells& cells) {
  for (auto& cell : cells) {
    if (cell && !std::isfinite(*cell)) cell.reset();
  }
}

// What overflowed, or is 0/0 after all, is not defined.
Measure finite(Measure measure) {
  measure.read = [read = std::move(measure.read)](const Snapshot& s) {
    Reading out = read(s);
    empty_not_finite(out.values);
    for (Reading::Cells& row : out.rows) empty_not_finite(row);
    return out;
  };
  return measure;
}

}  // namespace

Measure make_measure(const MeasureSettings& settings) {
  std::vector<std::string> names;
  for (const MeasureKind& kind : measure_kinds()) {
    if (kind.name == settings.kind) return finite(kind.make(settings));
    names.push_back(kind.name);
  }
  throw Error(ErrorKind::input, "measure", "unknown kind \"" + settings.kind + "\"", "known: " + join(names));
}

}  // namespace scree
