"""Packages that only some functions need."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any


def need(package: str, module: str, extra: str, purpose: str) -> Any:
    """The module, or an ImportError that names the ``pip install`` to do."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {package}: pip install {package}, or all of its kind with pip install 'scree[{extra}]'"
        ) from error


def someone_watches() -> bool:
    """True in a notebook and where stderr is a terminal."""
    ipython = sys.modules.get("IPython")
    in_notebook = ipython is not None and hasattr(ipython.get_ipython(), "kernel")
    return in_notebook or (sys.stderr is not None and sys.stderr.isatty())


class Bar:
    """A progress bar by tqdm, in the terminal or the notebook. Silent when it is not wanted.

    ``wanted=None`` shows it when somebody watches and tqdm is there; ``True`` asks for tqdm.
    """

    def __init__(self, wanted: bool | None, total: float, **options: Any) -> None:
        self._bar: Any = None
        if wanted is False or (wanted is None and not someone_watches()):
            return
        # Without ipywidgets the notebook's own bar would only complain.
        module = "tqdm.auto" if importlib.util.find_spec("ipywidgets") else "tqdm"
        try:
            tqdm = need("tqdm", module, "progress", "progress")
        except ImportError:
            if wanted:
                raise
            return
        # One that nobody asked for comes only when there is something to wait for, and goes at the end.
        self._bar = tqdm.tqdm(total=total, leave=wanted is True, delay=0 if wanted else 0.5, **options)

    def at(self, position: float, **notes: Any) -> None:
        if self._bar is None:
            return
        if notes:
            self._bar.set_postfix(notes, refresh=False)
        self._bar.update(position - self._bar.n)

    def say(self, text: str) -> None:
        if self._bar is not None:
            self._bar.set_description_str(text, refresh=False)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()
