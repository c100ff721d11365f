#include "scree/world/motion.hpp"

#include <algorithm>

namespace scree {

namespace {

// Distance covered at unit final speed when the speed grows linearly over `ramp`, and the speed itself.
struct Ramped {
  double distance;
  double speed;
};

Ramped ramped(double t, double ramp) {
  if (t >= ramp) return {t - 0.5 * ramp, 1};
  return {0.5 * t * t / ramp, t / ramp};
}

MotionState oscillation(const Motion& m, double t) {
  const double w = 2 * std::numbers::pi * m.frequency;
  const double value = std::sin(w * t + m.phase) - std::sin(m.phase);
  const double rate = w * std::cos(w * t + m.phase);
  return {m.angular_amplitude * value, m.centre, value * m.amplitude, m.angular_amplitude * rate, rate * m.amplitude};
}

// Slope at frame k of a Catmull-Rom spline through `value`, zero at both ends.
template <class Value, class Get>
Value slope(const std::vector<Keyframe>& k, std::size_t i, Get get) {
  if (i == 0 || i + 1 == k.size()) return Value{};
  return (1.0 / (k[i + 1].time - k[i - 1].time)) * (get(k[i + 1]) - get(k[i - 1]));
}

template <class Value, class Get>
void hermite(const std::vector<Keyframe>& k, std::size_t i, double t, Get get, Value& value, Value& rate) {
  const double h = k[i + 1].time - k[i].time;
  const double u = (t - k[i].time) / h;
  const Value p0 = get(k[i]);
  const Value p1 = get(k[i + 1]);
  const Value m0 = h * slope<Value>(k, i, get);
  const Value m1 = h * slope<Value>(k, i + 1, get);
  value = (1 + u * u * (2 * u - 3)) * p0 + (u * (1 - u) * (1 - u)) * m0 + (u * u * (3 - 2 * u)) * p1 +
          (u * u * (u - 1)) * m1;
  rate = (1 / h) *
         ((6 * u * (u - 1)) * p0 + (1 - 4 * u + 3 * u * u) * m0 + (6 * u * (1 - u)) * p1 + (3 * u * u - 2 * u) * m1);
}

MotionState keyframed(const Motion& m, double t) {
  const std::vector<Keyframe>& k = m.keyframes;
  MotionState s;
  s.centre = m.centre;
  if (k.empty()) return s;
  if (t <= k.front().time || k.size() == 1) {
    s.angle = k.front().angle;
    s.shift = k.front().shift;
  } else if (t >= k.back().time) {
    s.angle = k.back().angle;
    s.shift = k.back().shift;
  } else {
    const auto after = std::upper_bound(k.begin(), k.end(), t, [](double v, const Keyframe& f) { return v < f.time; });
    const auto i = static_cast<std::size_t>(after - k.begin()) - 1;
    hermite(
        k, i, t, [](const Keyframe& f) { return f.angle; }, s.angle, s.omega);
    hermite(
        k, i, t, [](const Keyframe& f) { return f.shift; }, s.shift, s.velocity);
  }
  return s;
}

MotionState unlimited(const Motion& m, double t) {
  switch (m.kind) {
    case Motion::Kind::constant: {
      const Ramped r = ramped(t, m.ramp);
      return {r.distance * m.omega, m.centre, r.distance * m.velocity, r.speed * m.omega, r.speed * m.velocity};
    }
    case Motion::Kind::rotation: {
      const Ramped r = ramped(t, m.ramp);
      return {r.distance * m.omega, m.centre, {}, r.speed * m.omega, {}};
    }
    case Motion::Kind::oscillation:
      return oscillation(m, t);
    case Motion::Kind::keyframes:
      return keyframed(m, t);
  }
  return {};
}

}  // namespace

MotionState motion_state(const Motion& motion, double time) {
  const double t = time - motion.start;
  if (!motion.running || t < 0) return {};
  MotionState s = unlimited(motion, std::min(t, motion.duration));
  if (t >= motion.duration) {
    s.omega = 0;
    s.velocity = {};
  }
  return s;
}

}  // namespace scree
