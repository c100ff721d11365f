"""Errors of the engine. Each says what is wrong and what to do about it.

``str(error)`` is the text that the program ``scree`` prints: "where: problem", then the remedy on a second line.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Error", "FileError", "InputError", "PhysicsError"]


class Error(Exception):
    """What all errors of the engine have in common.

    ``where`` names the place (file, line and field where known), ``problem`` what is wrong, ``remedy`` what to do.
    """

    def __init__(self, text: str, where: str = "", problem: str = "", remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.where = where
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.where, self.problem, self.remedy)


class InputError(Error, ValueError):
    """A scene, a shape, a map file or an argument is wrong."""


class PhysicsError(Error, RuntimeError):
    """A simulation went wrong and the watchdog stopped it. The state is still there to be looked at."""


class FileError(Error, OSError):
    """A file or the disk failed."""
