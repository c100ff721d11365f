// Where the page looks: a centre and a scale. World coordinates are those of frames, from the run's origin.
import type { Pair } from "./protocol";

export type Region = [number, number, number, number]; // x0, y0, x1, y1

const fitMargin = 0.06; // of the stage, around what is fitted
export const overscan = 64; // CSS pixels beyond the stage that are drawn: a point is cut when its centre is outside

export class Camera {
  centre: Pair = [0, 0];
  scale = 1; // CSS pixels a unit of length
  width = 1; // of the stage, CSS pixels
  height = 1;
  moved = false; // by the user: then nothing moves it but the user
  private region: Region = [-1, -1, 1, 1];

  resize(width: number, height: number): void {
    [this.width, this.height] = [Math.max(1, width), Math.max(1, height)];
    if (!this.moved) this.fit();
  }

  /** What fit() shows. */
  setRegion(region: Region): void {
    this.region = region;
    if (!this.moved) this.fit();
  }

  fit(): void {
    const [x0, y0, x1, y1] = this.region;
    const room = 1 - 2 * fitMargin;
    this.centre = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.scale = Math.min((room * this.width) / Math.max(x1 - x0, 1e-12), (room * this.height) / Math.max(y1 - y0, 1e-12));
    this.moved = false;
  }

  pan(dx: number, dy: number): void {
    this.centre = [this.centre[0] - dx / this.scale, this.centre[1] + dy / this.scale];
    this.moved = true;
  }

  /** By a factor, with the world point under (px, py) held still. */
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    const before = this.world(px, py);
    const [x0, y0, x1, y1] = this.region;
    const extent = Math.max(x1 - x0, y1 - y0, 1e-12);
    const fitted = Math.min(this.width, this.height) / extent;
    this.scale = Math.min(Math.max(this.scale * factor, 0.02 * fitted), 5000 * fitted);
    const after = this.world(px, py);
    this.centre = [this.centre[0] + before[0] - after[0], this.centre[1] + before[1] - after[1]];
    this.moved = true;
  }

  x(world: number): number {
    return this.width / 2 + (world - this.centre[0]) * this.scale;
  }
  y(world: number): number {
    return this.height / 2 - (world - this.centre[1]) * this.scale;
  }
  /** What a unit of length is in the GPU's coordinates, which run from -1 to 1 over the stage and its overscan. */
  pixel(): Pair {
    return [(2 * this.scale) / (this.width + 2 * overscan), (2 * this.scale) / (this.height + 2 * overscan)];
  }
  /** The part of the world that is on the stage. */
  view(): Region {
    const [x0, y0] = this.world(0, this.height);
    const [x1, y1] = this.world(this.width, 0);
    return [x0, y0, x1, y1];
  }
  world(px: number, py: number): Pair {
    return [this.centre[0] + (px - this.width / 2) / this.scale, this.centre[1] - (py - this.height / 2) / this.scale];
  }
}
