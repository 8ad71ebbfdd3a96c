"""Entries of BFCL's data set, and the stored results that answer them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...errors import InputError, RecordError
from ...formats.bfcl import (
    Category,
    DataSource,
    Entry,
    ResultFile,
    ResultIndex,
    ResultLine,
    read_entries,
    sort_key,
    to_case,
)
from ...records import Case
from ...spelling import setting


class SuiteEntry(NamedTuple):
    """Entry of the data set, as quoted in score files, and its case for checkers."""

    entry: Entry
    case: Case


class BfclSuite:
    """BFCL's entries by category, loaded on first use.

    Memory grows with the data set, not with the number of systems.
    """

    def __init__(self, source: DataSource) -> None:
        self._source = source
        self._categories: dict[str, dict[str, SuiteEntry]] = {}

    def entries(self, category: Category) -> dict[str, SuiteEntry]:
        """Return the entries of a category by id, in the order of the data file.

        Raises:
            InputError: A file is missing, or data and ground truth do not belong together.
        """
        if category.name not in self._categories:
            self._categories[category.name] = {
                entry.id: SuiteEntry(entry, to_case(entry)) for entry in read_entries(self._source, category)
            }
        return self._categories[category.name]


def paired(suite: BfclSuite, file: ResultFile, *, partial: bool) -> Iterator[tuple[SuiteEntry, ResultLine]]:
    """Pair the entries of a category with a system's answers, in BFCL's order.

    Everything is checked before the first pair is yielded. With ``partial``, entries without an answer are skipped.

    Raises:
        InputError: The file is empty, or entries are without an answer and ``partial`` is off.
        RecordError: A line is not an answer, answers an unknown entry, or answers an entry a second time.
    """
    index = ResultIndex(file.path)
    entries = suite.entries(file.category)
    _require_known(index, entries, file)
    ids = sorted((entry_id for entry_id in entries if entry_id in index), key=sort_key)
    _require_present(ids, entries, file, partial=partial)
    for line in index.read(ids):
        yield entries[line.id], line


def _require_known(index: ResultIndex, entries: dict[str, SuiteEntry], file: ResultFile) -> None:
    unknown = [entry_id for entry_id in index.lines if entry_id not in entries]
    if unknown:
        more = f" (and {len(unknown) - 1} more like it)" if len(unknown) > 1 else ""
        raise RecordError(
            f"{unknown[0]!r} is no entry of category {file.category.name}{more}",
            path=file.path,
            line=index.lines[unknown[0]],
            field="id",
        )


def _require_present(
    ids: list[str], entries: dict[str, SuiteEntry], file: ResultFile, *, partial: bool
) -> None:
    if not ids:
        raise InputError("the file is empty; expected one answer a line", path=file.path)
    if not partial and len(ids) < len(entries):
        answered = set(ids)
        first = next(entry_id for entry_id in entries if entry_id not in answered)
        raise InputError(
            f"holds {len(ids):,} of the {len(entries):,} answers of category {file.category.name} ({first!r} is the first that is missing); complete it, or pass {setting('partial')} to score what is there",
            path=file.path,
        )
