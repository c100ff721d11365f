"""Pictures as bytes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

__all__ = ["png_bytes"]


def png_bytes(write: Callable[[Path], None], path: str | os.PathLike[str] | None) -> bytes:
    if path is not None:
        write(Path(path))
        return Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture.png"
        write(file)
        return file.read_bytes()
