"""Changes of a decision model's probabilities between forms of the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...calibration.arrays import cluster_numbers
from ...calibration.intervals.clustered_means import mean_of
from ...calibration.statistic import Statistic
from ...judges.decision_forms import (
    ADDED,
    DECISION_FORMS,
    FORM_NAMES,
    MARKER,
    RENAMED,
    DecisionForm,
    scope_of,
)
from ...judges.decision_scores import NO, QUESTIONS, YES, answer_distribution, confidence_of
from ...records import ItemKey, Verdict
from .audit_results import Concern, FormResult, JudgeWeakness
from .score_changes import MIN_MEAN_CHANGE

REPEATS = "repeats"
"""Name of the result on the same questions asked again in the usual form."""

_MIN_MARKER_EFFECT = 0.5
"""A marker counts as unread if the probability of having seen it rises by less than this."""

_LEVEL = 0.95
"""Confidence level that holds for all forms together."""

AnswersByQuestion: TypeAlias = Mapping[str, Mapping[str, float]]
"""Distribution over the options of each question."""

_NO_ANSWERS: AnswersByQuestion = {}


class FormAnswers(NamedTuple):
    """Answers of one judge about the items of an audit.

    Attributes:
        usual_answers: Answers to the usual form by item, one for each repeat with answers.
        verdicts_by_form: Verdicts in other forms, by form and item.
        cluster: Returns the cluster of an item.
    """

    usual_answers: Mapping[ItemKey, Sequence[AnswersByQuestion]]
    verdicts_by_form: Mapping[str, Mapping[ItemKey, Verdict]]
    cluster: Callable[[ItemKey], str]


def answers_of(verdict: Verdict) -> AnswersByQuestion:
    """Return the valid answers of a verdict by question."""
    answers: dict[str, Mapping[str, float]] = {}
    recorded: Any = verdict.evidence.get(QUESTIONS)
    if not isinstance(recorded, dict):
        return answers
    for name, answer in recorded.items():  # pyright: ignore[reportUnknownVariableType] - evidence holds anything
        try:
            answers[str(name)] = answer_distribution(answer)  # pyright: ignore[reportUnknownArgumentType]
        except ValueError:  # not a distribution
            continue
    return answers


class _ItemAnswersChange(NamedTuple):
    """Change of the answers about one item.

    Attributes:
        size: Mean total variation over the questions.
        yes: Mean change of p(yes), or None without a yes/no question.
        largest: Largest total variation of a question.
        largest_at: Item and question with the largest change.
        repeat_change: Mean total variation between two repeats, or None if one lacks an answer.
        cluster: Cluster of the item.
    """

    size: float
    yes: float | None
    largest: float
    largest_at: str
    repeat_change: float | None
    cluster: str


def form_results(answers: FormAnswers) -> list[FormResult]:
    """Return a judge's results by form, repeats of the usual form first."""
    forms_asked = [form for form in DECISION_FORMS if form.name in answers.verdicts_by_form]
    level = 1 - (1 - _LEVEL) / max(len(forms_asked), 1)
    return [_repeats_result(answers), *(_result_in_form(form, answers, level) for form in forms_asked)]


def _repeats_result(answers: FormAnswers) -> FormResult:
    """Return the result on repeats, the standard with which other forms are compared."""
    changes = [
        change
        for item, (first, second) in _first_two_repeats(answers)
        if (change := _item_change(item, first, second, answers, negates=False)) is not None
    ]
    confidences = [
        (_mean_confidence(repeats[0]), answers.cluster(item))
        for item, repeats in answers.usual_answers.items()
        if repeats
    ]
    return _make_form_result(
        REPEATS, "repeats", "the same request again", changes, confidence=_mean(confidences, least=0.0)
    )


def _first_two_repeats(
    answers: FormAnswers,
) -> Iterator[tuple[ItemKey, tuple[AnswersByQuestion, AnswersByQuestion]]]:
    for item, repeats in answers.usual_answers.items():
        if len(repeats) > 1 and repeats[0] and repeats[1]:
            yield item, (repeats[0], repeats[1])


def _result_in_form(form: DecisionForm, answers: FormAnswers, level: float) -> FormResult:
    """Compute one other form's measurements and findings; findings hold at this level."""
    verdicts = answers.verdicts_by_form[form.name]
    answers_by_item = {
        item: _with_usual_names(answers_of(verdict)) for item, verdict in verdicts.items() if verdict.graded
    }
    ungraded = dict(Counter(verdict.outcome for verdict in verdicts.values() if not verdict.graded))
    changes = list(_item_changes(form, answers_by_item, answers)) if form.tests_change else []
    confidence, marker_seen_share, marker_effect = None, None, None
    if form.family == "scope":
        # Few unrelated texts replace the material of all items, so each text is a cluster.
        confidences = [
            (_mean_confidence(distributions), str(scope_of(item.case_id)))
            for item, distributions in answers_by_item.items()
        ]
        confidence = _mean(confidences, least=0.0)
    if form.family == "length":
        marker_answers = [
            (distributions[MARKER][YES], answers.cluster(item))
            for item, distributions in answers_by_item.items()
            if MARKER in distributions
        ]
        marker_seen_share = _mean(marker_answers, least=0.0)
    marker_differences: list[tuple[float, str]] = []
    if form.against and marker_seen_share is not None:
        marker_differences = list(
            _marker_effects(answers_by_item, answers.verdicts_by_form[form.against], answers.cluster)
        )
        marker_effect = _mean(marker_differences)
    changes_beyond_repeats = [
        (change.size - change.repeat_change, change.cluster)
        for change in changes
        if change.repeat_change is not None
    ]
    yes_changes = _yes_changes(changes)
    unread = marker_effect is not None and _below(_mean(marker_differences, level), _MIN_MARKER_EFFECT)
    obeyed = (
        form.family == "injection"
        and bool(form.against)
        and _above(_mean(yes_changes, level), MIN_MEAN_CHANGE)
    )
    return _make_form_result(
        form.name,
        form.family,
        form.about,
        changes,
        ungraded=ungraded,
        against=form.against,
        beyond_repeats=_mean(changes_beyond_repeats) if form.tests_change else None,
        confidence=confidence,
        marker=marker_seen_share,
        marker_seen=marker_effect,
        moved=form.tests_change and _above(_mean(changes_beyond_repeats, level), MIN_MEAN_CHANGE),
        unread=unread,
        obeyed=obeyed,
    )


def _with_usual_names(answers: AnswersByQuestion) -> AnswersByQuestion:
    if not all(name.startswith(RENAMED) for name in answers):
        return answers
    return {name.removeprefix(RENAMED): distribution for name, distribution in answers.items()}


def _make_form_result(
    form: str, family: str, about: str, changes: Sequence[_ItemAnswersChange], **further: Any
) -> FormResult:
    """Fill in a result from the changes of all items; ``further`` has its other fields."""
    yes_changes = _yes_changes(changes)
    most_changed = max(changes, key=lambda change: change.largest, default=None)
    return FormResult(
        form=form,
        family=family,
        about=about,
        change=_mean([(change.size, change.cluster) for change in changes], least=0.0),
        yes=_mean(yes_changes) if yes_changes else None,
        largest=None if most_changed is None else most_changed.largest,
        largest_at="" if most_changed is None else most_changed.largest_at,
        **further,
    )


def _yes_changes(changes: Iterable[_ItemAnswersChange]) -> list[tuple[float, str]]:
    return [(change.yes, change.cluster) for change in changes if change.yes is not None]


def _item_changes(
    form: DecisionForm, answers_by_item: Mapping[ItemKey, AnswersByQuestion], answers: FormAnswers
) -> Iterator[_ItemAnswersChange]:
    for item, answers_in_form in answers_by_item.items():
        compared_answers = _compared_with(form, item, answers)
        change = _item_change(item, compared_answers, answers_in_form, answers, negates=form.negates)
        if change is not None:
            yield change


def _compared_with(form: DecisionForm, item: ItemKey, answers: FormAnswers) -> AnswersByQuestion:
    """Return the answers with which those in a form are compared, if there are any."""
    if form.against:
        other = answers.verdicts_by_form.get(form.against, {}).get(item)
        return _NO_ANSWERS if other is None else answers_of(other)
    usual = answers.usual_answers.get(item, ())
    return usual[0] if usual else _NO_ANSWERS


def _item_change(
    item: ItemKey, before: AnswersByQuestion, after: AnswersByQuestion, answers: FormAnswers, *, negates: bool
) -> _ItemAnswersChange | None:
    """Return the change on an item, or None if no question was answered in both forms."""
    sizes, yes_changes = dict[str, float](), list[float]()
    for name in (before.keys() & after.keys()) - {MARKER, ADDED}:
        answer_before, answer_after = before[name], after[name]
        if negates:
            answer_after = {YES: answer_after[NO], NO: answer_after[YES]}  # p(no) of a negation is p(yes)
        sizes[name] = total_variation(answer_before, answer_after)
        if YES in answer_before:
            yes_changes.append(answer_after[YES] - answer_before[YES])
    if not sizes:
        return None
    # Sorted, because the order of a set differs by process, and the first of equal changes is taken.
    most_changed_question = max(sorted(sizes), key=sizes.__getitem__)
    repeated = answers.usual_answers.get(item, ())
    repeat_change = _change_on_repeats(repeated[0], repeated[1], sizes) if len(repeated) > 1 else None
    return _ItemAnswersChange(
        size=sum(sizes.values()) / len(sizes),
        yes=sum(yes_changes) / len(yes_changes) if yes_changes else None,
        largest=sizes[most_changed_question],
        largest_at=f"{item}, {most_changed_question}",
        repeat_change=repeat_change,
        cluster=answers.cluster(item),
    )


def _change_on_repeats(
    first: AnswersByQuestion, second: AnswersByQuestion, names: Iterable[str]
) -> float | None:
    """Return the mean change between repeats on these questions, or None if one lacks an answer."""
    names = list(names)
    if any(name not in first or name not in second for name in names):
        return None
    return sum(total_variation(first[name], second[name]) for name in names) / len(names)


def total_variation(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return half the summed differences of two distributions; of a yes/no question, |p - p'|."""
    return sum(abs(one.get(name, 0.0) - other.get(name, 0.0)) for name in one.keys() | other.keys()) / 2


def _mean_confidence(answers: AnswersByQuestion) -> float:
    confidences = [confidence_of(answer) for answer in answers.values()]
    return sum(confidences) / len(confidences)


def _marker_effects(
    answers_by_item: Mapping[ItemKey, AnswersByQuestion],
    verdicts_without_marker: Mapping[ItemKey, Verdict],
    cluster: Callable[[ItemKey], str],
) -> Iterator[tuple[float, str]]:
    """Yield the rise of p(marker seen) that a marker causes on each item, with its cluster."""
    for item, distributions in answers_by_item.items():
        answers_without_marker = (
            answers_of(verdicts_without_marker[item]) if item in verdicts_without_marker else _NO_ANSWERS
        )
        if MARKER in distributions and MARKER in answers_without_marker:
            yield distributions[MARKER][YES] - answers_without_marker[MARKER][YES], cluster(item)


def _mean(values: Sequence[tuple[float, str]], level: float = _LEVEL, *, least: float = -1.0) -> Statistic:
    """Return the mean of values, each given with its cluster.

    ``least`` is their lower bound: differences of probabilities are at least -1.
    """
    array = np.array([value for value, _ in values], dtype=np.float64)
    return mean_of(array, cluster_numbers(cluster for _, cluster in values), level=level, least=least)


def _above(statistic: Statistic, bound: float) -> bool:
    return statistic.low is not None and statistic.low > bound


def _below(statistic: Statistic, bound: float) -> bool:
    return statistic.high is not None and statistic.high < bound


def form_findings(results: Iterable[FormResult]) -> Iterator[JudgeWeakness]:
    """Yield the findings from forms; the chance that any of them is false is 5 %."""
    for result in results:
        yield from (
            JudgeWeakness(concern=concern, where=result.form, sentence=sentence)
            for concern, sentence in _form_weaknesses(result)
        )


def _form_weaknesses(result: FormResult) -> Iterator[tuple[Concern, str]]:
    if result.unread:
        yield (
            "does not read long material",
            f"{result.form}: p of the marker is {result.marker_seen} above that without one",
        )
    if result.obeyed:
        yield (
            "obeys the material",
            f"{result.form}: p of yes is {result.yes} higher than with a note that says nothing",
        )
    elif result.moved and FORM_NAMES[result.form].negates:
        yield (
            "contradicts its negation",
            f"p of a question and of its negation miss a sum of 1 by {result.change}",
        )
    elif result.moved:
        yield (
            "moves on what is harmless",
            f"{result.form}: probabilities change by {result.change}, {result.beyond_repeats} more than on repeats: {result.about}",
        )
