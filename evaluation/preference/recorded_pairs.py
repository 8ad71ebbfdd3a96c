"""Recorded verdicts on pairs: who preferred which, and how far judges agree with people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.intervals.clustered_rates import share_of
from ...calibration.preference.choices import Choices
from ...calibration.preference.measure import preferences_of
from ...calibration.preference.pair_agreement import PairVerdicts, pair_agreement
from ...calibration.preference.preference_results import (
    ChoiceAgreement,
    PairCalibrationNumbers,
    PreferenceNumbers,
)
from ...calibration.statistic import Statistic
from ...errors import InputError, UsageError
from ...records import ItemKey, Outcome, Output, Verdict
from ...records.made_scores import mean_score
from ...tables.named_columns import map_options
from ..store.pair_verdicts import VERSUS
from .paired_inputs import length_of

_TIE = 0.5
_MAX_NAMES = 3
"""Most annotators that an error names."""


class PairKey(NamedTuple):
    """Two outputs of a case, whichever is shown first; ``a`` is the system named first."""

    case_id: str
    trial: int
    a: str
    b: str


class RecordedChoice(NamedTuple):
    """A verdict on a pair.

    Attributes:
        key: The pair.
        verdict: The verdict.
        a_first: Whether ``a`` was shown first.
        score: 1 if ``a`` is better, 0 if ``b`` is, a tie between, or None without a choice.
    """

    key: PairKey
    verdict: Verdict
    a_first: bool
    score: float | None


class RecordedPairs:
    """Verdicts on pairs, by judges and by people.

    Args:
        verdicts: Verdicts whose system is ``a vs b``; others are left out.
        outputs: The outputs, if they are known: their lengths, and the names of systems.
        clusters: Cluster by case, if it is not the case itself.
        left_out: Sentences on rows that are not used.

    Attributes:
        left_out: Sentences on rows that are not used.
        systems: The systems, in order of first appearance.
        judges: Choices by judge.
        people: Choices by person.
    """

    def __init__(
        self,
        verdicts: Iterable[Verdict],
        outputs: Iterable[Output] = (),
        clusters: Mapping[str, str] | None = None,
        left_out: Sequence[str] = (),
    ) -> None:
        self.left_out = left_out
        self._clusters = clusters or {}
        self._lengths = {output.key: length_of(output) for output in outputs}
        known = {key.system for key in self._lengths}
        numbers: dict[str, int] = {}
        self.judges: dict[str, list[RecordedChoice]] = {}
        self.people: dict[str, list[RecordedChoice]] = {}
        for verdict in verdicts:
            if VERSUS in verdict.system:
                first, second = _members(verdict.system, known)
                for system in (first, second):
                    numbers.setdefault(system, len(numbers))
                of = self.people if verdict.source in {"human", "construction"} else self.judges
                of.setdefault(verdict.by, []).append(_recorded(verdict, first, second, numbers))
        self.systems = list(numbers)

    @property
    def count(self) -> int:
        """Number of pairs with a verdict."""
        return len(
            {choice.key for of in (self.judges, self.people) for made in of.values() for choice in made}
        )

    def preferences(self, *, against: str | None = None, level: float = 0.95) -> list[PreferenceNumbers]:
        """Return the preferences of each judge, or of each person if there is no judge.

        Raises:
            InputError: There is no verdict on a pair.
            UsageError: There is no system of the name that all others are to be compared with.
        """
        if not self.systems:
            raise InputError("there is no verdict on a pair of outputs")
        if against is not None and against not in self.systems:
            raise UsageError(f"there is no system {against!r}; there are {', '.join(self.systems)}")
        authors = self.judges or self._people_together()
        people = self._people_by_pair() if self.judges else {}
        found: list[PreferenceNumbers] = []
        for by, made in authors.items():
            kept = [choice for choice in made if against in {None, choice.key.a, choice.key.b}]
            ungraded: Counter[Outcome] = Counter(
                choice.verdict.outcome for choice in kept if choice.score is None
            )
            found.append(
                preferences_of(by, self._choices(kept, people), ungraded, level=level, recorded=True)
            )
        return found

    def calibration(self, *, level: float = 0.95, replicates: int | None = None) -> PairCalibrationNumbers:
        """Return the agreement of each judge with people.

        Raises:
            InputError: Judges or people are missing.
        """
        if not self.judges or not self.people:
            raise InputError(self._missing())
        people = self._people_by_pair()
        clusters = {case: number for number, case in enumerate({self._cluster(k) for k in self._keys()})}
        pairs = {key: number for number, key in enumerate(self._keys())}
        agreements: dict[str, ChoiceAgreement] = {}
        for by, made in self.judges.items():
            graded = [choice for choice in made if choice.score is not None]
            verdicts = PairVerdicts(
                pair=np.array([pairs[choice.key] for choice in graded], dtype=np.int64),
                score=np.array([choice.score for choice in graded], dtype=np.float64),
                people=np.array([people.get(choice.key, np.nan) for choice in graded], dtype=np.float64),
                a_first=np.array([choice.a_first for choice in graded], dtype=bool),
                cluster=np.array([clusters[self._cluster(choice.key)] for choice in graded], dtype=np.int64),
            )
            ungraded: Counter[Outcome] = Counter(
                choice.verdict.outcome for choice in made if choice.score is None and choice.key in people
            )
            agreements[by] = pair_agreement(verdicts, ungraded, level=level, replicates=replicates)
        return PairCalibrationNumbers(
            pairs=self.count,
            people={by: sum(choice.score is not None for choice in made) for by, made in self.people.items()},
            agreements=agreements,
            people_agree=self._people_agree(level),
            level=level,
        )

    def _people_together(self) -> dict[str, list[RecordedChoice]]:
        """Return the choices of all people as those of one author; often each gave only one."""
        if len(self.people) < 2:  # noqa: PLR2004 - one person has a name
            return self.people
        return {f"{len(self.people):,} people": [choice for made in self.people.values() for choice in made]}

    def _missing(self) -> str:
        """Say what a calibration lacks."""
        authors = self.judges or self.people
        names = ", ".join(
            f"{by!r}, {len(made):,} choices" for by, made in islice(authors.items(), _MAX_NAMES)
        )
        names += f" and {len(authors) - _MAX_NAMES:,} others" if len(authors) > _MAX_NAMES else ""
        whom = "one annotator" if len(authors) == 1 else f"{len(authors):,} annotators"
        lacks = "people's choices" if self.judges else "a judge's choices"
        field = "label" if self.judges else "score"
        named = (
            f", or name the column that holds them: {map_options({field: '?'})}" if len(authors) > 1 else ""
        )
        it = "it" if len(authors) == 1 else "them"
        return (
            f"pairs of {' and '.join(self.systems[:2])} with {whom} ({names}), and nothing to compare {it} with: "
            f"add {lacks} on the same pairs{named}"
        )

    def _keys(self) -> list[PairKey]:
        return list(
            dict.fromkeys(
                choice.key for of in (self.judges, self.people) for made in of.values() for choice in made
            )
        )

    def _cluster(self, key: PairKey) -> str:
        return self._clusters.get(key.case_id, key.case_id)

    def _people_by_pair(self) -> dict[PairKey, float]:
        """Return people's choice by pair: that of most of them; none where as many choose otherwise."""
        scores: defaultdict[PairKey, list[float]] = defaultdict(list)
        for made in self.people.values():
            for by_person in _mean_by_pair(made).items():
                scores[by_person[0]].append(_kind(by_person[1]))
        found: dict[PairKey, float] = {}
        for key, votes in scores.items():
            (first, most), *others = Counter(votes).most_common()
            if not others or most > others[0][1]:
                found[key] = first
        return found

    def _people_agree(self, level: float) -> Statistic | None:
        """Return the share of equal choices among pairs of people, or None for one person."""
        by_person = [_mean_by_pair(made) for made in self.people.values()]
        same: list[float] = []
        clusters: list[str] = []
        for one, other in combinations(by_person, 2):
            for key in one.keys() & other.keys():
                same.append(float(_kind(one[key]) == _kind(other[key])))
                clusters.append(self._cluster(key))
        if not same:
            return None
        return share_of(np.array(same), cluster_numbers(clusters), level=level)

    def _choices(self, made: Sequence[RecordedChoice], people: Mapping[PairKey, float]) -> Choices:
        number = {system: position for position, system in enumerate(self.systems)}
        by_order: dict[PairKey, tuple[list[float], list[float]]] = {}
        for choice in made:
            a_first, b_first = by_order.setdefault(choice.key, ([], []))
            if choice.score is not None:
                (a_first if choice.a_first else b_first).append(
                    choice.score if choice.a_first else 1.0 - choice.score
                )
        keys = list(by_order)

        def length(key: PairKey, system: str) -> float:
            found = self._lengths.get(ItemKey(key.case_id, system, key.trial))
            return np.nan if found is None else float(found)

        person = np.array([people.get(key, np.nan) for key in keys], dtype=np.float64)
        return Choices(
            systems=self.systems,
            a=np.array([number[key.a] for key in keys], dtype=np.int64),
            b=np.array([number[key.b] for key in keys], dtype=np.int64),
            a_first=np.array([_mean(by_order[key][0]) for key in keys], dtype=np.float64),
            b_first=np.array([_mean(by_order[key][1]) for key in keys], dtype=np.float64),
            cluster=cluster_numbers(self._cluster(key) for key in keys),
            length_a=np.array([length(key, key.a) for key in keys], dtype=np.float64),
            length_b=np.array([length(key, key.b) for key in keys], dtype=np.float64),
            label=person,
            person=person,
        )


def _recorded(verdict: Verdict, first: str, second: str, numbers: Mapping[str, int]) -> RecordedChoice:
    a_first = numbers[first] < numbers[second]
    a, b = (first, second) if a_first else (second, first)
    score = verdict.score if verdict.score is None or a_first else 1.0 - verdict.score
    return RecordedChoice(PairKey(verdict.case_id, verdict.trial, a, b), verdict, a_first, score)


def _members(pair: str, known: set[str]) -> tuple[str, str]:
    """Return both systems in the name of a pair.

    Raises:
        InputError: A system's own name has the words between, and no output tells the names apart.
    """
    parts = pair.split(VERSUS)
    splits = [(VERSUS.join(parts[:at]), VERSUS.join(parts[at:])) for at in range(1, len(parts))]
    fitting = [split for split in splits if {*split} <= known] or splits
    if len(fitting) > 1:
        raise InputError(f"{pair!r} can be read as several pairs of systems; rename a system", field="system")
    return fitting[0]


def _mean_by_pair(made: Iterable[RecordedChoice]) -> dict[PairKey, float]:
    scores: defaultdict[PairKey, list[float]] = defaultdict(list)
    for choice in made:
        if choice.score is not None:
            scores[choice.key].append(choice.score)
    return {key: mean_score(found) for key, found in scores.items()}


def _mean(scores: Sequence[float]) -> float:
    return mean_score(scores) if scores else np.nan


def _kind(score: float) -> float:
    return 1.0 if score > _TIE else 0.0 if score < _TIE else _TIE
