from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import pile, repository

import scree
from scree._toml import toml_text

scenes = sorted((repository / "scenes").glob("*.toml"))


@pytest.mark.parametrize("file", scenes, ids=lambda file: file.stem)
def test_every_scene_file_goes_round(file: Path, tmp_path: Path) -> None:
    scene = scree.Scene.load(file)
    assert scene.text == file.read_text()
    rewritten = scree.Scene.parse(toml_text(scene.tree), file.parent)
    assert rewritten == scene
    assert rewritten.check().dt == scene.check().dt
    scene.save(tmp_path / "copy.toml")
    assert scree.Scene.load(tmp_path / "copy.toml").check().duration == scene.check().duration


def test_built_in_python_is_as_written_in_toml() -> None:
    built = scree.Scene(title="Two", duration=np.float64(2), dt=1e-4, gravity=(0, -9.81), seed=7)
    built.material("steel", density=7800).grain("ring", shape="ring", radius=0.1)
    built.insert("lattice", grain="ring", x=np.array([0, 1]), y=(0, 1), count=np.int64(4))
    built.wall("segment", from_=(0, 0), to=(1, 0)).event(1, "set-gravity", gravity=[1, 0])
    text = """
        title = "Two"
        run = { duration = 2.0, seed = 7 }
        step.dt = 1e-4
        gravity.g = [0, -9.81]
        [materials.steel]
        density = 7800
        [grains.ring]
        shape = "ring"
        radius = 0.1
        [[insert]]
        method = "lattice"
        grain = "ring"
        x = [0, 1]
        y = [0, 1]
        count = 4
        [[walls]]
        kind = "segment"
        from = [0, 0]
        to = [1, 0]
        [[events]]
        time = 1
        action = "set-gravity"
        gravity = [1, 0]
    """
    assert built == scree.Scene.parse(text)
    assert scree.Scene.parse(built.text) == built


def test_files_go_along_when_a_scene_is_saved(tmp_path: Path) -> None:
    gear = scree.Shape.svg(repository / "scenes/shapes/gear.svg")
    scene = scree.Scene(duration=1, dt=1e-4).grain("gear", gear, radius=0.1).body("gear", position=(0, 0))
    scene.save(tmp_path / "gears.toml")
    assert (tmp_path / "gear.svg").exists()
    again = scree.Scene.load(tmp_path / "gears.toml")
    assert again.tree["shapes"]["gear"]["svg"] == "gear.svg"
    assert again.changed({"grains.gear.radius": 0.2}).check().warnings == again.check().warnings


def test_changed_leaves_the_original_alone() -> None:
    scene = pile()
    other = scene.changed({"materials.default.friction": 0.1, "insert[0].count": 5, "walls[box].sides": ["bottom"]})
    assert other.tree["materials"]["default"]["friction"] == 0.1
    assert other.tree["insert"][0]["count"] == 5
    assert other.tree["walls"][0]["sides"] == ["bottom"]
    assert scene == pile()
    with pytest.raises(scree.InputError, match="walls"):
        scene.changed({"walls[nowhere].tilt": 0.1})


def test_an_error_has_the_text_of_the_program(tmp_path: Path, program: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(pile().text.replace("friction", "frictoin"))
    said = subprocess.run([program, "check", str(file)], capture_output=True, text=True).stderr
    with pytest.raises(scree.InputError) as caught:
        scree.Scene.load(file)
    assert str(caught.value) in said.replace("scree: ", "").replace("error: ", "")
    assert "frictoin" in str(caught.value) and "did you mean" in caught.value.remedy
    assert caught.value.where.startswith(f"{file}:")
    with pytest.raises(ValueError):
        scree.Simulation(file)


def test_an_error_of_a_changed_scene_does_not_claim_a_line_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "good.toml"
    pile().save(file)
    changed = scree.Scene.load(file).changed({"materials.default.friction": 0.1})
    changed.tree["materials"]["default"]["friction"] = -1
    with pytest.raises(scree.InputError) as caught:
        changed.check()
    assert caught.value.where.startswith(f"{file} as changed:")


def test_an_error_of_a_built_scene_names_the_field() -> None:
    with pytest.raises(scree.InputError, match=r"walls\[0\]\.kind"):
        scree.Scene(duration=1, dt=1e-4).wall("hole").check()
    with pytest.raises(scree.InputError, match=r"insert\.x: cannot be object"):
        scree.Scene().insert("lattice", x=object())
    with pytest.raises(scree.FileError, match="no such file"):
        scree.Scene.load("nowhere.toml")


def test_check_tells_the_step() -> None:
    scene = scree.Scene(duration=1).material(stiffness=1e5).grain("disc", radius=0.1)
    check = scene.body("disc", position=(0, 0)).check()
    assert 0 < check.dt == check.dt_advised < check.dt_limit
