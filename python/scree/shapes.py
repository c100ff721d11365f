"""What a grain is: outlines from coordinates, fonts, SVG files, other geometry packages, and the library of shapes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._optional import need
from .errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Recipe", "Shape", "recipes"]

Array = npt.NDArray[np.float64]
default_tolerance = 1e-3


@dataclass(frozen=True)
class Recipe:
    """A shape of the library: its name, what it is, and its parameters with their defaults."""

    name: str
    summary: str
    parameters: dict[str, float]


def recipes() -> list[Recipe]:
    """The library of shapes, as ``scree shapes`` lists it."""
    return [Recipe(name, summary, dict(parameters)) for name, summary, parameters in _core.recipes()]


def _points(points: npt.ArrayLike) -> Array:
    array = np.ascontiguousarray(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2:
        problem = f"has the shape {array.shape}, not (n, 2)"
        raise InputError(f"points: {problem}\n  remedy: give one row x, y a vertex", "points", problem)
    return array


class Shape:
    """A solid plane shape with holes, about its centroid. It never changes.

    Lengths are as drawn, in your unit of length; a grain of a scene may have another size (``radius``). Make one with
    :meth:`polygon`, :meth:`outline`, :meth:`disc`, :meth:`library`, :meth:`glyph`, :meth:`svg`, :meth:`from_geometry`,
    :meth:`fourier` or :meth:`radii`. What cannot be a grain (a crossing, a spike, a hole that touches the rim) raises
    :class:`InputError`, naming the vertex.
    """

    def __init__(self, core: _core.Shape, source: dict[str, Any]) -> None:
        self._core = core
        self._source = source

    # ---- making one

    @classmethod
    def polygon(cls, points: npt.ArrayLike, holes: Iterable[npt.ArrayLike] = (), *, name: str = "polygon") -> Shape:
        """From the vertices of its rim, and of each hole. Either direction of turning will do."""
        return cls.outline([points, *holes], name=name)

    @classmethod
    def outline(cls, loops: Iterable[npt.ArrayLike], *, name: str = "outline") -> Shape:
        """From closed loops of vertices: a loop inside another is a hole; several outer loops are one rigid grain."""
        arrays = [_points(loop) for loop in loops]
        return cls(_core.Shape.from_loops(name, arrays), {"loops": [array.tolist() for array in arrays]})

    @classmethod
    def disc(cls, radius: float = 1.0, *, name: str = "disc") -> Shape:
        """A true disc: its contacts with discs are in closed form."""
        return cls(_core.Shape.disc(name, radius), {"recipe": "disc", "radius": radius})

    @classmethod
    def library(cls, recipe: str, *, tolerance: float = default_tolerance, **parameters: float) -> Shape:
        """A named shape; :func:`recipes` lists them with their parameters.

        ``tolerance``: largest distance between a curve and its polygon, in units of the circumradius.
        """
        source: dict[str, Any] = {"recipe": recipe, "tolerance": tolerance, **parameters}
        return cls(_core.Shape.library(recipe, parameters, tolerance), source)

    @classmethod
    def glyph(
        cls,
        character: str,
        font: str | os.PathLike[str] = "",
        *,
        height: float = 1.0,
        tolerance: float = default_tolerance,
        name: str | None = None,
    ) -> Shape:
        """A character of a font, given by file or name ("": DejaVu Sans Bold).

        ``height``: length of the font's capital H; all glyphs of one font and height keep their proportions.
        """
        core = _core.Shape.glyph(name or character, character, os.fspath(font), tolerance, height)
        source: dict[str, Any] = {"glyph": character, "height": height, "tolerance": tolerance}
        if font:
            path = os.fspath(font)
            source["font"] = os.path.abspath(path) if os.path.isfile(path) else path
        return cls(core, source)

    @classmethod
    def svg(
        cls,
        path: str | os.PathLike[str],
        id: str | None = None,
        *,
        tolerance: float = default_tolerance,
        name: str | None = None,
    ) -> Shape:
        """Everything that an SVG file fills, or its element ``id`` alone. Lengths are SVG user units, y points up."""
        file = os.fspath(path)
        core = _core.Shape.svg(name or os.path.splitext(os.path.basename(file))[0], file, id, tolerance)
        source: dict[str, Any] = {"svg": os.path.abspath(file), "tolerance": tolerance}
        if id is not None:
            source["id"] = id
        return cls(core, source)

    @classmethod
    def from_geometry(cls, geometry: Any, *, name: str = "geometry") -> Shape:
        """From a Polygon or MultiPolygon of shapely, or whatever else has a ``__geo_interface__``."""
        interface = getattr(geometry, "__geo_interface__", geometry)
        kind = interface.get("type") if isinstance(interface, dict) else None
        if kind == "Polygon":
            polygons = [interface["coordinates"]]
        elif kind == "MultiPolygon":
            polygons = list(interface["coordinates"])
        else:
            problem = f"is {kind or type(geometry).__name__}, which has no area that a grain could be"
            remedy = "give a Polygon or a MultiPolygon, for example line.buffer(0.1)"
            raise InputError(f"geometry: {problem}\n  remedy: {remedy}", "geometry", problem, remedy)
        return cls.outline([np.asarray(ring)[:, :2] for polygon in polygons for ring in polygon], name=name)

    @classmethod
    def fourier(
        cls,
        cosines: Sequence[float],
        sines: Sequence[float] = (),
        *,
        tolerance: float = default_tolerance,
        name: str = "star",
    ) -> Shape:
        """A star by r(angle) = a_0 + sum a_k cos(k angle) + b_k sin(k angle), length; ``sines`` begin with b_1."""
        a, b = [float(value) for value in cosines], [float(value) for value in sines]
        return cls(_core.Shape.fourier(name, a, b, tolerance), {"cosines": a, "sines": b, "tolerance": tolerance})

    @classmethod
    def radii(cls, radii: Sequence[float], *, tolerance: float = default_tolerance, name: str = "star") -> Shape:
        """A star by its radius at equal angles from 0, joined by a smooth curve."""
        values = [float(value) for value in radii]
        return cls(_core.Shape.sampled(name, values, tolerance), {"radii": values, "tolerance": tolerance})

    # ---- what it is

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def radius(self) -> float:
        """Circumradius about the centroid, length."""
        return self._core.natural_radius

    @property
    def area(self) -> float:
        """Of the solid, length^2."""
        return self._core.area * self.radius**2

    @property
    def polar_moment(self) -> float:
        """Integral of the squared distance from the centroid over the solid, length^4; times density it is inertia."""
        return self._core.polar_moment * self.radius**4

    @property
    def thinnest(self) -> float:
        """Width of the thinnest feature, length. Overlaps must stay below half of it."""
        return self._core.thinnest * self.radius

    @property
    def symmetry(self) -> int:
        """Order of rotational symmetry; 0 for a disc."""
        return self._core.symmetry

    @property
    def is_disc(self) -> bool:
        return self._core.is_disc

    @property
    def loops(self) -> list[Array]:
        """Vertices of each loop about the centroid, length: outer loops counter-clockwise, holes clockwise."""
        return [self.radius * loop for loop in self._core.loops]

    @property
    def pieces(self) -> list[Array]:
        """Convex pieces, which may overlap, whose union is the solid; length."""
        return [self.radius * piece for piece in self._core.pieces]

    @property
    def source(self) -> dict[str, Any]:
        """Fields of ``[shapes.NAME]`` in a scene file that make this shape."""
        return dict(self._source)

    def to_shapely(self) -> Any:
        """A ``shapely`` Polygon or MultiPolygon."""
        geometry = need("shapely", "shapely.geometry", "shapely", "Shape.to_shapely")
        solid = geometry.Polygon()
        rings = [geometry.Polygon(loop) for loop in self.loops]
        # Outer loops first: a hole is taken out of what is there.
        for ring, loop in sorted(zip(rings, self.loops, strict=True), key=lambda pair: -pair[0].area):
            solid = solid.union(ring) if _signed_area(loop) > 0 else solid.difference(ring)
        return solid

    def draw(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draws it with matplotlib; ``style`` goes to its PathPatch."""
        from . import drawing

        return drawing.draw_shape(self, ax, **style)

    def __repr__(self) -> str:
        return f'<scree.Shape "{self.name}": radius {self.radius:.6g}, area {self.area:.6g}>'

    def _repr_svg_(self) -> str:
        data = " ".join(
            "M" + " L".join(f"{x:.4f},{-y:.4f}" for x, y in loop.tolist()) + " Z" for loop in self._core.loops
        )
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="160" viewBox="-1.05 -1.05 2.1 2.1">'
            f'<path d="{data}" fill="#4c78a8" fill-rule="nonzero"/></svg>'
        )


def _signed_area(loop: Array) -> float:
    x, y = loop[:, 0], loop[:, 1]
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
