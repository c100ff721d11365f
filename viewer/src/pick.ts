// Which grain is at a point of the picture.
import type { Frame, Hello, Mesh } from "./protocol";

// By the crossings of a ray: holes count.
function inside(mesh: Mesh, x: number, y: number): boolean {
  const { points, loops } = mesh;
  let crossings = 0;
  loops.forEach((first, k) => {
    const last = k + 1 < loops.length ? loops[k + 1] : points.length / 2;
    for (let i = first, j = last - 1; i < last; j = i++) {
      const [xi, yi, xj, yj] = [points[2 * i], points[2 * i + 1], points[2 * j], points[2 * j + 1]];
      if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) ++crossings;
    }
  });
  return crossings % 2 === 1;
}

/** The place of the grain at a world point, else of the nearest centre within `slack` of its own radius; -1 for none. */
export function grainAt(hello: Hello, frame: Frame, x: number, y: number, slack: number): number {
  const { periodic } = hello;
  const width = periodic.x ? periodic.box[2] - periodic.box[0] : 0;
  const height = periodic.y ? periodic.box[3] - periodic.box[1] : 0;
  let nearest = -1;
  let best = Infinity;
  let place = 0;
  for (let type = 0; type < frame.counts.length; ++type) {
    const { radius, shape } = hello.types[type];
    const mesh = hello.shapes[shape].levels[0];
    for (const end = place + frame.counts[type]; place < end; ++place) {
      let dx = x - frame.x[2 * place];
      let dy = y - frame.x[2 * place + 1];
      if (width) dx -= width * Math.round(dx / width);
      if (height) dy -= height * Math.round(dy / height);
      const distance = Math.hypot(dx, dy);
      if (distance > radius + slack) continue;
      const angle = frame.angle(place);
      const [c, s] = [Math.cos(angle) / radius, Math.sin(angle) / radius];
      if (inside(mesh, c * dx + s * dy, -s * dx + c * dy)) return place;
      if (distance <= slack && distance < best) [nearest, best] = [place, distance];
    }
  }
  return nearest;
}
