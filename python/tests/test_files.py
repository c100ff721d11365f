from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import pile, rain, repository

import scree


def test_a_recorded_run_reads_back(tmp_path: Path) -> None:
    sim = scree.Simulation(rain())
    sim.record(tmp_path / "rain.h5", every=0.05)
    seen: list[np.ndarray] = []
    sim.every(0.05, lambda s: seen.append(s.grains.x.copy()))
    sim.run(0.2)
    trajectory = scree.Trajectory(tmp_path / "rain.h5")
    assert len(trajectory) == 5
    assert trajectory.times == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
    for frame, x in zip(trajectory, seen, strict=True):
        assert np.array_equal(frame.x, x)
    assert trajectory[-1].step == 2000 and trajectory.types == ["disc"]
    with pytest.raises(IndexError):
        trajectory[5]


def test_the_program_takes_a_trajectory_of_python(tmp_path: Path, program: str) -> None:
    sim = scree.Simulation(pile())
    sim.record(tmp_path / "pile.h5")
    sim.run(0.1)
    said = subprocess.run(
        [program, "measure", str(tmp_path / "pile.h5"), "-m", "packing"], check=True, capture_output=True, text=True
    ).stdout
    record = scree.Trajectory(tmp_path / "pile.h5").measure("packing")
    assert f"{record.series['fraction'][-1]:.3f}"[:4] in said
    assert record.series.rows == len(scree.Trajectory(tmp_path / "pile.h5"))


def test_python_takes_the_folder_of_a_run(tmp_path: Path, program: str) -> None:
    pile().save(tmp_path / "pile.toml")
    subprocess.run([program, "run", tmp_path / "pile.toml", "-o", tmp_path / "run", "--quiet"], check=True)
    trajectory = scree.Trajectory(tmp_path / "run")
    sim = scree.Simulation(pile()).run()
    assert np.array_equal(trajectory[-1].x, sim.grains.x)
    assert scree.Simulation.restore(tmp_path / "run" / "state.h5").state_hash == sim.state_hash


def test_files_of_shapes_go_along_with_a_state(tmp_path: Path) -> None:
    gear = scree.Shape.svg(repository / "scenes/shapes/gear.svg")
    scene = scree.Scene(duration=1, dt=1e-4).grain("gear", gear, radius=0.1).body("gear", position=(0, 0))
    sim = scree.Simulation(scene).step(3)
    sim.save(tmp_path / "gear.h5")
    assert scree.Simulation.restore(tmp_path / "gear.h5").state_hash == sim.state_hash


def test_no_trajectory_there(tmp_path: Path) -> None:
    with pytest.raises(scree.Error):
        scree.Trajectory(tmp_path / "none.h5")
