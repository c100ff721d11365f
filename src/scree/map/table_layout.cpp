#include "scree/map/table_layout.hpp"

#include <numeric>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

namespace scree {
namespace {

void check(bool good, const std::string& field, int value, const std::string& remedy) {
  if (!good) throw Error(ErrorKind::input, "maps." + field, cat(value, " is out of range"), remedy);
}

void reduce_period(const ShapePair& pair, TableLayout& t) {
  if (pair.b->symmetry == 0) {
    t.periods = 1;
    t.theta_nodes = 1;
    return;
  }
  const int g = std::gcd(pair.a->symmetry, 4);  // gcd(0, 4) = 4: a disc turns onto itself by any angle
  t.periods = std::lcm(pair.b->symmetry, g);
  // One period is `i` symmetry steps of B and `j` of A; those of A turn x.
  for (int j = 0; j < g; ++j)
    if ((1 - j * (t.periods / g)) % (t.periods / pair.b->symmetry) == 0) {
      t.quarters = j * (4 / g);
      return;
    }
}

}  // namespace

TableLayout table_layout(const ShapePair& pair, const MapSettings& settings) {
  check(settings.nodes >= 16 && settings.nodes <= 1024, "nodes", settings.nodes,
        "choose 16 to 1024; 96 is the default");
  check(settings.theta_nodes >= 0 && settings.theta_nodes <= 4096, "theta_nodes", settings.theta_nodes,
        "choose 4 to 4096, or 0 for automatic");
  TableLayout t;
  t.nodes = settings.nodes;
  t.reach = pair.reach();
  t.spacing = 2 * t.reach / (t.nodes - 4);
  reduce_period(pair, t);
  if (t.theta_nodes == 1) return t;
  // B's rim moves three quarters of a cell from one theta node to the next.
  const double automatic = std::ceil(t.period() * pair.ratio / (0.76 * t.spacing));
  t.theta_nodes = std::max(4, settings.theta_nodes > 0 ? settings.theta_nodes : static_cast<int>(automatic));
  return t;
}

}  // namespace scree
