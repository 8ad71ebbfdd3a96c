"""The root is the package, but a clone's folder may have a name that no package can have."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the root as a folder, which keeps its ``__init__`` from a second import.

    It would be imported under the folder's name.
    """
    return pytest.Dir.from_parent(parent, path=path) if path == parent.config.rootpath else None
