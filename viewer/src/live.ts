// Controls of a live simulation.
import { make, press } from "./dom";
import { number } from "./format";
import type { Controls, Hello, Mover, Pair, Status } from "./protocol";

const paces: [number, string][] = [[0.1, "0.1 ×"], [0.25, "0.25 ×"], [0.5, "0.5 ×"], [1, "1 ×"], [2, "2 ×"], [5, "5 ×"], [0, "as fast as it goes"]];

class NumberField {
  readonly input: HTMLInputElement;
  private typed = false; // and not yet sent

  constructor(id: string, label: string, onChange: () => void) {
    this.input = make("input", { id, type: "number", step: "any", ariaLabel: label });
    this.input.oninput = () => (this.typed = true);
    this.input.onblur = () => (this.typed = false);
    this.input.onchange = () => {
      this.typed = false;
      onChange();
    };
  }
  get value(): number {
    return Number(this.input.value);
  }
  show(value: number): void {
    if (!this.typed) this.input.value = number(value, 5);
  }
}

export class LiveControls {
  readonly element = make("section", { id: "live-controls" });
  dropping = false;
  send: (message: object) => void = () => {};
  private readonly pause = make("button", { id: "sim-pause" }, "Pause");
  private readonly step = make("button", { id: "sim-step", title: "Steps, then pause" }, "Step");
  private readonly steps = make("input", { type: "number", min: "1", max: "100000", value: "10", ariaLabel: "Steps" });
  private readonly pace = make("select", { id: "sim-pace", ariaLabel: "Pace" });
  private readonly drop = make("button", { id: "drop", title: "Then click where (G)" }, "Drop");
  private readonly grain = make("select", { id: "drop-grain", ariaLabel: "Grain to drop" });
  private readonly count = make("input", { type: "number", min: "1", max: "1000", value: "5", ariaLabel: "How many" });
  private paused = false;
  private showGravity = (): void => {};
  private showMover = (): void => {};

  constructor(private readonly hello: Hello, private controls: Controls) {
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
      make("div", { className: "row" }, this.pause, this.step, this.steps),
      make("div", { className: "row" }, make("label", {}, "Pace"), this.pace, again),
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

  /** What holds now: after a command that was refused, a restart, or a command of another page. */
  show(controls: Controls): void {
    this.controls = controls;
    this.showGravity();
    this.showMover();
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
    const send = () => this.send({ type: "gravity", value: [x.value, y.value] });
    const [x, y] = [new NumberField("gravity-x", "Gravity x", send), new NumberField("gravity-y", "Gravity y", send)];
    this.showGravity = () => [x, y].forEach((field, k) => field.show(this.controls.gravity[k]));
    this.showGravity();
    return [make("div", { className: "row" }, make("label", {}, "Gravity"), x.input, y.input)];
  }

  private moverRows(): HTMLElement[] {
    const choice = make("select", { id: "mover", ariaLabel: "Wall" });
    this.controls.movers.forEach((m, k) => choice.append(make("option", { value: String(k) }, m.name)));
    const how = make("select", { id: "mover-how", ariaLabel: "How it moves" });
    how.append(make("option", { value: "slide" }, "slides at"), make("option", { value: "turn" }, "turns at"));
    const mover = (): Mover => this.controls.movers[Number(choice.value)];
    const send = () => {
      const m = mover();
      const turn = { spin: spin.value, centre: m.centre };
      const slide = { velocity: [vx.value, vy.value] };
      this.send({ type: "drive", [m.kind]: m.index, ...(how.value === "turn" ? turn : slide) });
    };
    const vx = new NumberField("mover-x", "Speed x", send);
    const vy = new NumberField("mover-y", "Speed y", send);
    const spin = new NumberField("mover-spin", "Spin", send);
    const showFields = () => {
      vx.input.hidden = vy.input.hidden = how.value === "turn";
      spin.input.hidden = how.value !== "turn";
    };
    this.showMover = () => {
      const m = mover();
      vx.show(m.velocity[0]);
      vy.show(m.velocity[1]);
      spin.show(m.spin);
    };
    choice.onchange = () => {
      how.value = mover().turns ? "turn" : "slide";
      this.showMover();
      showFields();
    };
    how.onchange = showFields;
    choice.onchange(new Event("change"));
    const [, time] = this.hello.look.units;
    spin.input.title = time ? `rad/${time}` : "radians a unit of time";
    return [make("div", { className: "row" }, make("label", {}, "Wall"), choice),
            make("div", { className: "row" }, how, vx.input, vy.input, spin.input)];
  }

  private dropRows(): HTMLElement[] {
    this.count.id = "drop-count";
    return [make("div", { className: "row" }, this.drop, this.count, this.grain)];
  }
}
