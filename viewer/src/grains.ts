// Grains on the GPU: one mesh a type and level of detail, instanced; a frame's arrays are uploaded as they came, or
// what can be seen of them. Grains of few pixels are points.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DataTexture,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  NearestFilter,
  Points,
  RawShaderMaterial,
  GLSL3,
  RGBAFormat,
  UnsignedByteType,
  Vector2,
} from "three";
import type { Camera, Region } from "./camera";
import type { ColourName, Frame, Hello, Mesh as MeshInfo, Theme, TypeInfo } from "./protocol";

const edgeFrom = 6; // pixels of diameter below which a grain has no edge
const edgeDarkening = 0.38;
const lodPixels = 0.3; // how far an outline may be off
const dotBelow = 3.2; // pixels of diameter below which a grain is a square of its area
const cullMargin = 0.5; // of the stage, beyond its sides: what lies there is uploaded too, so that panning is free
const fadedBehindForces = 0.62;
const modes: ColourName[] = ["type", "speed", "force", "angle", "coordination"];

// With DOT defined every grain is one point; else an instance of its outline.
const vertexShader = `
precision highp float;
#ifndef DOT
in vec2 corner, inward;
#endif
in vec2 centre;
in vec4 motion;  // angle / pi, velocity, spin
in float force, flags;
uniform vec2 look, pixel, shift, borderLow, borderHigh;
uniform float radius, inset, faded, edge, topSpeed, topForce, dotSize;
uniform int mode;
uniform bool image, greyDriven;
uniform vec3 own, neutral, ground, edgeColour;
uniform sampler2D ramp;
out vec3 colour;

vec3 rampColour(float t) { return texture(ramp, vec2(clamp(t, 0.002, 0.998), 0.5)).rgb; }

void main() {
  vec2 at = centre + shift;
  bool crosses = all(greaterThan(at + radius, borderLow)) && all(lessThan(at - radius, borderHigh));
  if (image && !crosses) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  float angle = motion.x * 3.14159265359;
  float kind = floor(flags / 256.0), partners = flags - 256.0 * kind;
  vec3 fill = own;
  if (mode == 1) fill = rampColour(length(motion.yz) * topSpeed);
  if (mode == 2) fill = rampColour(force * topForce);
  if (mode == 3) fill = rampColour(fract(0.5 * motion.x));
  if (mode == 4) fill = rampColour(partners / 8.0);
  if (kind > 0.5 && greyDriven) fill = neutral;
  fill = mix(fill, ground, faded);
  colour = mix(fill, edgeColour, edge);
#ifdef DOT
  gl_Position = vec4((at - look) * pixel, 0.0, 1.0);
  gl_PointSize = dotSize;
#else
  vec2 p = radius * (corner + inset * inward);
  float c = cos(angle), s = sin(angle);
  gl_Position = vec4((at + vec2(c * p.x - s * p.y, s * p.x + c * p.y) - look) * pixel, 0.0, 1.0);
#endif
}`;

const fragmentShader = `
precision mediump float;
in vec3 colour;
out vec4 result;
void main() { result = vec4(colour, 1.0); }`;

function uniforms() {
  return {
    look: { value: new Vector2() },
    pixel: { value: new Vector2() },
    borderLow: { value: new Vector2() },
    borderHigh: { value: new Vector2() },
    faded: { value: 0 },
    topSpeed: { value: 1 },
    topForce: { value: 1 },
    mode: { value: 0 },
    greyDriven: { value: true },
    neutral: { value: new Color() },
    ground: { value: new Color() },
    edgeColour: { value: new Color() },
    ramp: { value: null as DataTexture | null },
  };
}
type Uniforms = ReturnType<typeof uniforms>;

/** sRGB values as they are: nothing here is lit, so nothing is converted. */
export function plainColour(target: Color, hex: number): Color {
  return target.setRGB((hex >> 16 & 255) / 255, (hex >> 8 & 255) / 255, (hex & 255) / 255);
}

function rampTexture(colours: number[]): DataTexture {
  const data = new Uint8Array(4 * colours.length);
  colours.forEach((c, k) => data.set([c >> 16 & 255, c >> 8 & 255, c & 255, 255], 4 * k));
  const texture = new DataTexture(data, colours.length, 1, RGBAFormat, UnsignedByteType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** Of a mesh at unit radius. */
function areaOf({ points, index }: MeshInfo): number {
  let sum = 0;
  for (let k = 0; k < index.length; k += 3) {
    const [a, b, c] = [2 * index[k], 2 * index[k + 1], 2 * index[k + 2]];
    sum += (points[b] - points[a]) * (points[c + 1] - points[a + 1]) - (points[b + 1] - points[a + 1]) * (points[c] - points[a]);
  }
  return sum / 2;
}

/** Arrays of grains with the GPU's copies of them: as instances, and as points of their own. */
class GrainBuffers {
  readonly x: Float32Array;
  readonly state: Int16Array;
  readonly instances: Record<string, InstancedBufferAttribute | InterleavedBufferAttribute>;
  readonly dots: Record<string, BufferAttribute | InterleavedBufferAttribute>;
  private readonly uploads: Record<"instances" | "dots", (InstancedBufferAttribute | BufferAttribute | InterleavedBuffer)[]>;

  constructor(readonly capacity: number) {
    this.x = new Float32Array(2 * capacity);
    this.state = new Int16Array(6 * capacity);
    const attributes = <T extends BufferAttribute>(centre: T, state: InterleavedBuffer) => ({
      centre,
      motion: new InterleavedBufferAttribute(state, 4, 0, true),
      force: new InterleavedBufferAttribute(state, 1, 4, true),
      flags: new InterleavedBufferAttribute(state, 1, 5, false),
    });
    const [instanceX, instanceState] = [new InstancedBufferAttribute(this.x, 2), new InstancedInterleavedBuffer(this.state, 6)];
    const [dotX, dotState] = [new BufferAttribute(this.x, 2), new InterleavedBuffer(this.state, 6)];
    this.instances = attributes(instanceX, instanceState);
    this.dots = attributes(dotX, dotState);
    this.uploads = { instances: [instanceX, instanceState], dots: [dotX, dotState] };
    for (const buffer of [...this.uploads.instances, ...this.uploads.dots]) buffer.setUsage(DynamicDrawUsage);
  }

  upload(which: "instances" | "dots", count: number): void {
    const [x, state] = this.uploads[which];
    for (const [buffer, size] of [[x, 2], [state, 6]] as const) {
      buffer.clearUpdateRanges();
      buffer.addUpdateRange(0, size * count);
      buffer.needsUpdate = true;
    }
  }
}

/** The grains of one type. */
class TypeGrains {
  readonly objects: (Mesh | Points)[];
  private x = new Float32Array(0); // of the frame
  private state = new Int16Array(0);
  private buffers!: GrainBuffers;
  private geometries: InstancedBufferGeometry[] = [];
  private readonly levels: { info: MeshInfo; base: BufferGeometry }[];
  private readonly edges: Mesh[] = [];
  private readonly fills: Mesh[] = [];
  private readonly dots: Points[] = [];
  private readonly inset = { value: 0 };
  private readonly dotSize = { value: 1 };
  private readonly area: number;
  private held: { dots: boolean; region: Region; all: boolean } | undefined; // what the buffers hold of the frame

  constructor(private readonly type: TypeInfo, private readonly thinnest: number, levels: MeshInfo[], shared: Uniforms,
              shifts: Vector2[]) {
    this.levels = levels.map((info) => {
      const base = new BufferGeometry();
      base.setAttribute("corner", new BufferAttribute(new Float32Array(info.points), 2));
      base.setAttribute("inward", new BufferAttribute(new Float32Array(info.inward), 2));
      base.setIndex(info.index);
      return { info, base };
    });
    this.area = areaOf(levels[0]);
    this.periodic = shifts.length > 1;
    const own = plainColour(new Color(), type.colour);
    for (const shift of shifts) {
      const material = (edge: number, inset: { value: number }, defines = {}) =>
        new RawShaderMaterial({
          glslVersion: GLSL3, vertexShader, fragmentShader, defines, depthTest: false, depthWrite: false,
          uniforms: {
            ...shared, own: { value: own }, radius: { value: type.radius }, shift: { value: shift },
            image: { value: shift.x !== 0 || shift.y !== 0 }, edge: { value: edge }, inset, dotSize: this.dotSize,
          },
        });
      this.edges.push(new Mesh(undefined, material(edgeDarkening, { value: 0 })));
      this.fills.push(new Mesh(undefined, material(0, this.inset)));
      this.dots.push(new Points(new BufferGeometry(), material(0, { value: 0 }, { DOT: 1 })));
    }
    this.fills.forEach((m) => (m.renderOrder = 1));
    this.objects = [...this.edges, ...this.fills, ...this.dots];
    this.objects.forEach((m) => (m.frustumCulled = false));
    this.grow(64);
  }
  private readonly periodic: boolean;

  setFrame(x: Float32Array<ArrayBuffer>, state: Int16Array<ArrayBuffer>): void {
    [this.x, this.state] = [x, state];
    this.held = undefined;
  }

  /** Level of detail and edge for this many device pixels a unit of length, and the grains that can be seen. */
  prepare(pixels: number, view: Region): void {
    const radius = this.type.radius * pixels;
    const dots = 2 * radius < dotBelow;
    const edged = 2 * radius >= edgeFrom;
    const count = this.fill(dots, view);
    let level = 0;
    while (level + 1 < this.levels.length && this.levels[level + 1].info.tolerance * radius <= lodPixels) ++level;
    const width = Math.min(Math.max(0.04 * radius, 0.6), 1.3);
    this.inset.value = edged ? Math.min(width / radius, 0.2 * this.thinnest) : 0;
    this.dotSize.value = Math.max(1, Math.sqrt(this.area) * radius);
    for (const mesh of [...this.edges, ...this.fills]) mesh.geometry = this.geometries[level];
    this.geometries[level].instanceCount = count;
    this.dots[0].geometry.setDrawRange(0, count);
    for (const mesh of this.edges) mesh.visible = edged && !dots && count > 0;
    for (const mesh of this.fills) mesh.visible = !dots && count > 0;
    for (const points of this.dots) points.visible = dots && count > 0;
  }

  /** Uploads the grains in and around the view, unless they are there already. Returns how many there are. */
  private fill(dots: boolean, view: Region): number {
    const wide = (r: Region) => r[2] - r[0];
    if (this.held && this.held.dots === dots && this.enough(this.held, view)) return this.count;
    if (this.x.length / 2 > this.buffers.capacity) this.grow(Math.max(this.x.length / 2, 2 * this.buffers.capacity));
    const [marginX, marginY] = [cullMargin * wide(view) + this.type.radius, cullMargin * (view[3] - view[1]) + this.type.radius];
    const region: Region = [view[0] - marginX, view[1] - marginY, view[2] + marginX, view[3] + marginY];
    this.count = dots || this.periodic ? this.takeAll() : this.takeSeen(region);
    this.held = { dots, region, all: 2 * this.count === this.x.length };
    this.buffers.upload(dots ? "dots" : "instances", this.count);
    return this.count;
  }
  private count = 0;

  /** Are all grains there that can be seen, and not many more? */
  private enough(held: { dots: boolean; region: Region; all: boolean }, view: Region): boolean {
    if (held.dots || this.periodic) return true;
    const [a, b] = [held.region, view];
    const within = b[0] >= a[0] && b[1] >= a[1] && b[2] <= a[2] && b[3] <= a[3];
    return (held.all || within) && a[2] - a[0] < 4 * (b[2] - b[0]);
  }

  private takeAll(): number {
    this.buffers.x.set(this.x);
    this.buffers.state.set(this.state);
    return this.x.length / 2;
  }

  private takeSeen(region: Region): number {
    const { x, state, buffers } = this;
    const [x0, y0, x1, y1] = region;
    let n = 0;
    for (let k = 0; k < x.length / 2; ++k) {
      const [px, py] = [x[2 * k], x[2 * k + 1]];
      if (px < x0 || px > x1 || py < y0 || py > y1) continue;
      buffers.x[2 * n] = px;
      buffers.x[2 * n + 1] = py;
      for (let i = 0; i < 6; ++i) buffers.state[6 * n + i] = state[6 * k + i];
      ++n;
    }
    return n;
  }

  private grow(capacity: number): void {
    this.geometries.forEach((g) => g.dispose());
    this.dots[0].geometry.dispose();
    this.buffers = new GrainBuffers(capacity);
    this.geometries = this.levels.map(({ base }) => {
      const geometry = new InstancedBufferGeometry();
      geometry.setIndex(base.getIndex());
      for (const name of ["corner", "inward"]) geometry.setAttribute(name, base.getAttribute(name));
      for (const [name, attribute] of Object.entries(this.buffers.instances)) geometry.setAttribute(name, attribute);
      return geometry;
    });
    const points = new BufferGeometry();
    for (const [name, attribute] of Object.entries(this.buffers.dots)) points.setAttribute(name, attribute);
    for (const dots of this.dots) dots.geometry = points;
    this.held = undefined;
  }
}

/** All grains of a frame. */
export class Grains {
  readonly group = new Group();
  private readonly shared = uniforms();
  private readonly types: TypeGrains[];
  private readonly textures = new Map<string, DataTexture>();

  constructor(private readonly hello: Hello) {
    const { periodic, origin } = hello;
    const [x0, y0, x1, y1] = periodic.box;
    const shifts: Vector2[] = [];
    for (const i of periodic.x ? [0, -1, 1] : [0])
      for (const j of periodic.y ? [0, -1, 1] : [0]) shifts.push(new Vector2(i * (x1 - x0) || 0, j * (y1 - y0) || 0));
    const far = 1e30;
    this.shared.borderLow.value.set(periodic.x ? x0 - origin[0] : -far, periodic.y ? y0 - origin[1] : -far);
    this.shared.borderHigh.value.set(periodic.x ? x1 - origin[0] : far, periodic.y ? y1 - origin[1] : far);
    this.types = hello.types.map((type) => {
      const shape = hello.shapes[type.shape];
      return new TypeGrains(type, shape.thinnest, shape.levels, this.shared, shifts);
    });
    for (const type of this.types) this.group.add(...type.objects);
  }

  setFrame(frame: Frame): void {
    let begin = 0;
    this.types.forEach((type, k) => {
      const end = begin + frame.counts[k];
      type.setFrame(frame.x.subarray(2 * begin, 2 * end), frame.state.subarray(6 * begin, 6 * end));
      begin = end;
    });
    this.topSpeed = frame.topSpeed;
    this.topForce = frame.topForce;
  }
  private topSpeed = 0;
  private topForce = 0;

  style(colour: ColourName, theme: Theme, dark: boolean, faded: boolean, greyDriven: boolean): void {
    const u = this.shared;
    u.mode.value = modes.indexOf(colour);
    plainColour(u.neutral.value, theme.neutral);
    plainColour(u.ground.value, theme.ground);
    plainColour(u.edgeColour.value, dark ? theme.ground : 0);
    u.faded.value = faded ? fadedBehindForces : 0;
    u.greyDriven.value = greyDriven;
    const name = colour === "type" ? "speed" : colour;
    const key = `${name} ${dark}`;
    if (!this.textures.has(key)) this.textures.set(key, rampTexture(this.hello.ramps[name][dark ? "dark" : "light"]));
    u.ramp.value = this.textures.get(key)!;
  }

  /** Before drawing; `ratio` is device pixels a CSS pixel. */
  prepare(camera: Camera, scales: { speed: number; force: number }, ratio: number): void {
    this.shared.look.value.set(camera.centre[0], camera.centre[1]);
    this.shared.pixel.value.set((2 * camera.scale) / camera.width, (2 * camera.scale) / camera.height);
    this.shared.topSpeed.value = this.topSpeed / scales.speed;
    this.shared.topForce.value = this.topForce / scales.force;
    for (const type of this.types) type.prepare(camera.scale * ratio, camera.view());
  }
}
