"""Working copies of run folders in a store, by their folder on this machine."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .working_copy import WorkingCopy

_copies: dict[Path, WorkingCopy] = {}


def working_copy(address: str, cache: Path, *, every: float) -> WorkingCopy:
    """Return the working copy of an address, up to date with the store; see `WorkingCopy`.

    If this machine wrote last, its state is kept.
    """
    from .working_copy import WorkingCopy  # noqa: PLC0415 - most runs are kept on this machine

    new_copy = WorkingCopy(address, cache, every=every)
    # An earlier object for the folder is used on, since it may hold the lock.
    copy = _copies.setdefault(new_copy.folder, new_copy)
    copy.fetch()
    return copy


def copy_at(folder: object) -> WorkingCopy | None:
    """Return the working copy at a folder, or None for any other folder."""
    return _copies.get(folder) if isinstance(folder, Path) else None


@contextmanager
def put_back(folder: object) -> Generator[None]:
    """Upload changes made within the block, if the folder is a working copy."""
    copy = copy_at(folder)
    if copy is None:
        yield
    else:
        with copy.held():
            yield
