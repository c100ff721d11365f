#!/usr/bin/env python3
"""Draws docs/images/bench-scenes.png from the latest rows of bench/results/scenes.csv.

Left: time of a step against the number of grains, one thread and two. Right: time a grain by kind of contact, split into
stages. Needs matplotlib (the environment of `make test` has it).

    python3 bench/plot_scenes.py [CSV [PNG]]
"""
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = pathlib.Path(__file__).parent.parent
KINDS = [("discs-10k", "discs"), ("hashes-10k", "'#', table"), ("crosses-table", "crosses, table"),
         ("crosses-star", "crosses, star"), ("hashes-neural", "'#', 5x64 net")]
STAGES = [("find pairs", ["broad", "collect"]), ("contact maps", ["query"]), ("contacts", ["emit"]),
          ("law and forces", ["law", "gather"]), ("walls", ["walls"]),
          ("motion, ledger, watchdog", ["integrate", "ledger", "watchdog", "drive"])]


def latest(path):
    """The last row of each scene."""
    with open(path) as f:
        return {row["scene"]: row for row in csv.DictReader(f)}


def draw_scaling(axes, rows):
    beds = [rows[name] for name in ("hashes-1k", "hashes-10k", "hashes-100k", "hashes-1M") if name in rows]
    grains = [float(row["grains"]) for row in beds]
    times = [float(row["processor_ms"]) for row in beds]
    axes.loglog(grains, times, "o-", color="#1f5f99", label="one thread")
    per_grain = times[0] / grains[0]
    axes.loglog(grains, [per_grain * g for g in grains], ":", color="#888888", label="proportional to grains")
    if "hashes-10k-2" in rows:
        two = rows["hashes-10k-2"]
        axes.loglog([float(two["grains"])], [float(two["step_ms"])], "s", color="#c8501e", label="two threads")
    for g, t in zip(grains, times):
        axes.annotate(f"{1e6 * t / g:.0f} ns a grain", (g, t), textcoords="offset points", xytext=(8, -12), fontsize=8)
    axes.set_xlabel("grains ('#', table map, settled)")
    axes.set_ylabel("ms a step")
    axes.set_xlim(grains[0] / 2, grains[-1] * 6)
    axes.set_ylim(times[0] / 3, times[-1] * 2)
    axes.legend(frameon=False)


def draw_kinds(axes, rows):
    kinds = [(rows[scene], label) for scene, label in KINDS if scene in rows]
    left = [0.0] * len(kinds)
    for stage, columns in STAGES:
        width = [sum(float(row[c]) for c in columns) * 1e6 / float(row["grains"]) for row, _ in kinds]
        # Stages are by the wall clock: the whole bar is as long as the processor time.
        width = [w * float(row["processor_ms"]) / float(row["step_ms"]) for w, (row, _) in zip(width, kinds)]
        axes.barh([label for _, label in kinds], width, left=left, label=stage)
        left = [a + b for a, b in zip(left, width)]
    for total, (_, label) in zip(left, kinds):
        axes.annotate(f" {total:.0f}", (total, label), va="center", fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.15 * max(left))
    axes.set_xlabel("ns a grain and step, one thread")
    axes.legend(frameon=False, fontsize=8)


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else ROOT / "bench/results/scenes.csv"
    target = sys.argv[2] if len(sys.argv) > 2 else ROOT / "docs/images/bench-scenes.png"
    rows = latest(source)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.2), constrained_layout=True)
    draw_scaling(left, rows)
    draw_kinds(right, rows)
    figure.savefig(target, dpi=110)
    print(target)


if __name__ == "__main__":
    main()
