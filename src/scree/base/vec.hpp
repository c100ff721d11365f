#pragma once
// Plane vectors. Formulas follow docs/conventions.md: S = R(pi/2) is `perp`, a x b = (S a).b is `cross`.
#include <cmath>

#include "scree/base/macros.hpp"

namespace scree {

template <class T>
struct Vec2 {
  T x{};
  T y{};

  SCREE_HD constexpr Vec2& operator+=(Vec2 b) {
    x += b.x;
    y += b.y;
    return *this;
  }
  SCREE_HD constexpr Vec2& operator-=(Vec2 b) {
    x -= b.x;
    y -= b.y;
    return *this;
  }
  SCREE_HD constexpr Vec2& operator*=(T s) {
    x *= s;
    y *= s;
    return *this;
  }
  friend SCREE_HD constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
  friend SCREE_HD constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
  friend SCREE_HD constexpr Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
  friend SCREE_HD constexpr Vec2 operator*(T s, Vec2 a) { return {s * a.x, s * a.y}; }
  friend SCREE_HD constexpr Vec2 operator*(Vec2 a, T s) { return {s * a.x, s * a.y}; }
  friend SCREE_HD constexpr bool operator==(Vec2 a, Vec2 b) { return a.x == b.x && a.y == b.y; }
};

using Vec2d = Vec2<double>;

template <class T>
SCREE_HD constexpr T dot(Vec2<T> a, Vec2<T> b) {
  return a.x * b.x + a.y * b.y;
}

// a x b = a_x b_y - a_y b_x.
template <class T>
SCREE_HD constexpr T cross(Vec2<T> a, Vec2<T> b) {
  return a.x * b.y - a.y * b.x;
}

// S a: a turned a quarter counter-clockwise.
template <class T>
SCREE_HD constexpr Vec2<T> perp(Vec2<T> a) {
  return {-a.y, a.x};
}

template <class T>
SCREE_HD constexpr T norm2(Vec2<T> a) {
  return dot(a, a);
}

template <class T>
SCREE_HD inline T norm(Vec2<T> a) {
  return std::sqrt(dot(a, a));
}

// A rotation held as (cos, sin), so that turning many vectors costs one sincos.
template <class T>
struct Rotation {
  T c{1};
  T s{0};

  Rotation() = default;
  SCREE_HD constexpr Rotation(T cosine, T sine) : c(cosine), s(sine) {}
  SCREE_HD explicit Rotation(T angle) : c(std::cos(angle)), s(std::sin(angle)) {}

  SCREE_HD constexpr Vec2<T> operator*(Vec2<T> a) const { return {c * a.x - s * a.y, s * a.x + c * a.y}; }
  // R^T a: the inverse rotation.
  SCREE_HD constexpr Vec2<T> back(Vec2<T> a) const { return {c * a.x + s * a.y, -s * a.x + c * a.y}; }
};

using Rotation2d = Rotation<double>;

}  // namespace scree
