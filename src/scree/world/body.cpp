#include "scree/world/body.hpp"

namespace scree {

namespace {

template <class T>
void compact(std::vector<T>& values, const std::vector<std::uint8_t>& dead) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!dead[i]) values[kept++] = values[i];
  }
  values.resize(kept);
}

}  // namespace

void Bodies::remove(const std::vector<std::uint8_t>& dead) {
  compact(id, dead);
  compact(type, dead);
  compact(group, dead);
  compact(kind, dead);
  compact(x, dead);
  compact(theta, dead);
  compact(v, dead);
  compact(omega, dead);
  compact(force, dead);
  compact(torque, dead);
  compact(image, dead);
}

std::size_t Bodies::append(std::uint32_t new_id, std::uint16_t new_type, std::uint16_t new_group, BodyKind new_kind,
                           Vec2d position, double angle, Vec2d velocity, double spin) {
  id.push_back(new_id);
  type.push_back(new_type);
  group.push_back(new_group);
  kind.push_back(new_kind);
  x.push_back(position);
  theta.push_back(angle);
  v.push_back(velocity);
  omega.push_back(spin);
  force.push_back({});
  torque.push_back(0);
  image.push_back({0, 0});
  return id.size() - 1;
}

}  // namespace scree
