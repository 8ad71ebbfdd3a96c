"""The versions of what a run was made with."""

from __future__ import annotations

from functools import cache

_PACKAGES = ("fiducial", "msgspec", "numpy", "openai", "scipy")


@cache
def component_versions() -> dict[str, str]:
    """Python's version, and those of the packages that results depend on; looking them up takes 10 ms once a process."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to import
    from platform import python_version  # noqa: PLC0415 - likewise

    return {"python": python_version(), **{name: version(name) for name in _PACKAGES}}
