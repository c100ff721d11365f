"""Functions that a simulation calls while it runs, and Ctrl-C meanwhile."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from .simulation import Simulation

__all__ = ["Callback", "Interrupt"]


class Callback:
    """A function that a simulation calls now and then. ``cancel()`` ends that."""

    def __init__(self, function: Callable[[Simulation], object], timer: _core.Timer | None, time: float) -> None:
        self.function = function
        self._timer = timer
        self._time = time  # of one that is called once
        self.active = True

    def cancel(self) -> None:
        self.active = False

    @property
    def next(self) -> float:
        """When it is called next, time."""
        return self._time if self._timer is None else self._timer.next

    def _due(self, time: float, dt: float) -> bool:
        if self._timer is not None:
            return self._timer.due(time)
        if time + 0.5 * dt < self._time:
            return False
        self.active = False
        return True


class Interrupt:
    """While it lasts, Ctrl-C is noted and not raised. A second one is raised at once."""

    def __init__(self) -> None:
        self.noted = False
        self._before: Any = None

    def _on_signal(self, number: int, frame: Any) -> None:
        if self.noted:
            raise KeyboardInterrupt
        self.noted = True

    def __enter__(self) -> Interrupt:
        # Handlers belong to the main thread, and one that somebody else put there stays.
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
