"""Pack all items into a small page.

It keeps a list of all in columns, and compressed texts of the most important.
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
from ..model import MOST_TEXTS, Candidate, ItemVerdicts, ReportItem
from ..text.safe_text import excerpt, shortened
from .blocks import first_line
from .naming import NAME_LIMIT, UNGRADED
from .view import STATUSES, ItemStatus, groups_of, item_document, status_of, verdicts_summary

MOST_LISTED = 200_000
"""Most items that a page lists."""

_MOST_ASKED = 8
"""Most items with the requests to judges, which are long, unless all texts are asked for."""

_MOST_RIGHT = 300
"""Most right items whose texts a page holds, unless all are asked for: they matter least, and take as long to pack."""

_QUERY, _ANSWER = 120, 64
"""Longest query in the list, and longest first line of an answer, in characters."""
_CHUNK_ITEMS, _CHUNK_BYTES = 256, 1_000_000
"""Most items, or bytes, that are unpacked at once."""

_LARGE = 500_000
"""Size in bytes above which the best compression takes too long."""

_MOST_ALIKE = 10_000
"""Most combinations of verdicts whose words are cached."""


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """Items as stored in a page.

    Attributes:
        index: Fields of each item in the list: JSON, compressed, in base64.
        chunks: The texts in the same form, some items each, case by case.
        totals: Number of items by status.
        listed: Number of items in the list.
        texts: Number of listed items, from the first, whose texts are included.
        choices: The values that items can be filtered by, by the name of the column.
    """

    index: Markup
    chunks: list[Markup]
    totals: dict[ItemStatus, int]
    listed: int
    texts: int
    choices: dict[str, list[str]]

    @property
    def total(self) -> int:
        """Items in all."""
        return sum(self.totals.values())


class _Gist(NamedTuple):
    """List fields shared by items with the same verdicts, as indexes into name tables."""

    status: int
    fault: int
    summary: int
    group: int


class _Names:
    """Repeated texts, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


class _Columns:
    """List of items as columns of numbers; 45 bytes an item, beside the names of cases."""

    def __init__(self, thresholds: Mapping[Author, PassThreshold]) -> None:
        self.thresholds = thresholds
        self.cases, self.systems, self.categories, self.faults, self.summaries = (_Names() for _ in range(5))
        self.groups: dict[tuple[str, ...], int] = {}
        self.queries: list[str] = []
        self.status, self.trial = array("B"), array("q")
        self.case, self.system, self.category, self.fault, self.summary, self.group = (
            array("I") for _ in range(6)
        )
        self.place, self.reader = array("Q"), array("I")
        self._readers: list[Callable[[int, bool], ReportItem]] = []
        self._gist = lru_cache(_MOST_ALIKE)(self._gist_of)

    def add(self, item: Candidate) -> None:
        """Add an item."""
        gist = self._gist(item.verdicts)
        case = self.cases.of(item.key.case_id)
        if case == len(self.queries):
            self.queries.append(_line(item.query))
        self.status.append(gist.status)
        self.fault.append(gist.fault)
        self.summary.append(gist.summary)
        self.group.append(gist.group)
        self.case.append(case)
        self.system.append(self.systems.of(item.key.system))
        self.category.append(self.categories.of(item.category))
        self.trial.append(item.key.trial)
        self.place.append(item.place)
        if not self._readers or self._readers[-1] is not item.read:  # equal for all cases of a file
            self._readers.append(item.read)
        self.reader.append(len(self._readers) - 1)

    def _gist_of(self, verdicts: ItemVerdicts) -> _Gist:
        fault = "" if verdicts.checker is None else verdicts.checker.error_type or ""
        return _Gist(
            STATUSES.index(status_of(verdicts, self.thresholds)),
            self.faults.of(fault),
            self.summaries.of(verdicts_summary(verdicts, self.thresholds)),
            self.groups.setdefault(groups_of(verdicts, self.thresholds), len(self.groups)),
        )

    def worth_reading(self) -> list[int]:
        """Return the listed items: disagreements, then ungraded, wrong, right.

        Within each they are sorted by case, then in their order of arrival.
        """
        place = [status << 32 | case for status, case in zip(self.status, self.case, strict=True)]
        return sorted(range(len(place)), key=place.__getitem__)[:MOST_LISTED]

    def read(self, number: int, *, with_prompts: bool) -> ReportItem:
        """Read an item with all its texts."""
        return self._readers[self.reader[number]](self.place[number], with_prompts)

    def index(self, listed: Sequence[int]) -> dict[str, Any]:
        """Return the columns of the listed items, in that order, as the page's script reads them."""
        cases = list(self.cases.numbers)
        case, used = _renumbered([self.case[number] for number in listed])
        index: dict[str, Any] = {
            "statuses": STATUSES,
            "status": [self.status[number] for number in listed],
            "trial": [self.trial[number] for number in listed],
            "cases": [_name(cases[number]) for number in used],
            "queries": [self.queries[number] for number in used],
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
        names = {name: place for place, name in enumerate(self.group_names())}
        index["groups"] = list(names)
        index["grouped"] = [[names[_name(each)] for each in together] for together in self.groups]
        index["group"] = [self.group[number] for number in listed]
        return index

    def group_names(self) -> list[str]:
        """Return the groups that items can be found by, the ungraded ones first."""
        names = dict.fromkeys(_name(each) for together in self.groups for each in together)
        return sorted(names, key=lambda name: (name != UNGRADED, name))


def pack(
    items: Iterable[Candidate], thresholds: Mapping[Author, PassThreshold], texts: int | None = MOST_TEXTS
) -> Packed:
    """Pack items: disagreements first, then ungraded, wrong, right; each sorted by case.

    Texts of so many items (right ones: 300), or of all (None), are read and compressed one item at a time, so that memory depends
    only on the number of items.
    """
    columns = _Columns(thresholds)
    for item in items:
        columns.add(item)
    totals = Counter(columns.status)
    listed = columns.worth_reading()
    index = columns.index(listed)
    not_right = totals.total() - totals[STATUSES.index("right")]
    read = listed if texts is None else listed[: min(texts, not_right + _MOST_RIGHT)]
    # Outputs of the same case share much text, which compresses well side by side.
    by_case = sorted(range(len(read)), key=lambda row: (columns.case[read[row]], read[row]))
    answers = [""] * len(read)
    packed = list(_chunks(_pages(columns, read, by_case, answers, texts)))
    index["answers"] = answers
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
        listed=len(listed),
        texts=len(read),
        choices={"status": [status for number, status in enumerate(STATUSES) if totals[number]], **choices},
    )


def _pages(
    columns: _Columns, read: Sequence[int], order: Iterable[int], answers: list[str], texts: int | None
) -> Iterator[str]:
    """Yield the items' pages in an order; the first line of each answer is put in its row."""
    for row in order:
        item = columns.read(read[row], with_prompts=texts is None or row < _MOST_ASKED)
        answers[row] = excerpt(" ".join(first_line(item.output)[: 4 * _ANSWER].split()), _ANSWER).text
        yield as_html(item_document(item, columns.thresholds))


def _renumbered(numbers: Sequence[int]) -> tuple[list[int], list[int]]:
    """Numbers from 0 in order of first use, with the original of each."""
    first_numbers = {number: place for place, number in enumerate(dict.fromkeys(numbers))}
    return [first_numbers[number] for number in numbers], list(first_numbers)


def _chunks(pages: Iterable[str]) -> Iterator[tuple[int, Markup]]:
    """Texts in pieces that are unpacked at once, each with the number of its items."""
    piece: list[str] = []
    size = 0
    for page in pages:
        piece.append(str(page))
        size += len(page)
        if len(piece) == _CHUNK_ITEMS or size > _CHUNK_BYTES:
            yield len(piece), _packed(piece)
            piece, size = [], 0
    if piece:
        yield len(piece), _packed(piece)


def _packed(value: Any) -> Markup:
    """Return a value as compressed JSON in base64."""
    flat = msgspec.json.encode(value)
    level = 9 if len(flat) < _LARGE else 6  # saving the last few percent of a large value doubles the time
    return Markup(base64.b64encode(zlib.compress(flat, level)).decode("ascii"))  # noqa: S704 - letters and digits alone


def _line(query: str) -> str:
    return excerpt(" ".join(query[: 4 * _QUERY].split()), _QUERY).text


def _name(text: str) -> str:
    return shortened(text, NAME_LIMIT)
