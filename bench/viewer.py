#!/usr/bin/env python3
"""How long the page of `scree view` takes for a picture of many grains, in Chromium without a GPU.

    bench/viewer.py                      # 100,000 '#' in a window of 1280 x 800 pixels; a table
    bench/viewer.py --pictures out/bench # and what was seen
    bench/viewer.py --at-most 66         # fails where the fitted picture takes longer, ms

The page draws whenever something changes, as often as it can; what is measured is the time from one picture to the next,
and the processor time of the whole browser for it. "new" pictures show another frame each, "moved" ones the same frame
from another place. Needs what `scripts/setup --test --browser` installs.
"""

import argparse
import contextlib
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

# Letters of a bed that has just begun to fall: every frame differs from the one before.
SCENE = """
title = "{count} '#'"
[run]
duration = 0.35
frames = 0.05
[step]
dt = 1e-3
[gravity]
g = [0, -1]
[materials.default]
density = 1
[maps]
nodes = 16
theta_nodes = 16
[grains]
hash = {{ radius = 1 }}
[[insert]]
method = "lattice"
grain = "hash"
x = [0, {width}]
y = [1, {height}]
count = {count}
[[walls]]
kind = "half-plane"
point = [0, 0]
normal = [0, 1]
"""

# Software rendering, whatever the machine has.
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing",
             "--disable-dev-shm-usage"]

# Milliseconds a picture while something changes before each of `count`; a pixel is read at the end, so that all are drawn.
PACE = """async ([kind, count]) => {
  const stage = document.getElementById("stage"), scrub = document.getElementById("scrub");
  const gl = stage.querySelector(".grains").getContext("webgl2");
  const box = stage.getBoundingClientRect();
  const pointer = (name, k) => stage.dispatchEvent(new PointerEvent(name, {
    pointerId: 1, clientX: box.x + 300 + 5 * Math.cos(k), clientY: box.y + 300 + 5 * Math.sin(k) }));
  const change = {
    new: (k) => { scrub.value = String(k % (Number(scrub.max) + 1)); scrub.dispatchEvent(new Event("input")); },
    moved: (k) => pointer("pointermove", k),
  }[kind];
  const drawn = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  stage.setPointerCapture = () => {};
  if (kind === "moved") pointer("pointerdown", 0);
  drawn();
  const begin = performance.now();
  for (let k = 0; k < count; ++k) {
    change(k);
    await new Promise((done) => requestAnimationFrame(done));
  }
  drawn();
  const time = performance.now() - begin;
  if (kind === "moved") pointer("pointerup", 0);
  return time / count;
}"""


def processor_time():
    """Seconds of processor time that the browser's processes have used: all that descend from this one."""
    parents, used = {}, {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            fields = status.read_text().rpartition(")")[2].split()
            pid = int(status.parent.name)
            parents[pid], used[pid] = int(fields[1]), int(fields[11]) + int(fields[12])

    def ours(pid):
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
        return pid == os.getpid()

    return sum(ticks for pid, ticks in used.items() if pid != os.getpid() and ours(pid)) / os.sysconf("SC_CLK_TCK")


def measure(page, kind, count=24):
    """Time and processor time a picture, ms."""
    page.evaluate(PACE, [kind, 8])
    page.wait_for_timeout(1000)  # all frames have come
    page.evaluate(PACE, [kind, 8])
    before = processor_time()
    time = page.evaluate(PACE, [kind, count])
    return time, 1000 * (processor_time() - before) / count


@contextlib.contextmanager
def served(program, folder, count):
    """The address at which a run of `count` grains can be seen."""
    width = 2.06 * round((1.45 * count) ** 0.5)
    (folder / "scene.toml").write_text(SCENE.format(count=count, width=width, height=width))
    subprocess.run([program, "run", "scene.toml", "-o", "run", "--quiet"], cwd=folder, check=True)
    with subprocess.Popen([program, "view", "run", "--no-open"], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.send_signal(signal.SIGINT)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default="build/release/apps/scree", type=pathlib.Path)
    options.add_argument("--grains", default=100000, type=int)
    options.add_argument("--zooms", default=[1, 1.5, 2, 4, 16], type=float, nargs="+")
    options.add_argument("--pictures", type=pathlib.Path, help="folder for screenshots")
    options.add_argument("--at-most", type=float, help="ms for a fitted picture")
    options.add_argument("--dark", action="store_true")
    asked = options.parse_args()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        sys.exit("viewer.py: there is no Chromium; scripts/setup --test --browser installs it on Debian")
    with tempfile.TemporaryDirectory() as folder, served(asked.program.resolve(), pathlib.Path(folder), asked.grains) as url, \
            sync_playwright() as api:
        browser = api.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="dark" if asked.dark else "light")
        page.set_default_timeout(120000)
        page.goto(url)
        page.locator("#facts").get_by_text("grains").wait_for()
        fitted = show(page, asked)
        browser.close()
    if asked.at_most and fitted > asked.at_most:
        sys.exit(f"viewer.py: a fitted picture takes {fitted:.0f} ms, more than {asked.at_most:g}")


def show(page, asked):
    """Prints the table; the longer time of the fitted picture."""
    box = page.locator("#stage").bounding_box()
    print(f"{asked.grains} grains, stage of {box['width']:.0f} x {box['height']:.0f} pixels")
    print(" zoom | new: ms, CPU ms | moved: ms, CPU ms")
    first = 0
    for zoom in asked.zooms:
        page.keyboard.press("f")
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.wheel(0, -math.log(zoom) / 0.0016)
        page.wait_for_timeout(500)
        new, new_cpu = measure(page, "new")
        moved, moved_cpu = measure(page, "moved")
        first = first or max(new, moved)
        print(f"{zoom:5g} | {new:7.0f} {new_cpu:7.0f} | {moved:9.0f} {moved_cpu:7.0f}", flush=True)
        if asked.pictures:
            asked.pictures.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=asked.pictures / f"viewer-{zoom:g}{'-dark' if asked.dark else ''}.png")
    return first


if __name__ == "__main__":
    main()
