// The picture: walls below, grains and force chains on the GPU, legend, scale bar and selection on top. Three canvases
// of one size, so that a picture or a film is their sum.
import { Scene, WebGLRenderer } from "three";
import { Camera, overscan, type Region } from "./camera";
import { Chains } from "./chains";
import { Grains } from "./grains";
import { drawOverlay, type OverlayStyle } from "./overlay";
import type { ColourName, Frame, Hello, Scales, Theme } from "./protocol";
import { type Area, Smoother } from "./smooth";
import { drawWalls } from "./walls";

export interface Look {
  colour: ColourName;
  chains: boolean;
  walls: boolean;
  legend: boolean;
  greyDriven: boolean;
  dark: boolean;
}

export class Stage {
  readonly camera = new Camera();
  frame: Frame | undefined;
  selected: number | undefined; // id of a grain
  scales: Scales;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly smoother: Smoother;
  private readonly largestSprite: number; // device pixels
  private readonly grains: Grains;
  private readonly chains: Chains;
  private readonly below: CanvasRenderingContext2D;
  private readonly above: CanvasRenderingContext2D;
  private ratio = 1;
  private stale = true;

  constructor(private readonly host: HTMLElement, private readonly hello: Hello, public look: Look) {
    const canvas = (name: string) => {
      const element = document.createElement("canvas");
      element.className = name;
      host.append(element);
      return element;
    };
    this.scales = hello.scales;
    this.below = canvas("below").getContext("2d")!;
    this.renderer = new WebGLRenderer({ canvas: canvas("grains"), antialias: false, alpha: true });
    this.renderer.setClearColor(0, 0);
    this.smoother = new Smoother(this.renderer);
    const gl = this.renderer.getContext();
    this.largestSprite = (gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE) as Float32Array)[1];
    this.above = canvas("above").getContext("2d")!;
    this.grains = new Grains(hello);
    this.chains = new Chains(hello);
    this.scene.add(this.grains.group, this.chains.object);
    this.camera.setRegion(this.region());
    this.restyle();
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  get theme(): Theme {
    return this.hello.themes[this.look.dark ? "dark" : "light"];
  }

  setScales(scales: Scales): void {
    this.scales = scales;
    this.camera.setRegion(this.region());
    this.invalidate();
  }

  show(frame: Frame): void {
    this.frame = frame;
    this.grains.setFrame(frame);
    if (this.look.chains) this.chains.upload(frame);
    this.invalidate();
  }

  restyle(): void {
    const { look, theme } = this;
    this.grains.style(look.colour, theme, look.dark, look.chains, look.greyDriven);
    this.chains.style(theme);
    this.chains.object.visible = look.chains;
    if (look.chains && this.frame) this.chains.upload(this.frame);
    this.invalidate();
  }

  invalidate(): void {
    this.stale = true;
  }

  /** Draws when something has changed. */
  draw(): void {
    if (this.stale) this.drawNow(this.overlayStyle(false));
  }

  /** The picture as one canvas, title and time included. */
  picture(): HTMLCanvasElement {
    this.drawNow(this.overlayStyle(true));
    const whole = document.createElement("canvas");
    this.copyTo(whole);
    this.invalidate();
    return whole;
  }
  /** Sizes the canvas as the stage, with even sides: encoders of films ask for them. */
  copyTo(target: HTMLCanvasElement): void {
    const { width, height } = this.below.canvas;
    target.width = width - (width % 2);
    target.height = height - (height % 2);
    this.drawInto(target);
  }
  drawInto(target: HTMLCanvasElement): void {
    const context = target.getContext("2d")!;
    for (const part of [this.below.canvas, this.renderer.domElement, this.above.canvas]) context.drawImage(part, 0, 0);
  }
  drawForExport(): void {
    this.drawNow(this.overlayStyle(true));
  }

  private overlayStyle(exported: boolean): OverlayStyle {
    return { exported, legend: this.look.legend, colour: this.look.colour, dark: this.look.dark, theme: this.theme };
  }

  private drawNow(style: OverlayStyle): void {
    this.stale = false;
    const { camera, ratio } = this;
    this.drawBelow();
    this.grains.prepare(camera, this.scales, ratio, this.largestSprite);
    this.chains.prepare(camera, this.scales.contact, ratio);
    const wide: Area = [-overscan, -overscan, camera.width + 2 * overscan, camera.height + 2 * overscan];
    this.smoother.render(this.scene, this.grains.outlined || this.look.chains, wide, this.cell());
    this.drawAbove(style);
  }

  // The lower and the upper canvas change rarely while a run plays.
  private drawBelow(): void {
    const { camera: c, look, frame } = this;
    const drawn = [c.centre, c.scale, c.width, c.height, look.dark, look.walls, look.walls ? frame?.walls : ""].join();
    if (drawn === this.drawnBelow) return;
    this.drawnBelow = drawn;
    drawWalls(this.below, c, this.ratio, this.theme, this.hello, look.walls ? frame : undefined);
  }
  private drawAbove(style: OverlayStyle): void {
    const { camera: c, look, frame, scales, selected } = this;
    const changes = style.exported || selected !== undefined; // with every frame
    const drawn = [c.centre, c.scale, c.width, c.height, look.dark, look.legend, look.colour, scales.speed, scales.force,
                   scales.types, scales.groups, changes ? ++this.overlays : ""].join();
    if (drawn === this.drawnAbove) return;
    this.drawnAbove = drawn;
    drawOverlay(this.above, c, this.ratio, style, this.hello, scales, frame, selected);
  }
  private drawnBelow = "";
  private drawnAbove = "";
  private overlays = 0;

  // In periodic directions nothing is drawn outside of the cell.
  private cell(): Area | undefined {
    const { periodic, origin } = this.hello;
    if (!periodic.x && !periodic.y) return undefined;
    const [x0, y0, x1, y1] = periodic.box;
    const { camera } = this;
    const left = periodic.x ? Math.max(0, camera.x(x0 - origin[0])) : 0;
    const right = periodic.x ? Math.min(camera.width, camera.x(x1 - origin[0])) : camera.width;
    const top = periodic.y ? Math.max(0, camera.y(y1 - origin[1])) : 0;
    const bottom = periodic.y ? Math.min(camera.height, camera.y(y0 - origin[1])) : camera.height;
    return [left, camera.height - bottom, Math.max(0, right - left), Math.max(0, bottom - top)];
  }

  private region(): Region {
    const [x0, y0, x1, y1] = this.scales.view;
    const [ox, oy] = this.hello.origin;
    return [x0 - ox, y0 - oy, x1 - ox, y1 - oy];
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height);
    const { width: w, height: h } = this.renderer.domElement;
    for (const { canvas } of [this.below, this.above]) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.drawnBelow = this.drawnAbove = ""; // a canvas that is resized is empty
    this.camera.resize(width, height);
    this.drawNow(this.overlayStyle(false));
  }
}
