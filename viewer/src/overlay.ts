// What lies on top of the picture: legend, scale bar, selection; in pictures and films also title and time.
import type { Camera } from "./camera";
import { number, withUnit } from "./format";
import type { ColourName, Frame, Hello, RampName, Scales, Theme } from "./protocol";
import { css } from "./walls";

export interface OverlayStyle {
  exported: boolean;
  legend: boolean;
  colour: ColourName;
  dark: boolean;
  theme: Theme;
}

const font = "12.5px system-ui, sans-serif";
const margin = 18;
const mostRows = 18;
const selectionColour = 0xe8590c;

function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  for (const m of [5, 2]) if (m * power <= value) return m * power;
  return power;
}

/** The outline of a shape at unit radius, centred at (x, y). */
function shapePath(context: CanvasRenderingContext2D, hello: Hello, type: number, x: number, y: number, radius: number,
                   angle = 0, level = 0): void {
  const levels = hello.shapes[hello.types[type].shape].levels;
  const { points, loops } = levels[Math.min(level, levels.length - 1)];
  const [c, s] = [radius * Math.cos(angle), radius * Math.sin(angle)];
  context.beginPath();
  loops.forEach((first, k) => {
    const last = k + 1 < loops.length ? loops[k + 1] : points.length / 2;
    for (let i = first; i < last; ++i) {
      const [px, py] = [points[2 * i], points[2 * i + 1]];
      context[i === first ? "moveTo" : "lineTo"](x + c * px - s * py, y - s * px - c * py);
    }
    context.closePath();
  });
}

function drawTypes(context: CanvasRenderingContext2D, hello: Hello, scales: Scales, theme: Theme, top: number): void {
  const shown = scales.types.slice(0, mostRows);
  shown.forEach((type, k) => {
    const y = top + 11 + 23 * k;
    shapePath(context, hello, type, margin + 9, y, 9, 0, 1);
    context.fillStyle = css(hello.types[type].colour);
    context.fill("evenodd");
    context.fillStyle = css(theme.ink);
    context.fillText(hello.types[type].name, margin + 27, y + 4.5);
  });
  if (scales.types.length > shown.length) {
    context.fillStyle = css(theme.faint);
    context.fillText(`and ${scales.types.length - shown.length} more`, margin, top + 16 + 23 * shown.length);
  }
}

interface Bar {
  title: string;
  ticks: { at: number; label: string }[];
}

function barOf(colour: RampName, hello: Hello, scales: Scales): Bar {
  const [length, time, force] = hello.look.units;
  const evenly = (top: number) =>
    [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, label: number(at * top, 3) }));
  switch (colour) {
    case "speed":
      return { title: withUnit("speed", length && `${length}/${time}`), ticks: evenly(scales.speed) };
    case "force":
      return { title: withUnit("force", force), ticks: evenly(scales.force) };
    case "angle":
      return { title: "angle", ticks: [0, 90, 180, 270, 360].map((a) => ({ at: a / 360, label: `${a}°` })) };
    case "coordination":
      return {
        title: "partners",
        ticks: Array.from({ length: 9 }, (_, k) => ({ at: (k + 0.5) / 9, label: k < 8 ? `${k}` : "8 and more" })),
      };
  }
}

function drawBar(context: CanvasRenderingContext2D, hello: Hello, scales: Scales, style: OverlayStyle, colour: RampName,
                 top: number): void {
  const { title, ticks } = barOf(colour, hello, scales);
  const colours = hello.ramps[colour][style.dark ? "dark" : "light"];
  const [x, y, width, height] = [margin, top + 26, 13, 190];
  context.fillStyle = css(style.theme.ink);
  context.fillText(title, margin, top + 12);
  colours.forEach((c, k) => {
    context.fillStyle = css(c);
    const begin = y + height - (height * (k + 1)) / colours.length;
    context.fillRect(x, begin, width, height / colours.length + 0.7);
  });
  context.strokeStyle = css(style.theme.faint);
  context.lineWidth = 1;
  context.strokeRect(x, y, width, height);
  context.fillStyle = css(style.theme.ink);
  for (const { at, label } of ticks) context.fillText(label, x + width + 8, y + height - at * height + 4);
}

function drawScaleBar(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, unit: string): void {
  const length = roundDown((0.22 * Math.min(camera.width, 900)) / camera.scale);
  const [x, y, width] = [margin, camera.height - margin, length * camera.scale];
  context.strokeStyle = css(theme.ink);
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y - 5);
  context.lineTo(x, y);
  context.lineTo(x + width, y);
  context.lineTo(x + width, y - 5);
  context.stroke();
  context.fillStyle = css(theme.ink);
  context.fillText(number(length, 3) + (unit && ` ${unit}`), x + 6, y - 7);
}

function drawSelection(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, hello: Hello, frame: Frame,
                       selected: number): void {
  const place = frame.ids.indexOf(selected);
  if (place < 0) return;
  const type = frame.typeAt(place);
  const [x, y] = [camera.x(frame.x[2 * place]), camera.y(frame.x[2 * place + 1])];
  const radius = hello.types[type].radius * camera.scale;
  const stroke = (width: number, colour: number) => {
    context.lineWidth = width;
    context.strokeStyle = css(colour);
    context.stroke();
  };
  shapePath(context, hello, type, x, y, radius, frame.angle(place));
  stroke(5, theme.ground);
  stroke(2.2, selectionColour);
  context.beginPath();
  context.arc(x, y, radius + 8, 0, 2 * Math.PI);
  stroke(3, theme.ground);
  stroke(1.4, selectionColour);
}

export function drawOverlay(context: CanvasRenderingContext2D, camera: Camera, ratio: number, style: OverlayStyle,
                            hello: Hello, scales: Scales, frame: Frame | undefined, selected: number | undefined): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, camera.width + 1, camera.height + 1);
  context.font = font;
  const { theme } = style;
  if (frame && selected !== undefined && !style.exported) drawSelection(context, camera, theme, hello, frame, selected);
  let top = margin;
  if (style.exported) {
    context.font = "600 14px system-ui, sans-serif";
    context.fillStyle = css(theme.ink);
    if (hello.title) context.fillText(hello.title, margin, (top += 12));
    context.font = font;
    top += 12;
    const time = frame ? `t = ${number(frame.time, 4)}${hello.look.units[1] && ` ${hello.look.units[1]}`}` : "";
    context.textAlign = "right";
    context.fillText(time, camera.width - margin, camera.height - margin);
    context.textAlign = "left";
  }
  if (style.legend && style.colour === "type") drawTypes(context, hello, scales, theme, top);
  else if (style.legend && style.colour !== "type") drawBar(context, hello, scales, style, style.colour, top);
  drawScaleBar(context, camera, theme, hello.look.units[0]);
}
