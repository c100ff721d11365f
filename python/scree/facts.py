"""What a simulation tells about itself."""

from __future__ import annotations

from dataclasses import dataclass

from .shapes import Shape

__all__ = ["Event", "GrainType", "MapUse"]


@dataclass(frozen=True)
class GrainType:
    """What all grains of one type share."""

    name: str
    shape: Shape
    radius: float  #: circumradius, length
    mass: float
    inertia: float  #: mass length^2
    material: str


@dataclass(frozen=True)
class Event:
    """Something that happens once, at a time."""

    time: float
    action: str
    targets: list[str]
    done: bool


@dataclass(frozen=True)
class MapUse:
    """A contact map of a simulation."""

    names: tuple[str, str]
    ratio: float
    kind: str
    bytes: int
    from_cache: bool
    seconds: float  #: to load or build it
    gap_max: float  #: bound of its error, units of A's circumradius
