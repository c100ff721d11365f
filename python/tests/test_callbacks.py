from __future__ import annotations

import numpy as np
import pytest
from conftest import falling_disc, pile

import scree


def test_every_is_called_at_multiples_from_the_start() -> None:
    sim = scree.Simulation(falling_disc())
    times: list[float] = []
    sim.every(0.025, lambda s: times.append(s.time))
    sim.run(0.1)
    assert times == pytest.approx([0, 0.025, 0.05, 0.075, 0.1])
    sim.run(0.05)  # goes on without a second call at 0.1
    assert times[5:] == pytest.approx([0.125, 0.15])


def test_every_begins_where_it_is_asked_for_and_ends_when_cancelled() -> None:
    sim = scree.Simulation(falling_disc()).run(0.11)
    times: list[float] = []
    callback = sim.every(0.05, lambda s: times.append(s.time))
    sim.run(0.1)
    assert times == pytest.approx([0.15, 0.2])
    callback.cancel()
    sim.run(0.1)
    assert len(times) == 2
    with pytest.raises(scree.InputError, match="positive"):
        sim.every(0, print)


def test_at_is_called_once() -> None:
    sim = scree.Simulation(falling_disc())
    times: list[float] = []
    sim.at(0.0301, lambda s: times.append(s.time))
    sim.run(0.1)
    assert times == pytest.approx([0.0301])


def test_pause_and_go_on() -> None:
    sim = scree.Simulation(falling_disc())
    sim.every(0.04, lambda s: s.pause() if s.time > 0 else None)
    assert sim.run(0.1).time == pytest.approx(0.04)
    assert sim.run(until=0.1).time == pytest.approx(0.08)
    assert sim.run(until=0.1).time == pytest.approx(0.1)
    straight = scree.Simulation(falling_disc()).run(0.1)
    assert straight.state_hash == sim.state_hash


def test_an_exception_in_a_callback_comes_out_and_the_run_goes_on() -> None:
    sim = scree.Simulation(falling_disc())

    def fail(s: scree.Simulation) -> None:
        raise KeyError("mine")

    sim.at(0.05, fail)
    with pytest.raises(KeyError, match="mine"):
        sim.run(0.1)
    assert sim.time == pytest.approx(0.05)
    assert sim.run(until=0.1).state_hash == scree.Simulation(falling_disc()).run(0.1).state_hash


def test_a_callback_may_step_in_and_edit() -> None:
    sim = scree.Simulation(falling_disc())

    def stop_fall(s: scree.Simulation) -> None:
        with s.edit() as grains:
            grains.v[:] = 0

    sim.every(0.01, stop_fall)
    sim.run(0.2)
    assert np.abs(sim.grains.v).max() <= 10 * 0.01 + 1e-9


def test_events_of_the_scene_are_heard() -> None:
    heard: list[tuple[float, str, list[str]]] = []
    sim = scree.Simulation(falling_disc().event(0.05, "set-gravity", gravity=(0, 10)))
    sim.on_event(lambda s, event: heard.append((s.time, event.action, event.targets)))
    assert [event.done for event in sim.events] == [False]
    sim.run(0.2)
    assert heard == [(pytest.approx(0.0501), "set-gravity", [])]
    assert sim.events[0].done and sim.gravity == (0, 10)


def test_schedule_opens_a_box() -> None:
    sim = scree.Simulation(pile()).run()
    floor = sim.grains.x[:, 1].min()
    heard: list[str] = []
    sim.on_event(lambda s, event: heard.extend(event.targets))
    sim.schedule(sim.time, "remove-wall", "box.bottom")
    sim.run(0.2)
    assert heard == ["box.bottom"]
    assert sim.grains.x[:, 1].max() > sim.grains.x[:, 1].min() < floor - 0.15
    assert not next(wall for wall in sim.walls if wall["name"] == "box.bottom")["active"]


def test_schedule_knows_what_the_scene_reader_knows() -> None:
    sim = scree.Simulation(pile())
    with pytest.raises(scree.InputError, match='unknown wall "lid"'):
        sim.schedule(1, "remove-wall", "lid")
    with pytest.raises(scree.InputError, match="action"):
        sim.schedule(1, "explode", "box")
    sim.schedule(1, "remove-wall", ["box"])  # all of its sides
    assert len(sim.events[0].targets) == 3


def test_schedule_refuses_what_would_need_maps() -> None:
    scene = scree.Scene(duration=1, dt=1e-4).grain("box", radius=0.1).material(stiffness=1e4)
    scene.body("box", positions=[[0, 0], [1, 0]], kind="fixed", group="wall")
    sim = scree.Simulation(scene)
    with pytest.raises(scree.InputError, match="no contact map"):
        sim.schedule(0.5, "release-group", "wall")
    assert sim.events == []
