"""Contact maps: from the relative pose of two shapes to gap, gradient and arm."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._optional import Bar
from ._toml import toml_text
from .errors import InputError
from .shapes import Shape

__all__ = ["Geometry", "Map", "MapError"]

Array = npt.NDArray[np.float64]


class Geometry(NamedTuple):
    """What a map answers, in A's frame and in units of A's circumradius (docs/conventions.md). Arrays of one shape."""

    gap: Array  #: signed distance d; negative: overlap
    gap_theta: Array  #: derivative of the gap by the angle of B
    gap_x: Array  #: derivative by the position of B, last axis x, y; its direction is the normal from A to B
    arm: Array  #: mean of the two arms along the normal, (r_A + r_B) . n / 2

    @property
    def normal(self) -> Array:
        """Unit vectors from A to B; nan where the gap has no slope."""
        with np.errstate(invalid="ignore", divide="ignore"):
            unit: Array = self.gap_x / np.linalg.norm(self.gap_x, axis=-1, keepdims=True)
        return unit


class MapError(NamedTuple):
    """How far a map is from the exact one, measured over ``samples`` poses; lengths in units of A's circumradius."""

    band: float  #: figures are over poses with \|exact gap\| up to this
    gap_rmse: float
    gap_max: float  #: the bound that the engine relies on
    gap_jump: float  #: largest jump of the exact gap that was met
    angle_median: float  #: between exact and mapped gradient, degrees
    arm_rmse: float
    samples: int


def cache_folder(cache: bool | str | os.PathLike[str]) -> str | None:
    """The folder of the map cache for an argument ``cache``: ``True`` is the usual one, ``False`` none."""
    if isinstance(cache, bool):
        return str(_core.default_cache_folder()) if cache else None
    return os.fspath(cache)


class Map:
    """The contact map of a pair of shapes and a ratio of sizes, by :meth:`build`, :meth:`train` or :meth:`load`.

    >>> import scree
    >>> hash = scree.Shape.library("hash")
    >>> map = scree.Map.build(hash, hash)
    >>> bool(map(x=[0.5, 0.0], theta=0.1).gap < 0)     # two # so close overlap
    True
    """

    def __init__(self, core: _core.Map) -> None:
        self._core = core

    @classmethod
    def build(
        cls,
        a: Shape,
        b: Shape | None = None,
        ratio: float = 1.0,
        *,
        kind: str = "table",
        cache: bool | str | os.PathLike[str] = True,
        threads: int = 0,
        progress: bool | None = None,
        **settings: Any,
    ) -> Map:
        """Makes the map of ``a`` and ``b`` (left out: of ``a`` and itself) and measures its error.

        ``ratio``: circumradius of b over that of a. ``kind`` and ``settings`` are the fields of ``[maps]`` in a scene
        file: "exact", "table", "neural", "grid-minimum", "star", "clump". ``cache``: keep tables and nets in the cache
        on disk (a path: in that folder) and take them from there. ``threads`` 0: one per core.
        """
        table = toml_text({"maps": {"kind": kind, **settings}})
        with Bar(progress, 1.0, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}") as bar:

            def report(fraction: float, stage: str) -> None:
                bar.say(f"map {a.name}-{(b or a).name}: {stage}")
                bar.at(fraction)

            core = _core.Map.build(
                a._core, (b or a)._core, float(ratio), table, "Map.build", cache_folder(cache), threads, report
            )
        return cls(core)

    @classmethod
    def train(cls, a: Shape, b: Shape | None = None, ratio: float = 1.0, *, net: str = "silu-5x64", **more: Any) -> Map:
        """Trains a neural map: :meth:`build` with ``kind="neural"``. Among ``more``: samples, epochs, seed."""
        return cls.build(a, b, ratio, kind="neural", net=net, **more)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Map:
        """A map that :meth:`save` or ``scree map`` wrote."""
        return cls(_core.Map.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a safetensors file with everything about the map. Tables and nets only."""
        self._core.save(os.fspath(path))

    def __call__(self, x: npt.ArrayLike, theta: npt.ArrayLike = 0.0, *, threads: int = 1) -> Geometry:
        """Evaluates the map at many poses of B in A's frame.

        ``x``: positions, last axis of length 2, in units of A's circumradius. ``theta``: angles, rad; broadcast against
        ``x`` without its last axis. The answers have that shape. Beyond :attr:`reach` the gap is a lower bound.
        """
        places, angles = np.asarray(x, dtype=np.float64), np.asarray(theta, dtype=np.float64)
        if places.ndim == 0 or places.shape[-1] != 2:
            problem = f"has the shape {places.shape}; its last axis must be x, y"
            raise InputError(f"Map: x: {problem}", "Map: x", problem)
        shape = np.broadcast_shapes(places.shape[:-1], angles.shape)
        flat_x = np.ascontiguousarray(np.broadcast_to(places, (*shape, 2)).reshape(-1, 2))
        flat_theta = np.ascontiguousarray(np.broadcast_to(angles, shape).reshape(-1))
        gap, gap_theta, gap_x, arm = self._core.evaluate(flat_theta, flat_x, threads)
        return Geometry(gap.reshape(shape), gap_theta.reshape(shape), gap_x.reshape((*shape, 2)), arm.reshape(shape))

    @property
    def kind(self) -> str:
        """What it is; two discs always have the closed form, "discs"."""
        return self._core.kind

    @property
    def names(self) -> tuple[str, str]:
        """Of the shapes A and B."""
        return self._core.names

    @property
    def ratio(self) -> float:
        """Circumradius of B over that of A."""
        return self._core.ratio

    @property
    def reach(self) -> float:
        """Centres farther apart cannot touch; units of A's circumradius."""
        return self._core.reach

    @property
    def bytes(self) -> int:
        """Memory of the map."""
        return self._core.bytes

    @property
    def smoothness(self) -> int:
        """2: the gap has two continuous derivatives; 0: it is only continuous."""
        return self._core.smoothness

    @property
    def settings(self) -> dict[str, Any]:
        """How it was made: the fields of ``[maps]`` that matter for its kind."""
        return dict(self._core.settings)

    @property
    def error(self) -> MapError:
        return MapError(**self._core.error)

    def __repr__(self) -> str:
        a, b = self.names
        return (
            f"<scree.Map {a}-{b}, {self.kind}, ratio {self.ratio:.6g}: {self.bytes / 1000:.0f} kB, "
            f"error {self.error.gap_rmse:.2g} rms>"
        )
