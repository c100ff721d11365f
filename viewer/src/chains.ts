// Force chains: a line from centre to contact point to centre, as wide as the normal force.
import {
  BufferAttribute,
  Color,
  DynamicDrawUsage,
  GLSL3,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  RawShaderMaterial,
  Vector2,
} from "three";
import { type Camera, overscan } from "./camera";
import { plainColour } from "./grains";
import type { Frame, Hello, Theme } from "./protocol";

const vertexShader = `
precision highp float;
in vec3 corner;  // 0 at the contact point, 1 at the centre; side; 0 towards A, 1 towards B
in vec2 point;
in vec4 arms;
in float force;
uniform vec2 look, pixel, screen;
uniform float reach, topForce, widest;
void main() {
  float width = widest * min(1.6, force * topForce);
  vec2 arm = reach * (corner.z < 0.5 ? arms.xy : arms.zw);
  vec2 along = arm * pixel * screen;
  if (width < 0.12 || dot(along, along) < 1e-12) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec2 across = normalize(vec2(-along.y, along.x)) * corner.y * 0.5 * width;
  gl_Position = vec4((point + corner.x * arm - look) * pixel + 2.0 * across / screen, 0.0, 1.0);
}`;

const fragmentShader = `
precision mediump float;
uniform vec3 colour;
out vec4 result;
void main() { result = vec4(colour, 1.0); }`;

export class Chains {
  readonly object: Mesh;
  private readonly uniforms = {
    look: { value: new Vector2() },
    pixel: { value: new Vector2() },
    screen: { value: new Vector2() },
    reach: { value: 1 },
    topForce: { value: 1 },
    widest: { value: 4 },
    colour: { value: new Color() },
  };
  private capacity = 0;
  private points!: InstancedBufferAttribute;
  private reach!: InstancedInterleavedBuffer;
  private geometry!: InstancedBufferGeometry;
  private topContact = 0;

  constructor(private readonly hello: Hello) {
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader, fragmentShader, depthTest: false, depthWrite: false, uniforms: this.uniforms,
    });
    this.object = new Mesh(undefined, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
    this.grow(256);
  }

  upload(frame: Frame): void {
    if (frame.contacts > this.capacity) this.grow(Math.max(frame.contacts, 2 * this.capacity));
    (this.points.array as Float32Array).set(frame.points);
    (this.reach.array as Int16Array).set(frame.reach);
    for (const [buffer, used] of [[this.points, frame.points.length], [this.reach, frame.reach.length]] as const) {
      buffer.clearUpdateRanges();
      buffer.addUpdateRange(0, used);
      buffer.needsUpdate = true;
    }
    this.geometry.instanceCount = frame.contacts;
    this.uniforms.reach.value = frame.arm;
    this.topContact = frame.topContact;
  }

  style(theme: Theme): void {
    plainColour(this.uniforms.colour.value, theme.force);
  }

  prepare(camera: Camera, topForce: number, ratio: number): void {
    const u = this.uniforms;
    u.look.value.set(camera.centre[0], camera.centre[1]);
    u.pixel.value.set(...camera.pixel());
    u.screen.value.set((camera.width + 2 * overscan) * ratio, (camera.height + 2 * overscan) * ratio);
    u.topForce.value = this.topContact / topForce;
    const { scales, types } = this.hello;
    const radius = Math.max(0, ...scales.types.map((k) => types[k].radius)) * camera.scale * ratio;
    u.widest.value = Math.min(Math.max(0.35 * radius, 2), 18 * ratio);
  }

  private grow(capacity: number): void {
    this.geometry?.dispose();
    this.capacity = capacity;
    this.points = new InstancedBufferAttribute(new Float32Array(2 * capacity), 2);
    this.points.setUsage(DynamicDrawUsage);
    this.reach = new InstancedInterleavedBuffer(new Int16Array(6 * capacity), 6);
    this.reach.setUsage(DynamicDrawUsage);
    const corners: number[] = [];
    for (const towards of [0, 1]) for (const [end, side] of [[0, -1], [0, 1], [1, -1], [1, 1]]) corners.push(end, side, towards);
    this.geometry = new InstancedBufferGeometry();
    this.geometry.setAttribute("corner", new BufferAttribute(new Float32Array(corners), 3));
    this.geometry.setIndex([0, 2, 1, 1, 2, 3, 4, 6, 5, 5, 6, 7]);
    this.geometry.setAttribute("point", this.points);
    this.geometry.setAttribute("arms", new InterleavedBufferAttribute(this.reach, 4, 0, true));
    this.geometry.setAttribute("force", new InterleavedBufferAttribute(this.reach, 1, 4, true));
    this.geometry.instanceCount = 0;
    this.object.geometry = this.geometry;
  }
}
