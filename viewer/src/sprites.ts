// Pictures of shapes for grains of few pixels: a texture a shape, whose levels of detail hold what part of each texel is
// covered. A grain is then one point instead of an outline of triangles, and thin parts fade instead of flickering.
import { DataTexture, LinearFilter, LinearMipmapLinearFilter, RGFormat, UnsignedByteType } from "three";
import type { Mesh, ShapeInfo } from "./protocol";

const finest = 128; // texels across
const mostSamples = 4; // a texel, in both directions
const sharpness = Math.SQRT2; // texels a pixel: with one the picture is soft once it is turned
const smallest = 2; // pixels across; grains below are drawn as large, and as much fainter
const dotBelow = 3.2; // pixels of diameter below which a grain is a dot
const edgeFrom = 6; // pixels of diameter below which a grain has no edge

export const spriteReach = 1.28; // half the width of a sprite, in radii: room for the softened outline
export const spriteBelow = (finest / sharpness / spriteReach) * 0.98; // pixels of diameter up to which sprites are sharp

/** How far the fill keeps from the outline, in radii, of a grain of so many pixels of radius. */
export function edgeInset(radius: number, thinnest: number): number {
  if (2 * radius < edgeFrom) return 0;
  return Math.min(Math.min(Math.max(0.04 * radius, 0.6), 1.3) / radius, 0.2 * thinnest);
}

/** How the sprite of a grain of so many pixels of radius is drawn; `area` is that of its shape at radius 1. */
export function spriteOf(radius: number, area: number): { size: number; level: number; share: number; peak: number } {
  const size = Math.max(2 * spriteReach * radius, smallest); // pixels across
  return {
    size,
    level: Math.max(0, Math.log2(finest / (sharpness * size))), // of the texture
    share: ((2 * spriteReach * radius) / size) ** 2, // opacity
    peak: 2 * radius < dotBelow ? (2 * area) / (Math.PI * spriteReach ** 2) : 0, // of a dot whose height falls as a parabola
  };
}

/** Of a mesh at unit radius. */
export function areaOf({ points, index }: Mesh): number {
  let sum = 0;
  for (let k = 0; k < index.length; k += 3) {
    const [a, b, c] = [2 * index[k], 2 * index[k + 1], 2 * index[k + 2]];
    sum += (points[b] - points[a]) * (points[c + 1] - points[a + 1]) - (points[b + 1] - points[a + 1]) * (points[c] - points[a]);
  }
  return sum / 2;
}

function tracePath(context: CanvasRenderingContext2D, { points, inward, loops }: Mesh, inset: number, size: number): void {
  const scale = size / (2 * spriteReach);
  const at = (k: number) => size / 2 + scale * (points[k] + inset * inward[k]);
  context.beginPath();
  loops.forEach((first, k) => {
    const last = k + 1 < loops.length ? loops[k + 1] : points.length / 2;
    for (let i = first; i < last; ++i) context[i === first ? "moveTo" : "lineTo"](at(2 * i), at(2 * i + 1));
    context.closePath();
  });
}

/** The covered part of each of size x size texels, 0 to 255. */
function coverage(context: CanvasRenderingContext2D, mesh: Mesh, inset: number, size: number): Uint8Array {
  const samples = Math.min(mostSamples, finest / size);
  const fine = samples * size;
  context.clearRect(0, 0, fine, fine);
  tracePath(context, mesh, inset, fine);
  context.fill("evenodd");
  const pixels = context.getImageData(0, 0, fine, fine).data;
  const sums = new Uint32Array(size * size);
  for (let y = 0; y < fine; ++y)
    for (let x = 0; x < fine; ++x) sums[size * Math.floor(y / samples) + Math.floor(x / samples)] += pixels[4 * (fine * y + x) + 3];
  return Uint8Array.from(sums, (sum) => Math.round(sum / samples ** 2));
}

export function spriteTexture({ levels, thinnest }: ShapeInfo): DataTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = finest;
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const mipmaps = [];
  for (let size = finest; size >= 1; size /= 2) {
    const radius = size / (2 * spriteReach * sharpness); // at which this level is drawn, pixels
    const whole = coverage(context, levels[0], 0, size);
    const within = coverage(context, levels[0], edgeInset(radius, thinnest), size);
    const data = new Uint8Array(2 * size * size);
    whole.forEach((part, k) => data.set([part, Math.min(part, within[k])], 2 * k));
    mipmaps.push({ data, width: size, height: size });
  }
  const texture = new DataTexture(mipmaps[0].data, finest, finest, RGFormat, UnsignedByteType);
  texture.mipmaps = mipmaps as unknown as DataTexture["mipmaps"];
  texture.unpackAlignment = 1;
  [texture.minFilter, texture.magFilter] = [LinearMipmapLinearFilter, LinearFilter];
  texture.needsUpdate = true;
  return texture;
}
