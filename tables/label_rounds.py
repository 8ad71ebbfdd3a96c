"""Rounds in which labels were added; the user may have looked at the result after each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..records.output import ItemKey
from ..records.verdict import Verdict

_ROUND_KEY = "added_in"
"""Key of the round in a label's evidence. Labels of round 1 do not have it."""


def round_added(label: Verdict) -> int:
    """Return the round in which a label was added, from 1 on."""
    number = label.evidence.get(_ROUND_KEY, 1)
    return number if isinstance(number, int) and number >= 1 else 1


def in_round(label: Verdict, number: int) -> Verdict:
    """Return a label with its round recorded, or the label itself if it already is."""
    if round_added(label) == number:
        return label
    evidence = {name: value for name, value in label.evidence.items() if name != _ROUND_KEY}
    return replace(label, evidence=evidence | ({} if number == 1 else {_ROUND_KEY: number}))


def rounds_of_outputs(labels: Iterable[Verdict]) -> dict[ItemKey, int]:
    """Return the first round in which each output got a label."""
    rounds: dict[ItemKey, int] = {}
    for label in labels:
        if label.score is not None:
            rounds[label.key] = min(rounds.get(label.key, round_added(label)), round_added(label))
    return rounds


def in_next_round(before: Sequence[Verdict], labels: Iterable[Verdict]) -> list[Verdict]:
    """Return added labels in the round of the output's earlier labels, else in the next round."""
    rounds = rounds_of_outputs(before)
    if not rounds:
        return list(labels)
    next_round = max(rounds.values()) + 1
    return [in_round(label, rounds.get(label.key, next_round)) for label in labels]


def n_rounds(labels: Iterable[Verdict]) -> int:
    """Return the number of rounds in which outputs got a label."""
    return len(set(rounds_of_outputs(labels).values()))
