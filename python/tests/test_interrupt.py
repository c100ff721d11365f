"""Ctrl-C, as a process meets it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

running = """
    import sys
    sys.path.insert(0, {tests!r})
    import scree
    from conftest import pile
    sim = scree.Simulation(pile(), threads=1)
    sim.at(0.02, lambda s: print("going", flush=True))
    try:
        sim.run(until=1e5)
    except KeyboardInterrupt:
        now = sim.now
        print("time and steps agree" if abs(sim.time - sim.steps * sim.dt) < 1e-9 else "out of step")
        whole = scree.Simulation(pile(), threads=1).step(sim.steps)
        print("same bits" if whole.state_hash == sim.state_hash else "other bits")
        sim.step(10)
        print("goes on")
"""

building = """
    import scree
    print("going", flush=True)
    letter = scree.Shape.glyph("&")
    try:
        scree.Map.train(letter, samples=10**7, epochs=100, cache=False, threads=1)
    except KeyboardInterrupt:
        print("stopped")
"""


def interrupted(script: str, wait: float) -> str:
    code = textwrap.dedent(script).replace("{tests!r}", repr(str(Path(__file__).parent)))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    assert process.stdout.readline() == "going\n"
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    try:
        said, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    return said


def test_a_run_finishes_its_step() -> None:
    said = interrupted(running, wait=0.3)
    assert said.split("\n") == ["time and steps agree", "same bits", "goes on", ""]


def test_making_a_map_can_be_given_up() -> None:
    assert interrupted(building, wait=0.5) == "stopped\n"


@pytest.mark.parametrize("method", ["run", "step"])
def test_the_handler_is_given_back(method: str) -> None:
    from conftest import falling_disc

    import scree

    before = signal.getsignal(signal.SIGINT)
    sim = scree.Simulation(falling_disc())
    getattr(sim, method)(*((0.01,) if method == "run" else (10,)))
    assert signal.getsignal(signal.SIGINT) is before
