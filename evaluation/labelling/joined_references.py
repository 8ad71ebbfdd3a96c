"""Join references that arrive later to the cases of an import or run, by id."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...deterministic.checkers import validate_reference
from ...deterministic.options import CheckOptions
from ...errors import InputError
from ...formats.imported_records import Skipped
from ...formats.references import References
from ...records import Case, InputPath, kind_spec, read_records


class JoinedReferences(msgspec.Struct, frozen=True, kw_only=True):
    """References that were joined to cases.

    Attributes:
        cases: Path of the file with the completed cases.
        added: Number of cases without a reference before.
        replaced: Number of cases with another reference before.
        unchanged: Number of cases with the same reference before.
        skipped: Rows, or parts of them, that could not be used.
    """

    cases: Path
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    skipped: list[Skipped] = []

    @property
    def changed(self) -> int:
        """Number of cases whose reference is new or different."""
        return self.added + self.replaced


class CompletedCases(NamedTuple):
    """Cases with their references, and the number of changes."""

    cases: list[Case]
    joined: JoinedReferences


def join_references(files: Iterable[InputPath], table: References, to: Path) -> CompletedCases:
    """Give cases the references of a table; keep fields that a row does not name.

    Args:
        files: Files of the cases.
        table: The references by case.
        to: Path of the file to write the cases to.

    Raises:
        InputError: No row is about a case, or a reference cannot be met.
    """
    cases: list[Case] = []
    added_count = replaced_count = unchanged_count = 0
    for case in chain.from_iterable(read_records(path, Case) for path in files):
        completed = table.complete_case(case)
        if completed != case:
            _validate(completed, table)
            if _lacks_reference(case):
                added_count += 1
            else:
                replaced_count += 1
            cases.append(completed)
        else:
            unchanged_count += table.has_reference(case.id)
            cases.append(case)
    skipped = list(table.left())
    return CompletedCases(
        cases,
        JoinedReferences(
            cases=to, added=added_count, replaced=replaced_count, unchanged=unchanged_count, skipped=skipped
        ),
    )


def _lacks_reference(case: Case) -> bool:
    spec = kind_spec(case.kind)
    return spec.plain and not (spec.family == "open" and "answer" in case.reference)


def _validate(case: Case, table: References) -> None:
    try:
        validate_reference(case, CheckOptions())
    except InputError as error:
        raise InputError(f"the reference of {case.id!r}: {error.message}", path=table.path) from error
