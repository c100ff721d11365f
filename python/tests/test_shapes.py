from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely
from conftest import repository

import scree


def test_square_has_the_mass_properties_of_the_closed_form() -> None:
    square = scree.Shape.polygon([(0, 0), (2, 0), (2, 2), (0, 2)], name="square")
    assert square.area == pytest.approx(4)
    assert square.polar_moment == pytest.approx(2**4 / 6)
    assert square.radius == pytest.approx(np.sqrt(2))
    assert square.symmetry == 4
    assert square.thinnest == pytest.approx(2, rel=1e-3)
    assert np.concatenate(square.loops).mean(axis=0) == pytest.approx([0, 0])


def test_a_hole_takes_its_area_whichever_way_it_turns() -> None:
    rim, hole = [(0, 0), (4, 0), (4, 4), (0, 4)], [(1, 1), (3, 1), (3, 3), (1, 3)]
    for way in (1, -1):
        frame = scree.Shape.polygon(rim, holes=[hole[::way]])
        assert frame.area == pytest.approx(12)
        assert len(frame.loops) == 2


def test_every_recipe_of_the_library() -> None:
    for recipe in scree.recipes():
        shape = scree.Shape.library(recipe.name, **recipe.parameters)
        assert shape.area > 0, recipe.name
        # The convex pieces cover the solid.
        cover = shapely.union_all([shapely.Polygon(piece) for piece in shape.pieces])
        assert cover.symmetric_difference(shape.to_shapely()).area < 1e-6 * shape.area, recipe.name


def test_glyph_height_is_that_of_a_capital() -> None:
    letter = scree.Shape.glyph("H", height=0.7)
    height = np.ptp(np.concatenate(letter.loops)[:, 1])
    assert height == pytest.approx(0.7, rel=1e-3)
    assert len(scree.Shape.glyph("B").loops) == 3  # two holes


def test_svg_element() -> None:
    gear = scree.Shape.svg(repository / "scenes/shapes/gear.svg")
    assert gear.name == "gear"
    assert gear.area > 0


def test_shapely_there_and_back() -> None:
    polygon = shapely.Point(3, 4).buffer(1).difference(shapely.box(2.8, 3.8, 3.2, 4.2))
    shape = scree.Shape.from_geometry(polygon, name="washer")
    back = shapely.affinity.translate(shape.to_shapely(), polygon.centroid.x, polygon.centroid.y)
    assert back.symmetric_difference(polygon).area < 1e-9
    two = shapely.union(shapely.box(0, 0, 1, 1), shapely.box(2, 0, 3, 1))
    assert scree.Shape.from_geometry(two).area == pytest.approx(2)


def test_geometry_without_area_is_refused() -> None:
    with pytest.raises(scree.InputError, match=r"LineString.*no area"):
        scree.Shape.from_geometry(shapely.LineString([(0, 0), (1, 1)]))


def test_stars() -> None:
    flower = scree.Shape.fourier([1.0, 0, 0, 0.2], name="flower")
    radii = np.linalg.norm(flower.loops[0], axis=1)
    assert (radii.min(), radii.max()) == (pytest.approx(0.8, abs=2e-3), pytest.approx(1.2, abs=2e-3))
    assert scree.Shape.radii([1.0] * 12).area == pytest.approx(np.pi, rel=5e-3)


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ([(0, 0), (1, 1), (1, 0), (0, 1)], "bow"),
        ([(0, 0), (1, 0)], "bow"),
        ([(0, 0), (1, 0), (np.nan, 1)], "bow"),
    ],
)
def test_what_cannot_be_a_grain_is_named(points: list[tuple[float, float]], says: str) -> None:
    with pytest.raises(scree.InputError) as caught:
        scree.Shape.polygon(points, name="bow")
    assert says in str(caught.value)
    assert caught.value.problem in str(caught.value)


def test_points_of_another_shape() -> None:
    with pytest.raises(scree.InputError, match=r"\(3, 3\), not \(n, 2\)"):
        scree.Shape.polygon(np.zeros((3, 3)))


@pytest.mark.parametrize(
    "shape",
    [
        scree.Shape.polygon([(0, 0), (1, 0), (0, 1)]),
        scree.Shape.glyph("&", height=0.3),
        scree.Shape.library("hash", radius=0.4),
        scree.Shape.disc(0.2),
        scree.Shape.svg(repository / "scenes/shapes/gear.svg"),
        scree.Shape.fourier([1, 0, 0.2]),
        scree.Shape.radii([1, 1.1, 1, 1.1, 1, 1.1]),
    ],
    ids=lambda shape: shape.name,
)
def test_a_scene_makes_the_same_shape_of_its_source(shape: scree.Shape, tmp_path: Path) -> None:
    scene = scree.Scene(duration=1, dt=1e-4).grain("mine", shape, scale=1).body("mine", position=(0, 0))
    (found,) = scree.Simulation(scene).types
    assert found.shape._core.hash == shape._core.hash
    assert found.radius == pytest.approx(shape.radius)
