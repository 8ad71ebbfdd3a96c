"""References that arrive later, joined to the cases of an import or a run by their ids."""

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
        cases: The file of cases that has them.
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
        """Number of cases whose reference is new."""
        return self.added + self.replaced


class CompletedCases(NamedTuple):
    """Cases with references, and the counts of what changed."""

    cases: list[Case]
    joined: JoinedReferences


def join_references(files: Iterable[InputPath], table: References, to: Path) -> CompletedCases:
    """Give cases the references of a table; fields that a row does not name stay.

    Args:
        files: The cases.
        table: The references by case.
        to: The file that is to hold the cases.

    Raises:
        InputError: No row is of a case, or a reference cannot be met.
    """
    cases: list[Case] = []
    added = replaced = 0
    named = set[str]()
    for case in chain.from_iterable(read_records(path, Case) for path in files):
        made = table.complete_case(case)
        if table.names(case.id):
            named.add(case.id)
        if made != case:
            _validate(made, table)
            added, replaced = added + _is_plain(case), replaced + (not _is_plain(case))
            cases.append(made)
        else:
            cases.append(case)
    skipped = list(table.left())
    unchanged = len(named) - added - replaced
    return CompletedCases(
        cases,
        JoinedReferences(cases=to, added=added, replaced=replaced, unchanged=unchanged, skipped=skipped),
    )


def _is_plain(case: Case) -> bool:
    """Return whether a case has no reference yet."""
    spec = kind_spec(case.kind)
    return spec.plain and not (spec.family == "open" and "answer" in case.reference)


def _validate(case: Case, table: References) -> None:
    try:
        validate_reference(case, CheckOptions())
    except InputError as error:
        raise InputError(f"the reference of {case.id!r}: {error.message}", path=table.path) from error
