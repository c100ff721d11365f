// Grains on the GPU. Large ones are outlines: one mesh a type and level of detail, instanced. Those below a hundred
// pixels are points with a picture of their shape. A frame's arrays are uploaded as they came, or what can be seen of them.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  CustomBlending,
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
  OneFactor,
  OneMinusSrcAlphaFactor,
  Points,
  RawShaderMaterial,
  GLSL3,
  RGBAFormat,
  UnsignedByteType,
  Vector2,
} from "three";
import type { Camera, Region } from "./camera";
import { outlineShader, spriteShader, vertexShader } from "./grain_shaders";
import type { ColourName, Frame, Hello, Mesh as MeshInfo, ShapeInfo, Theme, TypeInfo } from "./protocol";
import { areaOf, edgeInset, spriteBelow, spriteOf, spriteTexture } from "./sprites";

const edgeDarkening = 0.38;
const lodPixels = 0.3; // how far an outline may be off
const cullMargin = 0.5; // of the stage, beyond its sides: what lies there is uploaded too, so that panning is free
const fadedBehindForces = 0.62;
const modes: ColourName[] = ["type", "group", "speed", "force", "angle", "coordination"]; // as the shader counts them

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

/** Arrays of grains with the GPU's copies of them: as instances, and as points of their own. */
class GrainBuffers {
  readonly x: Float32Array;
  readonly state: Int16Array;
  readonly instances: Record<string, InstancedBufferAttribute | InterleavedBufferAttribute>;
  readonly sprites: Record<string, BufferAttribute | InterleavedBufferAttribute>;
  private readonly uploads: Record<"instances" | "sprites", (InstancedBufferAttribute | BufferAttribute | InterleavedBuffer)[]>;

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
    const [spriteX, spriteState] = [new BufferAttribute(this.x, 2), new InterleavedBuffer(this.state, 6)];
    this.instances = attributes(instanceX, instanceState);
    this.sprites = attributes(spriteX, spriteState);
    this.uploads = { instances: [instanceX, instanceState], sprites: [spriteX, spriteState] };
    for (const buffer of [...this.uploads.instances, ...this.uploads.sprites]) buffer.setUsage(DynamicDrawUsage);
  }

  upload(which: "instances" | "sprites", count: number): void {
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
  private readonly sprites: Points[] = [];
  private readonly inset = { value: 0 };
  private readonly sprite = { size: { value: 1 }, level: { value: 0 }, share: { value: 1 }, peak: { value: 0 } };
  private held: { sprites: boolean; region: Region; all: boolean } | undefined; // what the buffers hold of the frame

  constructor(private readonly type: TypeInfo, private readonly shape: ShapeInfo, texture: DataTexture, shared: Uniforms,
              shifts: Vector2[]) {
    this.levels = shape.levels.map((info) => {
      const base = new BufferGeometry();
      base.setAttribute("corner", new BufferAttribute(new Float32Array(info.points), 2));
      base.setAttribute("inward", new BufferAttribute(new Float32Array(info.inward), 2));
      base.setIndex(info.index);
      return { info, base };
    });
    this.area = areaOf(shape.levels[0]);
    this.periodic = shifts.length > 1;
    const own = plainColour(new Color(), type.colour);
    for (const shift of shifts) {
      const given = (edge: number) => ({
        ...shared, own: { value: own }, radius: { value: type.radius }, shift: { value: shift },
        image: { value: shift.x !== 0 || shift.y !== 0 }, edge: { value: edge },
      });
      const plain = { glslVersion: GLSL3, vertexShader, depthTest: false, depthWrite: false };
      const outline = (edge: number, inset: { value: number }) =>
        new RawShaderMaterial({ ...plain, fragmentShader: outlineShader, uniforms: { ...given(edge), inset } });
      this.edges.push(new Mesh(undefined, outline(edgeDarkening, { value: 0 })));
      this.fills.push(new Mesh(undefined, outline(0, this.inset)));
      const { size: spriteSize, level, share, peak } = this.sprite;
      this.sprites.push(new Points(new BufferGeometry(), new RawShaderMaterial({
        ...plain, fragmentShader: spriteShader, defines: { SPRITE: 1 }, premultipliedAlpha: true, blending: CustomBlending,
        blendSrc: OneFactor, blendDst: OneMinusSrcAlphaFactor,
        uniforms: { ...given(edgeDarkening), sprite: { value: texture }, spriteSize, level, share, peak },
      })));
    }
    this.fills.forEach((m) => (m.renderOrder = 1));
    this.objects = [...this.edges, ...this.fills, ...this.sprites];
    this.objects.forEach((m) => (m.frustumCulled = false));
    this.grow(64);
  }
  private readonly area: number;
  private readonly periodic: boolean;

  setFrame(x: Float32Array<ArrayBuffer>, state: Int16Array<ArrayBuffer>): void {
    [this.x, this.state] = [x, state];
    this.held = undefined;
  }

  /** What is drawn at this many device pixels a unit of length: level of detail, edge, and the grains that can be seen.
   *  Returns whether they are outlines. */
  prepare(pixels: number, view: Region, largestSprite: number): boolean {
    const radius = this.type.radius * pixels;
    const sprite = spriteOf(radius, this.area);
    const sprites = 2 * radius < spriteBelow && sprite.size <= largestSprite;
    const count = this.fill(sprites, view);
    for (const name of ["size", "level", "share", "peak"] as const) this.sprite[name].value = sprite[name];
    this.sprites[0].geometry.setDrawRange(0, count);
    this.prepareOutlines(radius, count);
    for (const mesh of [...this.edges, ...this.fills]) mesh.visible = !sprites && count > 0;
    for (const points of this.sprites) points.visible = sprites && count > 0;
    return !sprites && count > 0;
  }

  private prepareOutlines(radius: number, count: number): void {
    let level = 0;
    while (level + 1 < this.levels.length && this.levels[level + 1].info.tolerance * radius <= lodPixels) ++level;
    this.inset.value = edgeInset(radius, this.shape.thinnest);
    for (const mesh of [...this.edges, ...this.fills]) mesh.geometry = this.geometries[level];
    this.geometries[level].instanceCount = count;
  }

  /** Uploads the grains in and around the view, unless they are there already. Returns how many there are. */
  private fill(sprites: boolean, view: Region): number {
    const wide = (r: Region) => r[2] - r[0];
    if (this.held && this.held.sprites === sprites && this.enough(this.held, view)) return this.count;
    if (this.x.length / 2 > this.buffers.capacity) this.grow(Math.max(this.x.length / 2, 2 * this.buffers.capacity));
    const [marginX, marginY] = [cullMargin * wide(view) + this.type.radius, cullMargin * (view[3] - view[1]) + this.type.radius];
    const region: Region = [view[0] - marginX, view[1] - marginY, view[2] + marginX, view[3] + marginY];
    this.count = this.periodic ? this.takeAll() : this.takeSeen(region);
    this.held = { sprites, region, all: 2 * this.count === this.x.length };
    this.buffers.upload(sprites ? "sprites" : "instances", this.count);
    return this.count;
  }
  private count = 0;

  /** Are all grains there that can be seen, and not many more? */
  private enough(held: { sprites: boolean; region: Region; all: boolean }, view: Region): boolean {
    if (this.periodic) return true;
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
    this.sprites[0].geometry.dispose();
    this.buffers = new GrainBuffers(capacity);
    this.geometries = this.levels.map(({ base }) => {
      const geometry = new InstancedBufferGeometry();
      geometry.setIndex(base.getIndex());
      for (const name of ["corner", "inward"]) geometry.setAttribute(name, base.getAttribute(name));
      for (const [name, attribute] of Object.entries(this.buffers.instances)) geometry.setAttribute(name, attribute);
      return geometry;
    });
    const points = new BufferGeometry();
    for (const [name, attribute] of Object.entries(this.buffers.sprites)) points.setAttribute(name, attribute);
    for (const sprites of this.sprites) sprites.geometry = points;
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
    const sprites = hello.shapes.map(spriteTexture);
    this.types = hello.types.map((type) => new TypeGrains(type, hello.shapes[type.shape], sprites[type.shape], this.shared, shifts));
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
    const key = `${colour} ${dark}`;
    if (!this.textures.has(key)) this.textures.set(key, rampTexture(this.coloursOf(colour, dark)));
    u.ramp.value = this.textures.get(key)!;
  }

  private coloursOf(colour: ColourName, dark: boolean): number[] {
    if (colour === "type") return [0]; // not looked at
    if (colour === "group") return Array.from({ length: 64 }, (_, k) => this.hello.groups[k]?.colour ?? 0);
    return this.hello.ramps[colour][dark ? "dark" : "light"];
  }

  /** Before drawing; `ratio` is device pixels a CSS pixel. */
  prepare(camera: Camera, scales: { speed: number; force: number }, ratio: number, largestSprite: number): void {
    this.shared.look.value.set(camera.centre[0], camera.centre[1]);
    this.shared.pixel.value.set(...camera.pixel());
    this.shared.topSpeed.value = this.topSpeed / scales.speed;
    this.shared.topForce.value = this.topForce / scales.force;
    const outlined = this.types.map((type) => type.prepare(camera.scale * ratio, camera.view(), largestSprite));
    this.outlined = outlined.includes(true);
  }
  outlined = false; // is any grain drawn as an outline?
}
