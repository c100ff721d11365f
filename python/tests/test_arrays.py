"""Arrays of the state: no copies, no dangling, and the way to write."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from conftest import falling_disc, pile, rain

import scree

names = ["id", "type", "group", "kind", "x", "theta", "v", "omega", "force", "torque", "image"]


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("name", names)
def test_arrays_are_the_memory_of_the_simulation(name: str) -> None:
    sim = scree.Simulation(pile())
    array = getattr(sim.grains, name)
    assert len(array) == 20
    assert address(array) == address(getattr(sim.grains, name))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    sim.step(50)
    assert address(array) == address(getattr(sim.grains, name))
    assert np.array_equal(array, getattr(sim.grains, name))


def test_they_follow_the_steps() -> None:
    sim = scree.Simulation(falling_disc())
    x = sim.grains.x
    sim.step(100)
    assert x[0, 1] < 1


def test_they_outlive_the_simulation() -> None:
    sim = scree.Simulation(falling_disc())
    x, v = sim.grains.x, sim.grains.v[:, 1]
    sim.step(100)
    height, speed = x[0, 1], v[0]
    del sim
    gc.collect()
    waste = [np.full(1000, 7.0) for _ in range(1000)]  # would land in memory that was given back
    assert x[0, 1] == height and v[0] == speed
    del waste


def test_when_grains_come_an_array_keeps_what_it_saw() -> None:
    sim = scree.Simulation(rain())
    while len(sim.grains) < 3:
        sim.step()
    held = {name: getattr(sim.grains, name) for name in names}
    inner = held["x"][1:]
    count = len(sim.grains)
    while len(sim.grains) == count:
        before = {name: array.copy() for name, array in held.items()}
        sim.step()
    for name, array in held.items():
        assert len(array) == count and len(getattr(sim.grains, name)) == count + 1
        assert np.array_equal(array, before[name]), name
    # Many more come: the memory of all arrays moves again and again.
    sim.run(0.5)
    waste = [np.full(100, 7.0) for _ in range(10000)]
    assert all(np.array_equal(array, before[name]) for name, array in held.items())
    assert np.array_equal(inner, before["x"][1:])
    del waste


def test_while_nobody_comes_arrays_stay_current_in_a_scene_with_rain() -> None:
    sim = scree.Simulation(rain(rate=10))
    sim.run(until=0.12)
    x = sim.grains.x
    assert len(x) == 1
    sim.run(until=0.15)
    assert np.array_equal(x, sim.grains.x) and address(x) == address(sim.grains.x)


def test_when_grains_go_an_array_keeps_what_it_saw() -> None:
    scene = falling_disc().delete(y=(-10, 0.5))
    sim = scree.Simulation(scene)
    x = sim.grains.x
    sim.run(0.5)
    assert len(sim.grains) == 0 and sim.deleted == 1
    assert sim.grains.x.shape == (0, 2)
    assert 0.49 < x[0, 1] < 0.5  # where it was when it was taken away
    assert len(sim.contacts) == 0


def test_looking_does_not_change_the_bits() -> None:
    alone, watched = scree.Simulation(rain()), scree.Simulation(rain())
    alone.run(0.1)
    held = []
    while watched.steps < alone.steps:
        held.append(watched.grains.x)
        watched.step(10)
    assert watched.state_hash == alone.state_hash


def test_dlpack_shares_the_memory() -> None:
    sim = scree.Simulation(pile())
    for name in ("x", "theta", "v", "omega", "force", "torque"):
        shared = np.from_dlpack(sim.grains.dlpack(name))
        assert address(shared) == address(getattr(sim.grains, name))
    x = np.from_dlpack(sim.grains.dlpack("x"))
    place = sim.grains.x.copy()
    del sim
    gc.collect()
    assert np.array_equal(x, place)
    with pytest.raises(KeyError):
        scree.Simulation(pile()).grains.dlpack("colour")


def test_numpy_arrays_go_through_dlpack_too() -> None:
    sim = scree.Simulation(pile())
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("NumPy before 2.1 does not hand on arrays that are read-only")
    assert address(np.from_dlpack(sim.grains.x)) == address(sim.grains.x)


# ---- edit


@pytest.mark.parametrize("integrator", ["symplectic-euler", "velocity-verlet"])
def test_edit_moves_and_the_physics_follows(integrator: str) -> None:
    sim = scree.Simulation(falling_disc(integrator=integrator)).run(0.1)
    with sim.edit() as grains:
        grains.x[0] = (5, 0.0999)  # on the floor: a contact that no list knew
        grains.v[:] = 0
        grains.theta[0], grains.omega[0] = 1.0, 3.0
    assert sim.grains.x[0].tolist() == [5, 0.0999]
    assert len(sim.contacts) == 1
    assert sim.contacts["gap"][0] == pytest.approx(-1e-4)
    sim.step()
    # The floor pushes: k times overlap over mass, less gravity.
    mass = np.pi * 0.01
    assert sim.grains.v[0, 1] == pytest.approx(1e-4 * (1e4 * 1e-4 / mass - 10), rel=1e-2)
    assert sim.grains.theta[0] == pytest.approx(1.0 + 3e-4)
    residual = sim.run(0.5).now["relative_residual"]
    assert abs(residual) < 1e-3  # the ledger knows what the edit brought


def test_edit_finds_pairs_far_from_any_list() -> None:
    scene = scree.Scene(duration=1, dt=1e-4).material(stiffness=1e4).grain("disc", radius=0.1)
    sim = scree.Simulation(scene.body("disc", positions=[[0, 0], [3, 0]])).step(10)
    with sim.edit() as grains:
        grains.x[1] = (0.199, 0)
    assert sim.contacts["gap"] == pytest.approx([-0.001])
    assert sim.run(0.2).grains.v[1, 0] > 0


def test_an_edit_that_changes_nothing_changes_no_bit() -> None:
    for integrator in ("symplectic-euler", "velocity-verlet"):
        scene = pile().set("step", integrator=integrator)
        plain, edited = scree.Simulation(scene).run(0.3), scree.Simulation(scene).run(0.2)
        with edited.edit() as grains:
            grains.x += 0.0
        assert edited.run(0.1).state_hash == plain.state_hash, integrator


def test_an_edit_that_fails_leaves_everything() -> None:
    sim = scree.Simulation(pile()).run(0.1)
    before = sim.state_hash
    with pytest.raises(ZeroDivisionError), sim.edit() as grains:
        grains.x[:] = 0
        _ = 1 / 0
    with pytest.raises(scree.InputError, match="id 3 is not finite"), sim.edit() as grains:
        grains.v[3, 0] = np.nan
    with pytest.raises(ValueError, match="shape"), sim.edit() as grains:
        grains.x = grains.x[:-1]
    assert sim.state_hash == before


def test_no_step_inside_an_edit() -> None:
    sim = scree.Simulation(pile())
    with pytest.raises(RuntimeError, match="edit"), sim.edit():
        sim.step()
    sim.step()


def test_periodic_places_are_wrapped() -> None:
    scene = scree.Scene(duration=1, dt=1e-4).set("periodic", x=(0, 1)).grain("disc", radius=0.1)
    sim = scree.Simulation(scene.material(stiffness=1e4).body("disc", position=(0.5, 0)))
    with sim.edit() as grains:
        grains.x[0, 0] = 1.25
    assert sim.grains.x[0, 0] == pytest.approx(0.25) and sim.grains.image[0, 0] == 1
