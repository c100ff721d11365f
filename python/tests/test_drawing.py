from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import falling_disc, pile, repository

import scree


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def test_every_grain_is_drawn_where_it_is() -> None:
    sim = scree.Simulation(pile()).run()
    ax = sim.draw(colour="speed", forces=True)
    paths = ax.collections[0].get_paths()
    assert len(paths) == len(sim.grains)
    for path, x, radius in zip(paths, sim.grains.x, sim.grains.radius, strict=True):
        distance = np.linalg.norm(path.vertices - x, axis=1)
        assert distance.max() == pytest.approx(radius, rel=1e-3)
    lines = ax.collections[1].get_segments()
    assert len(lines) == int((sim.contacts["normal_force"] > 0).sum())
    assert ax.get_aspect() == 1


def test_a_hole_is_seen_through() -> None:
    scene = scree.Scene(duration=1, dt=1e-4).grain("ring", radius=1).body("ring", position=(0, 0))
    figure, ax = plt.subplots(figsize=(2, 2), dpi=50)
    ax.set_axis_off()
    scree.Simulation(scene).draw(ax)
    figure.subplots_adjust(0, 0, 1, 1)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]
    middle = np.array(pixels.shape[:2]) // 2
    assert (pixels[middle[0], middle[1]] == 255).all()
    assert (pixels[middle[0]] < 255).any()


@pytest.mark.parametrize("colour", ["type", "group", "speed", "force", "angle"])
def test_colourings(colour: str) -> None:
    sim = scree.Simulation(pile()).run(0.2)
    ax = sim.draw(colour=colour)
    assert len(ax.figure.axes) == (1 if colour in ("type", "group") else 2)  # a colour bar is axes of its own


def test_own_numbers_as_colour() -> None:
    sim = scree.Simulation(pile())
    ax = sim.draw(colour=np.arange(20.0))
    assert ax.collections[0].get_array().tolist() == list(range(20))
    with pytest.raises(scree.InputError, match="20 grains"):
        sim.draw(colour=[1.0, 2.0])
    with pytest.raises(scree.InputError, match="known: type, group"):
        sim.draw(colour="weight")


def test_every_kind_of_wall() -> None:
    scene = falling_disc()
    scene.wall("circle-inside", radius=5).wall("circle-outside", centre=(3, 0), radius=0.5)
    scene.wall("segment", from_=(-2, 2), to=(-1, 2)).wall("polyline", points=[(1, 3), (2, 3), (2, 2)], closed=True)
    scene.wall("outline", shape="star", size=0.3, position=(-3, 1), name="gone")
    sim = scree.Simulation(scene)
    ax = sim.draw()
    assert len(ax.patches) == 5 and len(ax.lines) == 1
    sim.schedule(0, "remove-wall", "gone")  # the first step has begun: at the start of the second
    assert len(sim.step(2).draw().patches) == 4
    assert len(sim.draw(walls=False).patches) == 0


def test_shape_draws_itself() -> None:
    letter = scree.Shape.glyph("R")
    (patch,) = letter.draw(facecolor="red").patches
    assert patch.get_path().vertices.shape[1] == 2
    assert letter._repr_svg_().startswith("<svg")


def png_size(data: bytes) -> tuple[int, int]:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_picture_and_display(tmp_path: Path) -> None:
    sim = scree.Simulation(repository / "scenes/first.toml")
    data = sim.picture(tmp_path / "pile.png", colour="speed", forces=True, width=400)
    assert png_size(data)[0] == 400 and (tmp_path / "pile.png").read_bytes() == data
    assert max(png_size(sim.picture())) == 1280  # where [render] says nothing
    html = sim._repr_html_()
    assert "A first pile" in html and "data:image/png;base64," in html
    with pytest.raises(scree.InputError, match=r"colou?r"):
        sim.picture(colour="weight")
    sim.record(tmp_path / "t.h5")
    sim.run(0.05)
    assert png_size(scree.Trajectory(tmp_path / "t.h5").picture(0, width=300))[0] == 300


@pytest.mark.parametrize(
    ("package", "action"),
    [
        ("matplotlib", lambda: scree.Shape.disc().draw()),
        ("pandas", lambda: scree.Table.from_rows(["time"], [[1.0]]).to_pandas()),
        ("shapely", lambda: scree.Shape.disc().to_shapely()),
        ("tqdm", lambda: scree.Simulation(falling_disc()).run(0.01, progress=True)),
    ],
)
def test_a_missing_package_is_named(
    package: str, action: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install {package}.*scree\\["):
        action()


def test_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    sim = scree.Simulation(falling_disc())
    sim.run(0.1, progress=True)
    shown = capsys.readouterr().err
    assert "100%" in shown and "grains=1" in shown and "t=0.1" in shown
    sim.run(0.1, progress=False)
    sim.run(0.1)  # nobody watches a captured stream
    assert capsys.readouterr().err == ""
