"""Scenes: what there is, what happens, and how long to look. The same tree as a scene file (docs/scene-format.md)."""

from __future__ import annotations

import copy
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _core
from ._toml import plain, read_toml, toml_text
from .errors import InputError
from .shapes import Shape

__all__ = ["Check", "Scene"]


@dataclass(frozen=True)
class Check:
    """What a scene says once it is read and found sound."""

    title: str
    duration: float  #: time
    dt: float  #: time step
    dt_advised: float  #: the largest advised; with the implicit solver what "auto" chooses
    dt_limit: float  #: unstable beyond; 0 with the implicit solver, which has no such limit
    warnings: list[str]


class Scene:
    """A scene, built in Python or read from a file. Fields and defaults are those of docs/scene-format.md.

    ``tree`` is the scene as nested dicts and lists; the methods only write into it, and return the scene so that calls
    can be chained. Nothing is checked before :meth:`check`, :meth:`save` or a simulation asks for it. Arrays, tuples
    and NumPy numbers are fine as values; a field that is a Python word is written with an underscore (``from_=``).

    >>> import scree
    >>> scene = scree.Scene(title="A disc falls", duration=0.5, dt=1e-4, gravity=(0, -9.81))
    >>> scene.grain("disc", radius=0.1).body("disc", position=(0, 1)).wall("half-plane").check().dt
    0.0001
    """

    def __init__(
        self,
        *,
        title: str = "",
        units: str = "",
        duration: float | None = None,
        dt: float | str | None = None,
        gravity: tuple[float, float] | None = None,
        seed: int | None = None,
    ) -> None:
        self.tree: dict[str, Any] = {}
        self.folder = Path()  #: where paths of fonts and SVG files start
        self._file: str | None = None
        self._as_read: tuple[dict[str, Any], str] | None = None
        if title:
            self.tree["title"] = title
        if units:
            self.tree["units"] = units
        self.set("run", duration=duration, seed=seed)
        self.set("step", dt=dt)
        if gravity is not None:
            self.set("gravity", g=gravity)

    # ---- reading and writing

    @classmethod
    def load(cls, path: str | os.PathLike[str], changes: Mapping[str, Any] | None = None) -> Scene:
        """Reads a scene file. ``changes``: as for :meth:`changed`."""
        file = os.fspath(path)
        _core.Scene.load(file, [])  # finds what is wrong, by line and column
        scene = cls._of(Path(file).read_text(encoding="utf-8"), Path(file).parent, file)
        return scene.changed(changes) if changes else scene

    @classmethod
    def parse(cls, text: str, folder: str | os.PathLike[str] = ".") -> Scene:
        """From the text of a scene file; paths in it start from ``folder``."""
        _core.Scene.parse(text, os.path.join(os.fspath(folder), "scene"), [])
        return cls._of(text, Path(folder), None)

    @classmethod
    def _of(cls, text: str, folder: Path, file: str | None) -> Scene:
        scene = cls()
        scene.tree = read_toml(text)
        scene.folder = folder
        scene._file = file
        scene._as_read = (copy.deepcopy(scene.tree), text)
        return scene

    @property
    def text(self) -> str:
        """The scene as TOML: as it was read, comments and all, as long as nothing changed."""
        if self._as_read is not None and self._as_read[0] == self.tree:
            return self._as_read[1]
        return toml_text(self.tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a scene file, with copies beside it of the fonts and SVG files it names."""
        checked = self._checked()
        target = Path(path)
        self._copy_files(checked, target.parent)
        target.write_text(checked.text, encoding="utf-8")

    @staticmethod
    def _copy_files(checked: _core.Scene, folder: Path) -> None:
        for name, source in checked.files:
            copy_of = folder / name
            if not (copy_of.exists() and copy_of.samefile(source)):
                shutil.copyfile(source, copy_of)

    def check(self) -> Check:
        """Reads all of it and raises :class:`InputError`, naming line and field of ``text``, for what is wrong."""
        checked = self._checked()
        return Check(
            checked.title,
            checked.run["duration"],
            checked.dt,
            checked.dt_advised,
            checked.dt_limit,
            list(checked.warnings),
        )

    def _checked(self, changes: list[str] | None = None) -> _core.Scene:
        return _core.Scene.parse(self.text, self._name(), changes or [])

    def _name(self) -> str:
        if self._file is None:
            return str(self.folder / "scene")
        as_read = self._as_read is not None and self._as_read[0] == self.tree
        return self._file if as_read else f"{self._file} as changed"

    def changed(self, changes: Mapping[str, Any]) -> Scene:
        """A copy with other values, by path as ``scree run --set`` takes them.

        Keys are joined by dots, an entry of a list by number or name: ``{"materials.default.friction": 0.1,
        "insert[0].count": 20, "walls[floor].tilt": 0.1}``.
        """
        overrides = [f"{path}={_value_text(path, value)}" for path, value in changes.items()]
        checked = self._checked(overrides)
        scene = self.copy()
        scene.tree = read_toml(checked.text)
        _point_back(scene.tree, dict(checked.files))
        return scene

    def copy(self) -> Scene:
        """A scene of its own."""
        return copy.deepcopy(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and plain(self.tree, "scene") == plain(other.tree, "scene")

    __hash__ = None  # type: ignore[assignment]

    # ---- building

    def set(self, table: str, **fields: Any) -> Scene:
        """Fields of a single table: run, step, watchdog, maps, gravity, periodic, bounds, render."""
        values = _fields(table, fields)
        if values:
            self.tree.setdefault(table, {}).update(values)
        return self

    def material(self, name: str = "default", **fields: Any) -> Scene:
        """``[materials.NAME]``: density (mass / length^2), friction, restitution, stiffness (force / length), ..."""
        return self._named("materials", name, fields)

    def shape(self, name: str, shape: Shape | None = None, **fields: Any) -> Scene:
        """``[shapes.NAME]``: a :class:`Shape`, or the fields that make one (recipe, glyph, svg, points, loops, ...)."""
        return self._named("shapes", name, {**(shape.source if shape is not None else {}), **fields})

    def grain(self, name: str, shape: Shape | str | None = None, **fields: Any) -> Scene:
        """``[grains.NAME]``: a kind of grain; ``radius`` its circumradius (length) or a distribution, or ``scale``.

        ``shape``: the name of one of the scene or the library, or a :class:`Shape`, which then gets this name too.
        """
        if isinstance(shape, Shape):
            self.shape(name, shape)
            shape = name
        return self._named("grains", name, {"shape": shape, **fields})

    def pair(self, a: str, b: str, **fields: Any) -> Scene:
        """``[[pairs]]``: contacts between two materials."""
        return self.add("pairs", materials=[a, b], **fields)

    def body(self, grain: str, **fields: Any) -> Scene:
        """``[[bodies]]``: one grain at ``position``, or many at ``positions`` (rows x, y or x, y, angle)."""
        return self.add("bodies", grain=grain, **fields)

    def array(self, along: str, grain: str, **fields: Any) -> Scene:
        """``[[arrays]]``: grains along a line, polyline, arc or ring."""
        return self.add("arrays", along=along, grain=grain, **fields)

    def insert(self, method: str, **fields: Any) -> Scene:
        """``[[insert]]``: many grains by lattice, poisson, rain or list."""
        return self.add("insert", method=method, **fields)

    def wall(self, kind: str, **fields: Any) -> Scene:
        """``[[walls]]``: half-plane, box, circle-inside, circle-outside, segment, polyline, outline."""
        return self.add("walls", kind=kind, **fields)

    def motion(self, kind: str, **fields: Any) -> Scene:
        """``[[motions]]``: constant, rotation, oscillation or keyframes, of walls and groups."""
        return self.add("motions", kind=kind, **fields)

    def event(self, time: float, action: str, targets: list[str] | str | None = None, **fields: Any) -> Scene:
        """``[[events]]``: something that happens once, at a time."""
        return self.add("events", time=time, action=action, targets=targets, **fields)

    def delete(self, **fields: Any) -> Scene:
        """``[[delete]]``: a zone that removes grains."""
        return self.add("delete", **fields)

    def measure(self, kind: str, **fields: Any) -> Scene:
        """``[[measures]]``: what is measured during the run (docs/measures.md)."""
        return self.add("measures", kind=kind, **fields)

    def add(self, table: str, **fields: Any) -> Scene:
        """An entry of a list of tables."""
        self.tree.setdefault(table, []).append(_fields(table, fields))
        return self

    def _named(self, table: str, name: str, fields: dict[str, Any]) -> Scene:
        self.tree.setdefault(table, {}).setdefault(name, {}).update(_fields(f"{table}.{name}", fields))
        return self

    def __repr__(self) -> str:
        title = self.tree.get("title", "")
        return f'<scree.Scene "{title}": {", ".join(key for key in self.tree if key not in ("title", "units"))}>'


def _fields(table: str, fields: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = plain({key.rstrip("_"): value for key, value in fields.items()}, table)
    return values


def _value_text(path: str, value: Any) -> str:
    # One line: "v = ..." less its key.
    text = toml_text({"v": value})
    if not text.startswith("v = "):
        problem = "a table cannot be given in a change"
        remedy = "change its fields one by one, or write into Scene.tree"
        raise InputError(f"{path}: {problem}\n  remedy: {remedy}", path, problem, remedy)
    return " ".join(text.removeprefix("v = ").split("\n")).strip()


def _point_back(tree: dict[str, Any], sources: dict[str, Path]) -> None:
    """Files of shapes, which a checked text names as they would be copied, by where they are."""
    for shape in tree.get("shapes", {}).values():
        for field in ("svg", "font"):
            if shape.get(field) in sources:
                shape[field] = os.path.abspath(sources[shape[field]])
