// Walls: a hatched strip along half-planes, a band around containers, true thickness and area for the rest.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scree/record/layout.hpp"

namespace scree {

namespace {

// Pixels from the surface of an endless wall into its solid that are drawn.
double strip_depth(const PictureLayout& at) { return 0.8 * at.font; }

struct HalfPlane {
  Vec2d n;     // unit, out of the solid, world
  Vec2d foot;  // the surface's point nearest to the centre of the view
};

HalfPlane half_plane(const PictureLayout& at, const Wall& wall, const Pose2d& pose) {
  const Vec2d n = Rotation2d(pose.theta) * wall.normal;
  const Vec2d centre = 0.5 * (at.view.lo + at.view.hi);
  return {n, centre - dot(centre - pose.x, n) * n};
}

// Clips to what lies above the surface moved by `depth` pixels into the solid.
void clip_above(const Canvas& canvas, const PictureLayout& at, const HalfPlane& plane, double depth) {
  cairo_t* cr = canvas.cr();
  const double reach = at.scene.w + at.scene.h;
  cairo_save(cr);
  cairo_translate(cr, at.x(plane.foot.x), at.y(plane.foot.y));
  cairo_rotate(cr, std::atan2(plane.n.x, plane.n.y));
  cairo_rectangle(cr, -reach, -2 * reach, 2 * reach, 2 * reach + depth);
  cairo_restore(cr);
  cairo_clip(cr);
}

// In the wall's own frame: surface along +x, solid below.
void draw_half_plane(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const HalfPlane& plane) {
  cairo_t* cr = canvas.cr();
  const double reach = at.scene.w + at.scene.h, depth = strip_depth(at);
  cairo_translate(cr, at.x(plane.foot.x), at.y(plane.foot.y));
  cairo_rotate(cr, std::atan2(plane.n.x, plane.n.y));
  cairo_rectangle(cr, -reach, 0, 2 * reach, depth);
  cairo_clip(cr);
  canvas.colour(theme.wall, 0.55);
  cairo_paint(cr);
  canvas.colour(theme.wall_line, 0.8);
  const double step = 0.55 * at.font;
  cairo_set_line_width(cr, std::max(0.8, at.font / 20));
  for (double x = -std::ceil(reach / step) * step; x < reach; x += step) {
    cairo_move_to(cr, x, depth);
    cairo_line_to(cr, x + depth, 0);
  }
  cairo_stroke(cr);
  canvas.line(-reach, 0, reach, 0, std::max(2.0, at.font / 6));
}

// Strips of all half-planes, each only where no other one's solid hides it.
void draw_half_planes(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const Statics& statics,
                      const Frame& frame) {
  std::vector<HalfPlane> planes;
  for (std::size_t w = 0; w < statics.walls.size(); ++w)
    if (frame.wall_active[w] && statics.walls[w].kind == WallKind::half_plane)
      planes.push_back(half_plane(at, statics.walls[w], frame.wall_pose[w]));
  const double depth = strip_depth(at);
  for (std::size_t k = 0; k < planes.size(); ++k) {
    cairo_save(canvas.cr());
    canvas.rectangle({at.scene.x - depth, at.scene.y - depth, at.scene.w + 2 * depth, at.scene.h + 2 * depth});
    cairo_clip(canvas.cr());
    // Later strips end at the surface of earlier ones, earlier ones fill the corner.
    for (std::size_t other = 0; other < planes.size(); ++other)
      if (other != k) clip_above(canvas, at, planes[other], other < k ? 0 : depth);
    draw_half_plane(canvas, at, theme, planes[k]);
    cairo_restore(canvas.cr());
  }
}

void draw_circle(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const Wall& wall,
                 const Pose2d& pose) {
  cairo_t* cr = canvas.cr();
  const double x = at.x(pose.x.x), y = at.y(pose.x.y), r = wall.radius * at.scale;
  const double line = std::max(1.2, at.font / 12), full = 2 * std::numbers::pi;
  if (wall.kind == WallKind::circle_outside) {
    cairo_arc(cr, x, y, r, 0, full);
    canvas.colour(theme.wall);
    cairo_fill_preserve(cr);
  } else {
    const double band = strip_depth(at);
    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, r + band / 2, 0, full);
    cairo_set_line_width(cr, band);
    canvas.colour(theme.wall);
    cairo_stroke(cr);
    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, r + line / 2, 0, full);
  }
  canvas.colour(theme.wall_line);
  cairo_set_line_width(cr, line);
  cairo_stroke(cr);
}

void draw_polyline(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const Wall& wall,
                   const Pose2d& pose) {
  cairo_t* cr = canvas.cr();
  cairo_new_path(cr);
  for (Vec2d p : wall.points) {
    const Vec2d q = pose * p;
    cairo_line_to(cr, at.x(q.x), at.y(q.y));
  }
  if (wall.closed) cairo_close_path(cr);
  const double width = 2 * wall.radius * at.scale, line = std::max(1.0, at.font / 16);
  // A darker stroke below a lighter one leaves an edge of the true thickness.
  canvas.colour(theme.wall_line);
  cairo_set_line_width(cr, std::max(width, 1.5));
  cairo_stroke_preserve(cr);
  if (width > 4 * line) {
    canvas.colour(theme.wall);
    cairo_set_line_width(cr, width - 2 * line);
    cairo_stroke_preserve(cr);
  }
  cairo_new_path(cr);
}

void draw_outline(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const Wall& wall,
                  const Pose2d& pose) {
  const double s = at.scale;
  PageTransform t = place(at.x(pose.x.x), at.y(pose.x.y), s, pose.theta);
  add_path(canvas, wall.outline, t);
  canvas.colour(theme.wall);
  cairo_fill_preserve(canvas.cr());
  canvas.colour(theme.wall_line);
  cairo_set_line_width(canvas.cr(), std::max(1.0, at.font / 16));
  cairo_stroke(canvas.cr());
}

}  // namespace

void draw_walls(const Canvas& canvas, const PictureLayout& at, const Theme& theme, const Statics& statics,
                const Frame& frame) {
  draw_half_planes(canvas, at, theme, statics, frame);
  for (std::size_t w = 0; w < statics.walls.size(); ++w) {
    const Wall& wall = statics.walls[w];
    const Pose2d& pose = frame.wall_pose[w];
    if (!frame.wall_active[w]) continue;
    switch (wall.kind) {
      case WallKind::half_plane:
        break;
      case WallKind::circle_inside:
      case WallKind::circle_outside:
        draw_circle(canvas, at, theme, wall, pose);
        break;
      case WallKind::polyline:
        draw_polyline(canvas, at, theme, wall, pose);
        break;
      case WallKind::outline:
        draw_outline(canvas, at, theme, wall, pose);
        break;
    }
  }
}

}  // namespace scree
