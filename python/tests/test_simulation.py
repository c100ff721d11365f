from __future__ import annotations

import csv
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import falling_disc, pile, repository

import scree


def test_free_fall_is_the_discrete_solution() -> None:
    sim = scree.Simulation(falling_disc()).step(1000)
    assert sim.steps == 1000 and sim.time == pytest.approx(0.1)
    # Symplectic Euler: y = y0 - g dt^2 n (n + 1) / 2.
    assert sim.grains.x[0, 1] == pytest.approx(1 - 10 * 1e-8 * 1000 * 1001 / 2, abs=1e-12)


def test_run_ends_where_the_scene_says_and_goes_on_from_there() -> None:
    sim = scree.Simulation(falling_disc())
    assert sim.run().time == pytest.approx(1.0)
    assert sim.run().steps == 10000  # nothing left to do
    assert sim.run(0.05).steps == 10500
    assert sim.run(until=1.1).steps == 11000
    with pytest.raises(TypeError):
        sim.run(1, until=2)
    with pytest.raises(scree.InputError):
        sim.run(float("nan"))


def test_steps_are_counted_in_whole_numbers() -> None:
    sim = scree.Simulation(falling_disc())
    with pytest.raises(scree.InputError, match="-1 steps"):
        sim.step(-1)
    with pytest.raises(TypeError):
        sim.step(1.5)  # type: ignore[arg-type]
    assert sim.step(0).steps == 0


@pytest.mark.parametrize("dt", [2e-3, 1e-2, 1 / 60])
def test_time_goes_on_whatever_is_due(dt: float) -> None:
    """1.075, where a sample of the series is due, lies half way between two steps of 2e-3."""
    scene = scree.Scene(duration=5, dt=dt, gravity=(0, 0)).material(density=1000)
    scene.grain("disc", radius=0.06)
    scene.insert("lattice", grain="disc", x=(-1, 1), y=(0.1, 2), count=4)
    sim = scree.Simulation(scene)
    assert sim.run(until=3, progress=False).time == pytest.approx(3, abs=dt)
    assert len(sim.series["time"]) == pytest.approx(3 / 0.025, abs=2)


@pytest.mark.parametrize("scene", ["first", "silo"])
def test_same_bits_as_the_program(scene: str, run_program: Callable[..., dict]) -> None:
    file = repository / ("scenes/first.toml" if scene == "first" else "scenes/quick/silo.toml")
    settings = {"maps.nodes": 32, "run.duration": 0.1}
    options = [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]
    record = run_program(file, *options)
    sim = scree.Simulation(scree.Scene.load(file, settings), threads=1).run()
    assert f"{sim.state_hash:016x}" == record["end"]["state_hash"]
    with open(record["folder"] / "series.csv") as lines:
        rows = list(csv.DictReader(lines))
    for name in ("time", "kinetic", "gravity", "elastic", "friction", "grains", "contacts"):
        expected = [float(row[name]) for row in rows]
        assert sim.series[name] == pytest.approx(expected, rel=1e-9, abs=1e-12), name


def test_bits_depend_neither_on_threads_nor_on_how_it_is_stepped() -> None:
    whole = scree.Simulation(pile(), threads=1).run(0.2)
    pieces = scree.Simulation(pile(), threads=2)
    while pieces.steps < whole.steps:
        pieces.step(min(37, whole.steps - pieces.steps))
    assert pieces.state_hash == whole.state_hash


def test_state_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    scene = pile().measure("packing", every=0.05)
    whole = scree.Simulation(scene).run()
    half = scree.Simulation(scene).run(0.2)
    half.save(tmp_path / "half.h5")
    again = scree.Simulation.restore(tmp_path / "half.h5")
    assert again.state_hash == half.state_hash and again.time == half.time
    assert again.run().state_hash == whole.state_hash
    late = whole.series["time"] > half.time + 1e-9
    assert again.series["kinetic"] == pytest.approx(whole.series["kinetic"][late], rel=1e-12)
    assert again.measures["packing"].series["fraction"][-1] == whole.measures["packing"].series["fraction"][-1]


def test_a_state_without_a_step_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(scree.InputError, match="no step"):
        scree.Simulation(pile()).save(tmp_path / "start.h5")
    (tmp_path / "text.h5").write_text("no state")
    with pytest.raises(scree.InputError):
        scree.Simulation.restore(tmp_path / "text.h5")


def test_energy_is_accounted_for() -> None:
    now = scree.Simulation(pile()).run().now
    assert abs(now["relative_residual"]) < 1e-2
    assert now["grains"] == 20


def test_resting_disc_presses_with_its_weight() -> None:
    sim = scree.Simulation(falling_disc()).run(until=6)
    weight = np.pi * 0.1**2 * 10
    (contact,) = sim.contacts
    assert contact["a"] == scree.no_grain and contact["b"] == sim.grains.id[0] and contact["wall"] == 0
    assert contact["normal_force"] == pytest.approx(weight, rel=1e-6)
    assert contact["gap"] == pytest.approx(-weight / 1e4, rel=1e-6)
    assert contact["normal"] == pytest.approx([0, 1])
    assert contact["point"] == pytest.approx([0, 0], abs=1e-3)
    assert sim.walls[0]["name"] == "floor" and sim.walls[0]["normal"] == (0, 1)


def test_contact_forces_carry_the_pile() -> None:
    sim = scree.Simulation(pile()).run(2.0)
    contacts, grains = sim.contacts, sim.grains
    normal = contacts["normal"]
    tangent = np.stack([-normal[:, 1], normal[:, 0]], axis=1)
    force = contacts["normal_force"][:, None] * normal + contacts["tangential_force"][:, None] * tangent
    total = np.zeros((len(grains), 2))
    np.add.at(total, np.searchsorted(grains.id, contacts["b"]), force)
    pairs = contacts["a"] != scree.no_grain
    np.add.at(total, np.searchsorted(grains.id, contacts["a"][pairs]), -force[pairs])
    total[:, 1] -= grains.mass * 9.81
    # With symplectic Euler the forces are those of the last evaluation, as are the contacts.
    assert total == pytest.approx(grains.force, abs=1e-8 * float(grains.mass.max() * 9.81))
    assert (contacts["gap"] < 0).all()
    frame = grains.to_pandas()
    assert frame.index.name == "id" and set(frame["grain"]) == {"disc", "plus"}


def test_the_watchdog_speaks_and_leaves_the_state() -> None:
    sim = scree.Simulation(falling_disc())
    with sim.edit() as grains:
        grains.v[0] = (0, -1e6)
    with pytest.raises(scree.PhysicsError) as caught:
        sim.run()
    assert caught.value.remedy in str(caught.value)
    assert len(sim.grains.x) == 1


def test_other_threads_run_while_it_steps() -> None:
    sim = scree.Simulation(pile(), threads=1)
    counted, stop = 0, False

    def count() -> None:
        nonlocal counted
        while not stop:
            counted += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    before = counted
    # One call into the engine, far longer than the other thread's pauses.
    sim._core.advance(10**9, 1e9, 0.3)
    after = counted
    stop = True
    other.join()
    assert after - before > 20


def test_another_thread_is_refused_while_it_steps() -> None:
    sim = scree.Simulation(pile(), threads=1)
    worker = threading.Thread(target=lambda: sim._core.advance(10**9, 1e9, 0.5))
    worker.start()
    time.sleep(0.1)
    with pytest.raises(RuntimeError, match="another thread"):
        _ = sim.contacts
    worker.join()
    assert len(sim.grains.x) == 20


def test_maps_and_types_are_told() -> None:
    sim = scree.Simulation(pile())
    assert [type.name for type in sim.types] == ["disc", "plus"]
    assert sim.types[0].mass == pytest.approx(1000 * np.pi * 0.05**2, rel=1e-3)
    assert sim.grains.mass[0] in [type.mass for type in sim.types]
    assert {map.kind for map in sim.maps} == {"discs", "table"}
    assert sim.groups == ["grains"] and sim.gravity == (0, -9.81)
    assert set(sim.stage_seconds) >= {"narrow", "walls"}
    assert "20 grains" in repr(sim)
