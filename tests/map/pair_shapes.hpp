#pragma once
// Shapes for the map tests, with their convex pieces written down by hand.
#include <algorithm>
#include <cmath>

#include "scree/shape/shape.hpp"

namespace scree::test {

inline Shape plain(std::string name, Outline outline, std::vector<ConvexPiece> pieces, int symmetry) {
  Shape s;
  s.name = std::move(name);
  s.outline = std::move(outline);
  s.pieces = std::move(pieces);
  s.symmetry = symmetry;
  return s;
}

inline ConvexPiece rectangle(double x0, double x1, double y0, double y1) {
  return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
}

// Half width and half height before scaling to the unit circle.
inline Shape box(double w, double h) {
  const double r = std::hypot(w, h);
  const ConvexPiece p = rectangle(-w / r, w / r, -h / r, h / r);
  return plain("box", {{p}}, {p}, w == h ? 4 : 2);
}

// Two bars across two bars, with the square hole in the middle.
inline Shape hash() {
  const double s = 0.38, w = 0.13, l = std::sqrt(1 - (s + w) * (s + w));
  const Vec2d side[] = {{l, -s - w}, {l, -s + w}, {s + w, -s + w}, {s + w, s - w},
                        {l, s - w},  {l, s + w},  {s + w, s + w}};
  Loop outer;
  for (int k = 0; k < 4; ++k)
    for (Vec2d v : side) {
      for (int i = 0; i < k; ++i) v = perp(v);
      outer.push_back(v);
    }
  const double h = s - w;
  return plain("hash", {{outer, {{-h, -h}, {-h, h}, {h, h}, {h, -h}}}},
               {rectangle(-l, l, -s - w, -s + w), rectangle(-l, l, s - w, s + w), rectangle(-s - w, -s + w, -l, l),
                rectangle(s - w, s + w, -l, l)},
               4);
}

// An L: no symmetry, one reflex corner. The origin is its bounding centre, not its centroid, which the maps allow.
inline Shape ell() {
  const double a = 0.7, t = -0.2;
  return plain("ell", {{{{-a, -a}, {a, -a}, {a, t}, {t, t}, {t, a}, {-a, a}}}},
               {rectangle(-a, a, -a, t), rectangle(-a, t, -a, a)}, 1);
}

inline Shape triangle() {
  ConvexPiece p;
  for (int k = 0; k < 3; ++k) p.push_back({std::cos(2.0943951023931953 * k), std::sin(2.0943951023931953 * k)});
  return plain("triangle", {{p}}, {p}, 3);
}

// A curved C with many vertices: outer radius 1, open to the right.
inline Shape arc(int n = 24, double opening = 0.9, double inner = 0.65) {
  std::vector<Vec2d> out, in;
  for (int k = 0; k <= n; ++k) {
    const double t = opening + (2 * 3.141592653589793 - 2 * opening) * k / n;
    out.push_back({std::cos(t), std::sin(t)});
    in.push_back({inner * std::cos(t), inner * std::sin(t)});
  }
  Loop loop = out;
  loop.insert(loop.end(), in.rbegin(), in.rend());
  std::vector<ConvexPiece> pieces;
  for (std::size_t k = 0; k + 1 < out.size(); ++k) pieces.push_back({out[k], out[k + 1], in[k + 1], in[k]});
  return plain("arc", {{loop}}, pieces, 1);
}

}  // namespace scree::test
