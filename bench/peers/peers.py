#!/usr/bin/env python3
"""Scree beside its peers on the same piles: time a step, time a simulated second, largest overlap.

A pile settles in Scree once (bench/peers/*.toml, kept in out/bench/peers); every program then starts from that state,
warms up, and is timed over a fixed number of steps on one core. Rounds are interleaved, so that a machine that slows
down slows all of them; medians and ratios count. `make bench-peers` installs the peers and calls this.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

import h5py
import numpy as np
from scipy.spatial import cKDTree

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
BAR, SPACING, HALF_LENGTH = 0.3, 0.7, math.sqrt(0.75)  # of the # of circumradius 1


class Pile:
    """A settled state of Scree, as numbers."""

    def __init__(self, name, scene, overrides, width, steps):
        self.name, self.scene, self.overrides, self.width, self.steps = name, scene, overrides, width, steps

    def settle(self, scree, folder):
        self.folder = folder / self.name
        record = self.folder / "run.json"
        wanted = [f"--set={o}" for o in self.overrides]
        kept = (record.exists() and record.stat().st_mtime > (HERE / self.scene).stat().st_mtime
                and json.loads(record.read_text())["end"] is not None)
        if not kept:
            print(f"settling {self.name} ...", flush=True)
            run([scree, "run", HERE / self.scene, "-o", self.folder, "--force", "--quiet", *wanted])
        with h5py.File(self.folder / "state.h5", "r") as f:
            bodies = f["bodies"]
            self.x, self.theta = bodies["x"][:], bodies["theta"][:]
            types = f["types"]
            radius = [float(types[str(k)].attrs["radius"]) for k in range(int(types.attrs["count"]))]
            mass = [float(types[str(k)].attrs["mass"]) for k in range(int(types.attrs["count"]))]
            self.radius = np.array(radius)[bodies["type"][:]]
            self.mass = np.array(mass)[bodies["type"][:]]
            self.dt = float(f["settings"].attrs["dt"])
            material = f["materials/0"].attrs
            self.stiffness, self.friction = float(material["stiffness"]), float(material["friction"])
            self.restitution = float(material["restitution"])

    def discs(self):
        """x, y, radius, mass, clump of the discs that a clump code makes of the grains."""
        if self.scene == "discs.toml":
            return np.c_[self.x, self.radius, self.mass, np.arange(len(self.x))]
        end = HALF_LENGTH - BAR / 2
        along = np.array([-end, -(end + SPACING / 2) / 2, -SPACING / 2, -SPACING / 6, SPACING / 6, SPACING / 2,
                          (end + SPACING / 2) / 2, end])
        local = [(a, s * SPACING / 2) for s in (-1, 1) for a in along]
        local += [(s * SPACING / 2, a) for s in (-1, 1) for a in along if abs(abs(a) - SPACING / 2) > 1e-9]
        local = np.array(local)
        rows = []
        for k, (x, angle, mass) in enumerate(zip(self.x, self.theta, self.mass)):
            c, s = math.cos(angle), math.sin(angle)
            places = local @ np.array([[c, s], [-s, c]]) + x
            rows.append(np.c_[places, np.full(len(local), BAR / 2), np.full(len(local), mass / len(local)),
                              np.full(len(local), k)])
        return np.concatenate(rows)


def run(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"bench-peers: {' '.join(str(c) for c in command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def overlap_of_discs(x, radius, clump):
    """Deepest overlap between discs of different clumps."""
    deepest = 0.0
    pairs = cKDTree(x).query_pairs(2 * radius.max(), output_type="ndarray")
    if len(pairs):
        i, j = pairs.T
        other = clump[i] != clump[j]
        i, j = i[other], j[other]
        depth = radius[i] + radius[j] - np.linalg.norm(x[i] - x[j], axis=1)
        deepest = max(0.0, float(depth.max(initial=0)))
    return deepest


class Scree:
    name = "Scree"

    def __init__(self, pile, scree, work):
        self.pile, self.scree, self.work = pile, scree, work / "scree"
        self.dt = pile.dt

    def round(self):
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.pile.folder, self.work)
        start = json.loads((self.work / "run.json").read_text())["end"]["time"]
        until = start + self.pile.steps * self.dt
        run([self.scree, "run", "--restart", self.work, "--threads", 1, "--quiet", "--until", repr(until)])
        end = json.loads((self.work / "run.json").read_text())["end"]
        with h5py.File(self.work / "state.h5", "r") as f:
            overlap = max(0.0, -float(f["contacts/gap"][:].min(initial=0)))
        return 1 / end["steps_per_second"], overlap


class Lammps:
    name = "LAMMPS"

    def __init__(self, pile, work, warmup):
        self.pile, self.work, self.dt = pile, work / "lammps", pile.dt
        self.work.mkdir(parents=True, exist_ok=True)
        discs = pile.discs()
        clumps = pile.scene != "discs.toml"
        top = discs[:, 1].max() + 10
        with open(self.work / "pile.data", "w") as out:
            out.write(f"pile\n\n{len(discs)} atoms\n1 atom types\n\n-1 {pile.width + 1} xlo xhi\n-1 {top} ylo yhi\n"
                      "-0.5 0.5 zlo zhi\n\nAtoms\n\n")
            for k, (x, y, r, m, clump) in enumerate(discs):
                size = f"{2 * r} {m / (4 / 3 * math.pi * r**3)}"  # diameter, and a density that gives the wanted mass
                place = f"{x} {y} 0"
                out.write(f"{k + 1} 1 {place} {size} {int(clump) + 1}\n" if clumps else f"{k + 1} 1 {size} {place}\n")
        # LAMMPS damps with m_eff gamma v; the damping of a linear spring that returns e.
        m_eff = pile.mass.mean() / 2
        log = math.log(pile.restitution)
        gamma = -2 * log / math.sqrt(math.pi**2 + log**2) * math.sqrt(pile.stiffness / m_eff)
        law = f"{pile.stiffness} {2 / 7 * pile.stiffness} {gamma} {gamma / 2} {pile.friction} 1"
        text = ["units si", "dimension 2", f"atom_style {'hybrid sphere molecular' if clumps else 'sphere'}",
                "boundary f f p", "newton off", "comm_modify vel yes cutoff 2.5", "read_data pile.data",
                f"neighbor {0.1 if clumps else 0.2} bin", "neigh_modify delay 0",
                f"pair_style gran/hooke/history {law}", "pair_coeff * *", f"timestep {pile.dt}",
                "fix gravity all gravity 9.81 vector 0 -1 0"]
        if clumps:
            text += ["neigh_modify exclude molecule/intra all", "fix move all rigid/small molecule"]
        else:
            text += ["fix move all nve/sphere disc"]
        text += ["fix plane all enforce2d"]
        wall = f"wall/gran hooke/history {law}"
        text += [f"fix floor all {wall} yplane 0 NULL", f"fix sides all {wall} xplane 0 {pile.width}",
                 "thermo_style custom step", "thermo 1000000", f"run {warmup}", f"run {pile.steps}",
                 "write_dump all custom end.txt id x y radius modify sort id"]
        (self.work / "pile.in").write_text("\n".join(text) + "\n")
        self.clump = discs[:, 4].astype(int)

    def round(self):
        out = run(["lmp", "-in", "pile.in", "-log", "none"], cwd=self.work,
                  env={**os.environ, "OMP_NUM_THREADS": "1"})
        seconds = float(re.findall(r"Loop time of ([0-9.e+-]+)", out)[-1])
        rows = np.loadtxt(self.work / "end.txt", skiprows=9)
        return seconds / self.pile.steps, overlap_of_discs(rows[:, 1:3], rows[:, 3], self.clump)


class Yade:
    name = "YADE"

    def __init__(self, pile, work, warmup):
        self.pile, self.work, self.dt, self.warmup = pile, work / "yade", pile.dt, warmup
        self.work.mkdir(parents=True, exist_ok=True)
        self.steps = max(100, pile.steps // 10)
        np.savetxt(self.work / "discs.txt", pile.discs()[:, [4, 0, 1, 2, 3]], fmt=["%d", "%.12g", "%.12g", "%.9g", "%.9g"])

    def round(self):
        out = run(["yade", "-x", "-n", "-j1", HERE / "yade_pile.py", "discs.txt", self.pile.width, self.pile.stiffness,
                   self.dt, self.warmup, self.steps, "end.txt"], cwd=self.work)
        rows = np.loadtxt(self.work / "end.txt")
        seconds = float(re.search(r"seconds ([0-9.e+-]+)", out).group(1))
        return seconds / self.steps, overlap_of_discs(rows[:, :2], rows[:, 2], rows[:, 3].astype(int))


class Box2D:
    name, dt, warmup, steps = "Box2D", 1 / 60, 60, 120

    def __init__(self, pile, work):
        self.pile, self.work = pile, work / "box2d"
        self.work.mkdir(parents=True, exist_ok=True)
        np.savetxt(self.work / "poses.txt", np.c_[pile.x, pile.theta], fmt="%.9g")
        self.program = self.work.parent.parent / "box2d_pile"
        if not self.program.exists():
            run(["g++", "-O3", "-march=native", "-std=c++17", HERE / "box2d.cpp", "-lbox2d", "-o", self.program])

    def round(self):
        seconds, overlap = run([self.program, "poses.txt", self.pile.width, self.warmup, self.steps],
                               cwd=self.work).split()
        return float(seconds) / self.steps, float(overlap)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument("--only", help="names of piles, comma separated")
    parser.add_argument("--scree", default=ROOT / "build/release/apps/scree", type=pathlib.Path)
    parser.add_argument("-o", "--output", default=ROOT / "bench/results/peers.csv", type=pathlib.Path,
                        help="CSV to append to")
    options = parser.parse_args()
    folder = ROOT / "out/bench/peers"
    folder.mkdir(parents=True, exist_ok=True)
    piles = [
        Pile("discs-10000", "discs.toml", [], 100, 2000),
        Pile("hashes-1000", "hashes.toml", [], 50, 5000),
        Pile("hashes-6300", "hashes.toml",
             ["insert[0].count=6300", "insert[0].x=[0,120]", "walls[box].x=[0,120]", "insert[0].y=[0.1,400]"], 120, 1000),
    ]
    if options.only:
        piles = [p for p in piles if p.name in options.only.split(",")]
    commit = run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=40"]).strip()
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    rows = []
    for pile in piles:
        pile.settle(options.scree, folder)
        work = folder / "work" / pile.name
        sides = [Scree(pile, options.scree, work)]
        if pile.scene == "discs.toml":
            sides += [Lammps(pile, work, 500)]
        elif len(pile.x) <= 2000:
            sides += [Lammps(pile, work, 500), Yade(pile, work, 200), Box2D(pile, work)]
        else:
            sides += [Box2D(pile, work)]
        results = {side.name: [] for side in sides}
        for k in range(options.rounds):
            for side in sides:
                print(f"{pile.name}: round {k + 1} of {options.rounds}, {side.name}", flush=True)
                results[side.name].append(side.round())
        ours = statistics.median(r[0] for r in results["Scree"])
        for side in sides:
            times = [r[0] for r in results[side.name]]
            median = statistics.median(times)
            rows.append([pile.name, side.name, 1e3 * median, 1e3 * (max(times) - min(times)), side.dt, median / side.dt,
                         max(r[1] for r in results[side.name]), median / ours, median / side.dt / (ours / pile.dt)])
    print(f"\n{cpu}, one core, commit {commit}")
    print(f"{'pile':14}{'program':9}{'ms a step':>11}{'spread':>9}{'dt':>9}{'s a sim. s':>12}{'overlap, m':>12}"
          f"{'step/ours':>11}{'sim./ours':>11}")
    for r in rows:
        print(f"{r[0]:14}{r[1]:9}{r[2]:11.3f}{r[3]:9.3f}{r[4]:9.2g}{r[5]:12.3g}{r[6]:12.4f}{r[7]:11.2f}{r[8]:11.3g}")
    new = not options.output.exists()
    with open(options.output, "a", newline="") as out:
        writer = csv.writer(out)
        if new:
            writer.writerow(["when", "cpu", "commit", "pile", "program", "ms_per_step", "spread_ms", "dt",
                             "seconds_per_simulated_second", "deepest_overlap_m"])
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        for r in rows:
            writer.writerow([when, cpu, commit, *r[:2], *[f"{v:.6g}" for v in r[2:7]]])
    print(f"appended to {options.output}")


if __name__ == "__main__":
    main()
