"""Changes of scores that cross no threshold."""

from __future__ import annotations

import random

import pytest
from audited_world import CHOSEN, ITEMS, Says, audit, found, verdicts

from fiducial.evaluation.audit.audit_results import ScoreChange
from fiducial.evaluation.audit.probe_folder import ProbeFacts
from fiducial.evaluation.audit.score_changes import score_changes
from fiducial.evaluation.audit.scored import ScoredProbe, scored_probes
from fiducial.records import ItemKey


def changes(says: Says) -> dict[str, ScoreChange | None]:
    return {operator.operator: operator.change for operator in audit(says).operators}


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
    assert [
        comparison.difference.value for comparison in audit(soft).comparisons if comparison.name == "twin_a"
    ] == [0.0]


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
    assert {finding.concern for finding in result.findings} == {"punishes what is harmless"}


def test_what_was_not_graded_is_in_no_change():
    twin = changes(lambda facts, repeat: None if facts.operator == "twin_a" and facts.key.case_id < "case-4" else soft(facts, repeat))["twin_a"]  # fmt: skip
    assert twin is not None
    assert twin.size.n < 80


def sometimes(operator: str) -> Says:
    """Change by 0.53 on a fifth of the items: more than 0.05 at 97.5 %, not at 99 %."""

    def says(facts: ProbeFacts, repeat: int) -> float:
        del repeat
        changed = facts.operator == operator and int(facts.key.case_id.partition("-")[2]) % 5 == 0
        usual = 0.99 if facts.right else 0.0
        return usual + (0.53 if operator in CONTROLS else -0.53) * changed

    return says


CONTROLS = {"attack_a": "control_a"}


def probes(says: Says, clusters: dict[str, str] | None = None) -> dict[ItemKey, ScoredProbe]:
    return scored_probes(verdicts(says), CHOSEN.probes, clusters or {}, {})["judge"]


@pytest.mark.parametrize("operator", ["twin_a", "attack_a"])
def test_findings_hold_for_all_operators_together(operator: str):
    scored = probes(sometimes(operator))
    alone = {key: each for key, each in scored.items() if each.facts.operator in {operator, CONTROLS.get(operator, "original")}}  # fmt: skip
    one, several = (score_changes(alone | extra, CONTROLS)[operator] for extra in ({}, scored))
    assert one.mean == several.mean
    assert (one.moved, one.upwards) == (operator == "twin_a", operator == "attack_a")
    assert (several.moved, several.upwards) == (False, False)


def test_items_of_one_cluster_count_as_one():
    one_cluster = {f"case-{number}": "c" for number in range(ITEMS)}
    both = [score_changes(probes(soft, clusters), CONTROLS)["twin_a"] for clusters in ({}, one_cluster)]
    assert [
        (change.moved, change.mean.low is None, change.size.low is None, change.beyond_repeats.low is None)
        for change in both
    ] == [
        (True, False, False, False),
        (False, True, True, True),
    ]
    attacked = [
        score_changes(probes(lambda facts, repeat: 0.4 * (facts.operator == "attack_a"), clusters), CONTROLS)[
            "attack_a"
        ]
        for clusters in ({}, one_cluster)
    ]
    assert [change.upwards for change in attacked] == [True, False]
