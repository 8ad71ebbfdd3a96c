"""Columns named after a fault: only the user knows which of their values is good.

In a column `toxic`, "yes" is bad; in `hallucination_check`, 1 may mean passed. So the direction is asked, never assumed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..records.scale import UNDECLARED_SCALE, Scale
from ..spelling import spelled_pairs, spelled_scale
from .asked_choices import AskedChoices
from .column_names import normal
from .grades import UNKNOWN, as_number, is_missing, plain_word

_FAULT_WORDS = frozenset(
    ("abuse", "abusive", "attack", "attacked", "bias", "biased", "blocked", "bug", "bugs", "contradiction", "contradictions", "contradicts", "crash",
     "crashed", "danger", "dangerous", "defect", "defects", "error", "errors", "fabricated", "fabrication", "fabrications", "fail", "failed",
     "failure", "failures", "fault", "faults", "flag", "flagged", "gibberish", "hallucinated", "hallucinates", "hallucination", "hallucinations",
     "harm", "harmful", "harmfulness", "hate", "hateful", "illegal", "inaccurate", "inaccuracy", "incoherent", "incomplete", "inconsistency",
     "inconsistent", "incorrect", "incorrectness", "injection", "insecure", "invalid", "irrelevant", "jailbreak", "jailbreaked", "jailbroken",
     "leak", "leaked", "leaks", "malicious", "maliciousness", "misinformation", "misleading", "mistake", "mistakes", "nonsense", "nsfw",
     "offensive", "omission", "omissions", "pii", "profanity", "refusal", "refusals", "refused", "refuses", "rejected", "rejection", "risk",
     "risky", "severity", "spam", "stereotype", "timeout", "toxic", "toxicity", "unacceptable", "undesired", "unfaithful", "ungrounded",
     "unhelpful", "unsafe", "unsupported", "unwanted", "violated", "violates", "violation", "violations", "violence", "violent", "vulnerable",
     "vulnerability", "wrong")
)  # fmt: skip
"""Words for a fault, in the names of columns."""

_NEGATIONS = frozenset(
    {"absent", "appropriate", "avoided", "correct", "free", "no", "non", "not", "resolved", "without"}
)
"""Words that negate a fault, as in ``error_free``."""

_OPPOSITES: Mapping[str, str] = {
    **(pairs := {"yes": "no", "y": "n", "true": "false", "t": "f", "1": "0"}),
    **{second: first for first, second in pairs.items()},
}
"""Words and numbers for true and false, each with its opposite. ``pass`` is none: it already means good."""


@lru_cache(1 << 12)
def is_fault(name: str) -> bool:
    """Return whether a column's name means a fault, of which more is worse: ``hallucination``."""
    words = set(normal(name).split("_"))
    return not words.isdisjoint(_FAULT_WORDS) and words.isdisjoint(_NEGATIONS)


def direction_options(
    name: str, values: Iterable[Any], scale: Scale = UNDECLARED_SCALE, *, judge: bool = False
) -> str:
    """Return the options that ask which values of a column are good, or "" if that is known.

    Args:
        name: The column.
        values: Its values.
        scale: The scale of its grades, as far as it is known.
        judge: Whether a judge gave the grades, rather than people.
    """
    unknown = _values_without_direction(values, scale) if is_fault(name) else []
    if not unknown:
        return ""
    if _are_words(unknown):
        return spelled_pairs("map_label", dict.fromkeys(unknown, UNKNOWN))
    ends = f"{UNKNOWN}:{UNKNOWN}"
    return spelled_scale("score_scale", ends, name) if judge else spelled_scale("label_scale", ends)


def ask_direction(
    asked: AskedChoices,
    name: str,
    values: Iterable[Any],
    scale: Scale = UNDECLARED_SCALE,
    *,
    judge: bool = False,
    others: Iterable[Any] = (),
) -> bool:
    """Ask which values of a fault's column are good; return False if that is known.

    Args:
        asked: What is asked so far.
        name: The column.
        values: Its values.
        scale: The scale of its grades, as far as it is known.
        judge: Whether a judge gave the grades, rather than people.
        others: Values of other columns of grades. Their words are not mapped, since a map counts for all columns.
    """
    unknown = _values_without_direction(values, scale) if is_fault(name) else []
    if not unknown:
        return False
    shared_words = {plain_word(str(other)) for other in others} & {plain_word(value) for value in unknown}
    if _are_words(unknown) and not shared_words:
        question = f"{name!r} names a fault; say which value is good, 1 for good, 0 for bad"
        asked.words(name, dict.fromkeys(unknown, UNKNOWN), question)
    elif _are_opposites(unknown):
        question = f"{name!r} names a fault; say its worst and best value: 1:0 if yes, true or 1 is bad, 0:1 if it is good"
        asked.scale("score_scale" if judge else "label_scale", name, question, name if judge else None)
    else:
        question = f"{name!r} names a fault; say its worst and best value"
        asked.scale("score_scale" if judge else "label_scale", name, question, name if judge else None)
    return True


def _are_words(values: Iterable[str]) -> bool:
    """Return whether values are words such as yes and no.

    A number is asked about by its scale: mapped like a word, it would change its meaning in other columns, too.
    """
    return all(value.lower() in _OPPOSITES and not value.isdecimal() for value in values)


def _are_opposites(values: Iterable[str]) -> bool:
    """Return whether values mean true or false, as words or as the numbers 1 and 0."""
    return all(value.lower() in _OPPOSITES for value in values)


def label_direction(rows: Iterable[Mapping[str, Any]], column: str, scale: Scale = UNDECLARED_SCALE) -> str:
    """Return the options that ask which labels of a column are good, or "" if that is known."""
    return direction_options(column, (row.get(column) for row in rows), scale) if is_fault(column) else ""


def require_label_direction(
    rows: Iterable[Mapping[str, Any]], column: str | None, scale: Scale, path: object
) -> None:
    """Require that it is known which labels of a column are good.

    Raises:
        ChoiceNeeded: Only the user knows; the message has the options that ask.
    """
    if column is None or not is_fault(column):
        return
    asked = AskedChoices([*rows])
    if ask_direction(asked, column, asked.values(column), scale):
        raise asked.error(path=path, column=column)


def _values_without_direction(values: Iterable[Any], scale: Scale) -> list[str]:
    """Return the distinct values whose grade neither the user nor their meaning tells.

    Yes and no are asked about together, even if only one of them is there so far.
    """
    unknown: dict[str, str] = {}  # values as shown, by their plain word
    if scale.is_declared and (scale.minimum, scale.maximum) == (0.0, 1.0):
        return []
    for value in values:
        if is_missing(value) or isinstance(value, list | dict):
            continue
        number = None if isinstance(value, bool) else as_number(value)
        if number is not None and (scale.is_declared or not math.isfinite(number)):
            continue
        shown = str(value) if number is None else f"{number:g}"
        if number is not None or plain_word(shown) in _OPPOSITES:
            unknown.setdefault(plain_word(shown), shown)
    for word in [*unknown]:
        if word in _OPPOSITES:
            unknown.setdefault(_OPPOSITES[word], _OPPOSITES[word])
    return sorted(shown for word, shown in unknown.items() if word not in scale.words)


def direction_problem(name: str, options: str) -> str:
    """Return the error for a column without a direction, with the options that ask for it."""
    is_scale = f"{UNKNOWN}:{UNKNOWN}" in options
    what = "say its worst and best value" if is_scale else "say which value is good, 1 for good, 0 for bad"
    return f"{name!r} names a fault; {what}: {options}"
