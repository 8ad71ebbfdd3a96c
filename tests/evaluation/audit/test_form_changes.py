"""Changes of probabilities between forms: what they are compared with, and clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest

from fiducial.evaluation.audit.audit_results import FormResult
from fiducial.evaluation.audit.form_changes import FormAnswers, form_results
from fiducial.judges.decision_forms import MARKER, RENAMED, scope_of
from fiducial.judges.decision_scores import NO, QUESTIONS, YES
from fiducial.records import ItemKey, Verdict

ITEMS = [ItemKey(f"q{number}", "s", 0) for number in range(12)]
USUAL = 0.3

Answers: TypeAlias = Callable[[int], Mapping[str, float]]
"""Function from an item's number to p by question."""


def verdict(item: ItemKey, answers: Mapping[str, float]) -> Verdict:
    return Verdict(
        case_id=item.case_id,
        system=item.system,
        by="j",
        source="judge",
        outcome="graded",
        score=0.5,
        evidence={QUESTIONS: {name: {"p": p} for name, p in answers.items()}},
    )


def found(
    forms: Mapping[str, Answers],
    *,
    items: list[ItemKey] = ITEMS,
    cluster: Callable[[ItemKey], str] = str,
) -> dict[str, FormResult]:
    """Return results of forms in which each item has these answers."""
    usual = {
        item: [{"good": {YES: p, NO: 1 - p}} for p in (USUAL, USUAL + 0.0001 * n)]
        for n, item in enumerate(items)
    }
    formed = {name: {item: verdict(item, answers(n)) for n, item in enumerate(items)} for name, answers in forms.items()}  # fmt: skip
    return {result.form: result for result in form_results(FormAnswers(usual, formed, cluster))}


def spread(p: float, name: str = "good", *, step: float = 0.001) -> Answers:
    """Return answers that differ a little between items."""
    return lambda n: {name: p + step * (n % 5)}


def test_an_injection_is_compared_with_its_control_and_not_with_the_usual_form():
    harmless = found({"plain_note": spread(0.8), "injected_note": spread(0.8)})["injected_note"]
    assert harmless.yes is not None
    assert (harmless.yes.value, harmless.yes.n, harmless.obeyed) == (pytest.approx(0.0), 12, False)
    obeyed = found({"plain_note": spread(0.8), "injected_note": spread(0.9, step=0.002)})["injected_note"]
    assert obeyed.yes is not None
    assert (obeyed.yes.value, obeyed.obeyed) == (pytest.approx(0.1, abs=0.01), True)


def test_without_its_control_an_injection_is_compared_with_nothing():
    alone = found({"injected_note": spread(0.8)})["injected_note"]
    assert (alone.change.n, alone.change.value, alone.obeyed) == (0, None, False)


def test_renamed_questions_are_compared_under_their_usual_names():
    change = found({"renamed": spread(0.5, f"{RENAMED}good")})["renamed"].change
    assert (change.n, change.value) == (12, pytest.approx(0.2, abs=0.01))


def _marked(least: float, step: float) -> Callable[[int], Mapping[str, float]]:
    return lambda n: {"good": 0.3, MARKER: least + step * (n % 5)}


def _every_fifth(by: float) -> Callable[[int], Mapping[str, float]]:
    return lambda n: {"good": USUAL + by * (n % 5 == 0)}


def test_outputs_of_one_cluster_count_as_one():
    forms: dict[str, Answers] = {
        "plain_note": spread(0.6),
        "injected_note": spread(0.9, step=0.002),
        "marker_absent": _marked(0.1, 0.001),
        "marker_at_end": _marked(0.2, 0.002),
    }
    each, together = found(forms), found(forms, cluster=lambda _: "all")
    for results, clustered in ((each, False), (together, True)):
        plain, injected, end = (results[name] for name in ("plain_note", "injected_note", "marker_at_end"))
        assert plain.beyond_repeats is not None
        assert injected.yes is not None
        assert end.marker is not None
        assert end.marker_seen is not None
        assert results["repeats"].confidence is not None
        intervals = (
            results["repeats"].change,
            results["repeats"].confidence,
            plain.change,
            plain.beyond_repeats,
            injected.yes,
            end.marker,
            end.marker_seen,
        )
        assert [statistic.low is None for statistic in intervals] == [clustered] * len(intervals)
        assert (plain.moved, injected.obeyed, end.unread) == (not clustered,) * 3


def test_items_with_the_same_unrelated_text_are_one_cluster():
    alike = [item for item in (ItemKey(f"q{n}", "s", 0) for n in range(200)) if scope_of(item.case_id) == 3]
    confidence = [
        found({"out_of_scope": spread(0.9)}, items=items)["out_of_scope"].confidence
        for items in (ITEMS, alike)
    ]
    assert [
        None if statistic is None else (statistic.n, statistic.low is None) for statistic in confidence
    ] == [
        (12, False),
        (len(alike), True),
    ]


def test_findings_hold_for_all_forms_together():
    """One form in a fifth of the items moves by more than 0.05 at 95 %, not at 99 %."""
    items = [ItemKey(f"q{number}", "s", 0) for number in range(80)]
    moving: dict[str, Answers] = {"paraphrased": _every_fifth(0.52)}
    names = ("options_reversed", "questions_reversed", "renamed", "strict_framing", "generous_framing")
    still = {name: spread(USUAL) for name in names}
    alone, together = (found(forms, items=items)["paraphrased"] for forms in (moving, moving | still))
    assert alone.change == together.change
    assert (alone.moved, together.moved) == (True, False)
