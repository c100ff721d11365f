"""Numbers over time as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._optional import need

__all__ = ["Table"]


class Table(dict[str, npt.NDArray[np.float64]]):
    """Columns by name: a ``dict`` of NumPy arrays of one length, so ``pandas.DataFrame(table)`` takes it.

    ``units`` has the unit of each column as text, "" for pure numbers. A value that is not defined is nan.
    """

    def __init__(self, columns: dict[str, npt.NDArray[np.float64]], units: dict[str, str] | None = None) -> None:
        super().__init__(columns)
        self.units = dict(units or {})

    @classmethod
    def from_rows(
        cls, names: Sequence[str], rows: Iterable[Sequence[float | None]], units: dict[str, str] | None = None
    ) -> Table:
        """From rows of numbers, each as long as ``names``; ``None`` becomes nan."""
        values = np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=np.float64)
        values = values.reshape(-1, len(names))
        return cls({name: values[:, k].copy() for k, name in enumerate(names)}, units)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.values()))) if self else 0

    def to_pandas(self, index: str | None = "time") -> Any:
        """A ``pandas.DataFrame`` with the column ``index`` as its index (``None``: rows are numbered)."""
        frame = need("pandas", "pandas", "pandas", "Table.to_pandas").DataFrame(dict(self))
        return frame.set_index(index) if index in self else frame

    def __repr__(self) -> str:
        return f"<scree.Table of {self.rows} rows: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        return _html(list(self), list(zip(*(column.tolist() for column in self.values()), strict=True)))


def _html(names: Sequence[str], rows: Sequence[Sequence[float]], shown: int = 10) -> str:
    def line(row: Sequence[float]) -> str:
        return "<tr>" + "".join(f"<td>{value:.6g}</td>" for value in row) + "</tr>"

    head = "<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"
    if len(rows) <= shown:
        body = "".join(map(line, rows))
    else:
        gap = f'<tr><td colspan="{len(names)}">... {len(rows) - shown} more ...</td></tr>'
        body = "".join(map(line, rows[: shown // 2])) + gap + "".join(map(line, rows[-shown // 2 :]))
    return f"<table>{head}{body}</table>"
