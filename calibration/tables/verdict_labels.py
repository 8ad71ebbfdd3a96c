"""Labels by item, from verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from ...records import Verdict
from ...tables.label_rounds import round_added
from ...tables.standing_labels import is_tie


class VerdictLabels(NamedTuple):
    """Labels by item, from verdicts; of several verdicts on one item the last counts.

    Attributes:
        scores: Label by item.
        people: Grades by person and item.
        checkers: Number of items whose label comes from a checker, by checker.
        rounds: Round in which a label was first added, by item.
    """

    scores: dict[str, float]
    people: dict[str, dict[str, float]]
    checkers: dict[str, int]
    rounds: dict[str, int]


def labels_from_verdicts(verdicts: Iterable[Verdict]) -> VerdictLabels:
    """Return the labels in verdicts, and their authors."""
    scores: dict[str, float] = {}
    people: defaultdict[str, dict[str, float]] = defaultdict(dict)
    checker_of_item: dict[str, str] = {}
    rounds: dict[str, int] = {}
    for verdict in verdicts:
        item = str(verdict.key)
        if is_tie(verdict):
            scores.pop(item, None)
            checker_of_item.pop(item, None)
        if verdict.score is None:
            continue
        scores[item] = verdict.score
        added = round_added(verdict)
        rounds[item] = min(rounds.get(item, added), added)
        checker_of_item.pop(item, None)
        if verdict.source == "human":
            people[verdict.by][item] = verdict.score
        elif verdict.source == "checker":
            checker_of_item[item] = verdict.by
    return VerdictLabels(scores, people, dict(Counter(checker_of_item.values())), rounds)
