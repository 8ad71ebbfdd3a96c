"""The versions of what a run is made with."""

from __future__ import annotations

import sys
from functools import cache

from ...version import VERSION

_PACKAGES = ("msgspec", "numpy", "openai", "scipy")


def own_versions() -> dict[str, str]:
    """Python's and fiducial's own, for which nothing has to be looked up."""
    return {"python": sys.version.partition(" ")[0], "fiducial": VERSION}


@cache
def component_versions() -> dict[str, str]:
    """Those, and the versions of the packages that results depend on; looking them up takes 10 ms once a process."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to import

    return own_versions() | {name: version(name) for name in _PACKAGES}
