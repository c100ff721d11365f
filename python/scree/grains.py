"""The arrays of a simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._optional import need

__all__ = ["ContactArray", "EditedGrains", "Grains", "contact_dtype", "no_grain"]

Floats = npt.NDArray[np.float64]
ContactArray = npt.NDArray[np.void]

no_grain = 0xFFFFFFFF  #: stands for a wall in the field ``a`` of a contact

#: Fields of a contact: ``a``, ``b`` ids of the grains (``a`` is ``no_grain`` for a wall), ``wall`` index in
#: ``Simulation.walls`` or -1, ``feature`` (tells several contacts of one pair apart), ``gap`` (length, negative),
#: ``normal`` (unit, from A or the wall to B), ``point`` where the force acts (length), ``normal_force`` (on B along the
#: normal), ``tangential_force`` (on B along the normal turned by a quarter), ``arm_a``, ``arm_b`` (arms of the
#: tangential force, length), ``spring`` (tangential, length).
contact_dtype: np.dtype[np.void] = np.dtype(
    {
        "names": [field[0] for field in _core.contact_fields()],
        "formats": [field[1] for field in _core.contact_fields()],
        "offsets": [field[2] for field in _core.contact_fields()],
        "itemsize": _core.contact_row_bytes,
    }
)


class Grains:
    """The grains of a simulation, one row each in order of id.

    The arrays look at the simulation's own memory: no copy, read-only, and they follow the simulation from step to step
    **until grains come or go**. From then on an array taken before keeps the values of that moment; take it anew
    (``sim.grains.x``) to see what is there now. It never points to memory that is gone, however long you keep it.
    To change places or velocities use :meth:`Simulation.edit`.
    """

    def __init__(self, core: _core.Engine) -> None:
        self._core = core

    def __len__(self) -> int:
        return self._core.count

    @property
    def id(self) -> npt.NDArray[np.uint32]:
        """Never reused, ascending."""
        return self._core.id

    @property
    def type(self) -> npt.NDArray[np.uint16]:
        """Index in ``Simulation.types``."""
        return self._core.type

    @property
    def group(self) -> npt.NDArray[np.uint16]:
        """Index in ``Simulation.groups``."""
        return self._core.group

    @property
    def kind(self) -> npt.NDArray[np.uint8]:
        """0 moving, 1 fixed, 2 kinematic."""
        return self._core.kind

    @property
    def x(self) -> Floats:
        """Centroids, length, rows x, y; wrapped into the cell in periodic directions."""
        return self._core.x

    @property
    def theta(self) -> Floats:
        """Angles, rad, not wrapped."""
        return self._core.theta

    @property
    def v(self) -> Floats:
        """Velocities, length / time, rows x, y."""
        return self._core.v

    @property
    def omega(self) -> Floats:
        """Angular velocities, rad / time."""
        return self._core.omega

    @property
    def force(self) -> Floats:
        """Forces of the last evaluation, gravity included, rows x, y."""
        return self._core.force

    @property
    def torque(self) -> Floats:
        """Torques about the centroids, likewise."""
        return self._core.torque

    @property
    def image(self) -> npt.NDArray[np.int32]:
        """Periods a grain has been wrapped by: its unwrapped place is x + image * period."""
        return self._core.image

    @property
    def radius(self) -> Floats:
        """Circumradii, length; an array of its own."""
        return self._of_type(2)

    @property
    def mass(self) -> Floats:
        """Masses; an array of its own."""
        return self._of_type(3)

    @property
    def inertia(self) -> Floats:
        """Moments of inertia, mass length^2; an array of its own."""
        return self._of_type(4)

    def _of_type(self, column: int) -> Floats:
        return np.array([row[column] for row in self._core.types()], dtype=np.float64)[self.type]

    def dlpack(self, name: str) -> Any:
        """``x``, ``theta``, ``v``, ``omega``, ``force`` or ``torque`` for another package, without a copy.

        ``torch.from_dlpack(sim.grains.dlpack("x"))``, and the same for JAX. It obeys the rules above, but cannot say
        that it is read-only: do not write into it.
        """
        return self._core.dlpack(name)

    def to_pandas(self) -> Any:
        """A copy as ``pandas.DataFrame``, with the id as index."""
        pandas = need("pandas", "pandas", "pandas", "Grains.to_pandas")
        types = [row[0] for row in self._core.types()]
        columns: dict[str, Any] = {"grain": [types[k] for k in self.type]}
        for name in ("x", "v", "force"):
            values = getattr(self, name)
            columns |= {f"{name}_x": values[:, 0].copy(), f"{name}_y": values[:, 1].copy()}
        columns |= {name: getattr(self, name).copy() for name in ("theta", "omega", "torque")}
        return pandas.DataFrame(columns, index=pandas.Index(self.id.copy(), name="id"))

    def __repr__(self) -> str:
        return f"<scree.Grains: {len(self)}>"


class EditedGrains:
    """Writable copies of ``x``, ``theta``, ``v`` and ``omega``, put in when the block of ``edit()`` ends."""

    def __init__(self, grains: Grains) -> None:
        self.id = grains.id.copy()
        self.x = grains.x.copy()
        self.theta = grains.theta.copy()
        self.v = grains.v.copy()
        self.omega = grains.omega.copy()

    def _put(self, core: _core.Engine) -> None:
        n = len(self.id)
        x, theta = _array("x", self.x, (n, 2)), _array("theta", self.theta, (n,))
        v, omega = _array("v", self.v, (n, 2)), _array("omega", self.omega, (n,))
        now = ((x, core.x), (theta, core.theta), (v, core.v), (omega, core.omega))
        if not all(np.array_equal(new, old) for new, old in now):
            core.put(x, theta, v, omega)


def _array(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"edit: {name} has the shape {array.shape}, not {shape}")
    return np.ascontiguousarray(array)
