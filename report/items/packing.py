"""Pack items into a small page: a list of all items in columns, and the texts of the first.

The list is an index of numbers and names; texts are HTML, compressed in chunks, which the page's script unpacks on
demand. Names of fields in the index are read by that script (report.js).
"""

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
"""Most items with the prompts of judges, which are long, unless all texts are requested."""

_MAX_TEXT_BYTES = 16_000_000
"""Most bytes of texts before compression, about 1 MB of the page, unless all are requested."""

_QUERY_CHARS, _ANSWER_CHARS = 120, 64
"""Longest query and longest beginning of an answer in the list."""
_CHUNK_ITEMS, _CHUNK_BYTES = 256, 1_000_000
"""Most items, or bytes, that are unpacked at once."""

_LARGE_BYTES = 500_000
"""Size above which the best compression takes too long."""

_MAX_CACHED = 10_000
"""Most combinations of verdicts whose fields in the list are cached."""


class FailurePart(NamedTuple):
    """Failed items of a system with the same cause; no item is in two parts.

    Attributes:
        n: Number of items.
        by: Name of the group of items that the same checker or judges failed, see `naming`.
        fault: Error type that the checker found; empty if judges failed them.
    """

    n: int
    by: str
    fault: str


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """Items as a page stores them.

    Attributes:
        index: Fields of each item in the list: compressed JSON in base85.
        chunks: Texts in the same form, of several items each, sorted by case.
        totals: Number of items by status.
        missing: Number of items that are cases without an output.
        listed: Number of items in the list.
        texts: Number of listed items, from the first, whose texts are included.
        choices: The values that items can be filtered by, by the name of the column.
        failures: Listed items that failed, in parts, by system. A checker failed them, or a judge if no checker decided.
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
        """Number of items."""
        return sum(self.totals.values())

    @property
    def outputs(self) -> int:
        """Number of items that have an output."""
        return self.total - self.missing


class _VerdictFields(NamedTuple):
    """Fields in the list that follow from verdicts alone: numbers that stand for names."""

    status: int
    fault: int
    summary: int
    group: int


class _Names:
    """Numbers of texts that repeat, in order of first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


class _Columns:
    """List of items as an array per column: 45 bytes an item, without the names of cases."""

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
        self._cached_fields = lru_cache(_MAX_CACHED)(self._fields_of)

    def add(self, item: ListedItem) -> None:
        fields = self._cached_fields(item.verdicts)
        case = self.cases.of(item.key.case_id)
        if case == len(self.queries):
            self.queries.append(_first_chars(item.query, _QUERY_CHARS))
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
        if not self._readers or self._readers[-1] is not item.read:  # one function per file
            self._readers.append(item.read)
        self.reader.append(len(self._readers) - 1)

    def _fields_of(self, verdicts: ItemVerdicts) -> _VerdictFields:
        """Compute the fields that `_cached_fields` keeps."""
        fault = "" if verdicts.checker is None else verdicts.checker.error_type or ""
        return _VerdictFields(
            STATUSES.index(status_of(verdicts, self.thresholds)),
            self.faults.of(fault),
            self.summaries.of(verdicts_summary(verdicts, self.thresholds)),
            self.groups.setdefault(groups_of(verdicts, self.thresholds), len(self.groups)),
        )

    def by_importance(self) -> list[int]:
        """Return the numbers of the listed items, sorted by status, case and arrival."""
        # Status and case in one number, which sorts faster than a tuple; cases take 32 bits.
        ranks = [status << 32 | case for status, case in zip(self.status, self.case, strict=True)]
        return sorted(range(len(ranks)), key=ranks.__getitem__)[:MAX_LISTED]

    def read(self, number: int, *, with_prompts: bool) -> ReportItem:
        return self._readers[self.reader[number]](self.offset[number], with_prompts)

    def index(self, listed: Sequence[int]) -> dict[str, Any]:
        """Return the columns of the listed items, as the page's script reads them."""
        cases = list(self.cases.numbers)
        case_numbers, listed_cases = _renumbered([self.case[number] for number in listed])
        index: dict[str, Any] = {
            "statuses": STATUSES,
            "status": [self.status[number] for number in listed],
            "trial": [self.trial[number] for number in listed],
            "cases": [_shown_name(cases[number]) for number in listed_cases],
            "queries": [self.queries[number] for number in listed_cases],
            "case": case_numbers,
        }
        columns = {
            "system": (self.systems, self.system),
            "category": (self.categories, self.category),
            "fault": (self.faults, self.fault),
            "said": (self.summaries, self.summary),
        }
        for name, (names, numbers) in columns.items():
            index[f"{name}s"] = [_shown_name(text) for text in names.numbers]
            index[name] = [numbers[number] for number in listed]
        # "groups" has the names, "grouped" the names' numbers by combination, "group" each item's combination.
        group_numbers = {name: number for number, name in enumerate(self.group_names())}
        index["groups"] = list(group_numbers)
        index["grouped"] = [[group_numbers[_shown_name(group)] for group in groups] for groups in self.groups]
        index["group"] = [self.group[number] for number in listed]
        return index

    def group_names(self) -> list[str]:
        names = dict.fromkeys(_shown_name(group) for groups in self.groups for group in groups)
        return sorted(names, key=lambda name: (name not in {FAILED, UNGRADED}, name))

    def failures(self, listed: Iterable[int]) -> dict[str, list[FailurePart]]:
        """Count each system's failed items by who failed them and by fault."""
        failed_by_combination = {
            number: next(group for group in groups if group != FAILED)  # who failed them
            for groups, number in self.groups.items()
            if FAILED in groups
        }
        counts = Counter(
            (self.system[number], by, self.fault[number] if by == FAILED_CHECK else self.faults.of(""))
            for number in listed
            if (by := failed_by_combination.get(self.group[number])) is not None
        )
        faults = list(self.faults.numbers)
        parts: dict[str, list[FailurePart]] = {name: [] for name in self.systems.numbers}
        systems = list(parts)
        largest_first = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
        for (system, by, fault), n in largest_first:
            parts[systems[system]].append(FailurePart(n=n, by=by, fault=faults[fault]))
        return parts


def pack(
    items: Iterable[ListedItem], thresholds: Mapping[Author, PassThreshold], texts: int | None = MAX_TEXTS
) -> Packed:
    """Pack items, the most important first: disagreements, then ungraded, failed, passed ones.

    Texts are read and compressed one by one, so that memory depends only on the number of items.

    Args:
        items: The items.
        thresholds: Pass thresholds of judges.
        texts: Most items with their texts, as far as they fit into the page; None for all.
    """
    columns = _Columns(thresholds)
    for item in items:
        columns.add(item)
    totals = Counter(columns.status)
    listed = columns.by_importance()
    index = columns.index(listed)
    answers: dict[int, str] = {}
    fitting_texts = (
        None if texts is None else list(_texts_that_fit(_item_texts(columns, listed[:texts], answers)))
    )
    with_texts = listed if fitting_texts is None else listed[: len(fitting_texts)]
    # Outputs of one case share much text and compress well next to each other.
    by_case = sorted(range(len(with_texts)), key=lambda row: (columns.case[with_texts[row]], with_texts[row]))
    texts_by_case = (
        _item_texts(columns, with_texts, answers, by_case)
        if fitting_texts is None
        else (fitting_texts[row] for row in by_case)
    )
    chunks = list(_chunks(texts_by_case))
    index["answers"] = [answers[row] for row in range(len(with_texts))]
    index["chunks"] = [size for size, _ in chunks]
    # The inverse of `by_case`: the place of each row's text in the chunks.
    index["places"] = sorted(range(len(with_texts)), key=by_case.__getitem__)
    names: dict[str, list[str]] = {
        name: index[f"{name}s"] for name in ("system", "category", "fault", "group")
    }
    choices = {name: sorted(filter(None, values)) for name, values in names.items()}
    choices["group"] = names["group"]  # in the order of `group_names`
    return Packed(
        index=_compressed(index),
        chunks=[chunk for _, chunk in chunks],
        totals={status: totals[number] for number, status in enumerate(STATUSES)},
        missing=columns.missing,
        listed=len(listed),
        texts=len(with_texts),
        choices={"status": [status for number, status in enumerate(STATUSES) if totals[number]], **choices},
        failures=columns.failures(listed),
    )


def _item_texts(
    columns: _Columns, numbers: Sequence[int], answers: dict[int, str], order: Iterable[int] | None = None
) -> Iterator[str]:
    """Yield the texts of items as HTML; put the beginning of each answer into ``answers``.

    Args:
        columns: The list of items.
        numbers: Numbers of the items to read, by row.
        answers: Beginning of the answer by row, filled here.
        order: Order of the rows, given only if all texts are requested. All items then have the prompts of judges.
    """
    for row in range(len(numbers)) if order is None else order:
        item = columns.read(numbers[row], with_prompts=order is not None or row < _MAX_WITH_PROMPTS)
        answer = NO_OUTPUT if item.missing else first_line(item.output)
        answers[row] = _first_chars(answer, _ANSWER_CHARS)
        yield as_html(item_document(item, columns.thresholds))


def _texts_that_fit(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts until the next one does not fit into a report."""
    room = _MAX_TEXT_BYTES
    for text in texts:
        room -= len(text)
        if room < 0:
            return
        yield str(text)  # plain, also if it is markup


def _renumbered(numbers: Sequence[int]) -> tuple[list[int], list[int]]:
    """Renumber from 0 in order of first use; return the new numbers, and each one's old number."""
    renumbered = {old: new for new, old in enumerate(dict.fromkeys(numbers))}
    return [renumbered[number] for number in numbers], list(renumbered)


def _chunks(texts: Iterable[str]) -> Iterator[tuple[int, Markup]]:
    """Yield texts in compressed chunks, each with its number of items."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(str(text))
        size += len(text)
        if len(chunk) == _CHUNK_ITEMS or size > _CHUNK_BYTES:
            yield len(chunk), _compressed(chunk)
            chunk, size = [], 0
    if chunk:
        yield len(chunk), _compressed(chunk)


def _compressed(value: Any) -> Markup:
    """Return a value as compressed JSON in base85, whose ``<`` is replaced by a quotation mark."""
    encoded = msgspec.json.encode(value)
    level = (
        9 if len(encoded) < _LARGE_BYTES else 6
    )  # saving the last few percent of a large value doubles the time
    digits = base64.b85encode(zlib.compress(encoded, level)).decode("ascii").replace("<", '"')
    return Markup(digits)  # noqa: S704 - without "<", nothing ends the script element that it is in


def _first_chars(text: str, chars: int) -> str:
    # Only a part of a long text is split into words; four times as many characters leave room for blanks.
    return excerpt(" ".join(text[: 4 * chars].split()), chars).text


def _shown_name(text: str) -> str:
    return shortened(text, NAME_LIMIT)
