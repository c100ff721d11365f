// What lies on top of the picture: legend, scale bar, selection; in pictures and films also title and time.
import type { Camera } from "./camera";
import { number } from "./format";
import { drawLegend, drawPlate, type LegendStyle, shapePath } from "./legend";
import type { Frame, Hello, Scales, Theme } from "./protocol";
import { css } from "./walls";

export interface OverlayStyle extends LegendStyle {
  exported: boolean;
  legend: boolean;
}

const font = "12.5px system-ui, sans-serif";
const margin = 18;
const scaleBarHeight = 20;
const selectionColour = 0xe8590c;

function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  for (const m of [5, 2]) if (m * power <= value) return m * power;
  return power;
}

function drawLine(context: CanvasRenderingContext2D, theme: Theme, text: string, x: number, y: number): void {
  drawPlate(context, theme, x, y - 11, context.measureText(text).width, 12);
  context.fillStyle = css(theme.ink);
  context.fillText(text, x, y);
}

function drawScaleBar(context: CanvasRenderingContext2D, camera: Camera, theme: Theme, unit: string): void {
  const length = roundDown((0.22 * Math.min(camera.width, 900)) / camera.scale);
  const [x, y, width] = [margin, camera.height - margin, length * camera.scale];
  drawPlate(context, theme, x, y - scaleBarHeight, width, scaleBarHeight);
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
    const time = frame ? `t = ${number(frame.time, 4)}${hello.look.units[1] && ` ${hello.look.units[1]}`}` : "";
    drawLine(context, theme, time, camera.width - margin - context.measureText(time).width, camera.height - margin);
    context.font = "600 14px system-ui, sans-serif";
    if (hello.title) drawLine(context, theme, hello.title, margin, (top += 12));
    context.font = font;
    top += 18;
  }
  const room = { left: margin, top, bottom: camera.height - 2 * margin - scaleBarHeight };
  if (style.legend) drawLegend(context, hello, scales, style, room);
  drawScaleBar(context, camera, theme, hello.look.units[0]);
}
