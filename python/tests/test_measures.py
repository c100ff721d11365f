from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import pytest
from conftest import falling_disc, pile

import scree


def test_packing_now_is_solid_over_area() -> None:
    sim = scree.Simulation(pile()).run()
    region = {"x": (-0.5, 0.5), "y": (0.0, 3.0)}
    reading = sim.measure("packing", bins=4, **region)
    solid = sum(
        type.shape.area * (type.radius / type.shape.radius) ** 2 * int((sim.grains.type == k).sum())
        for k, type in enumerate(sim.types)
    )
    assert reading["area"] == pytest.approx(3.0)
    assert reading["solid"] == pytest.approx(solid, rel=1e-3)  # discs are measured by their polygon
    assert reading["fraction"] == pytest.approx(reading["solid"] / 3)
    assert reading.table is not None and reading.table.rows == 4


def test_what_is_wrong_with_a_measure_is_named() -> None:
    sim = scree.Simulation(pile())
    with pytest.raises(scree.InputError, match=r"measures\[0\]\.bins"):
        sim.measure("packing", bins=0)
    with pytest.raises(scree.InputError, match="kind"):
        sim.measure("weight")
    with pytest.raises(scree.InputError):
        sim.measure("repose")  # nothing lies on the floor yet, or it has no summit
    assert "packing" in scree.measure_kinds()


def test_live_measures_are_those_of_the_program(run_program: Callable[..., dict], tmp_path: Path) -> None:
    scene = pile().measure("packing", every=0.05, bins=3).measure("energy", every=0.1, name="decay")
    scene.save(tmp_path / "pile.toml")
    folder = run_program(tmp_path / "pile.toml")["folder"]
    sim = scree.Simulation(scene).run()
    for name in ("packing", "decay"):
        series = sim.measures[name].series
        with open(folder / f"measure-{name}.csv") as lines:
            rows = list(csv.DictReader(lines))
        assert list(series) == list(rows[0])
        for column in series:
            expected = [float(row[column]) if row[column] else np.nan for row in rows]
            assert series[column] == pytest.approx(expected, rel=1e-6, nan_ok=True), (name, column)
    table = sim.measures["packing"].table
    assert table is not None and table.rows == 3 * sim.measures["packing"].series.rows
    assert sim.measures["decay"].table is None


def test_watch_from_now_on() -> None:
    sim = scree.Simulation(pile()).run(0.11)
    record = sim.watch("coordination", every=0.05)
    sim.run(0.1)
    assert record.series["time"] == pytest.approx([0.15, 0.2], abs=2e-4)
    assert sim.measures["coordination"] is record
    with pytest.raises(scree.InputError, match="taken"):
        sim.watch("coordination", every=0.1)


def test_a_measure_that_is_not_defined_says_why() -> None:
    sim = scree.Simulation(falling_disc())
    record = sim.watch("surface-angle", every=0.05)
    sim.run(0.1)
    assert record.undefined is not None and "surface-angle" in record.undefined
    assert np.isnan(record.series[list(record.series)[1]]).all()


def test_series_is_a_data_frame_at_once() -> None:
    sim = scree.Simulation(pile()).run(0.1)
    frame = pandas.DataFrame(sim.series)
    assert list(frame.columns[:3]) == ["time", "step", "grains"] and len(frame) == 6
    by_time = sim.series.to_pandas()
    assert by_time.index.name == "time"
    assert by_time["kinetic"].iloc[-1] == sim.now["kinetic"]
    assert "<table>" in sim.series._repr_html_()


def test_table_shows_its_ends() -> None:
    table = scree.Table.from_rows(["time", "a"], [[k, None if k == 3 else 2 * k] for k in range(30)])
    assert np.isnan(table["a"][3]) and table.rows == 30
    html = table._repr_html_()
    assert "20 more" in html and "<td>58</td>" in html
    assert scree.Table.from_rows(["time"], []).rows == 0
