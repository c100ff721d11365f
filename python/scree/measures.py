"""Measures of a state, of a run and of a trajectory. Definitions: docs/measures.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._toml import toml_text
from .tables import Table

__all__ = ["MeasureRecord", "Reading", "measure_kinds"]


def measure_kinds() -> dict[str, str]:
    """Every kind of measure, and in a line what it measures."""
    return dict(_core.measure_kinds())


class Reading(dict[str, float]):
    """Values of a measure by name (nan where not defined), and its ``table`` for kinds that have one."""

    def __init__(self, values: dict[str, float], table: Table | None) -> None:
        super().__init__(values)
        self.table = table


class named_measure:
    """A measure by the fields of a ``[[measures]]`` entry."""

    def __init__(self, kind: str, options: dict[str, Any], where: str) -> None:
        fields = {key.rstrip("_"): value for key, value in options.items()}
        self.settings = _core.measure_settings(toml_text({"measures": [{"kind": kind, **fields}]}), where)

    def read_now(self, engine: _core.Engine) -> Reading:
        measure = _core.Measure(self.settings)
        values, rows = measure.read_now(engine)
        names = [name for name, _ in measure.columns]
        numbers = {
            name: float("nan") if value is None else float(value) for name, value in zip(names, values, strict=True)
        }
        return Reading(numbers, _table(measure.table, rows) if measure.table else None)


def _table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[float | None]]) -> Table:
    return Table.from_rows([name for name, _ in columns], rows, dict(columns))


class MeasureRecord:
    """What a measure has read so far during a run."""

    def __init__(self, settings: _core.MeasureSettings, timer: _core.Timer | None) -> None:
        self._core = _core.Measure(settings)
        self._timer = timer
        self.name = settings.name
        self.kind = settings.kind
        self._values: list[list[float | None]] = []
        self._rows: list[list[float | None]] = []

    def _take(self, engine: _core.Engine, time: float) -> None:
        self._add(time, *self._core.read(engine))

    def _add(self, time: float, values: Sequence[float | None], rows: Sequence[Sequence[float | None]]) -> None:
        self._values.append([time, *values])
        self._rows += [[time, *row] for row in rows]

    @property
    def series(self) -> Table:
        """Its values over time: the columns of measure-NAME.csv. What was not defined is nan."""
        return _table([("time", "time"), *self._core.columns], self._values)

    @property
    def table(self) -> Table | None:
        """Rows of its table, each with the time of its sample; ``None`` for kinds without one."""
        if not self._core.table:
            return None
        return _table([("time", "time"), *self._core.table], self._rows)

    @property
    def undefined(self) -> str | None:
        """Why there was no value at any sample so far, if there was none."""
        return self._core.undefined()

    def __repr__(self) -> str:
        return f'<scree.MeasureRecord "{self.name}" ({self.kind}): {len(self._values)} samples>'
