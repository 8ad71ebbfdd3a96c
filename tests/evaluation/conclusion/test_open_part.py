from __future__ import annotations

import pytest

from fiducial.evaluation.conclusion.open_part import corrected_rate
from fiducial.evaluation.conclusion.run_results import CORRECTED
from fiducial.evaluation.conclusion.running_counts import OpenScores
from fiducial.records import ItemKey, Verdict


def part_of(scores: list[float]) -> OpenScores:
    part = OpenScores()
    for number, score in enumerate(scores):
        verdict = Verdict(
            case_id=str(number), system="s", by="j", source="judge", outcome="graded", score=score
        )
        part.add(verdict, verdict.case_id)
    return part


def label(number: int) -> ItemKey:
    return ItemKey(str(number), "s", 0)


def test_a_kind_judge_is_corrected_towards_the_labels():
    """The judge passes everything but 10 of 100; of the 20 labels it passes, a third are wrong."""
    part = part_of([0.0] * 10 + [1.0] * 90)
    labels = {label(number): float(number % 3 != 0) for number in range(5, 31)}
    rate = corrected_rate(part, "j", labels)
    assert rate is not None
    assert (rate.name, rate.by, rate.n, rate.of, rate.outcomes) == (
        CORRECTED,
        "j",
        26,
        100,
        {"not labelled": 74},
    )
    assert rate.value is not None
    assert rate.low is not None
    assert rate.high is not None
    assert 0.5 < rate.value < 0.8
    assert rate.low < 2 / 3 < rate.high
    assert rate.note is not None
    assert "random sample" in rate.note


def test_labels_of_other_outputs_correct_nothing():
    part = part_of([1.0] * 10)
    assert corrected_rate(part, "j", {ItemKey("elsewhere", "s", 0): 0.0, label(3): 1.0}) is None


def test_where_every_output_is_labelled_the_labels_say_it_all():
    part = part_of([1.0] * 10)
    rate = corrected_rate(part, "j", {label(number): float(number < 8) for number in range(10)})
    assert rate is not None
    assert rate.value == pytest.approx(0.8)
    assert (rate.low, rate.high) == pytest.approx((0.4902, 0.9433), abs=5e-5)  # Wilson, as published


def test_a_judge_that_says_one_thing_only_adds_nothing_to_the_labels():
    part = part_of([1.0] * 100)
    rate = corrected_rate(part, "j", {label(number): float(number < 8) for number in range(10)})
    assert rate is not None
    assert rate.value == pytest.approx(0.8)
    assert rate.note is not None
    assert "lambda 0.00" in rate.note
