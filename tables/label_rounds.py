"""Rounds in which labels were added; somebody may have looked after each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..records.output import ItemKey
from ..records.verdict import Verdict

_ROUND = "added_in"
"""Key of a label's evidence with its round, from 2 on; labels of the first round have none."""


def round_added(label: Verdict) -> int:
    """Return the round in which a label was added, from 1 on."""
    number = label.evidence.get(_ROUND, 1)
    return number if isinstance(number, int) and number >= 1 else 1


def in_round(label: Verdict, number: int) -> Verdict:
    """Return a label that records its round; unchanged if that is the one it says."""
    if round_added(label) == number:
        return label
    evidence = {name: value for name, value in label.evidence.items() if name != _ROUND}
    return replace(label, evidence=evidence | ({} if number == 1 else {_ROUND: number}))


def rounds_of_outputs(labels: Iterable[Verdict]) -> dict[ItemKey, int]:
    """Return the first round in which each output got a label."""
    rounds: dict[ItemKey, int] = {}
    for label in labels:
        if label.score is not None:
            rounds[label.key] = min(rounds.get(label.key, round_added(label)), round_added(label))
    return rounds


def in_next_round(before: Sequence[Verdict], labels: Iterable[Verdict]) -> list[Verdict]:
    """Return added labels with their rounds: the output's earlier one, else the next."""
    rounds = rounds_of_outputs(before)
    if not rounds:
        return list(labels)
    following = max(rounds.values()) + 1
    return [in_round(label, rounds.get(label.key, following)) for label in labels]


def n_rounds(labels: Iterable[Verdict]) -> int:
    """Return the number of rounds in which outputs got a label."""
    return len(set(rounds_of_outputs(labels).values()))
