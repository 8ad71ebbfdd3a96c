"""Changes of scores that cross no threshold."""

from __future__ import annotations

import random

import pytest
from audited_world import Says, audit, found

from fiducial.evaluation.audit.audit_results import ScoreChange
from fiducial.evaluation.audit.probe_folder import ProbeFacts


def changes(says: Says) -> dict[str, ScoreChange | None]:
    return {each.operator: each.change for each in audit(says).operators}


def soft(facts: ProbeFacts, repeat: int) -> float:
    """Stay above one half on a twin, but lower: no verdict changes."""
    return {"nothing": 0.97, "twin": 0.55}.get(facts.plants, 0.45)


def test_a_fall_above_the_threshold_is_measured_with_its_interval_and_its_largest():
    twin = changes(soft)["twin_a"]
    assert twin is not None
    assert twin.mean.value == pytest.approx(-0.42)
    assert (twin.size.value, twin.largest) == (pytest.approx(0.42), pytest.approx(-0.42))
    assert twin.mean.low is not None
    assert twin.mean.low <= -0.42 <= (twin.mean.high or 1)
    assert twin.largest_at.startswith("case-")


def test_such_a_fall_is_found():
    assert ("moves on what is harmless", "twin_a") in found(soft)


def test_verdicts_alone_would_not_find_it():
    assert [each.difference.value for each in audit(soft).comparisons if each.name == "twin_a"] == [0.0]


def test_a_judge_as_noisy_on_repeats_as_on_twins_does_not_move():
    rng = random.Random(1)
    noisy = found(lambda facts, repeat: (0.8 if facts.right else 0.2) + rng.uniform(-0.2, 0.2))
    assert ("moves on what is harmless", "twin_a") not in noisy


def test_repeats_have_a_change_of_their_own():
    between = changes(lambda facts, repeat: 0.9 - repeat / 10)["original"]
    assert between is not None
    assert between.mean.value == pytest.approx(0.1)


def test_an_attack_that_raises_the_probability_below_the_threshold_is_found():
    assert ("can be talked into passing", "attack_a") in found(
        lambda facts, repeat: 0.4 if facts.operator == "attack_a" else 0.9 if facts.right else 0.1
    )


def test_scores_of_right_and_wrong_alone_add_no_finding():
    result = audit(lambda facts, repeat: 0.0 if facts.operator == "twin_a" else facts.label)
    assert not result.fine_scores
    assert {each.concern for each in result.findings} == {"punishes what is harmless"}


def test_what_was_not_graded_is_in_no_change():
    twin = changes(lambda facts, repeat: None if facts.operator == "twin_a" and facts.key.case_id < "case-4" else soft(facts, repeat))["twin_a"]  # fmt: skip
    assert twin is not None
    assert twin.size.n < 80
