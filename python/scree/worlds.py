"""Many small worlds of one kind, stepped together: the base of learning environments."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._optional import Bar
from .callbacks import Interrupt
from .errors import InputError, PhysicsError
from .grains import ContactArray, Floats, contact_dtype
from .maps import cache_folder
from .scenes import Scene

__all__ = ["WorldFault", "Worlds"]

#: Numbers of worlds, or a mask with a truth value for each; ``None``: all.
Which = int | Sequence[int] | npt.NDArray[Any] | None

slice_seconds = 0.05  # of work between looks for Ctrl-C


@dataclass(frozen=True)
class WorldFault:
    """What has gone wrong in a world, which has stood still since. ``error`` names grain, cause and remedy."""

    world: int
    step: int
    time: float
    error: PhysicsError


class Worlds:
    """``count`` worlds that all begin as ``scene`` does, and go on side by side without seeing each other.

    ``scene``: a :class:`Scene` or the path of a scene file. ``device``: "cuda" steps all of them together on a GPU,
    "cpu" each on a thread of its own, "serial" does what the GPU does, slowly; left out: as the scene says.
    ``seeds``: one for each world, for what is inserted at the start; left out: all begin alike. ``precision``,
    ``threads``, ``cache`` and ``progress`` as in the scene file and :class:`Simulation`.

    A world has the bits it would have if it were the only one. Events, rain and deletion zones are refused: numbers of
    grains stay as they are. There is no ledger of energy.

    >>> import numpy as np, scree
    >>> scene = scree.Scene(duration=1, dt=2e-4, gravity=(0, -10)).material(stiffness=1e4).grain("disc", radius=0.1)
    >>> scene = scene.body("disc", position=(0, 0.1)).wall("polyline", points=[(-1, 0), (1, 0)], name="plate")
    >>> worlds = scree.Worlds(scene, 3, device="cpu")
    >>> worlds.drive("plate", velocity=[[0, 0], [0, 0.5], [0, 1]])
    >>> worlds.step(500).places.shape
    (3, 1, 3)
    >>> np.argsort(worlds.places[:, 0, 1]).tolist()     # the faster the plate, the higher the disc
    [0, 1, 2]
    """

    def __init__(
        self,
        scene: Scene | str | os.PathLike[str],
        count: int,
        *,
        device: str | None = None,
        precision: str | None = None,
        threads: int | None = None,
        seeds: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
        cache: bool | str | os.PathLike[str] = True,
        progress: bool | None = None,
    ) -> None:
        checked = scene._checked() if isinstance(scene, Scene) else _core.Scene.load(os.fspath(scene), [])
        count = operator.index(count)
        if count < 1:
            problem = f"{count} worlds cannot be made"
            raise InputError(f"count: {problem}", "count", problem, "give 1 or more")
        own_seeds = [] if seeds is None else [operator.index(seed) for seed in seeds]
        if any(not 0 <= seed < 2**64 for seed in own_seeds):
            problem = "a seed is negative or too large"
            raise InputError(f"seeds: {problem}", "seeds", problem, "give whole numbers below 2**64")
        with Bar(progress, 1.0, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}") as bar:

            def report(fraction: float, what: str) -> None:
                bar.say(what)
                bar.at(fraction)

            folder = cache_folder(cache)
            self._core = _core.Worlds.make(checked, count, device, precision, threads, own_seeds, folder, report)
        self._rows: tuple[Floats, Floats] | None = None

    def __len__(self) -> int:
        return self._core.count

    # ---- time

    @property
    def dt(self) -> float:
        """Length of a step, time."""
        return self._core.dt

    @property
    def time(self) -> Floats:
        """Simulated time of each world, shape (worlds,)."""
        return self._core.times()

    @property
    def steps(self) -> npt.NDArray[np.uint64]:
        """Steps that each world has done since its time 0, shape (worlds,)."""
        return self._core.steps()

    def step(self, count: int = 1) -> Worlds:
        """Does ``count`` steps in every world that does not stand still. What goes wrong is in :attr:`faults`."""
        count = operator.index(count)
        if count < 0:
            raise InputError(f"step: {count} steps cannot be done", "step", f"{count} steps cannot be done")
        self._rows = None
        at_once = 16
        with Interrupt() as interrupt:
            while count > 0:
                now = min(count, at_once)
                begin = time.perf_counter()
                self._core.advance(now)
                count -= now
                if time.perf_counter() - begin < 0.5 * slice_seconds:
                    at_once *= 2
                if interrupt.noted:
                    raise KeyboardInterrupt
        return self

    # ---- state

    @property
    def bodies(self) -> int:
        """Grains of each world."""
        return self._core.bodies

    @property
    def device(self) -> str:
        """What steps them: "cpu", "cuda" or "serial"."""
        return self._core.device

    @property
    def places(self) -> Floats:
        """x, y (length) and angle (rad) of every grain, shape (worlds, bodies, 3); a copy of this moment."""
        return self._read()[0]

    @property
    def velocities(self) -> Floats:
        """Velocity (length / time) and spin (rad / time), shape (worlds, bodies, 3); a copy of this moment."""
        return self._read()[1]

    def _read(self) -> tuple[Floats, Floats]:
        if self._rows is None:
            self._rows = self._core.read()
        return self._rows

    @property
    def type(self) -> npt.NDArray[np.uint16]:
        """Index in :attr:`types` of every grain, shape (worlds, bodies)."""
        return self._core.types()

    @property
    def types(self) -> list[str]:
        """What ``type`` counts, by name."""
        return self._core.type_names()

    @property
    def group(self) -> npt.NDArray[np.uint16]:
        """Index in :attr:`groups` of the grains of each world, shape (bodies,)."""
        return self._core.group()

    @property
    def groups(self) -> list[str]:
        """What ``group`` counts."""
        return self._core.groups()

    def contacts(self, world: int) -> ContactArray:
        """The contacts of the last step of a world: as :attr:`Simulation.contacts`. Empty where it stands still."""
        return self._core.contacts(self._one(world)).view(contact_dtype).reshape(-1)

    def walls(self, world: int) -> list[dict[str, Any]]:
        """The walls of a world where they are now: as :attr:`Simulation.walls`."""
        return self._core.walls(self._one(world))

    def state_hash(self, world: int) -> int:
        """Of the bits of all positions, velocities and springs of a world."""
        return self._core.state_hash(self._one(world))

    # ---- what is done to them

    def drive(
        self,
        name: str,
        velocity: npt.ArrayLike = (0.0, 0.0),
        omega: npt.ArrayLike = 0.0,
        *,
        position: npt.ArrayLike | None = None,
        angle: npt.ArrayLike | None = None,
        worlds: Which = None,
    ) -> None:
        """Lets walls, or the kinematic grains of a group, move from now on until they are driven otherwise.

        ``velocity``: (2,) for all, or (worlds, 2). ``omega``: a number or (worlds,), rad / time, about the origin of
        the wall or the middle of the group, which moves along. ``position`` and ``angle``, for a wall: it is put there
        first. A motion of the scene that moved them ends.
        """
        which = self._which(worlds)
        n = len(which)
        self._core.drive(
            which,
            name,
            self._filled("velocity", velocity, (n, 2)),
            self._filled("omega", omega, (n,)),
            None if position is None else self._filled("position", position, (n, 2)),
            None if angle is None else self._filled("angle", angle, (n,)),
        )

    def set_gravity(self, gravity: npt.ArrayLike, *, worlds: Which = None) -> None:
        """Gravity from now on, length / time^2: (2,) for all, or (worlds, 2)."""
        which = self._which(worlds)
        self._core.set_gravity(which, self._filled("gravity", gravity, (len(which), 2)))

    def reset(self, worlds: Which = None, *, state: int | None = None) -> None:
        """Worlds become as they were at the beginning, or as a ``state`` of :meth:`keep`, with the time of that.

        Also those that stand still. The others do not notice.
        """
        self._rows = None
        self._core.reset(self._which(worlds), None if state is None else self._whole("state", state))

    def keep(self, world: int) -> int:
        """Keeps the present state of a world, contacts included; returns its number, for :meth:`reset`.

        States stay in memory, that of the GPU too.
        """
        return self._core.keep(self._one(world))

    # ---- what goes wrong

    @property
    def faults(self) -> list[WorldFault]:
        """Of worlds that stand still, by world."""
        return [
            WorldFault(world, step, at, PhysicsError(text, where, problem, remedy))
            for world, step, at, text, where, problem, remedy in self._core.faults()
        ]

    @property
    def running(self) -> npt.NDArray[np.bool_]:
        """Which worlds do not stand still, shape (worlds,)."""
        mask = np.ones(len(self), dtype=bool)
        mask[[fault[0] for fault in self._core.faults()]] = False
        return mask

    # ---- arguments

    @staticmethod
    def _whole(name: str, value: int) -> int:
        value = operator.index(value)
        if value < 0:
            raise InputError(f"{name}: there is no {name} {value}", name, f"there is no {name} {value}", "count from 0")
        return value

    def _one(self, world: int) -> int:
        return self._whole("world", world)

    def _which(self, worlds: Which) -> list[int]:
        if worlds is None:
            return list(range(len(self)))
        chosen = np.atleast_1d(np.asarray(worlds))
        if chosen.size == 0:
            return []
        if chosen.dtype == bool:
            if chosen.shape != (len(self),):
                problem = f"the mask has shape {chosen.shape}, but there are {len(self)} worlds"
                raise InputError(f"worlds: {problem}", "worlds", problem, "give a truth value for each world")
            return [int(world) for world in np.flatnonzero(chosen)]
        if chosen.ndim != 1 or not np.issubdtype(chosen.dtype, np.integer):
            problem = "must be whole numbers in a row, or a mask"
            raise InputError(f"worlds: {problem}", "worlds", problem, "give numbers of worlds")
        return [self._one(int(world)) for world in chosen]

    @staticmethod
    def _filled(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
        try:
            return np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=np.float64), shape))
        except ValueError:
            problem = f"has shape {np.shape(values)}, but {shape} is wanted"
            raise InputError(f"{name}: {problem}", name, problem, "give one for all, or one for each world") from None

    def __repr__(self) -> str:
        still = len(self) - int(self.running.sum())
        note = f", {still} standing still" if still else ""
        return f"<scree.Worlds: {len(self)} of {self.bodies} grains on {self.device}{note}>"
