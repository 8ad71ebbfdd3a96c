"""Standing verdicts of a journal, where a later row replaces an earlier one without a score.

No other module decides which verdicts stand.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ...records import Author, ItemKey, Outcome, Source, Usage, Verdict
from .journal_rows import JournalRow, StoredVerdict, VerdictKey, served_by, spent_on

T = TypeVar("T")

_CASES_ADDED = 256
"""Number of cases by which an array of rows grows: growing it case by case slows adding a row by a fifth."""


class _NumberedValues(dict[T, int]):
    """Number of each distinct value, in the order of first use."""

    def __init__(self) -> None:
        super().__init__()
        self.values_by_number: list[T] = []

    def __missing__(self, value: T) -> int:
        number = self[value] = len(self.values_by_number)
        self.values_by_number.append(value)
        return number


class _Series(NamedTuple):
    """Fields that a series of verdicts shares; a series has at most one verdict on each case."""

    system: str
    trial: int
    by: str
    author: Author
    source: Source
    repeat: int


class _SharedFields(NamedTuple):
    """Fields with few distinct values, which are stored once."""

    series: _Series
    outcome: Outcome
    error_type: str | None
    reason: str | None
    served_by: str | None


class VerdictIndex:
    """Standing verdicts in columns of numbers: 32 bytes each, and one name per case.

    They are in the order of the first request, regardless of retries. The 32 bytes of a row are its numbers of case, shared
    fields and cost (4 each), score, offset (8 each) and place in its series (4).
    """

    def __init__(self) -> None:
        self._case_numbers = _NumberedValues[str]()
        self._shared_numbers = _NumberedValues[_SharedFields]()
        self._cost_numbers = _NumberedValues[Usage | None]()
        self._case_ids = self._case_numbers.values_by_number
        self._shared_fields = self._shared_numbers.values_by_number
        self._costs = self._cost_numbers.values_by_number
        self._parsed_fields: dict[tuple[object, ...], int] = {}
        """Number of the shared fields by their values in a line, so that equal ones are parsed once."""
        self._parsed_usage: dict[bytes | Usage | None, int] = {}
        """Number of the cost by its value in a line."""
        self._series_rows: dict[tuple[str, int, Author, int], array[int]] = {}
        """By system, trial, author and repeat: row number + 1 by case number; 0 if there is none."""
        self._rows_by_shared: list[array[int]] = []
        """The array in ``_series_rows`` by the number of the shared fields."""
        self._all_rows: dict[tuple[str, int], list[array[int]]] = {}
        self._checker_rows: dict[tuple[str, int], list[array[int]]] = {}
        self._other_rows: dict[tuple[str, int], list[array[int]]] = {}
        """Arrays by system and trial: all of them, those of checkers, and those of all except judges."""
        self._case, self._shared, self._cost = (array("I") for _ in range(3))
        self._score, self._offset = array("d"), array("Q")

    def __len__(self) -> int:
        return len(self._offset)

    def __iter__(self) -> Iterator[StoredVerdict]:
        return map(self.__getitem__, range(len(self._offset)))

    def __getitem__(self, row: int) -> StoredVerdict:
        series, outcome, error_type, reason, served_by = self._shared_fields[self._shared[row]]
        score = self._score[row]
        return StoredVerdict(
            ItemKey(self._case_ids[self._case[row]], series.system, series.trial),
            series.by,
            series.author,
            series.source,
            series.repeat,
            outcome,
            error_type,
            reason,
            None if math.isnan(score) else score,
            self._costs[self._cost[row]],
            row,
            served_by,
        )

    def add(self, row: JournalRow | Verdict, offset: int) -> None:
        """Add a row whose line begins at an offset.

        Raises:
            ValueError: Score and outcome contradict each other, or a verdict with a score stands already.
        """
        score = row.score
        if (score is None) is (row.outcome == "graded") or (score is not None and not 0.0 <= score <= 1.0):
            raise ValueError(f"{row.outcome!r} with the score {score!r}")
        case, shared, cost = self._case_numbers[row.case_id], self._shared_number(row), self._cost_number(row)
        rows = self._rows_by_shared[shared]
        if case >= len(rows):
            rows.frombytes(bytes(4 * (case + _CASES_ADDED - len(rows))))  # zeros, of 4 bytes each
        earlier_row = rows[case] - 1
        if earlier_row < 0:
            rows[case] = len(self._offset) + 1
            self._case.append(case)
            self._shared.append(shared)
            self._cost.append(cost)
            self._score.append(math.nan if score is None else score)
            self._offset.append(offset)
            return
        if not math.isnan(self._score[earlier_row]):
            raise ValueError(
                f"a second verdict of {row.by} on {ItemKey(row.case_id, row.system, row.trial)}, which has a score already"
            )
        total = _total_usage(self._costs[self._cost[earlier_row]], self._costs[cost])
        self._shared[earlier_row], self._cost[earlier_row] = shared, self._cost_numbers[total]
        # The row keeps its place in the order, and its cost includes that of the earlier attempt.
        self._score[earlier_row] = math.nan if score is None else score
        self._offset[earlier_row] = offset

    @property
    def repeats(self) -> dict[Author, int]:
        """Number of times that each author was asked about one output."""
        repeats = dict[Author, int]()
        for _, _, author, repeat in self._series_rows:
            repeats[author] = max(repeats.get(author, 0), repeat + 1)
        return repeats

    def trials_by_case(self) -> dict[tuple[str, str], int]:
        """Return the number of outputs by system and case; empty if no case has a second trial."""
        trials = dict[tuple[str, str], int]()
        if len({trial for _, trial in self._all_rows}) <= 1:
            return trials
        for (system, _), series in self._all_rows.items():
            with_verdict = {case for rows in series for case, row in enumerate(rows) if row}
            for case in with_verdict:
                key = system, self._case_ids[case]
                trials[key] = trials.get(key, 0) + 1
        return trials

    def _shared_number(self, row: JournalRow | Verdict) -> int:
        """Return the number of a row's shared fields.

        Equal fields are parsed once: the author of a journal's row is known by its bytes.
        """
        author = bytes(row.judge) if isinstance(row, JournalRow) else row.author
        result_fields = row.outcome, row.error_type, _stored_reason(row), served_by(row)
        unparsed_fields = row.system, row.trial, row.by, row.source, row.repeat, author, *result_fields
        number = self._parsed_fields.get(unparsed_fields)
        if number is None:
            series = _Series(row.system, row.trial, row.by, row.author, row.source, row.repeat)
            number = self._parsed_fields[unparsed_fields] = self._add_shared(
                _SharedFields(series, *result_fields)
            )
        return number

    def _cost_number(self, row: JournalRow | Verdict) -> int:
        usage = bytes(row.usage) if isinstance(row, JournalRow) else row.usage
        number = self._parsed_usage.get(usage)
        if number is None:
            number = self._parsed_usage[usage] = self._cost_numbers[spent_on(row)]
        return number

    def _add_shared(self, shared: _SharedFields) -> int:
        """Return the number of shared fields, and add those that are new."""
        number, series = self._shared_numbers[shared], shared.series
        if number == len(self._rows_by_shared):
            key = (series.system, series.trial, series.author, series.repeat)
            if key not in self._series_rows:
                self._series_rows[key] = rows = array("I")
                other_indexes = [] if series.source == "judge" else [self._other_rows]
                checker_indexes = [self._checker_rows] if series.source == "checker" else []
                for index in (self._all_rows, *other_indexes, *checker_indexes):
                    index.setdefault(key[:2], []).append(rows)
            self._rows_by_shared.append(self._series_rows[key])
        return number

    def by_source(self, rows: Iterable[int], *, by_judges: bool) -> Iterator[StoredVerdict]:
        """Yield the verdicts of judges among these rows, or those of everyone else."""
        is_selected = [(shared.series.source == "judge") is by_judges for shared in self._shared_fields]
        return (self[row] for row in rows if is_selected[self._shared[row]])

    def sorted_rows(self) -> list[int]:
        """Return the rows sorted by case, then checkers before others, author and system.

        The order does not depend on that of the journal.
        """
        case_ranks = _ranks_of(self._case_ids)
        all_series = list(dict.fromkeys(shared.series for shared in self._shared_fields))
        ranks = _ranks_of(
            [
                (series.source != "checker", series.by, series.system, series.trial, series.repeat)
                for series in all_series
            ]
        )
        rank_of = dict(zip(all_series, ranks, strict=True))
        series_ranks = [rank_of[shared.series] for shared in self._shared_fields]
        columns = zip(self._case, self._shared, strict=True)
        # Both ranks in one number of 64 bits: the case's in the upper half.
        sort_keys = array("Q", (case_ranks[case] << 32 | series_ranks[shared] for case, shared in columns))
        return sorted(range(len(sort_keys)), key=sort_keys.__getitem__)

    def offset(self, row: int) -> int:
        """Return the offset of a row's line."""
        return self._offset[row]

    def row_of(self, key: VerdictKey) -> int | None:
        """Return the standing row for a key, or None if there is none."""
        item, author, repeat = key
        rows = self._series_rows.get((item.system, item.trial, author, repeat))
        case = self._case_numbers.get(item.case_id)
        if rows is None or case is None or case >= len(rows):
            return None
        return rows[case] - 1 if rows[case] else None

    def outcome(self, row: int) -> Outcome:
        """Return the outcome of a row."""
        return self._shared_fields[self._shared[row]].outcome

    def rows_of(self, item: ItemKey) -> list[int]:
        """Return the rows on one output, in order."""
        return sorted(self._rows_in(self._all_rows, item))

    def _rows_in(self, index: Mapping[tuple[str, int], Sequence[array[int]]], item: ItemKey) -> list[int]:
        """Return the rows on one output in one of the indexes, in no particular order."""
        case = self._case_numbers.get(item.case_id)
        if case is None:
            return []
        arrays = index.get((item.system, item.trial), ())
        return [row - 1 for rows in arrays if case < len(rows) and (row := rows[case])]

    def other_verdicts(self, item: ItemKey) -> list[StoredVerdict]:
        """Return the verdicts on an output by all except judges, in order."""
        return [self[row] for row in sorted(self._rows_in(self._other_rows, item))]

    def lacks_other_verdicts(self, item: ItemKey) -> bool:
        """Return whether an output has no verdict other than judges'."""
        return not self._rows_in(self._other_rows, item)

    def is_judged(self, item: ItemKey) -> bool:
        """Return whether a judge has given a verdict on an output."""
        return len(self._rows_in(self._all_rows, item)) > len(self._rows_in(self._other_rows, item))

    def is_checked(self, item: ItemKey) -> bool:
        """Return whether a checker has given a verdict on an output without failing."""
        return any(self.outcome(row) != "failed" for row in self._rows_in(self._checker_rows, item))

    def combination(self, item: ItemKey) -> tuple[tuple[int, float | None], ...]:
        """Return numbers for authors, outcomes and scores on an output, equal for equal verdicts."""
        shared, score = self._shared, self._score
        return tuple(
            [(shared[row], None if math.isnan(score[row]) else score[row]) for row in self.rows_of(item)]
        )

    @property
    def cases(self) -> Iterator[str]:
        """Ids of the cases with a verdict."""
        return iter(self._case_ids)

    @property
    def sources(self) -> set[Source]:
        """Sources of the verdicts."""
        return {shared.series.source for shared in self._shared_fields}

    @property
    def authors(self) -> set[Author]:
        """Authors of the verdicts."""
        return {shared.series.author for shared in self._shared_fields}

    @property
    def systems(self) -> set[str]:
        """Systems with a verdict."""
        return {shared.series.system for shared in self._shared_fields}


class Settled:
    """Keys that need no more work: those with a verdict that is not failed.

    Args:
        standing: The verdicts.
        retries: Number of later commands that ask again after unreadable replies.
        before: Offset in the journal at which the present command's verdicts begin.
    """

    def __init__(self, standing: VerdictIndex, retries: int = 0, before: int = 0) -> None:
        self._standing = standing
        self._retries = retries
        self._before = before

    def __contains__(self, key: object) -> bool:
        assert isinstance(key, VerdictKey)
        row = self._standing.row_of(key)
        if row is None:
            return False
        outcome = self._standing.outcome(row)
        return outcome != "failed" and not (outcome == "unparsable" and self._is_asked_again(row))

    @property
    def unread(self) -> int:
        """Number of unreadable replies after which a later command asks again."""
        if not self._retries:
            return 0
        rows = range(len(self._standing))
        return sum(self._standing.outcome(row) == "unparsable" and self._is_asked_again(row) for row in rows)

    def _is_asked_again(self, row: int) -> bool:
        verdict = self._standing[row]
        spent = verdict.spent
        # A verdict without a cost is combined from others', or not a model's.
        return (
            spent is not None and spent.retried < self._retries and self._standing.offset(row) < self._before
        )


def _ranks_of(values: Sequence[Any]) -> list[int]:
    ranks = [0] * len(values)
    for rank, position in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        ranks[position] = rank
    return ranks


def _stored_reason(row: JournalRow | Verdict) -> str | None:
    """Return why a checker failed or a judge gave no score, or None for all others."""
    if row.source == "checker":
        return row.reason if row.outcome == "failed" else None
    return row.reason if row.source == "judge" and row.score is None else None


def _total_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    if first is None or second is None:
        return second if first is None else first
    return first + second
