"""Drawing with matplotlib: true outlines with holes, walls, contact forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._optional import need
from .errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .shapes import Shape
    from .simulation import Simulation

__all__ = ["draw", "draw_shape"]

Floats = npt.NDArray[np.float64]
colourings = ("type", "group", "speed", "force", "angle")

wall_colour = "#6b6b6b"
edge_colour = "#00000055"
force_colour = "#c1121f"


def _matplotlib(module: str) -> Any:
    return need("matplotlib", module, "matplotlib", "drawing")


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    _, new = _matplotlib("matplotlib.pyplot").subplots()
    return new  # type: ignore[no-any-return]


def _path_of(loops: list[Floats]) -> tuple[Floats, npt.NDArray[np.uint8]]:
    """Vertices and codes of one path for all loops, each closed."""
    path = _matplotlib("matplotlib.path").Path
    vertices = np.concatenate([np.vstack([loop, loop[:1]]) for loop in loops])
    codes = np.concatenate(
        [np.array([path.MOVETO] + [path.LINETO] * (len(loop) - 1) + [path.CLOSEPOLY], np.uint8) for loop in loops]
    )
    return vertices, codes


def draw_shape(shape: Shape, ax: Axes | None = None, **style: Any) -> Axes:
    """Draws a shape about its centroid, as large as it is; ``style`` goes to matplotlib's PathPatch."""
    axes = _axes(ax)
    vertices, codes = _path_of(shape.loops)
    path = _matplotlib("matplotlib.path").Path(vertices, codes)
    look = {"facecolor": _core.palette(0), "edgecolor": edge_colour, **style}
    axes.add_patch(_matplotlib("matplotlib.patches").PathPatch(path, **look))
    axes.set_aspect("equal")
    axes.autoscale_view()
    return axes


def draw(
    simulation: Simulation,
    ax: Axes | None = None,
    *,
    colour: str | npt.ArrayLike = "type",
    cmap: str | None = None,
    forces: bool = False,
    walls: bool = True,
    legend: bool = True,
    **style: Any,
) -> Axes:
    """Draws the present state and returns the axes.

    ``colour``: "type", "group", "speed", "force" (sum of normal forces on a grain), "angle", or one number a grain,
    shown by ``cmap`` with a colour bar. ``forces``: lines between grains in contact, as wide as the force. ``legend``:
    names or colour bar. ``style`` goes to matplotlib's PathCollection.
    """
    axes = _axes(ax)
    axes.locator_params(nbins=7)
    grains = _grain_collection(simulation, colour, cmap, style)
    axes.add_collection(grains)
    if walls:
        _draw_walls(simulation, axes)
    if forces:
        _draw_forces(simulation, axes)
    axes.set_aspect("equal")
    _set_limits(simulation, axes)
    if ax is None:
        _fit_figure(axes)
    if legend:
        _explain(simulation, axes, grains, colour)
    return axes


def _grain_collection(simulation: Simulation, colour: str | npt.ArrayLike, cmap: str | None, style: Any) -> Any:
    path = _matplotlib("matplotlib.path").Path
    outlines = [
        (vertices * type.radius / type.shape.radius, codes)
        for type in simulation.types
        for vertices, codes in [_path_of(type.shape.loops)]
    ]
    grains = simulation.grains
    turned = []
    for type_index, x, theta in zip(grains.type.tolist(), grains.x, grains.theta.tolist(), strict=True):
        vertices, codes = outlines[type_index]
        c, s = np.cos(theta), np.sin(theta)
        turned.append(path(vertices @ np.array([[c, s], [-s, c]]) + x, codes))
    values = _values(simulation, colour)
    # Scales begin with dark colours, and dark grains that touch must not melt together.
    edges = {"edgecolors": edge_colour if values is None else "white", "linewidths": 0.4}
    collection = _matplotlib("matplotlib.collections").PathCollection(turned, **{**edges, **style})
    if values is None:
        index = grains.type if isinstance(colour, str) and colour == "type" else grains.group
        collection.set_facecolor([_core.palette(int(k)) for k in index])
    else:
        collection.set_array(values)
        cyclic = isinstance(colour, str) and colour == "angle"
        collection.set_cmap(cmap or ("twilight" if cyclic else "viridis"))
    return collection


def _values(simulation: Simulation, colour: str | npt.ArrayLike) -> Floats | None:
    """One number a grain, or nothing where colour tells kinds apart."""
    grains = simulation.grains
    if not isinstance(colour, str):
        values = np.asarray(colour, dtype=np.float64)
        if values.shape != (len(grains),):
            problem = f"has the shape {values.shape}, but there are {len(grains)} grains"
            raise InputError(f"draw: colour: {problem}", "draw: colour", problem, "give one number a grain")
        return values
    if colour in ("type", "group"):
        return None
    if colour == "speed":
        return np.hypot(grains.v[:, 0], grains.v[:, 1])
    if colour == "angle":
        return grains.theta % (2 * np.pi)
    if colour == "force":
        return _grain_forces(simulation)
    problem = f'unknown colouring "{colour}"'
    remedy = f"known: {', '.join(colourings)}, or one number a grain"
    raise InputError(f"draw: colour: {problem}\n  remedy: {remedy}", "draw: colour", problem, remedy)


def _grain_forces(simulation: Simulation) -> Floats:
    from .grains import no_grain

    contacts, ids = simulation.contacts, simulation.grains.id
    total = np.zeros(len(ids))
    for side in ("a", "b"):
        with_grain = contacts[contacts[side] != no_grain]
        np.add.at(total, np.searchsorted(ids, with_grain[side]), with_grain["normal_force"])
    return total


def _draw_forces(simulation: Simulation, axes: Axes) -> None:
    """A line from centre to centre, or from the point of a wall contact to the centre, as wide as the force."""
    from .grains import no_grain

    contacts, grains = simulation.contacts, simulation.grains
    contacts = contacts[contacts["normal_force"] > 0]
    if len(contacts) == 0:
        return
    b = grains.x[np.searchsorted(grains.id, contacts["b"])]
    by_wall = contacts["a"] == no_grain
    a = contacts["point"].copy()
    a[~by_wall] = grains.x[np.searchsorted(grains.id, contacts["a"][~by_wall])]
    # Across a periodic boundary the line would run through the whole cell: from the contact point then.
    far = np.linalg.norm(b - a, axis=1) > 4 * float(grains.radius.max())
    a[far] = contacts["point"][far]
    widths = 4 * contacts["normal_force"] / contacts["normal_force"].max()
    lines = _matplotlib("matplotlib.collections").LineCollection(
        np.stack([a, b], axis=1), colors=force_colour, linewidths=widths, capstyle="round", zorder=3
    )
    axes.add_collection(lines)


def _draw_walls(simulation: Simulation, axes: Axes) -> None:
    patches, path = _matplotlib("matplotlib.patches"), _matplotlib("matplotlib.path").Path
    for wall in simulation.walls:
        if not wall["active"]:
            continue
        position, angle = np.array(wall["position"]), wall["angle"]
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, s], [-s, c]])
        look: dict[str, Any] = {"color": wall_colour, "linewidth": 1.5}
        if wall["kind"] == "half-plane":
            nx, ny = np.array(wall["normal"]) @ turn
            axes.axline(tuple(position), tuple(position + np.array([-ny, nx])), zorder=0, **look)
        elif wall["kind"] in ("circle-inside", "circle-outside"):
            axes.add_patch(patches.Circle(tuple(position), wall["radius"], fill=False, **look))
        elif wall["kind"] == "polyline":
            nodes = wall["loops"][0] @ turn + position
            nodes = np.vstack([nodes, nodes[:1]]) if wall["closed"] else nodes
            axes.add_patch(patches.PathPatch(path(nodes), fill=False, **look))
        else:
            vertices, codes = _path_of([loop @ turn + position for loop in wall["loops"]])
            axes.add_patch(patches.PathPatch(path(vertices, codes), facecolor=wall_colour, edgecolor=wall_colour))


def _set_limits(simulation: Simulation, axes: Axes) -> None:
    """Around grains and walls of a place; half-planes count by their point, which scenes put at a corner."""
    points = [
        simulation.grains.x - simulation.grains.radius[:, None],
        simulation.grains.x + simulation.grains.radius[:, None],
    ]
    for wall in simulation.walls:
        position = np.array([wall["position"]])
        if wall["kind"] in ("circle-inside", "circle-outside"):
            points += [position - wall["radius"], position + wall["radius"]]
        elif wall["loops"]:
            reach = max(float(np.linalg.norm(loop, axis=1).max()) for loop in wall["loops"])
            points += [position - reach, position + reach]
    every = np.concatenate(points)
    if len(every) == 0:
        return
    low, high = every.min(axis=0), every.max(axis=0)
    margin = 0.04 * float((high - low).max())
    axes.set_xlim(low[0] - margin, high[0] + margin)
    axes.set_ylim(low[1] - margin, high[1] + margin)


def _fit_figure(axes: Axes) -> None:
    """A figure of the state's proportions, so that little of it is empty."""
    width, most = 6.4, 8.0
    wide, high = np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())
    figure: Any = axes.figure
    figure.set_size_inches(width, min(most, 0.8 * width * high / wide + 0.9))


def _explain(simulation: Simulation, axes: Axes, grains: Any, colour: str | npt.ArrayLike) -> None:
    if grains.get_array() is not None:
        label = colour if isinstance(colour, str) else ""
        divider = _matplotlib("mpl_toolkits.axes_grid1").make_axes_locatable(axes)
        axes.figure.colorbar(grains, cax=divider.append_axes("right", size="3%", pad=0.1), label=label)
        return
    by_type = isinstance(colour, str) and colour == "type"
    index = simulation.grains.type if by_type else simulation.grains.group
    names = [type.name for type in simulation.types] if by_type else simulation.groups
    present = np.unique(index).tolist()
    if len(present) < 2:
        return
    patch = _matplotlib("matplotlib.patches").Patch
    axes.legend(
        handles=[patch(facecolor=_core.palette(k), label=names[k]) for k in present],
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
    )
