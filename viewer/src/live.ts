// Controls of a live simulation.
import { make, press } from "./dom";
import { number } from "./format";
import type { Controls, Hello, Mover, Pair, Status } from "./protocol";

const paces: [number, string][] = [[0.1, "0.1 ×"], [0.25, "0.25 ×"], [0.5, "0.5 ×"], [1, "1 ×"], [2, "2 ×"], [5, "5 ×"], [0, "as fast as it goes"]];

function numberField(value: number, label: string): HTMLInputElement {
  return make("input", { type: "number", step: "any", value: number(value, 5), ariaLabel: label });
}

export class LiveControls {
  readonly element = make("section", { id: "live-controls" });
  dropping = false;
  send: (message: object) => void = () => {};
  private readonly pause = make("button", { id: "sim-pause" }, "Pause");
  private readonly step = make("button", { id: "sim-step", title: "Steps, then pause" }, "Step");
  private readonly steps = make("input", { type: "number", min: "1", max: "100000", value: "10", ariaLabel: "Steps", className: "short" });
  private readonly pace = make("select", { id: "sim-pace", ariaLabel: "Pace" });
  private readonly drop = make("button", { id: "drop", title: "Then click where (G)" }, "Drop");
  private readonly grain = make("select", { id: "drop-grain", ariaLabel: "Grain to drop" });
  private readonly count = make("input", { type: "number", min: "1", max: "1000", value: "5", ariaLabel: "How many", className: "short" });
  private paused = false;

  constructor(private readonly hello: Hello, private readonly controls: Controls) {
    const again = make("button", { id: "sim-restart", title: "From the scene's start" }, "Restart");
    this.pause.onclick = () => this.togglePause();
    this.step.onclick = () => this.stepOn();
    again.onclick = () => this.send({ type: "restart" });
    for (const [value, label] of paces) this.pace.append(make("option", { value: String(value) }, label));
    this.pace.value = "1";
    this.pace.onchange = () => this.send({ type: "pace", value: Number(this.pace.value) });
    this.drop.onclick = () => this.setDropping(!this.dropping);
    for (const type of controls.grains) this.grain.append(make("option", { value: String(type) }, hello.types[type].name));
    this.element.append(
      make("h2", {}, "Simulation"),
      make("div", { className: "row" }, this.pause, this.step, this.steps, again),
      make("div", { className: "row" }, make("label", {}, "Pace"), this.pace),
      ...this.gravityRows(),
      ...(controls.movers.length > 0 ? this.moverRows() : []),
      ...(controls.grains.length > 0 ? this.dropRows() : []),
    );
  }

  update(status: Status): void {
    this.paused = status.paused;
    this.pause.textContent = status.paused ? "Resume" : "Pause";
    if (document.activeElement !== this.pace) this.pace.value = String(status.pace);
  }

  togglePause(): void {
    this.send({ type: "pause", paused: !this.paused });
  }

  stepOn(): void {
    this.send({ type: "step", count: Math.max(1, Math.round(Number(this.steps.value) || 1)) });
  }

  setDropping(on: boolean): void {
    this.dropping = on && this.controls.grains.length > 0;
    press(this.drop, this.dropping);
    this.drop.classList.toggle("on", this.dropping);
    document.getElementById("stage")?.classList.toggle("dropping", this.dropping);
  }

  /** At a point of the run, in its own coordinates. */
  dropAt(at: Pair): void {
    const count = Math.min(1000, Math.max(1, Math.round(Number(this.count.value) || 1)));
    this.send({ type: "drop", grain: Number(this.grain.value), at, count });
  }

  private gravityRows(): HTMLElement[] {
    const x = numberField(this.controls.gravity[0], "Gravity x");
    const y = numberField(this.controls.gravity[1], "Gravity y");
    x.id = "gravity-x";
    y.id = "gravity-y";
    x.onchange = y.onchange = () => this.send({ type: "gravity", value: [Number(x.value), Number(y.value)] });
    return [make("div", { className: "row" }, make("label", {}, "Gravity"), x, y)];
  }

  private moverRows(): HTMLElement[] {
    const { movers } = this.controls;
    const choice = make("select", { id: "mover", ariaLabel: "Wall" });
    movers.forEach((m, k) => choice.append(make("option", { value: String(k) }, m.name)));
    const how = make("select", { id: "mover-how", ariaLabel: "How it moves" });
    how.append(make("option", { value: "slide" }, "slides at"), make("option", { value: "turn" }, "turns at"));
    const [vx, vy, spin] = [numberField(0, "Speed x"), numberField(0, "Speed y"), numberField(0, "Spin")];
    vx.id = "mover-x";
    vy.id = "mover-y";
    spin.id = "mover-spin";
    const mover = (): Mover => movers[Number(choice.value)];
    const showFields = () => {
      vx.hidden = vy.hidden = how.value === "turn";
      spin.hidden = how.value !== "turn";
    };
    choice.onchange = () => {
      const m = mover();
      how.value = m.turns ? "turn" : "slide";
      [vx.value, vy.value, spin.value] = [number(m.velocity[0], 5), number(m.velocity[1], 5), number(m.spin, 5)];
      showFields();
    };
    const send = () => {
      const m = mover();
      const turn = { spin: Number(spin.value), centre: m.centre };
      const slide = { velocity: [Number(vx.value), Number(vy.value)] };
      this.send({ type: "drive", [m.kind]: m.index, ...(how.value === "turn" ? turn : slide) });
    };
    how.onchange = showFields;
    vx.onchange = vy.onchange = spin.onchange = send;
    choice.onchange(new Event("change"));
    const [, time] = this.hello.look.units;
    spin.title = time ? `rad/${time}` : "radians a unit of time";
    return [make("div", { className: "row" }, make("label", {}, "Wall"), choice),
            make("div", { className: "row" }, how, vx, vy, spin)];
  }

  private dropRows(): HTMLElement[] {
    this.count.id = "drop-count";
    return [make("div", { className: "row" }, this.drop, this.count, this.grain)];
  }
}
