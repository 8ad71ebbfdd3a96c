"""All items in a page that stays small: a list of them, and the texts of those most worth reading, compressed."""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from ...calibration.cuts import Cut
from ...records import Author
from ..document import as_html
from ..model import Candidate, ReportItem
from ..text import excerpt, shortened
from .blocks import NAME_LIMIT
from .view import STATUSES, Status, item_document, said_of, status_of

MOST_TEXTS = 5_000
"""Items whose texts a page holds, unless it is asked for more."""
MOST_LISTED = 200_000
"""Items that a page lists."""

_MOST_ASKED = 25
"""Items, of those whose texts a page holds, that come with what judges were sent, unless all texts are asked for: requests are long."""

_QUERY = 160
"""Characters of a query in the list."""
_CHUNK_ITEMS, _CHUNK_BYTES = 256, 1_000_000
"""What is unpacked at once, at most: this many items, or bytes."""

_LARGE = 2_000_000
"""Bytes from which on packing as small as can be takes too long."""


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """Items as a page carries them.

    Attributes:
        index: What the list shows of each: JSON, compressed, in base64.
        chunks: The texts, some items each, likewise; case by case.
        totals: How many items there are of each status.
        listed: How many the list has.
        texts: Of how many of these, the first ones, the texts are there.
        choices: The values that items can be filtered by, by the name of the column.
    """

    index: Markup
    chunks: list[Markup]
    totals: dict[Status, int]
    listed: int
    texts: int
    choices: dict[str, list[str]]

    @property
    def total(self) -> int:
        """Items in all."""
        return sum(self.totals.values())


class _Row(NamedTuple):
    """An item in the list, in numbers of names; rows sort by how much they are worth reading."""

    status: int
    case: int
    place: int
    system: int
    trial: int
    category: int
    fault: int
    said: int
    read: Callable[[bool], ReportItem]


class _Names:
    """Texts that come again and again, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def pack(items: Iterable[Candidate], cuts: Mapping[Author, Cut], texts: int | None = MOST_TEXTS) -> Packed:
    """Pack items: disagreements first, then what is not graded, what is wrong, what is right; within these case by case.

    Texts are read of one item at a time, and are compressed then, so that memory depends on the number of items alone.

    Args:
        items: All items, in the order of the run.
        cuts: From which score on the verdicts of each judge pass; 0.5 for those that are not there.
        texts: Of how many items the texts are packed; None packs all.

    Returns:
        The list and the texts.
    """
    columns = {name: _Names() for name in ("case", "system", "category", "fault", "said")}
    queries: list[str] = []
    totals: Counter[Status] = Counter()
    rows: list[_Row] = []
    for place, item in enumerate(items):
        status = status_of(item, cuts)
        totals[status] += 1
        row = _row(place, item, status, columns, cuts)
        if row.case == len(queries):
            queries.append(_line(item.query))
        rows.append(row)
        if len(rows) > 2 * MOST_LISTED:
            rows = _first(rows)
    rows = _first(rows)
    read = rows if texts is None else rows[:texts]
    # Outputs for the same case say much that is the same, and what is the same nearby takes no room.
    by_case = sorted(range(len(read)), key=lambda row: read[row][1:3])
    packed = list(
        _chunks(
            as_html(item_document(read[row].read(texts is None or row < _MOST_ASKED), cuts))
            for row in by_case
        )
    )
    places = sorted(range(len(read)), key=by_case.__getitem__)
    index: dict[str, Any] = {
        "statuses": STATUSES,
        "status": [row.status for row in rows],
        "trial": [row.trial for row in rows],
        "queries": queries,
        "chunks": [size for size, _ in packed],
        "places": places,
    }
    for name, known in columns.items():
        index[f"{name}s"] = list(known.numbers)
        index[name] = [getattr(row, name) for row in rows]
    return Packed(
        index=_packed(index),
        chunks=[chunk for _, chunk in packed],
        totals={status: totals[status] for status in STATUSES},
        listed=len(rows),
        texts=len(read),
        choices={
            "status": [status for status in STATUSES if totals[status]],
            **{name: sorted(filter(None, columns[name].numbers)) for name in ("system", "category", "fault")},
        },
    )


def _first(rows: list[_Row]) -> list[_Row]:
    return sorted(rows, key=lambda row: row[:3])[:MOST_LISTED]


def _row(
    place: int, item: Candidate, status: Status, columns: Mapping[str, _Names], cuts: Mapping[Author, Cut]
) -> _Row:
    fault = "" if item.checker is None else item.checker.error_type or ""
    return _Row(
        status=STATUSES.index(status),
        case=columns["case"].of(_name(item.key.case_id)),
        place=place,
        system=columns["system"].of(_name(item.key.system)),
        trial=item.key.trial,
        category=columns["category"].of(_name(item.category)),
        fault=columns["fault"].of(_name(fault)),
        said=columns["said"].of(said_of(item, cuts)),
        read=item.read,
    )


def _chunks(pages: Iterable[str]) -> Iterator[tuple[int, Markup]]:
    """Texts in pieces that are unpacked at once, each with the number of its items."""
    piece: list[str] = []
    size = 0
    for page in pages:
        piece.append(page)
        size += len(page)
        if len(piece) == _CHUNK_ITEMS or size > _CHUNK_BYTES:
            yield len(piece), _packed(piece)
            piece, size = [], 0
    if piece:
        yield len(piece), _packed(piece)


def _packed(value: Any) -> Markup:
    """A value as JSON, compressed, in letters that are no markup."""
    flat = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    level = 9 if len(flat) < _LARGE else 6  # the last few percent of a large one take as long as all the rest
    return Markup(base64.b64encode(zlib.compress(flat, level)).decode("ascii"))  # noqa: S704 - letters and digits alone


def _line(query: str) -> str:
    return excerpt(" ".join(query[: 4 * _QUERY].split()), _QUERY).text


def _name(text: str) -> str:
    return shortened(text, NAME_LIMIT)
