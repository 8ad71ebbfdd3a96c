"""Scores that other tools' files have, as verdicts under the name of their author.

`scored` reads a value as an `ImportedScore`; `ScoreConverter` turns it into a score in [0, 1] by its author's scale.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from ..errors import RecordError, UsageError
from ..records import UNGRADED, Outcome, Source, Verdict, nearest
from ..records.json_text import type_name
from ..records.made_scores import reaches, rounded_score
from ..records.scale import UNDECLARED_SCALE, Scale, distance, judge_scale, named_judges
from ..spelling import setting
from ..tables.grades import (
    FAILURES,
    WORDS,
    UnknownGradeError,
    asked_scale,
    grade_score,
    is_above_one,
    plain_word,
    usual_ends,
)
from .field_reader import MAX_WHOLE
from .imported_records import UNREADABLE, FilePosition, Skipped

T = TypeVar("T")
S = TypeVar("S")

ScoreForm: TypeAlias = Literal["any", "letters", "numbers"]
"""Form of a tool's scores.

``any``: words or numbers. ``letters``: also C, P, I and N for correct, partly, incorrect and no answer. ``numbers``: numbers, so
that ``failed`` says that the scorer failed, and is no grade.
"""

_SCORE_OF_LETTER = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}


class ImportedScore(NamedTuple):
    """Score of an answer: a `Verdict` not yet assigned to an output.

    Attributes:
        by: Its author.
        score: In [0, 1], or None if there is none, or its scale is unknown.
        outcome: Outcome of the verdict: ``graded`` if there is a score.
        reason: Explanation of the score, or of its absence.
        source: Whether the author is a judge, a checker or a person.
        evidence: Details.
        repeat: Number of the repetition.
        number: The number as the tool wrote it, if its scale may be another than [0, 1].
        field: Its path in the file, for errors.
    """

    by: str
    score: float | None = None
    outcome: Outcome = "graded"
    reason: str | None = None
    source: Source = "judge"
    evidence: dict[str, Any] = {}
    repeat: int = 0
    number: float | None = None
    field: str | None = None

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


class ScoreConverter:
    """Conversion of other tools' scores to [0, 1].

    It remembers authors without a scale that gave a number above 1, since all their scores are withdrawn then.

    Args:
        scales: Scales by judge; the name "" stands for all judges that are not named.
        grades: Scale of people's grades.

    Attributes:
        above_one: Largest number above 1 of each author without a scale that gave one.
    """

    def __init__(self, scales: Mapping[str, Scale] = {}, grades: Scale = UNDECLARED_SCALE) -> None:
        self.above_one: dict[str, float] = {}
        self._scales, self._grades = scales, grades
        self._judges_with_scale = named_judges(scales)
        self._authors: dict[str, None] = {}
        self._people = set[str]()

    @property
    def scales(self) -> Mapping[str, Scale]:
        """Scales by judge; see `judge_scale`."""
        return self._scales

    def scale_of(self, judge: str) -> Scale:
        """Return the scale of a judge, and note that the judge has a score."""
        self._authors.setdefault(judge)
        return judge_scale(self._scales, judge)

    def convert(self, imported_score: ImportedScore) -> ImportedScore:
        """Return a score in [0, 1], by the scale of its author.

        Raises:
            RecordError: The number is not on the scale.
        """
        by, number = imported_score.by, imported_score.number
        scale, is_label = self.scale_of(by), False
        if imported_score.source == "human" and by not in self._judges_with_scale:
            scale, is_label = self._grades, True
        if number is None or (imported_score.score is not None and not scale.reads_numbers):
            return imported_score
        try:
            score = grade_score(number, scale)
        except UnknownGradeError:
            message = f"expected a score in {_range_text(scale)} from {by!r}, got {number:g}"
            if not scale.reads_numbers and is_above_one(number) and number < math.inf:
                message += f"; for another scale: {_scale_option(by, number, is_label=is_label)}"
                self.above_one[by] = max(number, self.above_one.get(by, number))
                if is_label:
                    self._people.add(by)
            raise RecordError(message, field=imported_score.field) from None
        return imported_score._replace(score=score, evidence={**imported_score.evidence, "value": number})

    def convert_all(
        self, scores: Iterable[ImportedScore], position: FilePosition
    ) -> Iterator[ImportedScore | Skipped]:
        """Yield scores in [0, 1], and a skipped entry for each that is not on its scale."""
        for imported_score in scores:
            try:
                yield self.convert(imported_score)
            except RecordError as error:
                yield position.skipped(error)

    def withdrawn(self, graded: Mapping[str, int], file: object) -> Iterator[Skipped]:
        """Yield a skipped entry for each author whose graded verdicts have to be withdrawn.

        These are the authors in `above_one`: if an author also gives a 5, a 1 may be the worst score.

        Args:
            graded: Number of graded verdicts by author.
            file: The file that was read.
        """
        for by, largest in self.above_one.items():
            if graded.get(by):
                option = _scale_option(by, largest, is_label=by in self._people)
                reason = f"{graded[by]:,} of its scores are from 0 to 1 and not read, since others are up to {largest:g}: {option}"
                yield Skipped(file=str(file), field=by, reason=reason)

    def require_all_used(self) -> None:
        """Require that every judge with a scale has a score.

        Raises:
            UsageError: A judge with a scale has no score.
        """
        for judge in self._judges_with_scale:
            if judge not in self._authors:
                authors = ", ".join(self._authors) or "nobody"
                raise UsageError(
                    f"{setting('score_scale')} names {judge!r}, which has no score{nearest(judge, self._authors)}; scores are by {authors}"
                )


def _scale_option(by: str, number: float, *, is_label: bool = False) -> str:
    ends = usual_ends([number])
    return asked_scale("label_scale", ends) if is_label else asked_scale("score_scale", ends, by)


def scored(
    by: str,
    value: Any,
    *,
    passed: bool | None = None,
    ends: tuple[float | None, float | None] = (None, None),
    reason: str | None = None,
    source: Source = "judge",
    field: str | None = None,
    written: ScoreForm = "any",
    evidence: Mapping[str, Any] | None = None,
    absent: str | None = None,
) -> ImportedScore:
    """Return the score of a value, ungraded for NaN.

    `ScoreConverter` decides on a number outside [0, 1].

    Args:
        by: Author of the score.
        value: A boolean, a number, or a word for either.
        passed: Whether the tool passed the answer, if known. The score is made to agree with it; see `_agreeing_score`.
        ends: The lowest and the highest score of the tool's scale, if known.
        reason: Its explanation.
        source: Source of ``by``: judge, checker or person.
        field: Its path, for errors.
        written: Form of the tool's scores.
        evidence: Details; the value is added if the score differs from it.
        absent: Reason for a missing score, or None if a null is an error.

    Raises:
        RecordError: The value is neither a number on the scale nor a known word.
    """
    number = _number(value, written)
    details = {name: detail for name, detail in (evidence or {}).items() if detail is not None}
    if value is None and absent is not None:
        return unscored(by, "not_applicable", reason or absent, source=source, evidence=details)
    if number is not None and math.isnan(number):
        return unscored(
            by, "not_applicable", reason or "the tool gave no score (NaN)", source=source, evidence=details
        )
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    low, high = ends if is_number else (None, None)
    scale = UNDECLARED_SCALE
    if low is not None and high is not None and (distance(low, high) or 0.0) > 0:
        scale = Scale(low, high)
    score = _score_on(scale, number)
    if not scale.is_declared and passed is not None and number is not None:
        score = (
            float(passed)
            if score is None
            else _agreeing_score(score, details.get("threshold"), passed=passed)
        )
    if score is None and (number is None or scale.is_declared):
        shown_value = repr(value) if isinstance(value, str | int | float) else type_name(value)
        raise RecordError(
            f"expected a score in {_range_text(scale)} from {by!r}, got {shown_value}", field=field
        )
    if score != number:
        details["value"] = value
    is_plain = is_number and not scale.is_declared
    return ImportedScore(
        by, score, "graded", reason, source, details, number=number if is_plain else None, field=field
    )


def _score_on(scale: Scale, number: float | None) -> float | None:
    """Return a number's score in [0, 1], or None if the number is not on the scale."""
    try:
        return None if number is None else grade_score(number, scale)
    except UnknownGradeError:
        return None


def _range_text(scale: Scale) -> str:
    return f"[{scale.minimum:g}, {scale.maximum:g}]"


def _agreeing_score(number: float, threshold: Any, *, passed: bool) -> float:
    """Return a score in [0, 1] that agrees with the tool's own verdict.

    If only numbers below the threshold pass, lower is better, as for a rate of hallucinations: the score is 1 minus the
    number.
    """
    if not isinstance(threshold, int | float) or isinstance(threshold, bool):
        return float(passed) if number in {0.0, 1.0} else number
    if not 0.0 <= threshold <= 1.0:
        return float(passed)  # the threshold shows another scale, on which 1 may be the worst
    if reaches(number, threshold) == passed:
        return number
    return rounded_score(1.0 - number) if reaches(threshold, number) == passed else float(passed)


def unscored(
    by: str,
    outcome: Outcome,
    reason: str | None,
    *,
    source: Source = "judge",
    evidence: Mapping[str, Any] | None = None,
) -> ImportedScore:
    """Return an ungraded result, with its reason."""
    details = {name: detail for name, detail in (evidence or {}).items() if detail is not None}
    return ImportedScore(by, None, outcome, reason, source, details)


def outcome_called(name: object) -> Outcome | None:
    """Return the ungraded outcome of this name, or None if there is none."""
    return next((outcome for outcome in UNGRADED if outcome == name), None)


def collect_scores(
    scores: list[S],
    items: Iterable[T],
    scores_of: Callable[[T], Iterable[S]],
    position: FilePosition,
) -> Iterator[Skipped]:
    """Add the scores of items to ``scores``, and yield a skipped entry for each invalid item."""
    for item in items:
        try:
            scores += list(scores_of(item))
        except UNREADABLE as error:
            yield position.skipped(error)


def collect_parts(
    scores: list[ImportedScore],
    items: Iterable[T],
    parts_of: Callable[[T], Iterable[Callable[[], ImportedScore]]],
    position: FilePosition,
) -> Iterator[Skipped]:
    """Add the scores of items with several parts, of which invalid ones are skipped alone."""
    parts: list[Callable[[], ImportedScore]] = []
    yield from collect_scores(parts, items, parts_of, position)
    yield from collect_scores(scores, parts, lambda part: [part()], position)


def verdict_on_absent_output(
    imported_score: ImportedScore, fields: Mapping[str, Any], case_id: str, system: str
) -> Verdict:
    """Return the verdict on an output that is not in the file.

    Its ``fiducial.*`` fields name the output; without them, ``case_id`` and ``system`` do.
    """
    named_case, named_system = fields.get("fiducial.case_id"), fields.get("fiducial.system")
    trial, repeat = (_whole_number(fields.get(f"fiducial.{name}")) for name in ("trial", "repeat"))
    return imported_score._replace(repeat=repeat).verdict(
        named_case if isinstance(named_case, str) else case_id,
        named_system if isinstance(named_system, str) else system,
        trial,
    )


def _whole_number(value: Any) -> int:
    text = str(value)
    return int(text) if text.isdecimal() and len(text) < len(str(MAX_WHOLE)) else 0


def numbered_names(scores: list[ImportedScore]) -> list[ImportedScore]:
    """Return the scores with a number behind repeated names, so that each has its own author."""
    taken_names = {score.by for score in scores}
    count_by_name = Counter[str]()
    numbered_scores = list[ImportedScore]()
    for score in scores:
        count_by_name[score.by] += 1
        unique_name = score.by
        if count_by_name[unique_name] > 1:
            while (unique_name := f"{score.by}#{count_by_name[score.by]}") in taken_names:
                count_by_name[score.by] += 1
        taken_names.add(unique_name)
        numbered_scores.append(score._replace(by=unique_name))
    return numbered_scores


def _number(value: Any, written: ScoreForm) -> float | None:
    if isinstance(value, bool | int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    word = value.strip().lower()
    if written == "letters" and word in _SCORE_OF_LETTER:
        return _SCORE_OF_LETTER[word]
    if written == "numbers" and plain_word(word) in FAILURES:
        return None
    return WORDS.get(plain_word(word))
