"""Standing verdicts of a journal: a later row replaces an earlier one without a score.

This module alone decides which verdicts stand.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ...records import Author, ItemKey, Outcome, Source, Usage, Verdict
from .journal_rows import JournalRow, StoredVerdict, VerdictCost, VerdictKey, spent_on

T = TypeVar("T")

_MORE_PLACES = 256
"""Cases by which the space for rows grows; growing by one case takes a fifth of the time of adding a row."""


class _Numbers(dict[T, int]):
    """Numbers of repeated values, each kept once."""

    def __init__(self) -> None:
        super().__init__()
        self.values_by_number: list[T] = []

    def __missing__(self, value: T) -> int:
        number = self[value] = len(self.values_by_number)
        self.values_by_number.append(value)
        return number


class _Voice(NamedTuple):
    """Author of a verdict, with the system and trial it is about."""

    system: str
    trial: int
    by: str
    author: Author
    source: Source
    repeat: int


class _Kind(NamedTuple):
    """Shared fields of many verdicts: author, outcome, error type and reason."""

    voice: _Voice
    outcome: Outcome
    error_type: str | None
    reason: str | None


class VerdictIndex:
    """Standing verdicts in columns of numbers: 32 bytes each, and one name per case.

    They are in the order of the first request, regardless of retries.
    """

    def __init__(self) -> None:
        self._cases, self._kinds = _Numbers[str](), _Numbers[_Kind]()
        self._costs = _Numbers[VerdictCost | None]()
        self._case_ids, self._all_kinds = self._cases.values_by_number, self._kinds.values_by_number
        self._all_costs = self._costs.values_by_number
        self._heard: dict[tuple[object, ...], int] = {}
        """The number of a kind by the fields that say it."""
        self._paid: dict[bytes | Usage | None, int] = {}
        """The number of a cost by the field that says it."""
        self._places: dict[tuple[str, int, Author, int], array[int]] = {}
        """By system, trial, author and repeat: case number to row number + 1; 0 if there is none."""
        self._place_of: list[array[int]] = []
        """The same by the number of a kind."""
        self._about: dict[tuple[str, int], list[array[int]]] = {}
        self._checks: dict[tuple[str, int], list[array[int]]] = {}
        self._others: dict[tuple[str, int], list[array[int]]] = {}
        """The same by system and trial: all of them, those of checkers, and those of all who are no judges."""
        self._case, self._kind, self._cost = (array("I") for _ in range(3))
        self._score, self._offset = array("d"), array("Q")

    def __len__(self) -> int:
        return len(self._offset)

    def __iter__(self) -> Iterator[StoredVerdict]:
        return map(self.__getitem__, range(len(self._offset)))

    def __getitem__(self, row: int) -> StoredVerdict:
        voice, outcome, error_type, reason = self._all_kinds[self._kind[row]]
        score = self._score[row]
        return StoredVerdict(
            ItemKey(self._case_ids[self._case[row]], voice.system, voice.trial),
            voice.by,
            voice.author,
            voice.source,
            voice.repeat,
            outcome,
            error_type,
            reason,
            None if math.isnan(score) else score,
            self._all_costs[self._cost[row]],
            row,
        )

    def add(self, row: JournalRow | Verdict, offset: int) -> None:
        """Add a row whose line begins at an offset.

        Raises:
            ValueError: Score and outcome do not go together, or a verdict with a score stands already.
        """
        score = row.score
        if (score is None) is (row.outcome == "graded") or (score is not None and not 0.0 <= score <= 1.0):
            raise ValueError(f"{row.outcome!r} with the score {score!r}")
        case, kind, cost = self._cases[row.case_id], self._kind_of(row), self._cost_of(row)
        places = self._place_of[kind]
        if case >= len(places):
            places.frombytes(bytes(4 * (case + _MORE_PLACES - len(places))))
        place = places[case] - 1
        if place < 0:
            places[case] = len(self._offset) + 1
            self._case.append(case)
            self._kind.append(kind)
            self._cost.append(cost)
            self._score.append(math.nan if score is None else score)
            self._offset.append(offset)
            return
        if not math.isnan(self._score[place]):
            raise ValueError(
                f"a second verdict of {row.by} on {ItemKey(row.case_id, row.system, row.trial)}, which has a score already"
            )
        spent = _together(self._all_costs[self._cost[place]], self._all_costs[cost])
        self._kind[place], self._cost[place] = kind, self._costs[spent]
        self._score[place] = math.nan if score is None else score
        self._offset[place] = offset

    @property
    def repeats(self) -> dict[Author, int]:
        """Number of times that each author was asked about one output."""
        found = dict[Author, int]()
        for _, _, author, repeat in self._places:
            found[author] = max(found.get(author, 0), repeat + 1)
        return found

    def _kind_of(self, row: JournalRow | Verdict) -> int:
        """Return the number of a row's shared fields.

        A judge's identity is parsed once, and then known by its bytes.
        """
        who = bytes(row.judge) if isinstance(row, JournalRow) else row.author
        said = row.outcome, row.error_type, _kept_reason(row)
        heard = row.system, row.trial, row.by, row.source, row.repeat, who, *said
        kind = self._heard.get(heard)
        if kind is None:
            voice = _Voice(row.system, row.trial, row.by, row.author, row.source, row.repeat)
            kind = self._heard[heard] = self._number_of(_Kind(voice, *said))
        return kind

    def _cost_of(self, row: JournalRow | Verdict) -> int:
        """Return the number of a row's cost."""
        usage = bytes(row.usage) if isinstance(row, JournalRow) else row.usage
        cost = self._paid.get(usage)
        if cost is None:
            cost = self._paid[usage] = self._costs[spent_on(row)]
        return cost

    def _number_of(self, kind: _Kind) -> int:
        number, voice = self._kinds[kind], kind.voice
        if number == len(self._place_of):
            key = (voice.system, voice.trial, voice.author, voice.repeat)
            if key not in self._places:
                self._places[key] = places = array("I")
                others = [] if voice.source == "judge" else [self._others]
                checks = [self._checks] if voice.source == "checker" else []
                for index in (self._about, *others, *checks):
                    index.setdefault(key[:2], []).append(places)
            self._place_of.append(self._places[key])
        return number

    def by_source(self, rows: Iterable[int], *, by_judges: bool) -> Iterator[StoredVerdict]:
        """Yield the judges' verdicts among these rows, or those of all others."""
        is_selected = [(kind.voice.source == "judge") is by_judges for kind in self._all_kinds]
        return (self[row] for row in rows if is_selected[self._kind[row]])

    def by_name(self) -> list[int]:
        """Return the rows by case, author and system, checkers first, independent of journal order."""
        cases = _ranks(self._case_ids)
        voices = list(dict.fromkeys(kind.voice for kind in self._all_kinds))
        ranks = _ranks([(each.source != "checker", each.by, *each[:2], each.repeat) for each in voices])
        rank_of = dict(zip(voices, ranks, strict=True))
        kinds = [rank_of[kind.voice] for kind in self._all_kinds]
        place = array(
            "Q", (cases[case] << 32 | kinds[kind] for case, kind in zip(self._case, self._kind, strict=True))
        )
        return sorted(range(len(place)), key=place.__getitem__)

    def offset(self, row: int) -> int:
        """Return the offset of a row's line."""
        return self._offset[row]

    def row_of(self, key: VerdictKey) -> int | None:
        """Return the standing row for a key; None if there is none."""
        item, author, repeat = key
        places = self._places.get((item.system, item.trial, author, repeat))
        case = self._cases.get(item.case_id)
        if places is None or case is None or case >= len(places):
            return None
        return places[case] - 1 if places[case] else None

    def outcome(self, row: int) -> Outcome:
        """Return the outcome of a row."""
        return self._all_kinds[self._kind[row]].outcome

    def of(self, item: ItemKey) -> list[int]:
        """Return the rows on one output, in order."""
        return sorted(self._among(self._about, item))

    def _among(self, index: Mapping[tuple[str, int], Sequence[array[int]]], item: ItemKey) -> list[int]:
        case = self._cases.get(item.case_id)
        if case is None:
            return []
        about = index.get((item.system, item.trial), ())
        return [row - 1 for places in about if case < len(places) and (row := places[case])]

    def by_others(self, item: ItemKey) -> list[StoredVerdict]:
        """Return the verdicts on an output by all except judges, in order."""
        return [self[row] for row in sorted(self._among(self._others, item))]

    def only_by_judges(self, item: ItemKey) -> bool:
        """Return whether nobody but judges has given a verdict on an output."""
        return not self._among(self._others, item)

    def is_judged(self, item: ItemKey) -> bool:
        """Return whether a judge has given a verdict on an output."""
        return len(self._among(self._about, item)) > len(self._among(self._others, item))

    def in_numbers(self, item: ItemKey) -> tuple[tuple[int, float | None], ...]:
        """Return an output's verdicts by number of author and score; equal for equal verdicts."""
        kind, score = self._kind, self._score
        return tuple([(kind[row], None if math.isnan(score[row]) else score[row]) for row in self.of(item)])

    def is_checked(self, item: ItemKey) -> bool:
        """Return whether a checker has given a verdict on an output without failing."""
        return any(self.outcome(row) != "failed" for row in self._among(self._checks, item))

    @property
    def cases(self) -> Iterator[str]:
        """Ids of the cases with a verdict."""
        return iter(self._case_ids)

    @property
    def sources(self) -> set[Source]:
        """Sources of the verdicts."""
        return {kind.voice.source for kind in self._all_kinds}

    @property
    def authors(self) -> set[Author]:
        """Authors of the verdicts."""
        return {kind.voice.author for kind in self._all_kinds}

    @property
    def systems(self) -> set[str]:
        """Systems with a verdict."""
        return {kind.voice.system for kind in self._all_kinds}


class Settled:
    """Keys that need no more work: those with a verdict that is not failed."""

    def __init__(self, standing: VerdictIndex) -> None:
        self._standing = standing

    def __contains__(self, key: object) -> bool:
        assert isinstance(key, VerdictKey)
        row = self._standing.row_of(key)
        return row is not None and self._standing.outcome(row) != "failed"


def _ranks(names: Sequence[Any]) -> list[int]:
    """Return the rank of each value in sorted order."""
    ranks = [0] * len(names)
    for rank, number in enumerate(sorted(range(len(names)), key=names.__getitem__)):
        ranks[number] = rank
    return ranks


def _kept_reason(row: JournalRow | Verdict) -> str | None:
    kept = row.outcome == "failed" if row.source == "checker" else row.source == "judge" and row.score is None
    return row.reason if kept else None


def _together(before: VerdictCost | None, now: VerdictCost | None) -> VerdictCost | None:
    if before is None or now is None:
        return now if before is None else before
    return VerdictCost(*map(sum, zip(before, now, strict=True)))
