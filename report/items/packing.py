"""Pack items into a small page: a list of all in columns, and compressed texts."""

from __future__ import annotations

import base64
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from ...calibration.pass_threshold import PassThreshold
from ...records import Author
from ..document import as_html
from ..model import MAX_TEXTS, ItemVerdicts, ListedItem, ReportItem
from ..text.safe_text import excerpt, shortened
from .blocks import first_line
from .naming import FAILED, FAILED_CHECK, NAME_LIMIT, NO_OUTPUT, UNGRADED
from .view import STATUSES, ItemStatus, groups_of, item_document, status_of, verdicts_summary

MAX_LISTED = 200_000
"""Most items that a page lists."""

_MAX_WITH_PROMPTS = 8
"""Most items with the requests to judges, which are long, unless all texts are requested."""

_MAX_BYTES = 16_000_000
"""Bytes of texts that a page holds before compression, unless all are requested: about 1 MB of the page."""

_QUERY, _ANSWER = 120, 64
"""Longest query in the list, and longest first line of an answer, in characters."""
_CHUNK_ITEMS, _CHUNK_BYTES = 256, 1_000_000
"""Most items, or bytes, that are unpacked at once."""

_LARGE = 500_000
"""Size in bytes above which the best compression takes too long."""

_MAX_CACHED = 10_000
"""Most combinations of verdicts whose list fields are cached."""


class FailurePart(NamedTuple):
    """Failed items of a system that are in no other part.

    Attributes:
        n: Number of items.
        by: Group of who failed them.
        fault: Error type that the checker found; empty if judges failed them.
    """

    n: int
    by: str
    fault: str


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """Items as stored in a page.

    Attributes:
        index: Fields of each item in the list: JSON, compressed, in base85.
        chunks: The texts in the same form, some items each, case by case.
        totals: Number of items by status.
        missing: Number of items that are cases without an output.
        listed: Number of items in the list.
        texts: Number of listed items, from the first, whose texts are included.
        choices: The values that items can be filtered by, by the name of the column.
        failures: The listed items by system that a checker failed or, if none decided, a judge, in parts.
    """

    index: Markup
    chunks: list[Markup]
    totals: dict[ItemStatus, int]
    missing: int
    listed: int
    texts: int
    choices: dict[str, list[str]]
    failures: dict[str, list[FailurePart]]

    @property
    def total(self) -> int:
        """Items in all."""
        return sum(self.totals.values())

    @property
    def outputs(self) -> int:
        """Items that are outputs."""
        return self.total - self.missing


class _VerdictFields(NamedTuple):
    """List fields shared by items with the same verdicts, as indexes into name tables."""

    status: int
    fault: int
    summary: int
    group: int


class _Names:
    """Numbers of repeated texts, in order of first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


class _Columns:
    """List of items as columns of numbers: 45 bytes an item, besides the names of cases."""

    def __init__(self, thresholds: Mapping[Author, PassThreshold]) -> None:
        self.thresholds = thresholds
        self.cases, self.systems, self.categories, self.faults, self.summaries = (_Names() for _ in range(5))
        self.groups: dict[tuple[str, ...], int] = {}
        self.queries: list[str] = []
        self.status, self.trial = array("B"), array("q")
        self.case, self.system, self.category, self.fault, self.summary, self.group = (
            array("I") for _ in range(6)
        )
        self.offset, self.reader = array("Q"), array("I")
        self.missing = 0
        self._readers: list[Callable[[int, bool], ReportItem]] = []
        self._fields = lru_cache(_MAX_CACHED)(self._fields_of)

    def add(self, item: ListedItem) -> None:
        """Add an item."""
        fields = self._fields(item.verdicts)
        case = self.cases.of(item.key.case_id)
        if case == len(self.queries):
            self.queries.append(_line(item.query))
        self.status.append(fields.status)
        self.fault.append(fields.fault)
        self.summary.append(fields.summary)
        self.group.append(fields.group)
        self.case.append(case)
        self.system.append(self.systems.of(item.key.system))
        self.category.append(self.categories.of(item.category))
        self.trial.append(item.key.trial)
        self.offset.append(item.offset)
        self.missing += item.verdicts.missing
        if not self._readers or self._readers[-1] is not item.read:  # equal for all cases of a file
            self._readers.append(item.read)
        self.reader.append(len(self._readers) - 1)

    def _fields_of(self, verdicts: ItemVerdicts) -> _VerdictFields:
        fault = "" if verdicts.checker is None else verdicts.checker.error_type or ""
        return _VerdictFields(
            STATUSES.index(status_of(verdicts, self.thresholds)),
            self.faults.of(fault),
            self.summaries.of(verdicts_summary(verdicts, self.thresholds)),
            self.groups.setdefault(groups_of(verdicts, self.thresholds), len(self.groups)),
        )

    def by_importance(self) -> list[int]:
        """Return the listed items: disagreements, then ungraded, wrong, right.

        Items of one status are sorted by case, then by arrival.
        """
        ranks = [status << 32 | case for status, case in zip(self.status, self.case, strict=True)]
        return sorted(range(len(ranks)), key=ranks.__getitem__)[:MAX_LISTED]

    def read(self, number: int, *, with_prompts: bool) -> ReportItem:
        """Read an item with all its texts."""
        return self._readers[self.reader[number]](self.offset[number], with_prompts)

    def index(self, listed: Sequence[int]) -> dict[str, Any]:
        """Return the columns of the listed items, in that order, as the page's script reads them."""
        cases = list(self.cases.numbers)
        case, listed_cases = _renumbered([self.case[number] for number in listed])
        index: dict[str, Any] = {
            "statuses": STATUSES,
            "status": [self.status[number] for number in listed],
            "trial": [self.trial[number] for number in listed],
            "cases": [_name(cases[number]) for number in listed_cases],
            "queries": [self.queries[number] for number in listed_cases],
            "case": case,
        }
        columns = {
            "system": (self.systems, self.system),
            "category": (self.categories, self.category),
            "fault": (self.faults, self.fault),
            "said": (self.summaries, self.summary),
        }
        for name, (names, numbers) in columns.items():
            index[f"{name}s"] = [_name(text) for text in names.numbers]
            index[name] = [numbers[number] for number in listed]
        group_numbers = {name: number for number, name in enumerate(self.group_names())}
        index["groups"] = list(group_numbers)
        index["grouped"] = [[group_numbers[_name(group)] for group in groups] for groups in self.groups]
        index["group"] = [self.group[number] for number in listed]
        return index

    def group_names(self) -> list[str]:
        """Return the groups that items can be found by, the failed and ungraded ones first."""
        names = dict.fromkeys(_name(group) for groups in self.groups for group in groups)
        return sorted(names, key=lambda name: (name not in {FAILED, UNGRADED}, name))

    def failures(self, listed: Iterable[int]) -> dict[str, list[FailurePart]]:
        """Count the failed items of each system by who failed them and by fault."""
        failed = {
            number: next(group for group in groups if group != FAILED)
            for groups, number in self.groups.items()
            if FAILED in groups
        }
        counts = Counter(
            (self.system[row], by, self.fault[row] if by == FAILED_CHECK else self.faults.of(""))
            for row in listed
            if (by := failed.get(self.group[row])) is not None
        )
        faults = list(self.faults.numbers)
        parts: dict[str, list[FailurePart]] = {name: [] for name in self.systems.numbers}
        systems = list(parts)
        for (system, by, fault), n in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
            parts[systems[system]].append(FailurePart(n=n, by=by, fault=faults[fault]))
        return parts


def pack(
    items: Iterable[ListedItem], thresholds: Mapping[Author, PassThreshold], texts: int | None = MAX_TEXTS
) -> Packed:
    """Pack items: disagreements first, then ungraded, wrong, right; each sorted by case.

    The texts of the first ``texts`` items that fit into the page, or of all if None, are read and compressed one by one,
    so that memory depends only on the number of items.
    """
    columns = _Columns(thresholds)
    for item in items:
        columns.add(item)
    totals = Counter(columns.status)
    listed = columns.by_importance()
    index = columns.index(listed)
    answers: dict[int, str] = {}
    pages = None if texts is None else list(_fitting(_pages(columns, listed[:texts], answers)))
    read = listed if pages is None else listed[: len(pages)]
    # Outputs of the same case share much text, which compresses well side by side.
    by_case = sorted(range(len(read)), key=lambda row: (columns.case[read[row]], read[row]))
    ordered = _pages(columns, read, answers, by_case) if pages is None else (pages[row] for row in by_case)
    packed = list(_chunks(ordered))
    index["answers"] = [answers[row] for row in range(len(read))]
    index["chunks"] = [size for size, _ in packed]
    index["places"] = sorted(range(len(read)), key=by_case.__getitem__)
    names: dict[str, list[str]] = {
        name: index[f"{name}s"] for name in ("system", "category", "fault", "group")
    }
    choices = {
        name: sorted(filter(None, values)) if name != "group" else values for name, values in names.items()
    }
    return Packed(
        index=_packed(index),
        chunks=[chunk for _, chunk in packed],
        totals={status: totals[number] for number, status in enumerate(STATUSES)},
        missing=columns.missing,
        listed=len(listed),
        texts=len(read),
        choices={"status": [status for number, status in enumerate(STATUSES) if totals[number]], **choices},
        failures=columns.failures(listed),
    )


def _pages(
    columns: _Columns, read: Sequence[int], answers: dict[int, str], order: Iterable[int] | None = None
) -> Iterator[str]:
    """Yield the items' pages; put the first line of each answer into ``answers``.

    In an order given, which asks for all, each has the requests to its judges.
    """
    for row in range(len(read)) if order is None else order:
        item = columns.read(read[row], with_prompts=order is not None or row < _MAX_WITH_PROMPTS)
        first = NO_OUTPUT if item.missing else first_line(item.output)
        answers[row] = excerpt(" ".join(first[: 4 * _ANSWER].split()), _ANSWER).text
        yield as_html(item_document(item, columns.thresholds))


def _fitting(pages: Iterable[str]) -> Iterator[str]:
    """Yield the first pages that fit into a report."""
    room = _MAX_BYTES
    for page in pages:
        room -= len(page)
        if room < 0:
            return
        yield str(page)


def _renumbered(numbers: Sequence[int]) -> tuple[list[int], list[int]]:
    """Renumber from 0 in order of first use; return the new numbers, and the old one of each."""
    renumbered = {old: new for new, old in enumerate(dict.fromkeys(numbers))}
    return [renumbered[number] for number in numbers], list(renumbered)


def _chunks(pages: Iterable[str]) -> Iterator[tuple[int, Markup]]:
    """Yield pages in chunks that are unpacked at once, each with its number of items."""
    chunk: list[str] = []
    size = 0
    for page in pages:
        chunk.append(str(page))
        size += len(page)
        if len(chunk) == _CHUNK_ITEMS or size > _CHUNK_BYTES:
            yield len(chunk), _packed(chunk)
            chunk, size = [], 0
    if chunk:
        yield len(chunk), _packed(chunk)


def _packed(value: Any) -> Markup:
    """Return a value as compressed JSON in base85, with a quotation mark in place of ``<``."""
    flat = msgspec.json.encode(value)
    level = 9 if len(flat) < _LARGE else 6  # saving the last few percent of a large value doubles the time
    digits = base64.b85encode(zlib.compress(flat, level)).decode("ascii").replace("<", '"')
    return Markup(digits)  # noqa: S704 - without "<", nothing ends the script element that it is in


def _line(query: str) -> str:
    return excerpt(" ".join(query[: 4 * _QUERY].split()), _QUERY).text


def _name(text: str) -> str:
    return shortened(text, NAME_LIMIT)
