"""What the package shows runs: docstrings, notebooks, types. The pages of docs/: tests/python/test_guides.py."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest
from conftest import repository

import scree


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


modules = [f"scree.{module.name}" for module in pkgutil.iter_modules(scree.__path__) if module.name != "_core"]


@pytest.mark.parametrize("name", ["scree", *modules])
def test_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_everything_public_has_a_docstring() -> None:
    plain = {"name", "is_disc", "error", "cancel"}  # say all by their name and type
    missing = []
    for name in scree.__all__:
        thing = getattr(scree, name)
        if not isinstance(thing, type) or not thing.__module__.startswith("scree"):
            continue
        assert thing.__doc__, name
        for attribute, value in vars(thing).items():
            is_ours = isinstance(value, (property, classmethod, staticmethod)) or callable(value)
            if not attribute.startswith("_") and is_ours and attribute not in plain and not value.__doc__:
                missing.append(f"{name}.{attribute}")
    assert missing == []


@pytest.mark.parametrize("file", sorted((repository / "python/notebooks").glob("*.ipynb")), ids=lambda file: file.stem)
def test_notebooks_run(file: Path, elsewhere: Path) -> None:
    notebook = nbformat.read(file, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "clear the outputs: they are made anew"
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in shown) >= 1


def test_types_hold(elsewhere: Path) -> None:
    """mypy --strict over the package, and over what a user may write."""
    (elsewhere / "user.py").write_text(
        "import numpy as np\n"
        "import scree\n"
        "sim = scree.Simulation(scree.Scene(duration=1.0, dt=1e-4))\n"
        "x = sim.grains.x + np.zeros(2)\n"
        "gap: float = float(scree.Map.load('a')(x).gap[0])\n"
        "sim.every(0.1, lambda s: s.pause())\n"
        "sim.grains.x = x  # read-only: an error\n"
        "sim.run('long')  # an error\n"
    )
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(repository / "pyproject.toml")]
    installed = "site-packages" in scree.__file__  # where mypy looks anyway
    path = {} if installed else {"MYPYPATH": str(Path(scree.__file__).parents[1])}
    own = subprocess.run([*mypy, "-p", "scree"], capture_output=True, text=True, env=os.environ | path)
    assert own.returncode == 0, own.stdout
    user = subprocess.run([*mypy, "user.py"], capture_output=True, text=True, env=os.environ | path)
    errors = [line for line in user.stdout.splitlines() if line.startswith("user.py") and "error:" in line]
    assert [line.split(":")[1] for line in errors] == ["7", "8"], user.stdout
