"""Recorded verdicts on pairs: preferences, and agreement of judges with people."""

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
"""Score of a pair whose outputs are equally good."""

_MAX_NAMES = 3
"""Annotators that an error names."""


class PairKey(NamedTuple):
    """Two outputs of a case in either order; ``a`` is the system that was named first."""

    case_id: str
    trial: int
    a: str
    b: str


class RecordedChoice(NamedTuple):
    """A verdict on a pair.

    Attributes:
        key: The pair.
        verdict: The verdict as recorded.
        a_first: Whether ``a`` was shown first.
        score: 1 if ``a`` is better, 0 if ``b`` is, 0.5 for a tie, or None without a choice.
    """

    key: PairKey
    verdict: Verdict
    a_first: bool
    score: float | None


class _ScoresByOrder(NamedTuple):
    """Scores of one pair for the output shown first, by which output that was."""

    a_first: list[float]
    b_first: list[float]


class RecordedPairs:
    """Verdicts on pairs, by judges and by people.

    Args:
        verdicts: Verdicts whose system is ``a vs b``; others are ignored.
        outputs: The outputs if known, for their lengths and the names of systems.
        clusters: Cluster of each case that is not a cluster by itself.
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
        known_systems = {key.system for key in self._lengths}
        system_numbers: dict[str, int] = {}
        self.judges: dict[str, list[RecordedChoice]] = {}
        self.people: dict[str, list[RecordedChoice]] = {}
        for verdict in verdicts:
            if VERSUS in verdict.system:
                first, second = _split_pair_name(verdict.system, known_systems)
                for system in (first, second):
                    system_numbers.setdefault(system, len(system_numbers))
                choices_by_author = (
                    self.people if verdict.source in {"human", "construction"} else self.judges
                )
                choices_by_author.setdefault(verdict.by, []).append(
                    _recorded_choice(verdict, first, second, system_numbers)
                )
        self.systems = list(system_numbers)

    @property
    def count(self) -> int:
        """Number of pairs with a verdict."""
        return len(self._keys())

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
        preferences: list[PreferenceNumbers] = []
        for by, choices in authors.items():
            choices_compared = [choice for choice in choices if against in {None, choice.key.a, choice.key.b}]
            ungraded: Counter[Outcome] = Counter(
                choice.verdict.outcome for choice in choices_compared if choice.score is None
            )
            preferences.append(
                preferences_of(
                    by, self._choices(choices_compared, people), ungraded, level=level, recorded=True
                )
            )
        return preferences

    def calibration(self, *, level: float = 0.95, replicates: int | None = None) -> PairCalibrationNumbers:
        """Return the agreement of each judge with people.

        Raises:
            InputError: Judges or people are missing.
        """
        if not self.judges or not self.people:
            raise InputError(self._describe_missing())
        people = self._people_by_pair()
        keys = self._keys()
        pair_number = {key: number for number, key in enumerate(keys)}
        cluster_number = {name: number for number, name in enumerate({self._cluster(key) for key in keys})}
        agreements: dict[str, ChoiceAgreement] = {}
        for by, choices in self.judges.items():
            graded_choices = [choice for choice in choices if choice.score is not None]
            verdicts = PairVerdicts(
                pair=np.array([pair_number[choice.key] for choice in graded_choices], dtype=np.int64),
                score=np.array([choice.score for choice in graded_choices], dtype=np.float64),
                people=np.array(
                    [people.get(choice.key, np.nan) for choice in graded_choices], dtype=np.float64
                ),
                a_first=np.array([choice.a_first for choice in graded_choices], dtype=bool),
                cluster=np.array(
                    [cluster_number[self._cluster(choice.key)] for choice in graded_choices], dtype=np.int64
                ),
            )
            ungraded: Counter[Outcome] = Counter(
                choice.verdict.outcome for choice in choices if choice.score is None and choice.key in people
            )
            agreements[by] = pair_agreement(verdicts, ungraded, level=level, replicates=replicates)
        return PairCalibrationNumbers(
            pairs=self.count,
            people={
                by: sum(choice.score is not None for choice in choices) for by, choices in self.people.items()
            },
            agreements=agreements,
            people_agree=self._agreement_of_people(level),
            level=level,
        )

    def _people_together(self) -> dict[str, list[RecordedChoice]]:
        """Return the choices of all people as those of one author, because each may have few."""
        if len(self.people) < 2:  # noqa: PLR2004 - one person has a name
            return self.people
        return {
            f"{len(self.people):,} people": [choice for choices in self.people.values() for choice in choices]
        }

    def _describe_missing(self) -> str:
        """Describe what a calibration lacks."""
        authors = self.judges or self.people
        names = ", ".join(
            f"{by!r}, {len(choices):,} choices" for by, choices in islice(authors.items(), _MAX_NAMES)
        )
        names += f" and {len(authors) - _MAX_NAMES:,} others" if len(authors) > _MAX_NAMES else ""
        annotators = "one annotator" if len(authors) == 1 else f"{len(authors):,} annotators"
        missing_data = "people's choices" if self.judges else "a judge's choices"
        field = "label" if self.judges else "score"
        column_hint = (
            f", or name the column that holds them: {map_options({field: '?'})}" if len(authors) > 1 else ""
        )
        pronoun = "it" if len(authors) == 1 else "them"
        return (
            f"pairs of {' and '.join(self.systems[:2])} with {annotators} ({names}), and nothing to compare {pronoun} with: "
            f"add {missing_data} on the same pairs{column_hint}"
        )

    def _keys(self) -> list[PairKey]:
        by_author = [*self.judges.values(), *self.people.values()]
        return list(dict.fromkeys(choice.key for choices in by_author for choice in choices))

    def _cluster(self, key: PairKey) -> str:
        return self._clusters.get(key.case_id, key.case_id)

    def _people_by_pair(self) -> dict[PairKey, float]:
        """Return the choice of most people by pair; leave out pairs without such a majority."""
        votes: defaultdict[PairKey, list[float]] = defaultdict(list)
        for choices in self.people.values():
            for key, score in _mean_by_pair(choices).items():
                votes[key].append(_vote(score))
        majorities: dict[PairKey, float] = {}
        for key, votes_on_pair in votes.items():
            (first, count), *others = Counter(votes_on_pair).most_common()
            if not others or count > others[0][1]:
                majorities[key] = first
        return majorities

    def _agreement_of_people(self, level: float) -> Statistic | None:
        """Return the share of equal choices among pairs of people, or None for one person."""
        by_person = [_mean_by_pair(choices) for choices in self.people.values()]
        is_equal: list[float] = []
        clusters: list[str] = []
        for first, second in combinations(by_person, 2):
            for key in first.keys() & second.keys():
                is_equal.append(float(_vote(first[key]) == _vote(second[key])))
                clusters.append(self._cluster(key))
        if not is_equal:
            return None
        return share_of(np.array(is_equal), cluster_numbers(clusters), level=level)

    def _choices(self, choices: Sequence[RecordedChoice], people: Mapping[PairKey, float]) -> Choices:
        system_number = {system: position for position, system in enumerate(self.systems)}
        scores_by_pair: dict[PairKey, _ScoresByOrder] = {}
        for choice in choices:
            scores = scores_by_pair.setdefault(choice.key, _ScoresByOrder([], []))
            if choice.score is not None:
                if choice.a_first:
                    scores.a_first.append(choice.score)
                else:
                    # `Choices` wants the score of the output shown first.
                    scores.b_first.append(1.0 - choice.score)
        keys = list(scores_by_pair)

        def length_in_pair(key: PairKey, system: str) -> float:
            characters = self._lengths.get(ItemKey(key.case_id, system, key.trial))
            return np.nan if characters is None else float(characters)

        person = np.array([people.get(key, np.nan) for key in keys], dtype=np.float64)
        return Choices(
            systems=self.systems,
            a=np.array([system_number[key.a] for key in keys], dtype=np.int64),
            b=np.array([system_number[key.b] for key in keys], dtype=np.int64),
            a_first=np.array([_mean(scores_by_pair[key].a_first) for key in keys], dtype=np.float64),
            b_first=np.array([_mean(scores_by_pair[key].b_first) for key in keys], dtype=np.float64),
            cluster=cluster_numbers(self._cluster(key) for key in keys),
            length_a=np.array([length_in_pair(key, key.a) for key in keys], dtype=np.float64),
            length_b=np.array([length_in_pair(key, key.b) for key in keys], dtype=np.float64),
            label=person,
            person=person,
        )


def _recorded_choice(
    verdict: Verdict, first: str, second: str, system_numbers: Mapping[str, int]
) -> RecordedChoice:
    a_first = system_numbers[first] < system_numbers[second]
    a, b = (first, second) if a_first else (second, first)
    score = verdict.score if verdict.score is None or a_first else 1.0 - verdict.score
    return RecordedChoice(PairKey(verdict.case_id, verdict.trial, a, b), verdict, a_first, score)


def _split_pair_name(pair: str, known_systems: set[str]) -> tuple[str, str]:
    """Return both systems in the name of a pair.

    Raises:
        InputError: A system's own name contains " vs ", and no output tells the names apart.
    """
    parts = pair.split(VERSUS)
    splits = [(VERSUS.join(parts[:index]), VERSUS.join(parts[index:])) for index in range(1, len(parts))]
    candidates = [split for split in splits if {*split} <= known_systems] or splits
    if len(candidates) > 1:
        raise InputError(f"{pair!r} can be read as several pairs of systems; rename a system", field="system")
    return candidates[0]


def _mean_by_pair(choices: Iterable[RecordedChoice]) -> dict[PairKey, float]:
    scores: defaultdict[PairKey, list[float]] = defaultdict(list)
    for choice in choices:
        if choice.score is not None:
            scores[choice.key].append(choice.score)
    return {key: mean_score(repeats) for key, repeats in scores.items()}


def _mean(scores: Sequence[float]) -> float:
    return mean_score(scores) if scores else np.nan


def _vote(score: float) -> float:
    """Return 1 for the first system, 0 for the second, 0.5 for a tie."""
    return 1.0 if score > _TIE else 0.0 if score < _TIE else _TIE
