"""Other packages that compute the same, imported when a test calls them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Lazily:
    """A module, or what it has, that is imported at the first call.

    Importing scipy's statistics, scikit-learn and statsmodels takes more than a second, which every process would spend that collects tests.
    """

    def __init__(self, module: str, *path: str) -> None:
        self._module, self._path = module, path

    def __getattr__(self, name: str) -> Lazily:
        if name.startswith(("_", "pytest")):  # of whoever looks at a test module
            raise AttributeError(name)
        return Lazily(self._module, *self._path, name)

    def __call__(self, *given: Any, **options: Any) -> Any:
        found: Any = import_module(self._module)
        for name in self._path:
            found = getattr(found, name)
        return found(*given, **options)
