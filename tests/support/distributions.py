"""Which optional packages are installed, without importing them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed(distribution: str) -> bool:
    """Return whether a distribution is installed."""
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
