"""Which verdicts of a journal stand: a later row takes the place of an earlier one that has no score. Nobody else decides this."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import msgspec

from ...records import Author, ItemKey, JudgeId, Outcome, Source, Usage, Verdict

T = TypeVar("T")


class VerdictKey(NamedTuple):
    """What at most one standing verdict exists for."""

    item: ItemKey
    author: Author
    repeat: int


_NOTHING = msgspec.Raw(b"null")


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of a journal without what only a whole verdict needs, which is passed over; what many lines have alike is read once."""

    case_id: str
    system: str
    by: str
    source: Source
    outcome: Outcome
    trial: int = 0
    score: float | None = None
    error_type: str | None = None
    reason: str | None = None
    evidence: msgspec.Raw = msgspec.Raw(b"{}")
    repeat: int = 0
    usage: msgspec.Raw = _NOTHING
    raw: msgspec.Raw = _NOTHING
    judge: msgspec.Raw = _NOTHING

    @property
    def author(self) -> Author:
        """Whose verdict it is; msgspec.ValidationError where it does not say who."""
        return _judge_of(bytes(self.judge)) or self.by

    @property
    def spent(self) -> Spent | None:
        """What asking for it cost; msgspec.ValidationError where it does not say what."""
        return None if self.usage is _NOTHING else _spent_of(bytes(self.usage))

    @property
    def key(self) -> ItemKey:
        """The output it is about."""
        return ItemKey(self.case_id, self.system, self.trial)


class Spent(NamedTuple):
    """What asking for one verdict cost, what was asked in vain included."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached: int
    """How many of its rows came from a cache or a recording."""
    reasked: int


class Said(NamedTuple):
    """What is known of a standing verdict without reading it again.

    Attributes:
        reason: Why a judge gave no score, or a checker failed; None of all others, whose reasons would fill the memory.
        spent: What it cost; None where nothing is known of that.
        row: Its number in the journal's index.
    """

    key: ItemKey
    by: str
    author: Author
    source: Source
    repeat: int
    outcome: Outcome
    error_type: str | None
    reason: str | None
    score: float | None
    spent: Spent | None
    row: int

    @property
    def graded(self) -> bool:
        """Whether there is a score."""
        return self.score is not None

    @property
    def system(self) -> str:
        """Who produced the output."""
        return self.key.system


class _Voice(NamedTuple):
    """Who speaks, and of whose outputs."""

    system: str
    trial: int
    by: str
    author: Author
    source: Source
    repeat: int


class _Result(NamedTuple):
    """What may be said."""

    outcome: Outcome
    error_type: str | None
    reason: str | None


class Standing:
    """The verdicts that stand, in columns of numbers: 36 bytes each, beside one name a case.

    Their order is that in which they were first asked for, whatever was asked again.
    """

    def __init__(self) -> None:
        self._cases: dict[str, int] = {}
        self._case_ids: list[str] = []
        self._voices: dict[_Voice, int] = {}
        self._heard: dict[tuple[str, int, str, bytes, Source, int], int] = {}
        self._speakers: list[_Voice] = []
        self._results: dict[tuple[Outcome, str | None, str | None], int] = {}
        self._spent: dict[Spent | None, int] = {}
        self._places: dict[tuple[str, int, Author, int], array[int]] = {}
        """By system, trial, author and repeat: case number to row number + 1; 0 where there is none."""
        self._about: dict[tuple[str, int], list[array[int]]] = {}
        self._checks: dict[tuple[str, int], list[array[int]]] = {}
        self._place_of: list[array[int]] = []
        self._case, self._voice, self._result, self._cost = (array("I") for _ in range(4))
        self._score, self._offset = array("d"), array("Q")
        self._all_results: list[_Result] = []
        self._all_spent: list[Spent | None] = []

    def __len__(self) -> int:
        return len(self._offset)

    def __iter__(self) -> Iterator[Said]:
        return map(self.__getitem__, range(len(self._offset)))

    def __getitem__(self, row: int) -> Said:
        voice = self._speakers[self._voice[row]]
        outcome, error_type, reason = self._all_results[self._result[row]]
        score = self._score[row]
        return Said(
            ItemKey(self._case_ids[self._case[row]], voice.system, voice.trial),
            voice.by,
            voice.author,
            voice.source,
            voice.repeat,
            outcome,
            error_type,
            reason,
            None if math.isnan(score) else score,
            self._all_spent[self._cost[row]],
            row,
        )

    def add(self, row: Row | Verdict, offset: int) -> None:
        """Take in a row whose line begins at an offset; ValueError where its score and outcome do not go together, or one with a score stands already."""
        score = row.score
        if (score is None) is (row.outcome == "graded") or (score is not None and not 0.0 <= score <= 1.0):
            raise ValueError(f"{row.outcome!r} with the score {score!r}")
        case = self._cases.get(row.case_id)
        if case is None:
            case = self._cases[row.case_id] = len(self._case_ids)
            self._case_ids.append(row.case_id)
        voice = self._voice_of(row)
        places = self._place_of[voice]
        if case >= len(places):
            places.frombytes(bytes(4 * (case + 1 - len(places))))
        said = row.outcome, row.error_type, _kept_reason(row)
        result = self._results.get(said)
        if result is None:
            result = self._results[said] = len(self._all_results)
            self._all_results.append(_Result(*said))
        place = places[case] - 1
        spent = row.spent if isinstance(row, Row) else None if row.usage is None else _spent(row.usage)
        if place < 0:
            places[case] = len(self._offset) + 1
            self._case.append(case)
            self._voice.append(voice)
            self._result.append(result)
            self._cost.append(_numbered(spent, self._spent, self._all_spent))
            self._score.append(math.nan if score is None else score)
            self._offset.append(offset)
            return
        if not math.isnan(self._score[place]):
            raise ValueError(
                f"a second verdict of {row.by} on {ItemKey(row.case_id, row.system, row.trial)}, which has a score already"
            )
        spent = _together(self._all_spent[self._cost[place]], spent)
        self._voice[place], self._result[place] = voice, result
        self._cost[place] = _numbered(spent, self._spent, self._all_spent)
        self._score[place] = math.nan if score is None else score
        self._offset[place] = offset

    def _voice_of(self, row: Row | Verdict) -> int:
        """The number of who speaks in a row; who a judge is is looked at once, and then known by the bytes that say it."""
        if not isinstance(row, Row):
            return self._number_of(_Voice(row.system, row.trial, row.by, row.author, row.source, row.repeat))
        heard = row.system, row.trial, row.by, bytes(row.judge), row.source, row.repeat
        voice = self._heard.get(heard)
        if voice is None:
            voice = _Voice(row.system, row.trial, row.by, row.author, row.source, row.repeat)
            voice = self._heard[heard] = self._number_of(voice)
        return voice

    def _number_of(self, voice: _Voice) -> int:
        number = self._voices.get(voice)
        if number is None:
            number = self._voices[voice] = len(self._speakers)
            self._speakers.append(voice)
            key = (voice.system, voice.trial, voice.author, voice.repeat)
            if key not in self._places:
                self._places[key] = array("I")
                self._about.setdefault(key[:2], []).append(self._places[key])
                if voice.source == "checker":
                    self._checks.setdefault(key[:2], []).append(self._places[key])
            self._place_of.append(self._places[key])
        return number

    def by_name(self) -> Iterator[Said]:
        """The same by case, who speaks and of whose outputs, checkers first: an order that does not depend on that of the journal."""
        cases = _ranks(self._case_ids)
        voices = _ranks(
            [(each.source != "checker", each.by, *each[:2], each.repeat) for each in self._speakers]
        )
        place = array(
            "Q",
            (cases[case] << 32 | voices[voice] for case, voice in zip(self._case, self._voice, strict=True)),
        )
        return map(self.__getitem__, sorted(range(len(place)), key=place.__getitem__))

    def offset(self, row: int) -> int:
        """Where the line of a row begins."""
        return self._offset[row]

    def row_of(self, key: VerdictKey) -> int | None:
        """The row that stands for it; None where there is none."""
        item, author, repeat = key
        places = self._places.get((item.system, item.trial, author, repeat))
        case = self._cases.get(item.case_id)
        if places is None or case is None or case >= len(places):
            return None
        return places[case] - 1 if places[case] else None

    def outcome(self, row: int) -> Outcome:
        """How a row came out."""
        return self._all_results[self._result[row]].outcome

    def of(self, item: ItemKey) -> list[int]:
        """The rows on one output, in order."""
        case = self._cases.get(item.case_id)
        if case is None:
            return []
        about = self._about.get((item.system, item.trial), ())
        return sorted([row - 1 for places in about if case < len(places) and (row := places[case])])

    def in_numbers(self, item: ItemKey) -> tuple[tuple[int, int, float | None], ...]:
        """What is said of an output, by whom and with which score: equal for outputs of which the same is said."""
        voice, result, score = self._voice, self._result, self._score
        rows = self.of(item)
        return tuple(
            [(voice[row], result[row], None if math.isnan(score[row]) else score[row]) for row in rows]
        )

    def is_checked(self, item: ItemKey) -> bool:
        """Whether a checker has said something of an output, and did not fail."""
        case = self._cases.get(item.case_id)
        if case is None:
            return False
        found = (
            places[case] for places in self._checks.get((item.system, item.trial), ()) if case < len(places)
        )
        return any(row and self.outcome(row - 1) != "failed" for row in found)

    @property
    def cases(self) -> Iterator[str]:
        """The cases that anything was said of."""
        return iter(self._case_ids)

    @property
    def authors(self) -> set[Author]:
        """Who said anything."""
        return {voice.author for voice in self._speakers}

    @property
    def systems(self) -> set[str]:
        """The systems that anything was said of."""
        return {voice.system for voice in self._speakers}

    def first_of(self, *, case_id: str | None = None, system: str | None = None) -> int:
        """Where the first line on a case, or on a system, begins."""
        return next(
            self._offset[row]
            for row in range(len(self))
            if case_id == self._case_ids[self._case[row]] or system == self._speakers[self._voice[row]].system
        )


class Settled:
    """The keys that need no more work: those of which there is a verdict, and not one that failed."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing

    def __contains__(self, key: object) -> bool:
        assert isinstance(key, VerdictKey)
        row = self._standing.row_of(key)
        return row is not None and self._standing.outcome(row) != "failed"


def _ranks(names: Sequence[Any]) -> list[int]:
    """Which each is when they are sorted."""
    ranks = [0] * len(names)
    for rank, number in enumerate(sorted(range(len(names)), key=names.__getitem__)):
        ranks[number] = rank
    return ranks


def _kept_reason(row: Row | Verdict) -> str | None:
    kept = row.outcome == "failed" if row.source == "checker" else row.source == "judge" and row.score is None
    return row.reason if kept else None


_MOST_REMEMBERED = 4096


@lru_cache(_MOST_REMEMBERED)
def _judge_of(raw: bytes) -> JudgeId | None:
    return msgspec.json.decode(raw, type=JudgeId | None)


@lru_cache(_MOST_REMEMBERED)
def _spent_of(raw: bytes) -> Spent | None:
    usage = msgspec.json.decode(raw, type=Usage | None)
    return None if usage is None else _spent(usage)


def _spent(usage: Usage) -> Spent:
    return Spent(usage.calls, usage.prompt_tokens, usage.completion_tokens, int(usage.cached), usage.reasked)


def _together(before: Spent | None, now: Spent | None) -> Spent | None:
    if before is None or now is None:
        return now if before is None else before
    return Spent(*map(sum, zip(before, now, strict=True)))


def _numbered(value: T, numbers: dict[T, int], values: list[T]) -> int:
    """The number of a value that comes again and again, which is kept once."""
    number = numbers.get(value)
    if number is None:
        number = numbers[value] = len(values)
        values.append(value)
    return number
