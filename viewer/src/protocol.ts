// What the program sends: the description of a run (JSON) and frames (bytes). docs/viewer.md has the layout; the other
// end is src/scree/view/frame_code.hpp.

export type Pair = [number, number];

export interface Mesh {
  tolerance: number;
  points: number[];
  inward: number[];
  index: number[];
  loops: number[]; // the first point of each loop
}

export interface ShapeInfo {
  name: string;
  thinnest: number;
  disc: boolean;
  levels: Mesh[]; // from fine to coarse
}

export interface TypeInfo {
  name: string;
  shape: number;
  radius: number;
  mass: number;
  colour: number;
}

export interface GroupInfo {
  name: string;
  colour: number;
}

export interface WallInfo {
  name: string;
  kind: "half-plane" | "container" | "disc" | "polyline" | "outline";
  normal?: Pair;
  radius?: number;
  loops?: number[][];
}

export interface Theme {
  ground: number;
  ink: number;
  faint: number;
  wall: number;
  wallLine: number;
  neutral: number;
  force: number;
}

export interface Scales {
  view: [number, number, number, number];
  speed: number;
  force: number;
  contact: number;
  types: number[];
  groups: number[];
}

export interface Series {
  name: string;
  unit: string;
  measure: string;
  times: number[];
  values: (number | null)[];
}

export type ColourName = "type" | "group" | "speed" | "force" | "angle" | "coordination";
export type RampName = Exclude<ColourName, "type" | "group">;

export interface Mover {
  kind: "wall" | "group";
  index: number;
  name: string;
  turns: boolean;
  velocity: Pair;
  spin: number;
  centre: Pair;
}

export interface Controls {
  gravity: Pair;
  grains: number[]; // types that can be dropped
  movers: Mover[];
  speedLimit: number;
  gravityLimit: number;
}

export interface Hello {
  type: "hello";
  version: number;
  title: string;
  live: boolean;
  look: { colour: string; forces: boolean; dark: boolean; fps: number; units: [string, string, string] };
  scales: Scales;
  origin: Pair;
  themes: { light: Theme; dark: Theme };
  ramps: Record<RampName, { light: number[]; dark: number[] }>;
  shapes: ShapeInfo[];
  types: TypeInfo[];
  groups: GroupInfo[];
  walls: WallInfo[];
  periodic: { x: boolean; y: boolean; box: [number, number, number, number] };
  times: number[];
  series: Series[];
  controls?: Controls;
}

export interface Status {
  type: "status";
  paused: boolean;
  pace: number;
  time: number;
  step: number;
  stepsPerSecond: number;
  failure: string;
}

export type ServerMessage =
  | Hello
  | Status
  | { type: "grown"; times: number[]; series: Series[]; scales?: Scales }
  | { type: "controls"; controls: Controls }
  | { type: "error"; where: string; problem: string; remedy: string; request?: number } // of a frame that is not to be had
  | { type: "note"; text: string };

export const wallEnd = 0x80000000;
export const liveFrame = 0xffffffff;
const magic = 0x46524353;
const headerBytes = 104;
const full = 32767;

export const kinds = ["moving", "fixed", "driven"];

/** One instant; the arrays are views of the bytes that came. */
export class Frame {
  readonly request: number;
  readonly index: number;
  readonly time: number;
  readonly step: number;
  readonly revision: number; // of a live run: later frames have larger ones
  readonly grains: number;
  readonly contacts: number;
  readonly allContacts: number;
  readonly gravity: Pair;
  readonly topSpeed: number;
  readonly topSpin: number;
  readonly topForce: number;
  readonly topContact: number;
  readonly arm: number;
  readonly counts: Uint32Array<ArrayBuffer>; // grains of each type
  readonly walls: Float32Array<ArrayBuffer>; // x, y, angle, active
  readonly x: Float32Array<ArrayBuffer>;
  readonly state: Int16Array<ArrayBuffer>; // six a grain
  readonly ids: Uint32Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>; // two a contact
  readonly points: Float32Array<ArrayBuffer>;
  readonly reach: Int16Array<ArrayBuffer>; // six a contact
  readonly bytes: number;

  constructor(data: ArrayBuffer) {
    const view = new DataView(data);
    if (data.byteLength < headerBytes || view.getUint32(0, true) !== magic) throw new Error("not a frame");
    const u32 = (at: number) => view.getUint32(at, true);
    const f32 = (at: number) => view.getFloat32(at, true);
    this.bytes = data.byteLength;
    this.request = u32(8);
    this.index = u32(12);
    this.time = view.getFloat64(16, true);
    this.step = view.getFloat64(24, true);
    const [types, walls] = [u32(48), u32(52)];
    this.grains = u32(56);
    this.contacts = u32(60);
    this.gravity = [f32(64), f32(68)];
    this.topSpeed = f32(72);
    this.topSpin = f32(76);
    this.topForce = f32(80);
    this.topContact = f32(84);
    this.arm = f32(88);
    this.allContacts = u32(92);
    this.revision = u32(96);
    let at = headerBytes;
    const take = (count: number, size: number) => {
      const begin = at;
      at += count * size;
      return begin;
    };
    const [n, c] = [this.grains, this.contacts];
    this.counts = new Uint32Array(data, take(types, 4), types);
    this.walls = new Float32Array(data, take(4 * walls, 4), 4 * walls);
    this.x = new Float32Array(data, take(2 * n, 4), 2 * n);
    this.state = new Int16Array(data, take(6 * n, 2), 6 * n);
    this.ids = new Uint32Array(data, take(n, 4), n);
    this.ends = new Uint32Array(data, take(2 * c, 4), 2 * c);
    this.points = new Float32Array(data, take(2 * c, 4), 2 * c);
    this.reach = new Int16Array(data, take(6 * c, 2), 6 * c);
  }

  get hasContacts(): boolean {
    return this.contacts === this.allContacts;
  }

  typeAt(place: number): number {
    let type = 0;
    for (let end = this.counts[0]; type < this.counts.length - 1 && place >= end; end += this.counts[type]) ++type;
    return type;
  }

  angle(place: number): number {
    return (this.state[6 * place] / full) * Math.PI;
  }
  velocity(place: number): Pair {
    return [(this.state[6 * place + 1] / full) * this.topSpeed, (this.state[6 * place + 2] / full) * this.topSpeed];
  }
  spin(place: number): number {
    return (this.state[6 * place + 3] / full) * this.topSpin;
  }
  force(place: number): number {
    return (this.state[6 * place + 4] / full) * this.topForce;
  }
  partners(place: number): number {
    return this.state[6 * place + 5] & 255;
  }
  kind(place: number): number {
    return (this.state[6 * place + 5] >> 8) & 3;
  }
  /** The place of its group; all from the 64th on are one. */
  group(place: number): number {
    return (this.state[6 * place + 5] >> 10) & 63;
  }
  normalForce(contact: number): number {
    return (this.reach[6 * contact + 4] / full) * this.topContact;
  }
  tangentialForce(contact: number): number {
    return (this.reach[6 * contact + 5] / full) * this.topContact;
  }
}
