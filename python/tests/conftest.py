"""What the tests share: a map cache of their own, the program to compare with, and small scenes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import matplotlib
import pytest

import scree

matplotlib.use("Agg")
repository = Path(__file__).parents[2]


@pytest.fixture(scope="session", autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """For this process and those it starts, wherever they work."""
    os.environ["SCREE_CACHE"] = str(tmp_path_factory.mktemp("maps"))
    os.environ["PYTHONPATH"] = str(Path(scree.__file__).parents[1])


@pytest.fixture(scope="session")
def program() -> str:
    """The command line program of the same build."""
    path = os.environ.get("SCREE_PROGRAM", str(repository / "build/release/apps/scree"))
    if not Path(path).exists():
        pytest.fail(f"there is no program {path}: build it, or set SCREE_PROGRAM")
    return path


@pytest.fixture
def run_program(program: str, tmp_path: Path) -> Callable[..., dict]:
    """Runs a scene with the program; returns run.json with the folder beside it."""

    def run(scene: Path, *options: str) -> dict:
        folder = tmp_path / "run"
        subprocess.run([program, "run", str(scene), "-o", str(folder), "--quiet", "--threads", "1", *options], check=True)
        return {**json.loads((folder / "run.json").read_text()), "folder": folder}

    return run


def falling_disc(**options: object) -> scree.Scene:
    """One disc of radius 0.1 at height 1 over a floor, without friction. Its mass is 0.1^2 pi."""
    scene = scree.Scene(duration=1.0, dt=1e-4, gravity=(0, -10.0))
    scene.material(density=1.0, friction=0.0, stiffness=1e4, restitution=0.5)
    scene.grain("disc", radius=0.1).body("disc", position=(0, 1.0)).wall("half-plane", name="floor")
    return scene.set("step", **options) if options else scene


def pile(count: int = 20) -> scree.Scene:
    """Discs and crosses in a box; coarse maps, so that they are made at once."""
    scene = scree.Scene(title="A pile", duration=0.4, dt=2e-4, gravity=(0, -9.81))
    scene.set("maps", nodes=32).set("run", series=0.02)
    scene.material(density=1000.0, friction=0.4, restitution=0.2)
    scene.grain("disc", radius=0.05).grain("plus", shape="cross", radius=0.07)
    scene.insert("lattice", mixture={"disc": 0.5, "plus": 0.5}, x=(-0.5, 0.5), y=(0.1, 1.5), count=count)
    return scene.wall("box", name="box", x=(-0.5, 0.5), y=(0, 3), sides=["left", "right", "bottom"])


def rain(rate: float = 200.0) -> scree.Scene:
    """Discs that come one by one."""
    scene = scree.Scene(duration=1.0, dt=1e-4, gravity=(0, -10.0)).material(stiffness=1e4)
    scene.grain("disc", radius=0.05)
    scene.insert("rain", grain="disc", x=(-1, 1), y=(1, 2), rate=rate, velocity=(0, -1))
    return scene.wall("half-plane", name="floor")
