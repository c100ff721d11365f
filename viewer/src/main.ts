// The page of `scree view`.
import "./style.css";
import { byId, make, notice, press } from "./dom";
import { FilmMaker, savePng } from "./exporter";
import { grouped, number, steady } from "./format";
import { Inspector } from "./inspector";
import { bindKeys, keyList } from "./keys";
import { LiveControls } from "./live";
import { grainAt } from "./pick";
import { Player } from "./player";
import { Plots } from "./plots";
import type { ColourName, Frame, Hello, Pair, ServerMessage, Status } from "./protocol";
import { openSource, type Source } from "./source";
import { type Look, Stage } from "./stage";

const colours: [ColourName, string][] = [
  ["type", "Type"], ["group", "Group"], ["speed", "Speed"], ["force", "Force"], ["angle", "Angle"], ["coordination", "Coordination"]];
const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
const clickSlack = 4; // pixels a click may miss a grain by, and a press may move to be a click
const growingFor = 10000; // ms after its last frame that a file counts as growing

class Page {
  private readonly look: Look;
  private readonly stage: Stage;
  private readonly player: Player;
  private readonly plots = new Plots(byId("plots"));
  private readonly inspector: Inspector;
  private readonly live: LiveControls | undefined;
  private readonly film = new FilmMaker();
  private readonly colourButtons = new Map<ColourName, HTMLButtonElement>();
  private readonly checks = new Map<keyof Look, HTMLInputElement>();
  private readonly filmButton = make("button", { id: "film", title: "All frames as a film (V)" }, "Film");
  private status: Status | undefined;
  private grownAt = -Infinity;
  private closed = false;

  constructor(private readonly source: Source, private readonly hello: Hello) {
    const wanted = hello.look.colour as ColourName;
    this.look = {
      colour: colours.some(([name]) => name === wanted) ? wanted : "type",
      chains: hello.look.forces, walls: true, legend: true, greyDriven: true,
      dark: localStorage.getItem("scree-theme") ? localStorage.getItem("scree-theme") === "dark"
                                               : matchMedia("(prefers-color-scheme: dark)").matches,
    };
    this.stage = new Stage(byId("stage"), hello, this.look);
    this.player = new Player(source, hello.times, hello.live);
    this.inspector = new Inspector(hello);
    if (hello.controls) this.live = new LiveControls(hello, hello.controls);
    this.buildPanel();
    this.bindPlayer();
    this.bindStage();
    this.bindButtons();
    this.setTheme(this.look.dark);
    this.plots.setSeries(hello.series);
    this.plots.onSeek = (time) => this.player.seekTime(time);
    source.onMessage = (message) => this.receive(message);
    source.onClose = () => this.connectionLost();
    byId("title").textContent = document.title = hello.title || "Scree";
    if (!hello.live) this.player.seek(0);
    if (innerWidth <= 760) byId("app").classList.add("no-panel");
    let last = performance.now();
    const tick = (now: number) => {
      if (!this.film.running) this.player.advance(Math.min(0.1, (now - last) / 1000));
      last = now;
      if (!this.film.running) this.stage.draw();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  // ---- what comes from the program ---------------------------------------------------------------------------------
  private receive(message: ServerMessage): void {
    switch (message.type) {
      case "grown":
        this.grownAt = performance.now();
        this.player.grown(message.times);
        this.plots.setSeries(message.series);
        if (message.scales) this.stage.setScales(message.scales);
        break;
      case "status":
        this.status = message;
        this.live?.update(message);
        if (message.failure) notice(message.failure, true);
        this.showState();
        break;
      case "error":
        notice(`${message.problem}${message.remedy ? ` — ${message.remedy}` : ""}`, true);
        break;
      case "controls":
        this.live?.show(message.controls);
        break;
      case "note":
        notice(message.text);
        break;
      case "hello":
        location.reload(); // the simulation is another one now
        break;
    }
  }

  private connectionLost(): void {
    this.closed = true;
    this.player.playing = false;
    notice("The program has ended; what was received is still here.", true);
    this.showState();
  }

  // ---- frames ------------------------------------------------------------------------------------------------------
  private bindPlayer(): void {
    const { player } = this;
    player.wantsContacts = () => this.look.chains || this.stage.selected !== undefined;
    player.onFrame = (frame) => this.showFrame(frame);
    player.onState = () => this.showState();
    const span = (this.hello.times.at(-1) ?? 1) - (this.hello.times[0] ?? 0);
    const speed = byId<HTMLSelectElement>("speed");
    for (const s of speeds) speed.append(make("option", { value: String(s) }, `${s} ×`));
    // A short run is slowed down so that it can be watched.
    player.speed = span > 0 ? speeds.findLast((s) => s <= Math.max(0.01, span / 4) && s <= 1) ?? 0.01 : 1;
    speed.value = String(player.speed);
    speed.onchange = () => (player.speed = Number(speed.value));
    speed.hidden = this.hello.live;
    const scrub = byId<HTMLInputElement>("scrub");
    scrub.oninput = () => {
      player.playing = false;
      player.seek(Number(scrub.value));
    };
  }

  private showFrame(frame: Frame): void {
    this.stage.show(frame);
    this.inspector.update(frame, this.stage.selected);
    const contacts = `${grouped(frame.allContacts)} contacts`;
    byId("facts").textContent = `${grouped(frame.grains)} grains, ${contacts}`;
    this.showState();
  }

  private showState(): void {
    const { player, hello } = this;
    const scrub = byId<HTMLInputElement>("scrub");
    scrub.max = String(Math.max(0, player.last));
    scrub.value = String(player.following ? player.last : player.index);
    const shown = this.stage.frame;
    const time = player.playing || !shown ? player.now : shown.time;
    const step = player.times.length > 1 ? (player.times.at(-1)! - player.times[0]) / (player.times.length - 1) : 0.001;
    byId("time").textContent = `${steady(time, step / 10)}${hello.look.units[1] && ` ${hello.look.units[1]}`}`;
    this.plots.showTime(time);
    const runs = player.following && hello.live ? !(this.status?.paused ?? false) : player.playing;
    byId("play").textContent = runs ? "❚❚" : "▶";
    const growing = hello.live || performance.now() - this.grownAt < growingFor;
    const live = byId<HTMLButtonElement>("live");
    live.hidden = !growing;
    press(live, player.following);
    this.showBadge(growing);
  }

  private showBadge(growing: boolean): void {
    const badge = byId("badge");
    badge.hidden = false;
    badge.className = "quiet-badge";
    if (this.closed) badge.textContent = "disconnected";
    else if (this.status?.failure) [badge.textContent, badge.className] = ["stopped by the watchdog", "bad"];
    else if (this.hello.live && this.status?.paused) badge.textContent = "paused";
    else if (growing && this.player.following) {
      const pace = this.status ? `, ${number(this.status.stepsPerSecond, 2)} steps/s` : "";
      [badge.textContent, badge.className] = [`live${pace}`, ""];
    } else if (growing) badge.textContent = "still running";
    else badge.hidden = true;
  }

  // ---- panel -------------------------------------------------------------------------------------------------------
  private buildPanel(): void {
    const choices = make("div", { className: "choices" });
    for (const [name, label] of colours) {
      const button = make("button", { onclick: () => this.setColour(name) }, label);
      button.dataset.colour = name;
      this.colourButtons.set(name, button);
      choices.append(button);
    }
    const checks = make("div", { className: "checks" });
    const check = (key: "chains" | "walls" | "legend" | "greyDriven", label: string) => {
      const box = make("input", { type: "checkbox", checked: this.look[key], onchange: () => this.setCheck(key, box.checked) });
      box.id = `show-${key}`;
      this.checks.set(key, box);
      checks.append(make("label", {}, box, label));
    };
    check("chains", "Force chains");
    check("walls", "Walls");
    check("legend", "Legend");
    check("greyDriven", "Fixed and driven grains in grey");
    const png = make("button", { id: "png", title: "The picture as a file (P)", onclick: () => void this.savePicture() }, "PNG");
    this.filmButton.onclick = () => void this.saveFilm();
    const fit = make("button", { id: "fit", title: "All of it (F)", onclick: () => this.fit() }, "Fit");
    byId("panel").replaceChildren(
      ...(this.live ? [this.live.element] : []),
      make("h2", {}, "Colour by"), choices, make("h2", {}, "Show"), checks,
      make("h2", {}, "Picture"), make("div", { className: "row" }, fit, png, this.filmButton), this.inspector.element);
    this.inspector.onSelect = (id) => this.select(id);
    if (this.live) this.live.send = (message) => this.source.send(message);
    this.showColour();
  }

  setColour(colour: ColourName): void {
    this.look.colour = colour;
    this.showColour();
    this.stage.restyle();
  }
  private showColour(): void {
    for (const [name, button] of this.colourButtons) press(button, name === this.look.colour);
  }

  setCheck(key: "chains" | "walls" | "legend" | "greyDriven", on: boolean): void {
    this.look[key] = on;
    this.checks.get(key)!.checked = on;
    this.stage.restyle();
    if (key === "chains" && on) this.player.refresh();
  }
  toggle(key: "chains" | "walls" | "legend"): void {
    this.setCheck(key, !this.look[key]);
  }

  setTheme(dark: boolean): void {
    this.look.dark = dark;
    document.documentElement.classList.toggle("dark", dark);
    localStorage.setItem("scree-theme", dark ? "dark" : "light");
    this.stage.restyle();
    this.plots.redraw();
  }

  // ---- stage -------------------------------------------------------------------------------------------------------
  private bindStage(): void {
    const host = byId("stage");
    const { camera } = this.stage;
    const fingers = new Map<number, Pair>(); // or the mouse: where they are
    let moved = false;
    host.onpointerdown = (e) => {
      host.setPointerCapture(e.pointerId);
      moved = fingers.size > 0;
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
    };
    host.onpointermove = (e) => {
      const before = fingers.get(e.pointerId);
      if (!before) return;
      const [dx, dy] = [e.clientX - before[0], e.clientY - before[1]];
      if (!moved && Math.hypot(dx, dy) < clickSlack) return;
      moved = true;
      camera.pan(dx / fingers.size, dy / fingers.size);
      const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
      if (other) {
        const distance = (p: Pair) => Math.max(1, Math.hypot(p[0] - other[0], p[1] - other[1]));
        const box = host.getBoundingClientRect();
        camera.zoom(distance([e.clientX, e.clientY]) / distance(before),
                    (e.clientX + other[0]) / 2 - box.left, (e.clientY + other[1]) / 2 - box.top);
      }
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      this.stage.invalidate();
    };
    host.onpointerup = (e) => {
      const box = host.getBoundingClientRect();
      if (fingers.delete(e.pointerId) && !moved) this.click(e.clientX - box.left, e.clientY - box.top);
    };
    host.onpointercancel = (e) => fingers.delete(e.pointerId);
    host.addEventListener("wheel", (e) => {
      e.preventDefault();
      const box = host.getBoundingClientRect();
      const pixels = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 * e.deltaY : e.deltaY;
      camera.zoom(Math.exp(-0.0016 * pixels), e.clientX - box.left, e.clientY - box.top);
      this.stage.invalidate();
    }, { passive: false });
    host.ondblclick = () => {
      if (!this.live?.dropping) this.fit();
    };
  }

  private click(px: number, py: number): void {
    const { camera, frame } = this.stage;
    const [x, y] = camera.world(px, py);
    if (this.live?.dropping) return this.live.dropAt([x + this.hello.origin[0], y + this.hello.origin[1]]);
    if (!frame) return;
    const place = grainAt(this.hello, frame, x, y, clickSlack / camera.scale);
    this.select(place < 0 ? undefined : frame.ids[place]);
  }

  select(id: number | undefined): void {
    this.stage.selected = id;
    this.stage.invalidate();
    this.inspector.update(this.stage.frame, id);
    if (id !== undefined && !this.stage.frame?.hasContacts) this.player.refresh();
  }

  fit(): void {
    this.stage.camera.fit();
    this.stage.invalidate();
  }
  zoom(factor: number): void {
    this.stage.camera.zoom(factor);
    this.stage.invalidate();
  }
  pan(dx: number, dy: number): void {
    this.stage.camera.pan(dx, dy);
    this.stage.invalidate();
  }

  // ---- buttons and keys --------------------------------------------------------------------------------------------
  private bindButtons(): void {
    const { player } = this;
    byId("play").onclick = () => this.playOrPause();
    byId("first").onclick = () => player.seek(0);
    byId("back").onclick = () => this.stepFrames(-1);
    byId("forward").onclick = () => this.stepFrames(1);
    byId("live").onclick = () => this.followLive();
    byId("theme").onclick = () => this.toggleTheme();
    byId("toggle-plots").onclick = () => this.togglePlots();
    byId("toggle-panel").onclick = () => this.togglePanel();
    byId("help").onclick = () => this.showKeys();
    bindKeys(this);
  }

  playOrPause(): void {
    if (this.player.following && this.live) this.live.togglePause();
    else this.player.play(!this.player.playing);
  }
  stepFrames(count: number): void {
    if (this.player.following && this.live && count > 0) return this.live.stepOn();
    const from = this.player.following ? this.player.last : this.player.index;
    this.player.playing = false;
    this.player.seek(from + count);
  }
  toEnd(last: boolean): void {
    this.player.playing = false;
    this.player.seek(last ? this.player.last : 0);
  }
  followLive(): void {
    if (!byId("live").hidden) this.player.follow(!this.player.following);
  }
  changeSpeed(by: number): void {
    const at = Math.min(Math.max(speeds.indexOf(this.player.speed) + by, 0), speeds.length - 1);
    this.player.speed = speeds[at];
    byId<HTMLSelectElement>("speed").value = String(speeds[at]);
  }
  toggleTheme(): void {
    this.setTheme(!this.look.dark);
  }
  togglePlots(): void {
    this.plots.show(!this.plots.shown);
    press(byId("toggle-plots"), this.plots.shown);
  }
  togglePanel(): void {
    byId("app").classList.toggle("no-panel");
  }
  toggleDropping(): void {
    this.live?.setDropping(!this.live.dropping);
  }
  escape(): void {
    this.live?.setDropping(false);
    this.select(undefined);
  }
  showKeys(): void {
    const dialog = byId<HTMLDialogElement>("keys");
    const list = make("dl");
    for (const [keys, what] of keyList)
      list.append(make("dt", {}, ...keys.flatMap((k) => [make("kbd", {}, k), " "])), make("dd", {}, what));
    dialog.replaceChildren(make("h1", {}, "Keys"), list, make("button", { onclick: () => dialog.close() }, "Close"));
    dialog.showModal();
  }

  async savePicture(): Promise<void> {
    await savePng(this.stage, this.hello.title);
  }
  async saveFilm(): Promise<void> {
    if (this.film.running) return this.film.stop();
    if (this.player.times.length < 2) return notice("One frame makes no film.", true);
    this.player.playing = false;
    const { index, following } = this.player;
    try {
      await this.film.save(this.stage, this.player, this.hello.title, this.hello.look.fps, (fraction) => {
        this.filmButton.textContent = `Stop (${Math.round(100 * fraction)} %)`;
      });
    } finally {
      this.film.running = false;
      this.filmButton.textContent = "Film";
      if (following) this.player.follow(true);
      else this.player.seek(index);
    }
  }
}
export type { Page };

openSource().then(
  ({ source, hello }) => new Page(source, hello),
  (error: unknown) => byId("app").replaceChildren(make("p", { className: "failed" }, error instanceof Error ? error.message : String(error))),
);
