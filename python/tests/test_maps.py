from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely
from shapely import affinity

import scree

box = scree.Shape.library("box")
hash_ = scree.Shape.library("hash")


def placed(shape: scree.Shape, x: np.ndarray, theta: float) -> shapely.Geometry:
    unit = affinity.scale(shape.to_shapely(), 1 / shape.radius, 1 / shape.radius, origin=(0, 0))
    return affinity.translate(affinity.rotate(unit, theta, origin=(0, 0), use_radians=True), *x)


def test_discs_have_the_closed_form() -> None:
    map = scree.Map.build(scree.Shape.disc(), ratio=0.5)
    found = map([(2.0, 0.0), (0.0, 1.2)], theta=0.3)
    assert found.gap == pytest.approx([0.5, -0.3])
    assert found.normal == pytest.approx(np.array([(1, 0), (0, 1)]))


def test_exact_gap_is_the_distance_that_shapely_finds() -> None:
    map = scree.Map.build(hash_, box, kind="exact", epsilon=0.0)
    rng = np.random.default_rng(1)
    x, theta = rng.uniform(-2, 2, (200, 2)), rng.uniform(-np.pi, np.pi, 200)
    near = np.linalg.norm(x, axis=1) < map.reach
    found = map(x[near], theta[near])
    apart = 0
    for k, (place, angle) in enumerate(zip(x[near], theta[near], strict=True)):
        distance = placed(hash_, np.zeros(2), 0).distance(placed(box, place, angle))
        if distance > 0:
            assert found.gap[k] == pytest.approx(distance, abs=1e-9)
            apart += 1
        else:
            assert found.gap[k] <= 1e-9
    assert apart > 20


def test_gradient_is_the_derivative_of_the_gap() -> None:
    map = scree.Map.build(box, nodes=48)
    rng = np.random.default_rng(2)
    x, theta, h = rng.uniform(-1, 1, (100, 2)), rng.uniform(-3, 3, 100), 1e-6
    found = map(x, theta)
    by_theta = (map(x, theta + h).gap - map(x, theta - h).gap) / (2 * h)
    assert found.gap_theta == pytest.approx(by_theta, abs=1e-5)
    for axis in range(2):
        shift = h * np.eye(2)[axis]
        slope = (map(x + shift, theta).gap - map(x - shift, theta).gap) / (2 * h)
        assert found.gap_x[:, axis] == pytest.approx(slope, abs=1e-5)


def test_many_poses_at_once_are_the_poses_one_by_one() -> None:
    map = scree.Map.build(box, nodes=32)
    x, theta = np.random.default_rng(3).uniform(-1, 1, (7, 5, 2)), np.linspace(0, 1, 5)
    many = map(x, theta, threads=2)
    assert many.gap.shape == (7, 5) and many.gap_x.shape == (7, 5, 2)
    for i in range(7):
        for j in range(5):
            one = map(x[i, j], theta[j])
            assert one.gap == many.gap[i, j] and one.arm == many.arm[i, j]
    assert map((0.2, 0.1)).gap.shape == ()
    with pytest.raises(scree.InputError, match="last axis must be x, y"):
        map([1.0, 2.0, 3.0])


def test_save_and_load_keep_the_bits(tmp_path: Path) -> None:
    map = scree.Map.build(box, nodes=32, cache=False)
    map.save(tmp_path / "box.safetensors")
    again = scree.Map.load(tmp_path / "box.safetensors")
    x = np.random.default_rng(4).uniform(-1, 1, (50, 2))
    assert np.array_equal(map(x, 0.2).gap, again(x, 0.2).gap)
    assert again.error == map.error and again.settings == map.settings and again.names == ("box", "box")
    assert again.settings["nodes"] == 32


def test_cache_folder(tmp_path: Path) -> None:
    scree.Map.build(box, nodes=32, cache=tmp_path / "maps")
    assert len(list((tmp_path / "maps").iterdir())) == 1


def test_exact_maps_are_not_stored(tmp_path: Path) -> None:
    with pytest.raises(scree.InputError):
        scree.Map.build(box, kind="exact").save(tmp_path / "box.safetensors")
    with pytest.raises(scree.FileError):
        scree.Map.load(tmp_path / "none.safetensors")


def test_training() -> None:
    net = scree.Map.train(box, net="relu-3x32", samples=20000, epochs=2, cache=False, threads=1)
    assert net.kind == "neural" and net.smoothness == 0
    assert 0 < net.error.gap_rmse < 0.2  # two epochs of a small net; a map that says nothing is at about 0.5
    assert net.error.samples > 0
    assert net.settings["epochs"] == 2


def test_settings_are_checked_by_name() -> None:
    with pytest.raises(scree.InputError, match=r"maps\.nodes.*16 to 1024"):
        scree.Map.build(box, nodes=3)
    with pytest.raises(scree.InputError, match="node"):
        scree.Map.build(box, node=64)
    with pytest.raises(scree.InputError, match="ratio"):
        scree.Map.build(box, ratio=-1)


def test_a_report_that_fails_ends_the_build() -> None:
    def fail(fraction: float, stage: str) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        scree._core.Map.build(hash_._core, hash_._core, 1.0, "[maps]\nnodes = 200", "test", None, 2, fail)
