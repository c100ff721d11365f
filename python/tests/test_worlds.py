from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import falling_disc, pile

import scree

devices = pytest.mark.parametrize("device", ["cpu", "serial"])


def shaken_pile() -> scree.Scene:
    """The pile in a box with a bar in it that can be driven."""
    return pile().wall("polyline", points=[(-0.2, 0.0), (0.2, 0.0)], thickness=0.04, name="bar")


@devices
def test_arrays_are_worlds_by_grains_by_three(device: str) -> None:
    worlds = scree.Worlds(pile(), 4, device=device)
    assert len(worlds) == 4 and worlds.device == device
    worlds.step(50)
    for rows in (worlds.places, worlds.velocities):
        assert rows.shape == (4, worlds.bodies, 3) and rows.dtype == np.float64
        assert (rows == rows[0]).all()
    assert worlds.type.shape == (4, worlds.bodies) and worlds.group.shape == (worlds.bodies,)
    assert worlds.types == ["disc", "plus"] and worlds.groups == ["grains"]
    assert worlds.steps.tolist() == [50] * 4
    assert worlds.time == pytest.approx(50 * worlds.dt)
    assert worlds.running.all() and worlds.faults == []


def test_on_the_cpu_a_world_is_a_simulation() -> None:
    worlds = scree.Worlds(pile(), 2, device="cpu", threads=2).step(300)
    sim = scree.Simulation(pile()).step(300)
    assert np.array_equal(worlds.places[1, :, :2], sim.grains.x)
    assert np.array_equal(worlds.velocities[1, :, 2], sim.grains.omega)
    assert worlds.state_hash(1) == sim.state_hash
    assert np.array_equal(worlds.contacts(1), sim.contacts)


def test_devices_agree() -> None:
    places = [
        scree.Worlds(pile(), 1, device=device, precision="double").step(100).places for device in ("cpu", "serial")
    ]
    assert np.abs(places[0] - places[1]).max() < 1e-9


@devices
def test_seeds_fill_anew(device: str) -> None:
    worlds = scree.Worlds(pile(), 3, device=device, seeds=[5, 6, 5])
    assert (worlds.places[0] == worlds.places[2]).all()
    assert (worlds.places[0] != worlds.places[1]).any()


@devices
def test_each_world_is_driven_by_itself(device: str) -> None:
    worlds = scree.Worlds(shaken_pile(), 3, device=device)
    worlds.drive("bar", velocity=[[0, 0], [0, 0.1], [0.1, 0]], omega=[0, 0, 1])
    worlds.set_gravity((0, -5), worlds=[1])
    worlds.step(100)
    bars = [next(w for w in worlds.walls(k) if w["name"] == "bar") for k in range(3)]
    t = 100 * worlds.dt
    positions = np.array([bar["position"] for bar in bars])
    assert positions == pytest.approx(np.array([(0, 0), (0, 0.1 * t), (0.1 * t, 0)]))
    assert [bar["angle"] for bar in bars] == pytest.approx([0, 0, t])
    assert bars[2]["velocity"] == pytest.approx((0.1, 0)) and bars[2]["omega"] == 1
    assert worlds.state_hash(1) != worlds.state_hash(0)  # by its gravity: no grain has met a bar yet
    worlds.drive("bar", worlds=np.array([False, True, True]))
    worlds.drive("bar", position=(0, 0.001), worlds=1)
    worlds.step(10)
    assert worlds.walls(1)[-1]["position"] == (0, 0.001)
    assert worlds.walls(2)[-1]["position"] == pytest.approx((0.1 * t, 0))


@devices
def test_reset_and_keep(device: str) -> None:
    worlds = scree.Worlds(pile(), 3, device=device, seeds=[1, 2, 3])
    start = worlds.places.copy()
    worlds.step(40)
    state = worlds.keep(0)
    middle = worlds.state_hash(0)
    worlds.reset([1])
    assert (worlds.places[1] == start[1]).all() and (worlds.places[0] != start[0]).any()
    assert worlds.steps.tolist() == [40, 0, 40]
    worlds.reset(worlds=[False, False, True], state=state)
    assert worlds.state_hash(2) == middle
    worlds.step(20)
    assert worlds.state_hash(2) == worlds.state_hash(0)
    worlds.reset()
    assert (worlds.places == start).all()


@devices
def test_a_fault_names_its_world_and_stays_there(device: str) -> None:
    scene = falling_disc().set("bounds", x=(-1, 1), y=(-1, 2))
    worlds = scree.Worlds(scene, 3, device=device)
    worlds.set_gravity((500, 0), worlds=1)
    worlds.step(3000)
    assert worlds.running.tolist() == [True, False, True]
    (fault,) = worlds.faults
    assert fault.world == 1 and 0 < fault.step < 3000 and fault.time == pytest.approx(fault.step * worlds.dt)
    assert isinstance(fault.error, scree.PhysicsError) and "world 1, t = " in str(fault.error)
    assert "left the bounds" in fault.error.problem
    assert worlds.steps.tolist() == [3000, fault.step, 3000]
    assert "1 standing still" in repr(worlds)
    assert len(worlds.contacts(1)) == 0
    with pytest.raises(scree.InputError, match="stands still"):
        worlds.keep(1)
    worlds.reset(~worlds.running)
    worlds.step(3000)
    assert worlds.running.all() and worlds.state_hash(1) == worlds.step(0).state_hash(1)


def test_kinematic_groups_are_driven() -> None:
    scene = scree.Scene(duration=1, dt=2e-4, gravity=(0, 0)).material(stiffness=1e4).grain("disc", radius=0.1)
    scene.body("disc", position=(0, 0)).body("disc", position=(2, 0), kind="kinematic", group="arm")
    for device in ("cpu", "serial"):
        worlds = scree.Worlds(scene, 2, device=device)
        worlds.drive("arm", velocity=[[0, 1], [-1, 0]])
        worlds.step(2500)
        assert worlds.places[:, 1, :2] == pytest.approx(np.array([[2, 0.5], [1.5, 0]]))


def test_what_is_wrong_is_said() -> None:
    worlds = scree.Worlds(shaken_pile(), 2, device="serial")
    with pytest.raises(scree.InputError, match="did you mean 'bar'"):
        worlds.drive("bra")
    with pytest.raises(scree.InputError, match="velocity: has shape"):
        worlds.drive("bar", velocity=np.zeros((3, 2)))
    with pytest.raises(scree.InputError, match="mask has shape"):
        worlds.reset(np.array([True]))
    with pytest.raises(scree.InputError, match="there is no world 2"):
        worlds.reset([2])
    with pytest.raises(scree.InputError, match="there is no state 7"):
        worlds.reset(state=7)
    with pytest.raises(scree.InputError, match="whole numbers"):
        worlds.reset([0.5])  # type: ignore[list-item]
    with pytest.raises(scree.InputError, match="-1 steps"):
        worlds.step(-1)
    with pytest.raises(scree.InputError, match="0 worlds"):
        scree.Worlds(pile(), 0)
    with pytest.raises(scree.InputError, match="2 seeds for 3 worlds"):
        scree.Worlds(pile(), 3, seeds=[1, 2])
    with pytest.raises(scree.InputError, match="unknown device"):
        scree.Worlds(pile(), 1, device="gpu")
    rain = falling_disc().insert("rain", grain="disc", x=(-1, 1), y=(2, 3), rate=10)
    with pytest.raises(scree.InputError, match="cannot get grains on the way"):
        scree.Worlds(rain, 2)


def test_a_scene_file(tmp_path: Path) -> None:
    pile().save(tmp_path / "pile.toml")
    assert scree.Worlds(tmp_path / "pile.toml", 2, device="serial").bodies == scree.Worlds(pile(), 1).bodies


def test_another_thread_is_refused_while_they_step() -> None:
    worlds = scree.Worlds(pile(), 64, device="serial")
    worker = threading.Thread(target=lambda: worlds._core.advance(2000))
    worker.start()
    time.sleep(0.1)
    with pytest.raises(RuntimeError, match="another thread"):
        _ = worlds.places
    worker.join()
    assert worlds.steps[0] == 2000
