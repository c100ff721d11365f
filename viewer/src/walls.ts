// Walls as the pictures of `scree render` have them: a hatched strip along half-planes, a band around containers, the
// rest at true thickness and area.
import type { Camera } from "./camera";
import type { Frame, Hello, Theme, WallInfo } from "./protocol";

const depth = 11; // pixels of an endless wall that are drawn

export const css = (hex: number, alpha = 1): string =>
  `rgba(${(hex >> 16) & 255}, ${(hex >> 8) & 255}, ${hex & 255}, ${alpha})`;

interface HalfPlane {
  x: number; // a point of the surface, pixels
  y: number;
  angle: number; // of the surface: the solid is below
}

function halfPlane(camera: Camera, wall: WallInfo, pose: Float32Array): HalfPlane {
  const [nx0, ny0] = wall.normal!;
  const [c, s] = [Math.cos(pose[2]), Math.sin(pose[2])];
  const [nx, ny] = [c * nx0 - s * ny0, s * nx0 + c * ny0];
  const off = (camera.centre[0] - pose[0]) * nx + (camera.centre[1] - pose[1]) * ny;
  const foot = [camera.centre[0] - off * nx, camera.centre[1] - off * ny];
  return { x: camera.x(foot[0]), y: camera.y(foot[1]), angle: Math.atan2(nx, ny) };
}

function clipAbove(context: CanvasRenderingContext2D, reach: number, plane: HalfPlane, below: number): void {
  const before = context.getTransform();
  context.translate(plane.x, plane.y);
  context.rotate(plane.angle);
  context.beginPath();
  context.rect(-reach, -2 * reach, 2 * reach, 2 * reach + below);
  context.setTransform(before);
  context.clip();
}

const hatchStep = 8;
const hatches = new Map<string, CanvasPattern>();

/** Slanted lines that join from tile to tile. */
function hatch(context: CanvasRenderingContext2D, colour: string): CanvasPattern {
  const known = hatches.get(colour);
  if (known) return known;
  const sharp = 4; // pixels of the tile a pixel
  const tile = document.createElement("canvas");
  tile.width = tile.height = hatchStep * sharp;
  const draw = tile.getContext("2d")!;
  draw.scale(sharp, sharp);
  draw.strokeStyle = colour;
  draw.lineWidth = 0.8;
  for (const shift of [-hatchStep, 0, hatchStep]) {
    draw.moveTo(shift - 1, hatchStep + 1);
    draw.lineTo(shift + hatchStep + 1, -1);
  }
  draw.stroke();
  const pattern = context.createPattern(tile, "repeat")!;
  pattern.setTransform(new DOMMatrix().scale(1 / sharp));
  hatches.set(colour, pattern);
  return pattern;
}

function drawStrip(context: CanvasRenderingContext2D, reach: number, theme: Theme, plane: HalfPlane): void {
  context.translate(plane.x, plane.y);
  context.rotate(plane.angle);
  for (const fill of [css(theme.wall, 0.55), hatch(context, css(theme.wallLine, 0.7))]) {
    context.fillStyle = fill;
    context.fillRect(-reach, 0, 2 * reach, depth);
  }
  context.fillStyle = css(theme.wallLine);
  context.fillRect(-reach, 0, 2 * reach, 2);
}

// Strips of all half-planes; later ones end at the surface of earlier ones, which fill the corners.
function drawHalfPlanes(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, planes: HalfPlane[]): void {
  const reach = camera.width + camera.height;
  planes.forEach((plane, k) => {
    context.save();
    planes.forEach((other, j) => {
      if (j !== k) clipAbove(context, reach, other, j < k ? 0 : depth);
    });
    drawStrip(context, reach, theme, plane);
    context.restore();
  });
}

function path(context: CanvasRenderingContext2D, camera: Camera, wall: WallInfo, pose: Float32Array): void {
  const [c, s] = [Math.cos(pose[2]), Math.sin(pose[2])];
  context.beginPath();
  for (const loop of wall.loops ?? []) {
    for (let k = 0; k < loop.length; k += 2) {
      const x = camera.x(pose[0] + c * loop[k] - s * loop[k + 1]);
      const y = camera.y(pose[1] + s * loop[k] + c * loop[k + 1]);
      if (k === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.closePath();
  }
}

function drawWall(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, wall: WallInfo, pose: Float32Array): void {
  if (wall.kind === "container") {
    context.beginPath();
    context.arc(camera.x(pose[0]), camera.y(pose[1]), wall.radius! * camera.scale + depth / 2, 0, 2 * Math.PI);
    context.lineWidth = depth;
    context.strokeStyle = css(theme.wall);
    context.stroke();
    context.beginPath();
    context.arc(camera.x(pose[0]), camera.y(pose[1]), wall.radius! * camera.scale + 0.75, 0, 2 * Math.PI);
  } else {
    path(context, camera, wall, pose);
    context.fillStyle = css(theme.wall);
    context.fill("evenodd");
  }
  context.lineWidth = 1.2;
  context.strokeStyle = css(theme.wallLine);
  context.stroke();
}

function drawCell(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, hello: Hello): void {
  const { periodic, origin } = hello;
  const [x0, y0, x1, y1] = periodic.box;
  context.strokeStyle = css(theme.faint);
  context.lineWidth = 1;
  context.setLineDash([6, 6]);
  context.beginPath();
  for (const x of periodic.x ? [x0, x1] : []) {
    const at = camera.x(x - origin[0]);
    context.moveTo(at, 0);
    context.lineTo(at, camera.height);
  }
  for (const y of periodic.y ? [y0, y1] : []) {
    const at = camera.y(y - origin[1]);
    context.moveTo(0, at);
    context.lineTo(camera.width, at);
  }
  context.stroke();
  context.setLineDash([]);
}

/** Background and walls; without a frame the background alone. */
export function drawWalls(context: CanvasRenderingContext2D, camera: Camera, ratio: number, theme: Theme, hello: Hello,
                          frame: Frame | undefined): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = css(theme.ground);
  context.fillRect(0, 0, camera.width + 1, camera.height + 1);
  if (frame) {
    const poses = hello.walls.map((_, w) => frame.walls.subarray(4 * w, 4 * w + 4));
    const active = hello.walls.map((wall, w) => ({ wall, pose: poses[w] })).filter(({ pose }) => pose[3] > 0);
    const planes = active.filter(({ wall }) => wall.kind === "half-plane");
    drawHalfPlanes(context, camera, theme, planes.map(({ wall, pose }) => halfPlane(camera, wall, pose)));
    for (const { wall, pose } of active) if (wall.kind !== "half-plane") drawWall(context, camera, theme, wall, pose);
  }
  drawCell(context, camera, theme, hello);
}
