"""Recorded runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._png import png_bytes
from .measures import MeasureRecord, named_measure

__all__ = ["Frame", "Trajectory"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """One recorded instant; arrays as in :class:`Grains`, but their own."""

    time: float
    step: int
    id: npt.NDArray[np.uint32]
    type: npt.NDArray[np.uint16]
    group: npt.NDArray[np.uint16]
    kind: npt.NDArray[np.uint8]
    x: Floats
    theta: Floats
    v: Floats
    omega: Floats


class Trajectory:
    """A trajectory file, or the folder of a run; also while it is being written.

    A sequence of frames: ``len(t)``, ``t[-1]``, ``for frame in t``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        file = Path(path)
        self._core = _core.TrajectoryReader(file / "trajectory.h5" if file.is_dir() else file)

    def __len__(self) -> int:
        return self._core.frames

    def __getitem__(self, index: int) -> Frame:
        return Frame(**self._core.frame(self._index(index)))

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    def _index(self, index: int) -> int:
        found = index + len(self) if index < 0 else index
        if not 0 <= found < len(self):
            raise IndexError(f"frame {index} of {len(self)}")
        return found

    @property
    def times(self) -> Floats:
        """Of every frame."""
        return self._core.times

    @property
    def types(self) -> list[str]:
        """Names of the grain types, by the numbers in ``Frame.type``."""
        return list(self._core.types)

    @property
    def groups(self) -> list[str]:
        """Names of the groups, by the numbers in ``Frame.group``."""
        return list(self._core.groups)

    def measure(self, kind: str, **options: Any) -> MeasureRecord:
        """A measure of every frame, as ``scree measure`` takes it: the fields of ``[[measures]]`` but ``every``."""
        record = MeasureRecord(named_measure(kind, options, "measure").settings, None)
        for k, time in enumerate(self.times.tolist()):
            record._add(time, *record._core.read_frame(self._core, k))
        return record

    def picture(
        self,
        index: int = -1,
        path: str | os.PathLike[str] | None = None,
        *,
        colour: str | None = None,
        forces: bool | None = None,
        width: int | None = None,
    ) -> bytes:
        """A PNG picture of a frame; as :meth:`Simulation.picture`."""
        return png_bytes(lambda file: self._core.draw(self._index(index), file, colour, forces, width), path)

    def __repr__(self) -> str:
        return f"<scree.Trajectory: {len(self)} frames>"
