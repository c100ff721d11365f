// Grains on the GPU: one mesh a type and level of detail, instanced; a frame's arrays are uploaded as they came.
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
  InterleavedBufferAttribute,
  Mesh,
  NearestFilter,
  RawShaderMaterial,
  GLSL3,
  RGBAFormat,
  UnsignedByteType,
  Vector2,
} from "three";
import type { Camera } from "./camera";
import type { ColourName, Frame, Hello, Mesh as MeshInfo, Theme, TypeInfo } from "./protocol";

const edgeFrom = 6; // pixels of diameter below which a grain has no edge
const edgeDarkening = 0.38;
const lodPixels = 0.3; // how far an outline may be off
const fadedBehindForces = 0.62;
const modes: ColourName[] = ["type", "speed", "force", "angle", "coordination"];

const vertexShader = `
precision highp float;
in vec2 corner, inward;
in vec2 centre;
in vec4 motion;  // angle / pi, velocity, spin
in float force, flags;
uniform vec2 look, pixel, shift, borderLow, borderHigh;
uniform float radius, inset, faded, edge, topSpeed, topForce;
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
  vec2 p = radius * (corner + inset * inward);
  float c = cos(angle), s = sin(angle);
  gl_Position = vec4((at + vec2(c * p.x - s * p.y, s * p.x + c * p.y) - look) * pixel, 0.0, 1.0);
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

/** The grains of one type. */
class TypeGrains {
  readonly objects: Mesh[] = [];
  private capacity = 0;
  private x!: InstancedBufferAttribute;
  private state!: InstancedInterleavedBuffer;
  private geometries: InstancedBufferGeometry[] = [];
  private readonly levels: { info: MeshInfo; base: BufferGeometry }[];
  private readonly edges: Mesh[] = [];
  private readonly fills: Mesh[] = [];
  private readonly insetValue = { value: 0 };

  constructor(private readonly type: TypeInfo, private readonly thinnest: number, levels: MeshInfo[], shared: Uniforms,
              shifts: Vector2[]) {
    this.levels = levels.map((info) => {
      const base = new BufferGeometry();
      base.setAttribute("corner", new BufferAttribute(new Float32Array(info.points), 2));
      base.setAttribute("inward", new BufferAttribute(new Float32Array(info.inward), 2));
      base.setIndex(info.index);
      return { info, base };
    });
    const own = plainColour(new Color(), type.colour);
    for (const shift of shifts) {
      const material = (edge: number, inset: { value: number }) =>
        new RawShaderMaterial({
          glslVersion: GLSL3, vertexShader, fragmentShader, depthTest: false, depthWrite: false,
          uniforms: {
            ...shared, own: { value: own }, radius: { value: type.radius }, shift: { value: shift },
            image: { value: shift.x !== 0 || shift.y !== 0 }, edge: { value: edge }, inset,
          },
        });
      this.edges.push(new Mesh(undefined, material(edgeDarkening, { value: 0 })));
      this.fills.push(new Mesh(undefined, material(0, this.insetValue)));
    }
    this.edges.forEach((m) => (m.renderOrder = 0));
    this.fills.forEach((m) => (m.renderOrder = 1));
    this.objects = [...this.edges, ...this.fills];
    this.objects.forEach((m) => (m.frustumCulled = false));
    this.grow(64);
  }

  upload(x: Float32Array, state: Int16Array): void {
    const count = x.length / 2;
    if (count > this.capacity) this.grow(Math.max(count, 2 * this.capacity));
    (this.x.array as Float32Array).set(x);
    (this.state.array as Int16Array).set(state);
    for (const [buffer, used] of [[this.x, x.length], [this.state, state.length]] as const) {
      buffer.clearUpdateRanges();
      buffer.addUpdateRange(0, used);
      buffer.needsUpdate = true;
    }
    for (const geometry of this.geometries) geometry.instanceCount = count;
    for (const object of this.objects) object.visible = count > 0;
    this.count = count;
  }
  private count = 0;

  /** Level of detail and edge for this many pixels a unit of length. */
  prepare(pixels: number): void {
    const radius = this.type.radius * pixels;
    let level = 0;
    while (level + 1 < this.levels.length && this.levels[level + 1].info.tolerance * radius <= lodPixels) ++level;
    const edged = 2 * radius >= edgeFrom;
    const width = Math.min(Math.max(0.04 * radius, 0.6), 1.3);
    this.insetValue.value = edged ? Math.min(width / radius, 0.2 * this.thinnest) : 0;
    for (const mesh of this.objects) mesh.geometry = this.geometries[level];
    for (const mesh of this.edges) mesh.visible = edged && this.count > 0;
  }

  private grow(capacity: number): void {
    this.geometries.forEach((g) => g.dispose());
    this.capacity = capacity;
    this.x = new InstancedBufferAttribute(new Float32Array(2 * capacity), 2);
    this.x.setUsage(DynamicDrawUsage);
    this.state = new InstancedInterleavedBuffer(new Int16Array(6 * capacity), 6);
    this.state.setUsage(DynamicDrawUsage);
    this.geometries = this.levels.map(({ base }) => {
      const geometry = new InstancedBufferGeometry();
      geometry.setAttribute("corner", base.getAttribute("corner"));
      geometry.setAttribute("inward", base.getAttribute("inward"));
      geometry.setIndex(base.getIndex());
      geometry.setAttribute("centre", this.x);
      geometry.setAttribute("motion", new InterleavedBufferAttribute(this.state, 4, 0, true));
      geometry.setAttribute("force", new InterleavedBufferAttribute(this.state, 1, 4, true));
      geometry.setAttribute("flags", new InterleavedBufferAttribute(this.state, 1, 5, false));
      return geometry;
    });
    for (const object of this.objects) object.geometry = this.geometries[0];
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

  upload(frame: Frame): void {
    let begin = 0;
    this.types.forEach((type, k) => {
      const end = begin + frame.counts[k];
      type.upload(frame.x.subarray(2 * begin, 2 * end), frame.state.subarray(6 * begin, 6 * end));
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
    for (const type of this.types) type.prepare(camera.scale * ratio);
  }
}
