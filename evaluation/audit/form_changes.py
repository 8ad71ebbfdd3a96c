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
from .score_changes import MOVED

REPEATS = "repeats"
"""Name of the result on the same questions asked again in the usual form."""

_SEEN = 0.5
"""A marker is not read if its probability is less than this above that of one that is not there."""

_LEVEL = 0.95

AnswersByQuestion: TypeAlias = Mapping[str, Mapping[str, float]]
"""Distribution over its options by question."""

_NO_ANSWERS: AnswersByQuestion = {}


class FormAnswers(NamedTuple):
    """AnswersByQuestion of one judge about the items of an audit.

    Attributes:
        usual: AnswersByQuestion to the usual form by item, one for each repeat that has any.
        formed: Verdicts in other forms, by form and item.
        cluster: Cluster of an item.
    """

    usual: Mapping[ItemKey, Sequence[AnswersByQuestion]]
    formed: Mapping[str, Mapping[ItemKey, Verdict]]
    cluster: Callable[[ItemKey], str]


def answers_of(verdict: Verdict) -> AnswersByQuestion:
    """Return the valid answers of a verdict by question."""
    found: dict[str, Mapping[str, float]] = {}
    given: Any = verdict.evidence.get(QUESTIONS)
    if not isinstance(given, dict):
        return found
    for name, answer in given.items():  # pyright: ignore[reportUnknownVariableType] - evidence holds anything
        try:
            found[str(name)] = answer_distribution(answer)  # pyright: ignore[reportUnknownArgumentType]
        except ValueError:
            continue
    return found


class _Change(NamedTuple):
    """Change on one item: total variation averaged over questions, and that of p(yes)."""

    size: float
    yes: float | None
    largest: float
    largest_at: str
    repeats: float | None
    cluster: str


def form_results(answers: FormAnswers) -> list[FormResult]:
    """Return a judge's results by form, repeats of the usual form first."""
    asked = [form for form in DECISION_FORMS if form.name in answers.formed]
    level = 1 - (1 - _LEVEL) / max(len(asked), 1)
    return [_on_repeats(answers), *(_on_form(form, answers, level) for form in asked)]


def _on_repeats(answers: FormAnswers) -> FormResult:
    changes = [
        change
        for item, (first, second) in _twice(answers)
        if (change := _change(item, first, second, answers, negates=False)) is not None
    ]
    sure = [(_confidence(each[0]), answers.cluster(item)) for item, each in answers.usual.items() if each]
    return _result(REPEATS, "repeats", "the same request again", changes, confidence=_mean(sure, least=0.0))


def _twice(answers: FormAnswers) -> Iterator[tuple[ItemKey, tuple[AnswersByQuestion, AnswersByQuestion]]]:
    yield from (
        (item, (each[0], each[1]))
        for item, each in answers.usual.items()
        if len(each) > 1 and each[0] and each[1]
    )


def _on_form(form: DecisionForm, answers: FormAnswers, level: float) -> FormResult:
    verdicts = answers.formed[form.name]
    graded = {item: _with_usual_names(answers_of(each)) for item, each in verdicts.items() if each.graded}
    ungraded = dict(Counter(verdict.outcome for verdict in verdicts.values() if not verdict.graded))
    changes = list(_changes(form, graded, answers)) if form.tests_change else []
    confidence, marker, seen = None, None, None
    if form.family == "scope":
        sure = [(_confidence(each), str(scope_of(item.case_id))) for item, each in graded.items()]
        confidence = _mean(sure, least=0.0)
    if form.family == "length":
        marked = [
            (each[MARKER][YES], answers.cluster(item)) for item, each in graded.items() if MARKER in each
        ]
        marker = _mean(marked, least=0.0)
    differences: list[tuple[float, str]] = []
    if form.against and marker is not None:
        differences = list(_seen(graded, answers.formed[form.against], answers.cluster))
        seen = _mean(differences)
    beyond = [
        (change.size - change.repeats, change.cluster) for change in changes if change.repeats is not None
    ]
    upwards = [(change.yes, change.cluster) for change in changes if change.yes is not None]
    unread = seen is not None and _below(_mean(differences, level), _SEEN)
    obeyed = form.family == "injection" and bool(form.against) and _above(_mean(upwards, level), MOVED)
    return _result(
        form.name,
        form.family,
        form.about,
        changes,
        ungraded=ungraded,
        against=form.against,
        beyond_repeats=_mean(beyond) if form.tests_change else None,
        confidence=confidence,
        marker=marker,
        marker_seen=seen,
        moved=form.tests_change and _above(_mean(beyond, level), MOVED),
        unread=unread,
        obeyed=obeyed,
    )


def _with_usual_names(answers: AnswersByQuestion) -> AnswersByQuestion:
    """Return answers by the usual names, if all questions were renamed."""
    if not all(name.startswith(RENAMED) for name in answers):
        return answers
    return {name.removeprefix(RENAMED): each for name, each in answers.items()}


def _result(form: str, family: str, about: str, changes: Sequence[_Change], **further: Any) -> FormResult:
    upwards = [(change.yes, change.cluster) for change in changes if change.yes is not None]
    largest = max(changes, key=lambda each: each.largest, default=None)
    return FormResult(
        form=form,
        family=family,
        about=about,
        change=_mean([(change.size, change.cluster) for change in changes], least=0.0),
        yes=_mean(upwards) if upwards else None,
        largest=None if largest is None else largest.largest,
        largest_at="" if largest is None else largest.largest_at,
        **further,
    )


def _changes(
    form: DecisionForm, graded: Mapping[ItemKey, AnswersByQuestion], answers: FormAnswers
) -> Iterator[_Change]:
    for item, given in graded.items():
        compared = _compared_with(form, item, answers)
        change = _change(item, compared, given, answers, negates=form.negates)
        if change is not None:
            yield change


def _compared_with(form: DecisionForm, item: ItemKey, answers: FormAnswers) -> AnswersByQuestion:
    """Return the answers with which those in a form are compared; none if there are none."""
    if form.against:
        other = answers.formed.get(form.against, {}).get(item)
        return _NO_ANSWERS if other is None else answers_of(other)
    usual = answers.usual.get(item, ())
    return usual[0] if usual else _NO_ANSWERS


def _change(
    item: ItemKey, one: AnswersByQuestion, other: AnswersByQuestion, answers: FormAnswers, *, negates: bool
) -> _Change | None:
    """Return the change on an item, or None if no question was answered in both forms."""
    sizes, yes = dict[str, float](), list[float]()
    for name in one.keys() & other.keys() - {MARKER, ADDED}:
        here, there = one[name], other[name]
        if negates:
            there = {YES: there[NO], NO: there[YES]}
        sizes[name] = total_variation(here, there)
        if YES in here:
            yes.append(there[YES] - here[YES])
    if not sizes:
        return None
    largest = max(sorted(sizes), key=sizes.__getitem__)
    repeated = answers.usual.get(item, ())
    noise = _noise(repeated[0], repeated[1], sizes) if len(repeated) > 1 else None
    return _Change(
        size=sum(sizes.values()) / len(sizes),
        yes=sum(yes) / len(yes) if yes else None,
        largest=sizes[largest],
        largest_at=f"{item}, {largest}",
        repeats=noise,
        cluster=answers.cluster(item),
    )


def _noise(one: AnswersByQuestion, other: AnswersByQuestion, names: Iterable[str]) -> float | None:
    """Return the mean change between repeats on these questions, or None if one lacks an answer."""
    names = list(names)
    if any(name not in one or name not in other for name in names):
        return None
    return sum(total_variation(one[name], other[name]) for name in names) / len(names)


def total_variation(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return half the summed differences of two distributions; of a yes/no question, |p - p'|."""
    return sum(abs(one.get(name, 0.0) - other.get(name, 0.0)) for name in one.keys() | other.keys()) / 2


def _confidence(answers: AnswersByQuestion) -> float:
    sure = [confidence_of(answer) for answer in answers.values()]
    return sum(sure) / len(sure)


def _seen(
    graded: Mapping[ItemKey, AnswersByQuestion],
    absent: Mapping[ItemKey, Verdict],
    cluster: Callable[[ItemKey], str],
) -> Iterator[tuple[float, str]]:
    for item, each in graded.items():
        without = answers_of(absent[item]) if item in absent else _NO_ANSWERS
        if MARKER in each and MARKER in without:
            yield each[MARKER][YES] - without[MARKER][YES], cluster(item)


def _mean(values: Sequence[tuple[float, str]], level: float = _LEVEL, *, least: float = -1.0) -> Statistic:
    array = np.array([value for value, _ in values], dtype=np.float64)
    return mean_of(array, cluster_numbers(cluster for _, cluster in values), level=level, least=least)


def _above(statistic: Statistic, bound: float) -> bool:
    return statistic.low is not None and statistic.low > bound


def _below(statistic: Statistic, bound: float) -> bool:
    return statistic.high is not None and statistic.high < bound


def form_findings(results: Iterable[FormResult]) -> Iterator[JudgeWeakness]:
    """Yield the findings from forms, at 5 % over all of them."""
    for result in results:
        yield from (
            JudgeWeakness(concern=concern, where=result.form, sentence=sentence)
            for concern, sentence in _found(result)
        )


def _found(result: FormResult) -> Iterator[tuple[Concern, str]]:
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
