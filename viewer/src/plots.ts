// Measures over time, with a line at the time that is shown; a click goes there.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { make } from "./dom";
import { number, withUnit } from "./format";
import type { Series } from "./protocol";

const plotHeight = 130;
const shownAtFirst = 2;

function inkOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

class Plot {
  readonly element = make("div", { className: "plot" });
  private readonly now = make("div", { className: "now" });
  private chart: uPlot | undefined;

  constructor(private series: Series, private readonly onSeek: (time: number) => void) {}

  draw(series: Series, width: number): void {
    this.series = series;
    this.chart?.destroy();
    const axis = { stroke: inkOf("--quiet"), grid: { stroke: inkOf("--line"), width: 1 }, ticks: { show: false },
                   font: "11px system-ui, sans-serif" };
    this.chart = new uPlot(
      {
        width, height: plotHeight, padding: [8, 12, 0, 0], legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        scales: { x: { time: false } },
        axes: [{ ...axis, size: 26 },
               { ...axis, size: 58, values: (_, ticks) => ticks.map((t) => number(t, 3)) }],
        series: [{}, { stroke: inkOf("--accent"), width: 1.5, pxAlign: 0, points: { show: false } }],
      },
      [series.times, series.values],
      this.element,
    );
    this.chart.over.append(this.now);
    this.chart.over.addEventListener("click", (event) => this.onSeek(this.chart!.posToVal(event.offsetX, "x")));
  }

  showTime(time: number): void {
    if (!this.chart) return;
    const at = this.chart.valToPos(time, "x");
    this.now.style.left = `${at}px`;
    this.now.hidden = !(at >= 0 && at <= this.chart.over.clientWidth);
  }

  get label(): string {
    return labelOf(this.series);
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
    this.series = series.filter((s) => s.values.some((v) => v !== null));
    if (this.plots.size === 0) for (const s of this.series.slice(0, shownAtFirst)) this.add(s);
    this.redraw();
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

  private add(series: Series): void {
    this.plots.set(labelOf(series), new Plot(series, (time) => this.onSeek(time)));
  }

  private toggle(label: string): void {
    const series = this.series.find((s) => labelOf(s) === label);
    if (this.plots.has(label)) this.plots.delete(label);
    else if (series) this.add(series);
    this.redraw();
  }
}
