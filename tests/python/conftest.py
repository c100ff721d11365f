"""What the tests share: runs of small scenes."""

import pytest

# Discs, rings (one hole each) and a body of two parts that never moves, in a box with a thick sill; SI units. Coarse
# maps are built in a moment.
SCENE = """
title = "For other programs"
units = "SI"
[run]
duration = 0.6
frames = 0.06
[step]
dt = 2e-4
[gravity]
g = [0, -9.81]
[maps]
nodes = 32
theta_nodes = 16
[materials.default]
density = 1000
[shapes.pair]
loops = [[[0, 0], [1, 0], [1, 1], [0, 1]], [[2, 0], [3, 0], [3, 1], [2, 1]]]
[grains]
disc = { radius = 0.05 }
ring = { radius = 0.06 }
pair = { radius = 0.05 }
[[bodies]]
grain = "pair"
position = [0, 0.06]
kind = "fixed"
group = "obstacle"
[[insert]]
method = "lattice"
mixture = { disc = 0.5, ring = 0.5 }
x = [-0.2, 0.2]
y = [0.15, 1]
count = 18
[[walls]]
kind = "box"
x = [-0.2, 0.2]
y = [0, 1]
sides = ["left", "right", "bottom"]
[[walls]]
kind = "polyline"
name = "sill"
points = [[-0.1, 1.3], [0.1, 1.3]]
thickness = 0.02
[[measures]]
kind = "packing"
every = 0.15
bins = 4
[[measures]]
kind = "repose"
every = 0.3
"""


@pytest.fixture(scope="session")
def run(scree):
    """The folder of a finished run."""
    (scree.folder / "scene.toml").write_text(SCENE)
    scree("run", "scene.toml", "-o", "out", "--quiet")
    return scree.folder / "out"
