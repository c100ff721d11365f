#include "scree/cuda/step_floor.hpp"

#include <algorithm>

#include "scree/cuda/views.hpp"
#include "scree/map/table_map.hpp"

namespace scree::gpu {

namespace {

double weights_of(const Mlp& net) {
  double sum = 0;
  for (int l = 0; l < net.shape.layers(); ++l) sum += static_cast<double>(net.weight(l).size());
  return sum;
}

template <class T>
double step_bytes(const StepCounts& c) {
  // Moved is what its last step wrote; force and torque are written for whoever looks.
  constexpr std::size_t body = 2 * sizeof(Placed<T>) + 2 * sizeof(Moving<T>) + sizeof(Vec2<T>) + sizeof(T) +
                               sizeof(Vec2d) + sizeof(double) + 2 * sizeof(float) + 2 * sizeof(std::uint32_t);
  constexpr std::size_t pair = sizeof(std::array<std::uint32_t, 2>) + sizeof(float) + 2 * sizeof(std::uint32_t);
  const std::size_t tables = std::min(c.queries * c.query_bytes, c.map_bytes);
  return static_cast<double>(c.bodies * body + c.pairs * pair + c.contacts * 2 * sizeof(Memory<T>) +
                             c.touching * 2 * sizeof(Wrench<T>) + tables);
}

// Gap coefficients of 4 x 4 x 4 nodes, arms of 2 x 2 x 2.
std::size_t query_bytes(const TableMap& table) {
  return 64 * (table.half() ? sizeof(std::uint16_t) : sizeof(float)) + 8 * sizeof(std::uint16_t);
}

}  // namespace

double StepFloor::milliseconds(double bytes_per_s, double operations_per_s) const {
  const double memory = bytes_per_s > 0 ? bytes / bytes_per_s : 0;
  const double arithmetic = operations_per_s > 0 ? operations / operations_per_s : 0;
  return 1e3 * std::max(memory, arithmetic);
}

StepFloor step_floor(const StepCounts& c) {
  return {c.in_double ? step_bytes<double>(c) : step_bytes<float>(c),
          static_cast<double>(c.queries) * c.operations_per_query};
}

StepCounts step_counts(const World& world, std::size_t pairs, std::size_t queries, bool in_double) {
  StepCounts c;
  c.bodies = world.bodies.size();
  c.pairs = pairs;
  c.queries = queries;
  c.in_double = in_double;
  c.contacts = world.contacts.size();
  for (std::size_t k = 0; k < world.contacts.size(); ++k)
    if (k == 0 || !same_pair(world.contacts[k], world.contacts[k - 1])) ++c.touching;
  for (const auto& map : world.maps) {
    if (const auto* table = dynamic_cast<const TableMap*>(map.get())) {
      c.map_bytes += table->bytes();
      c.query_bytes = std::max(c.query_bytes, query_bytes(*table));
    } else if (const auto* net = dynamic_cast<const NeuralMap*>(map.get())) {
      c.operations_per_query = std::max(c.operations_per_query, operations_of(*net));
    }
  }
  return c;
}

double operations_of(const NeuralMap& map) { return 2 * (2 * weights_of(map.gap_net()) + weights_of(map.arm_net())); }

}  // namespace scree::gpu
