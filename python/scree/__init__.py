"""Scree: granular media whose grains have any shape.

>>> import scree
>>> scene = scree.Scene(duration=0.2, dt=2e-4, gravity=(0, -9.81))
>>> scene.material(density=1000, friction=0.4).grain("star", radius=0.1)
<scree.Scene "": run, step, gravity, materials, grains>
>>> scene.insert("lattice", grain="star", x=(-0.5, 0.5), y=(0.1, 1)).wall("box", x=(-0.5, 0.5), y=(0, 3)) is scene
True
>>> sim = scree.Simulation(scene)
>>> len(sim.run().grains)
20

docs/python.md is the guide. Units are yours, as long as they are consistent; angles are in rad.
"""

from ._core import version as __version__
from .callbacks import Callback
from .errors import Error, FileError, InputError, PhysicsError
from .facts import Event, GrainType, MapUse
from .grains import ContactArray, EditedGrains, Grains, contact_dtype, no_grain
from .maps import Geometry, Map, MapError
from .measures import MeasureRecord, Reading, measure_kinds
from .scenes import Check, Scene
from .shapes import Recipe, Shape, recipes
from .simulation import Simulation
from .tables import Table
from .trajectories import Frame, Trajectory
from .worlds import WorldFault, Worlds

__all__ = [
    "Callback",
    "Check",
    "ContactArray",
    "EditedGrains",
    "Error",
    "Event",
    "FileError",
    "Frame",
    "Geometry",
    "GrainType",
    "Grains",
    "InputError",
    "Map",
    "MapError",
    "MapUse",
    "MeasureRecord",
    "PhysicsError",
    "Reading",
    "Recipe",
    "Scene",
    "Shape",
    "Simulation",
    "Table",
    "Trajectory",
    "WorldFault",
    "Worlds",
    "__version__",
    "contact_dtype",
    "measure_kinds",
    "no_grain",
    "recipes",
]
