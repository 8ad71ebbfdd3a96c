"""Scores of another tool's scorer, or a person, as verdicts under their own name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from ..errors import RecordError
from ..records import UNGRADED, Outcome, Source, Verdict
from ..records.grades import WORDS, plain_word
from .field_reader import MOST_WHOLE, type_name
from .imported_records import UNREADABLE, FilePosition, Skipped

T = TypeVar("T")

_LETTERS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}


class ImportedScore(NamedTuple):
    """Score of an answer: a `Verdict` not yet assigned to an output."""

    by: str
    score: float | None = None
    outcome: Outcome = "graded"
    reason: str | None = None
    source: Source = "judge"
    evidence: dict[str, Any] = {}
    repeat: int = 0

    def verdict(self, case_id: str, system: str, trial: int) -> Verdict:
        """Return the verdict on an output."""
        return Verdict(
            case_id=case_id,
            system=system,
            trial=trial,
            by=self.by,
            source=self.source,
            outcome=self.outcome,
            score=self.score,
            reason=self.reason,
            evidence=self.evidence,
            repeat=self.repeat,
        )


def scored(
    by: str,
    value: Any,
    *,
    passed: bool | None = None,
    ends: tuple[float | None, float | None] = (None, None),
    reason: str | None = None,
    source: Source = "judge",
    field: str | None = None,
    letters: bool = False,
    evidence: Mapping[str, Any] | None = None,
    absent: str | None = None,
) -> ImportedScore:
    """Return a score with its value; NaN gives a score without one.

    It raises a `RecordError` if the value is not in [0, 1] and its scale is unknown.

    Args:
        by: Author of the score.
        value: A boolean, a number, or a word for either.
        passed: Whether it passes, if known; used if the number is outside [0, 1].
        ends: The ends of the tool's scale, if known.
        reason: Its explanation.
        source: Source of ``by``: judge, checker or person.
        field: Its path, for errors.
        letters: Whether C, P, I and N mean correct, partly, incorrect and no answer.
        evidence: Details, with the number itself if the score differs.
        absent: Reason for a missing score if the value may be null; None if it may not.
    """
    number = _number(value, letters=letters)
    details = {name: detail for name, detail in (evidence or {}).items() if detail is not None}
    if value is None and absent is not None:
        return unscored(by, "not_applicable", reason or absent, source=source, evidence=details)
    if number is not None and math.isnan(number):
        return unscored(
            by, "not_applicable", reason or "the tool gave no score (NaN)", source=source, evidence=details
        )
    low, high = ends
    if number is not None and low is not None and high is not None and low < high and low <= number <= high:
        score: float | None = (number - low) / (high - low)
    else:
        score = number if number is not None and 0.0 <= number <= 1.0 else None
    if score is None and passed is not None:
        score = float(passed)
    if score is None:
        what = repr(value) if isinstance(value, str | int | float) else type_name(value)
        raise RecordError(f"expected a score in [0, 1] from {by!r}, got {what}", field=field)
    if score != number:
        details["value"] = value
    return ImportedScore(by, score, "graded", reason, source, details)


def unscored(
    by: str,
    outcome: Outcome,
    reason: str | None,
    *,
    source: Source = "judge",
    evidence: Mapping[str, Any] | None = None,
) -> ImportedScore:
    """Return a score that the tool failed to give, with the reason in words."""
    details = {name: detail for name, detail in (evidence or {}).items() if detail is not None}
    return ImportedScore(by, None, outcome, reason, source, details)


def outcome_called(name: object) -> Outcome | None:
    """Return the outcome of this name, if it is one without a score."""
    return next((outcome for outcome in UNGRADED if outcome == name), None)


def collect_scores(
    scores: list[ImportedScore],
    items: Iterable[T],
    scores_of: Callable[[T], Iterable[ImportedScore]],
    position: FilePosition,
) -> Iterator[Skipped]:
    """Add the scores that items give an answer; list the reason for each invalid one."""
    for item in items:
        try:
            scores += scores_of(item)
        except UNREADABLE as error:
            yield position.skipped(error)


def verdict_on_absent_output(
    imported_score: ImportedScore, fields: Mapping[str, Any], case_id: str, system: str
) -> Verdict:
    """Return the verdict on an output that is not in the file.

    Its ``fiducial.*`` fields name the output, or else the given case and system.
    """
    named_case, named_system = fields.get("fiducial.case_id"), fields.get("fiducial.system")
    trial, repeat = (_whole(fields.get(f"fiducial.{name}")) for name in ("trial", "repeat"))
    return imported_score._replace(repeat=repeat).verdict(
        named_case if isinstance(named_case, str) else case_id,
        named_system if isinstance(named_system, str) else system,
        trial,
    )


def _whole(value: Any) -> int:
    """Return a count in an attribute, which may be text; 0 if there is none."""
    text = str(value)
    return int(text) if text.isdecimal() and len(text) < len(str(MOST_WHOLE)) else 0


def numbered_names(scores: list[ImportedScore]) -> list[ImportedScore]:
    """Number scores that share a name, since they answer different questions."""
    seen = Counter[str]()
    named_apart = list[ImportedScore]()
    for each in scores:
        seen[each.by] += 1
        named_apart.append(each if seen[each.by] == 1 else each._replace(by=f"{each.by}#{seen[each.by]}"))
    return named_apart


def _number(value: Any, *, letters: bool) -> float | None:
    if isinstance(value, bool | int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    word = value.strip().lower()
    if letters and word in _LETTERS:
        return _LETTERS[word]
    return WORDS.get(plain_word(word))
