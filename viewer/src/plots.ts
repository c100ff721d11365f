// Measures over time, with a line at the time that is shown; a click goes there.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { make } from "./dom";
import { number, withUnit } from "./format";
import type { Series } from "./protocol";

const plotHeight = (): number => (innerHeight < 560 ? 92 : 130);
const shownAtFirst = 2;

function inkOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Of an axis; numbers that stay the same get a range around them. */
function rangeOf(low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1];
  if (low !== high) return uPlot.rangeNum(low, high, 0.1, true);
  return low === 0 ? [0, 1] : [low - 0.5 * Math.abs(low), low + 0.5 * Math.abs(low)];
}

class Plot {
  readonly element = make("div", { className: "plot" });
  private readonly now = make("div", { className: "now" });
  private chart: uPlot | undefined;
  private time = 0;

  constructor(private readonly onSeek: (time: number) => void) {}

  draw(series: Series, width: number): void {
    this.chart?.destroy();
    const axis = { stroke: inkOf("--quiet"), grid: { stroke: inkOf("--line"), width: 1 }, ticks: { show: false },
                   font: "11px system-ui, sans-serif" };
    this.chart = new uPlot(
      {
        width, height: plotHeight(), padding: [8, 12, 0, 0], legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high) } },
        axes: [{ ...axis, size: 26 },
               { ...axis, size: 58, values: (_, ticks) => ticks.map((t) => number(t, 3)) }],
        hooks: { draw: [() => this.placeLine()] },
        series: [{}, { stroke: inkOf("--accent"), width: 1.5, pxAlign: 0, points: { show: false } }],
      },
      [series.times, series.values],
      this.element,
    );
    this.chart.over.append(this.now);
    this.chart.over.addEventListener("click", (event) => this.onSeek(this.chart!.posToVal(event.offsetX, "x")));
  }

  setSeries(series: Series): void {
    this.chart?.setData([series.times, series.values]);
  }

  showTime(time: number): void {
    this.time = time;
    this.placeLine();
  }

  // Also after every drawing: before the first one there are no scales.
  private placeLine(): void {
    if (!this.chart) return;
    const at = this.chart.valToPos(this.time, "x");
    const width = this.chart.over.clientWidth;
    this.now.style.left = `${Math.min(Math.max(at - 0.75, 0), width - 1.5)}px`;
    this.now.hidden = !(at >= -1 && at <= width + 1); // the last sample may be a little before the last frame
  }
}

const labelOf = (s: Series): string => withUnit(`${s.measure}: ${s.name}`, s.unit);

export class Plots {
  onSeek: (time: number) => void = () => {};
  private series: Series[] = [];
  private readonly plots = new Map<string, Plot>();
  private readonly choice = make("select", { id: "add-plot", title: "Which measure" });

  constructor(private readonly host: HTMLElement) {
    this.choice.onchange = () => {
      if (this.choice.value) this.toggle(this.choice.value);
      this.choice.value = "";
    };
    new ResizeObserver(() => this.redraw()).observe(host);
  }

  get shown(): boolean {
    return !this.host.hidden;
  }

  setSeries(series: Series[]): void {
    const before = this.series.map(labelOf).join();
    this.series = series.filter((s) => s.values.some((v) => v !== null));
    if (this.plots.size === 0) for (const s of this.series.slice(0, shownAtFirst)) this.add(labelOf(s));
    if (this.series.map(labelOf).join() !== before) return this.redraw();
    if (!this.shown) return;
    for (const s of this.series) this.plots.get(labelOf(s))?.setSeries(s);
    this.showTime(this.time);
  }

  show(on: boolean): void {
    this.host.hidden = !on;
    this.redraw();
  }

  /** Also after the theme has changed. */
  redraw(): void {
    if (!this.shown) return;
    const columns = this.host.clientWidth > 620 ? 2 : 1;
    const width = Math.floor((this.host.clientWidth - 24) / columns) - 12 * (columns - 1);
    this.choice.replaceChildren(make("option", { value: "" }, "Measures…"),
      ...this.series.map((s) => make("option", { value: labelOf(s) }, (this.plots.has(labelOf(s)) ? "✓ " : "") + labelOf(s))));
    const cells: Node[] = [];
    for (const [label, plot] of this.plots) {
      const series = this.series.find((s) => labelOf(s) === label);
      if (!series) continue;
      cells.push(make("div", {}, make("div", { className: "hint" }, label), plot.element));
      plot.draw(series, Math.max(200, width));
    }
    if (this.series.length === 0) cells.push(make("p", { className: "hint" }, "This run has no measures. [[measures]] of a scene asks for some."));
    const grid = make("div", { className: "cells" }, ...cells);
    grid.style.gridTemplateColumns = `repeat(${columns}, 1fr)`;
    this.host.replaceChildren(make("div", { className: "row" }, this.choice), grid);
    this.showTime(this.time);
  }

  showTime(time: number): void {
    this.time = time;
    if (this.shown) for (const plot of this.plots.values()) plot.showTime(time);
  }
  private time = 0;

  private add(label: string): void {
    this.plots.set(label, new Plot((time) => this.onSeek(time)));
  }

  private toggle(label: string): void {
    if (!this.plots.delete(label)) this.add(label);
    this.redraw();
  }
}
