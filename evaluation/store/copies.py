"""Which folders on this machine are working copies of run folders in a store."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .working_copy import WorkingCopy

_copies: dict[Path, WorkingCopy] = {}


def working_copy(address: str, cache: Path, *, every: float) -> WorkingCopy:
    """The working copy of an address, as the store has it now or as this machine left it; see `WorkingCopy`."""
    from .working_copy import WorkingCopy  # noqa: PLC0415 - most runs are kept on this machine

    fresh = WorkingCopy(address, cache, every=every)
    copy = _copies.setdefault(fresh.folder, fresh)
    copy.fetch()
    return copy


def copy_at(folder: object) -> WorkingCopy | None:
    """The working copy that a folder is; None of any other folder."""
    return _copies.get(folder) if isinstance(folder, Path) else None


@contextmanager
def put_back(folder: object) -> Generator[None]:
    """Put what is changed in a folder until the end of the block back to where it is a copy of, if it is one."""
    copy = copy_at(folder)
    if copy is None:
        yield
    else:
        with copy.held():
            yield
