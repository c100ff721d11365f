// Legends: kinds or groups of grains beside their names, or a colour bar. On a plate, so that they can be read over grains.
import { number, ticks, tickLabel, withUnit } from "./format";
import type { ColourName, Hello, RampName, Scales, Theme } from "./protocol";
import { css } from "./walls";

export interface LegendStyle {
  colour: ColourName;
  dark: boolean;
  theme: Theme;
}

/** Room for a legend, CSS pixels. */
export interface Room {
  left: number;
  top: number;
  bottom: number;
}

const rowHeight = 23;
const mostRows = 18;
const barWidth = 13;
const [longestBar, shortestBar] = [190, 48];
const titleHeight = 26;
const labelHeight = 15;

/** The outline of a shape at unit radius, centred at (x, y). */
export function shapePath(context: CanvasRenderingContext2D, hello: Hello, type: number, x: number, y: number, radius: number,
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

export function drawPlate(context: CanvasRenderingContext2D, theme: Theme, x: number, y: number, width: number,
                          height: number): void {
  context.globalAlpha = 0.82;
  context.fillStyle = css(theme.ground);
  context.beginPath();
  context.roundRect(x - 7, y - 7, width + 14, height + 14, 6);
  context.fill();
  context.globalAlpha = 1;
}

function widest(context: CanvasRenderingContext2D, texts: string[]): number {
  return Math.max(0, ...texts.map((text) => context.measureText(text).width));
}

interface Row {
  name: string;
  colour: number;
  draw: (x: number, y: number) => void; // the path of its mark
}

function rowsOf(context: CanvasRenderingContext2D, hello: Hello, scales: Scales, colour: "type" | "group"): Row[] {
  if (colour === "type")
    return scales.types.map((k) => ({ ...hello.types[k], draw: (x, y) => shapePath(context, hello, k, x, y, 9, 0, 1) }));
  return scales.groups.map((k) => ({
    ...hello.groups[k],
    draw: (x, y) => {
      context.beginPath();
      context.roundRect(x - 7, y - 7, 14, 14, 3);
    },
  }));
}

function drawRows(context: CanvasRenderingContext2D, rows: Row[], theme: Theme, room: Room): void {
  const fitting = Math.floor((room.bottom - room.top) / rowHeight);
  if (fitting < 1 || rows.length === 0) return;
  const all = rows.length <= Math.min(fitting, mostRows);
  const shown = all ? rows : rows.slice(0, Math.min(fitting, mostRows) - 1);
  const rest = all ? [] : [`and ${rows.length - shown.length} more`];
  drawPlate(context, theme, room.left, room.top, Math.max(27 + widest(context, shown.map((r) => r.name)), widest(context, rest)),
            rowHeight * (shown.length + rest.length));
  shown.forEach(({ name, colour, draw }, k) => {
    const y = room.top + 11 + rowHeight * k;
    draw(room.left + 9, y);
    context.fillStyle = css(colour);
    context.fill("evenodd");
    context.fillStyle = css(theme.ink);
    context.fillText(name, room.left + 27, y + 4.5);
  });
  context.fillStyle = css(theme.faint);
  for (const text of rest) context.fillText(text, room.left, room.top + 16 + rowHeight * shown.length);
}

interface Tick {
  at: number; // 0 at the foot of the bar, 1 at its top
  label: string;
}

function numberTicks(top: number, count: number): Tick[] {
  const values = ticks(top, count);
  return values.map((v) => ({ at: v / top, label: tickLabel(v, values[1] ?? top) }));
}

function barOf(colour: RampName, hello: Hello, scales: Scales, count: number): { title: string; ticks: Tick[] } {
  const [length, time, force] = hello.look.units;
  switch (colour) {
    case "speed":
      return { title: withUnit("speed", length && `${length}/${time}`), ticks: numberTicks(scales.speed, count) };
    case "force":
      return { title: withUnit("force", force), ticks: numberTicks(scales.force, count) };
    case "angle":
      return { title: "angle", ticks: (count < 4 ? [0, 180, 360] : [0, 90, 180, 270, 360]).map((a) => ({ at: a / 360, label: `${a}°` })) };
    case "coordination": {
      const every = count < 4 ? 4 : 1;
      const rows = Array.from({ length: 9 }, (_, k) => ({ at: (k + 0.5) / 9, label: k < 8 ? number(k, 1) : "8 and more" }));
      return { title: "partners", ticks: rows.filter((_, k) => k % every === 0) };
    }
  }
}

function drawBar(context: CanvasRenderingContext2D, hello: Hello, scales: Scales, style: LegendStyle, colour: RampName,
                 room: Room): void {
  const height = Math.min(longestBar, room.bottom - room.top - titleHeight - 4);
  if (height < shortestBar) return;
  const { title, ticks: marks } = barOf(colour, hello, scales, Math.min(5, Math.floor(height / (2 * labelHeight))));
  const colours = hello.ramps[colour][style.dark ? "dark" : "light"];
  const [x, y] = [room.left, room.top + titleHeight];
  const labels = widest(context, marks.map((m) => m.label));
  drawPlate(context, style.theme, x, room.top, Math.max(context.measureText(title).width, barWidth + 8 + labels), titleHeight + height);
  context.fillStyle = css(style.theme.ink);
  context.fillText(title, x, room.top + 12);
  colours.forEach((c, k) => {
    context.fillStyle = css(c);
    const begin = y + height - (height * (k + 1)) / colours.length;
    context.fillRect(x, begin, barWidth, height / colours.length + 0.7);
  });
  context.strokeStyle = css(style.theme.faint);
  context.lineWidth = 1;
  context.strokeRect(x, y, barWidth, height);
  context.fillStyle = css(style.theme.ink);
  for (const { at, label } of marks) context.fillText(label, x + barWidth + 8, y + height - at * height + 4);
}

export function drawLegend(context: CanvasRenderingContext2D, hello: Hello, scales: Scales, style: LegendStyle, room: Room): void {
  const { colour } = style;
  if (colour === "type" || colour === "group") drawRows(context, rowsOf(context, hello, scales, colour), style.theme, room);
  else drawBar(context, hello, scales, style, colour, room);
}
