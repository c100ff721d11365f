// Drawing with and without smoothed edges. Four samples a pixel cost as much as the grains themselves where there is no
// GPU, and sprites have soft edges of their own: only outlines and lines are drawn with them.
import {
  BufferAttribute, BufferGeometry, GLSL3, Mesh, NearestFilter, NoBlending, type Object3D, OrthographicCamera, RawShaderMaterial,
  Vector2, type WebGLRenderer, WebGLRenderTarget,
} from "three";

export type Area = [number, number, number, number];

const samples = 4;

const vertexShader = `
precision highp float;
in vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }`;

const fragmentShader = `
precision mediump float;
uniform sampler2D picture;
out vec4 result;
void main() { result = texelFetch(picture, ivec2(gl_FragCoord.xy), 0); }`;

export class Smoother {
  private readonly target = new WebGLRenderTarget(1, 1, { samples, depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter });
  private readonly copy: Mesh;
  private readonly unused = new OrthographicCamera(); // the shaders look by themselves

  constructor(private readonly renderer: WebGLRenderer) {
    const geometry = new BufferGeometry(); // one triangle over all
    geometry.setAttribute("corner", new BufferAttribute(new Float32Array([-1, -1, 3, -1, -1, 3]), 2));
    geometry.setDrawRange(0, 3);
    this.copy = new Mesh(geometry, new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader, fragmentShader, depthTest: false, depthWrite: false, blending: NoBlending,
      uniforms: { picture: { value: this.target.texture } },
    }));
    this.copy.frustumCulled = false;
    renderer.autoClear = false;
  }

  /** `viewport` and `scissor` (x, y, width, height in CSS pixels, from below): the scissor cuts what is drawn, not what is
   *  cleared. */
  render(scene: Object3D, smooth: boolean, viewport: Area, scissor: Area | undefined): void {
    const { renderer, target } = this;
    const ratio = renderer.getPixelRatio();
    const { x: width, y: height } = renderer.getDrawingBufferSize(new Vector2());
    target.setSize(smooth ? width : 1, smooth ? height : 1); // memory that is not needed is given back
    target.scissorTest = false;
    renderer.setScissorTest(false);
    renderer.setRenderTarget(smooth ? target : null);
    renderer.clear();
    if (smooth) {
      target.viewport.fromArray(viewport).multiplyScalar(ratio).round();
      if (scissor) target.scissor.fromArray(scissor).multiplyScalar(ratio).round();
      target.scissorTest = scissor !== undefined;
      renderer.setRenderTarget(target);
    } else {
      renderer.setViewport(...viewport);
      if (scissor) renderer.setScissor(...scissor);
      renderer.setScissorTest(scissor !== undefined);
    }
    renderer.render(scene, this.unused);
    if (smooth) this.show(width / ratio, height / ratio);
  }

  private show(width: number, height: number): void {
    this.renderer.setRenderTarget(null);
    this.renderer.setViewport(0, 0, width, height);
    this.renderer.render(this.copy, this.unused);
  }
}
