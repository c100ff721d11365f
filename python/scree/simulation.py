"""Simulations: a scene with its maps, stepped in time and looked into."""

from __future__ import annotations

import math
import operator
import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._optional import Bar
from ._png import png_bytes
from ._toml import toml_text
from .callbacks import Callback, Interrupt
from .errors import InputError
from .facts import Event, GrainType, MapUse
from .grains import ContactArray, EditedGrains, Grains, contact_dtype
from .maps import cache_folder
from .measures import MeasureRecord, Reading, named_measure
from .scenes import Scene
from .shapes import Shape
from .tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Simulation"]

slice_seconds = 0.05  # of work between looks for Ctrl-C and at the progress bar: what a person does not notice


class Simulation:
    """A scene with its contact maps, from its start on.

    ``scene``: a :class:`Scene` or the path of a scene file. ``threads`` (0: one per core; left out: as the scene says)
    never changes the results. ``cache``: take contact maps from the cache on disk, or keep them there (a path: in that
    folder). ``progress``: a bar while maps are made; left out: when somebody watches.

    The interpreter is free for other threads while it steps. All numbers are in the units of the scene.

    >>> import scree
    >>> scene = scree.Scene(duration=0.1, dt=1e-4, gravity=(0, -10)).grain("disc", radius=0.1).material(stiffness=1e4)
    >>> sim = scree.Simulation(scene.body("disc", position=(0, 1)))
    >>> sim.run().grains.x.round(2).tolist()
    [[0.0, 0.95]]
    """

    def __init__(
        self,
        scene: Scene | str | os.PathLike[str],
        *,
        threads: int | None = None,
        cache: bool | str | os.PathLike[str] = True,
        progress: bool | None = None,
    ) -> None:
        checked = scene._checked() if isinstance(scene, Scene) else _core.Scene.load(os.fspath(scene), [])
        self._start(checked, threads, cache, progress)

    def _start(
        self,
        scene: _core.Scene,
        threads: int | None,
        cache: bool | str | os.PathLike[str],
        progress: bool | None,
    ) -> None:
        self._scene = scene
        with Bar(progress, 1.0, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}") as bar:

            def report(fraction: float, what: str) -> None:
                bar.say(what)
                bar.at(fraction)

            self._core = _core.Engine.make(scene, cache_folder(cache), threads, report)
        self._series_timer = _core.Timer(scene.run["series"], self.dt)
        self._series: list[list[float]] = []
        self._callbacks: list[Callback] = []
        self._event_functions: list[Callable[[Simulation, Event], object]] = []
        self._events_seen = self._core.events_done
        self._paused = False
        self._editing = False
        #: measures of the scene and those of :meth:`watch`, by name
        self.measures: dict[str, MeasureRecord] = {}
        for settings in scene.measures:
            self._add_measure(settings, settings.every)

    # ---- time

    @property
    def time(self) -> float:
        """Simulated time of the positions."""
        return self._core.time

    @property
    def dt(self) -> float:
        """Length of a step, time."""
        return self._core.dt

    @property
    def steps(self) -> int:
        """Steps done so far."""
        return self._core.step

    def step(self, count: int = 1) -> Simulation:
        """Does ``count`` steps. Samples and callbacks that are due on the way happen as in :meth:`run`."""
        count = operator.index(count)
        if count < 0:
            raise InputError(f"step: {count} steps cannot be done", "step", f"{count} steps cannot be done")
        return self._run_to(self.steps + count, progress=False)

    def run(
        self, duration: float | None = None, *, until: float | None = None, progress: bool | None = None
    ) -> Simulation:
        """Steps on for ``duration``, or to the time ``until``; left out: to the end that the scene states.

        Shows a bar (tqdm) in a terminal or notebook; ``progress`` True or False decides otherwise. After
        :meth:`pause`, an exception of a callback or Ctrl-C, it goes on where it stopped when called again. Ctrl-C
        finishes the step under way and then raises KeyboardInterrupt.
        """
        if duration is not None and until is not None:
            raise TypeError("run() takes a duration or an end (until), not both")
        end = self._scene.run["duration"] if until is None else until
        if duration is not None:
            end = self.time + duration
        if not math.isfinite(end):
            raise InputError("run: the end is not a finite time", "run", "the end is not a finite time")
        # Whole steps from here, as many as `scree run` does; the first of a restored run need not be at time 0.
        left = math.ceil((end - self.time) / self.dt - 1e-6)
        return self._run_to(self.steps + max(0, left), progress)

    def pause(self) -> None:
        """In a callback: :meth:`run` returns before the next step. Calling it again goes on."""
        self._paused = True

    def _run_to(self, end_step: int, progress: bool | None) -> Simulation:
        if self._editing:
            raise RuntimeError("inside edit(): leave the block before stepping on")
        self._paused = False
        total = end_step - self.steps
        first = self.steps
        with Interrupt() as interrupt, Bar(progress, total, unit=" steps", unit_scale=True) as bar:
            while True:
                self._sample()
                bar.at(self.steps - first, t=f"{self.time:.4g}", grains=len(self.grains))
                if self.steps >= end_step or self._paused:
                    return self
                if interrupt.noted:
                    raise KeyboardInterrupt
                self._core.advance(end_step, self._next_due(), slice_seconds)

    def _next_due(self) -> float:
        timers = [self._series_timer.next] if self._scene.run["series"] > 0 else []
        timers += [record._timer.next for record in self.measures.values() if record._timer is not None]
        timers += [callback.next for callback in self._callbacks]
        return min(timers, default=math.inf)

    def _sample(self) -> None:
        """All that is due now, in the order of `scree run`: series, measures; then callbacks and events."""
        if self._series_timer.due(self.time):
            self._series.append(self._core.series())
        for record in self.measures.values():
            if record._timer is not None and record._timer.due(self.time):
                record._take(self._core, self.time)
        if self._events_seen != self._core.events_done:
            self._hear_events()
        for callback in list(self._callbacks):
            if callback.active and callback._due(self.time, self.dt):
                callback.function(self)
        self._callbacks = [callback for callback in self._callbacks if callback.active]

    def _hear_events(self) -> None:
        done = [event for event in self.events if event.done]
        new = done[self._events_seen :]
        self._events_seen = len(done)
        for event in new:
            for function in self._event_functions:
                function(self, event)

    # ---- callbacks and events

    def every(self, interval: float, function: Callable[[Simulation], object]) -> Callback:
        """Calls ``function(simulation)`` at multiples of ``interval`` (time), rounded to whole steps, from now on."""
        if not (interval > 0 and math.isfinite(interval)):
            raise InputError("every: the interval must be positive", "every", "the interval must be positive")
        timer = _core.Timer(interval, self.dt)
        if self.time > 0.5 * self.dt:
            timer.skip_to(self.time)
        return self._call(Callback(function, timer, 0.0))

    def at(self, time: float, function: Callable[[Simulation], object]) -> Callback:
        """Calls ``function(simulation)`` once, when the time has come."""
        return self._call(Callback(function, None, float(time)))

    def _call(self, callback: Callback) -> Callback:
        self._callbacks.append(callback)
        return callback

    def on_event(self, function: Callable[[Simulation, Event], object]) -> None:
        """Calls ``function(simulation, event)`` after the step in which an event happened."""
        self._event_functions.append(function)

    def schedule(self, time: float, action: str, targets: list[str] | str | None = None, **fields: Any) -> None:
        """Adds an event: the fields of ``[[events]]`` in a scene file.

        It happens at the start of the first step that begins at ``time`` or later. The step that comes right after the
        simulation was made, or after an edit, has begun already.

        Actions: remove-wall, add-wall, set-gravity (``gravity=(x, y)``), start-motion, stop-motion, insert,
        remove-group, release-group.
        """
        entry = {"time": time, "action": action, "targets": targets, **fields}
        self._core.schedule(toml_text({"events": [entry]}), "schedule")

    @property
    def events(self) -> list[Event]:
        """All events in order of time."""
        return [Event(*event) for event in self._core.events()]

    # ---- state

    @property
    def grains(self) -> Grains:
        """Places, velocities and forces of the grains, as NumPy arrays without a copy."""
        return Grains(self._core)

    @property
    def contacts(self) -> ContactArray:
        """The contacts of the last force evaluation, a structured array of its own: see :data:`contact_dtype`.

        With symplectic Euler, forces belong to the positions at the start of the last step.
        """
        return self._core.contacts().view(contact_dtype).reshape(-1)

    @contextmanager
    def edit(self) -> Iterator[EditedGrains]:
        """Lets you move grains and change their velocities.

        The block gets writable copies ``x``, ``theta``, ``v``, ``omega``. When it ends they are put in, all at once:
        neighbour lists, contacts and forces are found anew, springs of contacts that stay are kept, and the energy that
        came or went is in the ledger as ``inserted``. Kinematic grains go on as their motion says. When the block
        raises, or a number is not finite, nothing changes.

        >>> import scree
        >>> scene = scree.Scene(duration=1, dt=1e-4).grain("disc", radius=0.1).body("disc", position=(0, 0))
        >>> sim = scree.Simulation(scene)
        >>> with sim.edit() as grains:
        ...     grains.v[:, 0] = 2.0
        >>> round(float(sim.run(0.5).grains.x[0, 0]), 6)
        1.0
        """
        if self._editing:
            raise RuntimeError("inside edit() already")
        self._core.prepare()
        edited = EditedGrains(self.grains)
        self._editing = True
        try:
            yield edited
        finally:
            self._editing = False
        edited._put(self._core)

    @property
    def types(self) -> list[GrainType]:
        """What ``grains.type`` counts."""
        shapes = self._shapes()
        return [GrainType(t[0], shapes[t[1]], t[2], t[3], t[4], t[5]) for t in self._core.types()]

    def _shapes(self) -> list[Shape]:
        return [Shape(core, {"loops": [loop.tolist() for loop in core.loops]}) for core in self._core.shapes()]

    @property
    def groups(self) -> list[str]:
        """What ``grains.group`` counts."""
        return list(self._core.groups)

    @property
    def walls(self) -> list[dict[str, Any]]:
        """Walls where they are now: name, kind, active, position, angle, velocity, omega, and their geometry."""
        return self._core.walls()

    @property
    def gravity(self) -> tuple[float, float]:
        """Now, length / time^2."""
        return self._core.gravity

    @property
    def maps(self) -> list[MapUse]:
        """The contact maps in use."""
        return [MapUse((m[0], m[1]), *m[2:]) for m in self._core.maps()]

    @property
    def state_hash(self) -> int:
        """Of the bits of all positions, velocities and springs: the same for any number of threads."""
        return self._core.state_hash

    @property
    def deleted(self) -> int:
        """Grains that deletion zones have taken."""
        return self._core.deleted

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds spent so far in each stage of the steps."""
        return dict(self._core.stage_times())

    # ---- numbers

    @property
    def now(self) -> dict[str, float]:
        """The columns of ``series`` at this moment: counts, deepest overlap, largest speed, and where energy is."""
        return dict(zip(_core.series_columns(), self._core.series(), strict=True))

    @property
    def series(self) -> Table:
        """``now`` over time, sampled every ``[run] series`` of the scene; the columns of series.csv (docs/files.md)."""
        return Table.from_rows(_core.series_columns(), self._series)

    def measure(self, kind: str, **options: Any) -> Reading:
        """Measures the present state: ``sim.measure("packing", bins=5)``. Kinds and options: docs/measures.md.

        :class:`InputError` where the measure is not defined.
        """
        return named_measure(kind, options, "measure").read_now(self._core)

    def watch(self, kind: str, every: float, **options: Any) -> MeasureRecord:
        """Measures from now on at every multiple of ``every`` (time); the record is also in :attr:`measures`."""
        settings = named_measure(kind, {"every": every, **options}, "watch").settings
        if settings.name in self.measures:
            problem = f'"{settings.name}" is taken'
            raise InputError(f"watch: name: {problem}", "watch: name", problem, "give each measure its own name")
        record = self._add_measure(settings, every)
        if self.time > 0.5 * self.dt:
            assert record._timer is not None
            record._timer.skip_to(self.time)
        return record

    def _add_measure(self, settings: _core.MeasureSettings, every: float) -> MeasureRecord:
        record = MeasureRecord(settings, _core.Timer(every, self.dt))
        self.measures[settings.name] = record
        return record

    # ---- files

    def record(self, path: str | os.PathLike[str], every: float | None = None) -> Callback:
        """Writes a trajectory from now on, a frame every ``every`` (time; left out: ``[run] frames`` of the scene).

        :class:`Trajectory` reads it, and so do ``scree render`` and ``scree measure``.
        """
        writer = _core.TrajectoryWriter(self._core, os.fspath(path))
        return self.every(every or self._scene.run["frames"], lambda sim: writer.write(sim._core))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the whole state to one file; :meth:`restore` goes on from it to the same bits.

        Series, records of measures and callbacks are not in it. Fonts and SVG files of the scene are copied beside it.
        """
        target = Path(path)
        memories = [(name, record._core.memory()) for name, record in self.measures.items()]
        _core.save_state(self._core, target, memories)
        Scene._copy_files(self._scene, target.parent)

    @classmethod
    def restore(
        cls,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        cache: bool | str | os.PathLike[str] = True,
        progress: bool | None = None,
    ) -> Simulation:
        """Goes on from a state that :meth:`save` or ``scree run`` wrote."""
        scene, memories = _core.read_state(Path(path))
        simulation = cls.__new__(cls)
        simulation._start(scene, threads, cache, progress)
        simulation._series_timer.skip_to(simulation.time)
        for name, record in simulation.measures.items():
            assert record._timer is not None
            record._timer.skip_to(simulation.time)
            if name in memories:
                record._core.go_on(memories[name])
        return simulation

    # ---- looking

    def draw(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws the state with matplotlib: see :func:`scree.drawing.draw`."""
        from . import drawing

        return drawing.draw(self, ax, **options)

    def picture(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        colour: str | None = None,
        forces: bool | None = None,
        width: int | None = None,
    ) -> bytes:
        """A PNG picture as ``scree render`` draws it, by ``[render]`` of the scene; returned, and written to ``path``.

        ``colour``: type, group, speed, force or angle. ``forces``: contact forces as a network. ``width``: pixels.
        """
        return png_bytes(lambda file: _core.draw(self._core, file, colour, forces, width), path)

    def __repr__(self) -> str:
        title = f' "{self._scene.title}"' if self._scene.title else ""
        return f"<scree.Simulation{title}: t = {self.time:.6g}, {len(self.grains)} grains>"

    def _repr_html_(self) -> str:
        now = self.now
        rows = {
            "time": f"{self.time:.6g}",
            "steps": f"{self.steps:,} of {self.dt:.6g}",
            "grains": f"{len(self.grains):,}",
            "contacts": f"{int(now['contacts']):,}",
            "kinetic energy": f"{now['kinetic']:.4g}",
            "largest speed": f"{now['max_speed']:.4g}",
        }
        table = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
        image = b64encode(self.picture(width=640)).decode()
        return (
            f"<b>{escape(self._scene.title) or 'scree.Simulation'}</b><table>{table}</table>"
            f'<img width="640" src="data:image/png;base64,{image}"/>'
        )
