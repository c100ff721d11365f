"""TOML: what Python values become in a scene."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import tomli_w

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from .errors import InputError

__all__ = ["plain", "read_toml", "toml_text"]


def plain(value: Any, where: str) -> Any:
    """Arrays and tuples as lists, NumPy numbers as numbers, paths as text. ``None`` in a table leaves the field out."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, dict):
        return {str(key): plain(item, f"{where}.{key}") for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{where}[{k}]") for k, item in enumerate(value)]
    problem = f"cannot be {type(value).__name__}: a scene holds numbers, texts, lists and tables"
    raise InputError(f"{where}: {problem}", where, problem)


def toml_text(tree: dict[str, Any]) -> str:
    return tomli_w.dumps(plain(tree, "scene"))


def read_toml(text: str) -> dict[str, Any]:
    return tomllib.loads(text)
