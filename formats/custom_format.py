"""Files in a custom format, read by a user's function (`plugins.FORMATS`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ..errors import FiducialError, InputError, RecordError, UsageError
from ..plugins import FORMATS
from ..records import Case, Output, Verdict, memory_file, read_records


def read_custom(name: str, path: Path) -> Iterator[Case | Output | Verdict]:
    """Read cases, outputs and verdicts with a custom function, in its order.

    Mappings are validated like lines of a file.

    Raises:
        UsageError: No format has this name.
        InputError: The function fails.
        RecordError: The function yields something that is no record.
    """
    read = FORMATS.get(name)
    if read is None:
        raise UsageError(f"no format is called {name!r}; registered are: {', '.join(FORMATS) or 'none'}")
    try:
        for number, item in enumerate(read(path), start=1):
            yield _record(item, f"{path} read by {name}", number)
    except FiducialError:
        raise
    except Exception as error:  # a user's function may raise anything, which must be reported
        problem = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"the format {name!r} cannot read this: {problem}", path=path) from error


def _record(item: Any, where: str, number: int) -> Case | Output | Verdict:
    if isinstance(item, Case | Output | Verdict):
        return item
    keys: set[Any] = set(cast("Mapping[Any, Any]", item)) if isinstance(item, Mapping) else set()
    # Only verdicts have ``by``; of the others, only outputs have ``case_id``.
    record: type[Case | Output | Verdict] = Verdict if "by" in keys else Output if "case_id" in keys else Case
    try:
        return next(read_records(memory_file(where, [item]), record))
    except RecordError as error:
        raise RecordError(error.message, path=where, line=number, field=error.field) from error
