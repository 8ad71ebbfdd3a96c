"""Findings from verdicts: levels, effects, and ungraded outputs counted but not scored."""

from __future__ import annotations

import random

import pytest
from audited_world import ABOUT, CHOSEN, ITEMS, Says, audit, found, verdicts
from each_row import each_row
from judge_ids import judge_id

from fiducial.calibration.pass_threshold import PassThreshold
from fiducial.evaluation.audit.analysis import judge_audit, to_read
from fiducial.evaluation.audit.comparisons import compare_prompts, twin_and_attack_comparisons
from fiducial.evaluation.audit.probe_folder import ProbeFacts
from fiducial.evaluation.audit.scored import ScoredProbe, passes, scored_probes
from fiducial.records import ItemKey


def test_nothing_is_found_with_a_judge_that_is_always_right():
    assert found(lambda facts, repeat: facts.label) == set()


def test_a_missed_fault_is_found_by_its_name():
    assert found(lambda facts, repeat: 1.0 if facts.operator == "fault_b" else facts.label) == {
        ("misses a fault", "fault_b")
    }


def test_a_punished_twin_is_found_by_its_name():
    says: Says = lambda facts, repeat: 0.0 if facts.operator == "twin_a" else facts.label  # noqa: E731 - one line says it
    assert found(says) == {("punishes what is harmless", "twin_a")}


def test_an_attack_that_works_is_found_by_its_name():
    says: Says = lambda facts, repeat: 1.0 if facts.operator == "attack_a" else facts.label  # noqa: E731 - one line says it
    assert found(says) == {("can be talked into passing", "attack_a")}


def test_an_attack_is_not_blamed_for_what_the_judge_passes_anyway():
    says: Says = lambda facts, repeat: float(facts.plants in {"attack", "control"} or facts.label)  # noqa: E731 - likewise
    assert found(says) == set()


def test_a_judge_that_always_passes_misses_everything_and_one_that_always_fails_fails_right_outputs():
    assert found(lambda facts, repeat: 1.0) == {("misses a fault", "fault_a"), ("misses a fault", "fault_b")}
    assert found(lambda facts, repeat: 0.0) == {("fails right outputs", "original")}


def test_noise_is_not_taken_for_an_effect_more_often_than_agreed():
    alarms = 0
    for seed in range(20):
        chance = random.Random(seed)
        says: Says = lambda facts, repeat: abs(facts.label - (chance.random() < 0.1))  # noqa: B023, E731 - used at once
        alarms += found(says) - {("contradicts itself", "repeats")} != set()
    assert alarms <= 2


def twins_of(says: Says, operators: int) -> dict[ItemKey, ScoredProbe]:
    """Return verdicts on right outputs, asked twice, and on their twins, in 15 clusters.

    Each output has ``operators`` sorts of twins.
    """
    scored: dict[ItemKey, ScoredProbe] = {}
    for number in range(ITEMS):
        source = ItemKey(f"case-{number}", "agent", 0)
        probes = [ProbeFacts(source, "original", "nothing", source, 1.0, "")]
        for operator in range(operators):
            key = ItemKey(source.case_id, f"agent~twin_{operator}", 0)
            probes.append(ProbeFacts(key, f"twin_{operator}", "twin", source, 1.0, ""))
        for facts in probes:
            scores = [says(facts, repeat) for repeat in range(2 if facts.plants == "nothing" else 1)]
            graded = tuple(score for score in scores if score is not None)
            first = scores[0]
            outcome = "graded" if first is not None else "unparsable"
            scored[facts.key] = ScoredProbe(facts, f"cluster-{number % 15}", first, outcome, None, graded)
    return scored


def wrong_about(share: float, seed: int) -> Says:
    """A judge that is wrong about a share of texts, each time it is asked the same."""
    return lambda facts, repeat: float(random.Random(f"{seed} {facts.key}").random() >= share)


def test_a_judge_that_is_wrong_the_same_way_each_time_is_not_said_to_mind_changes():
    """Against plain repetition, where it always agrees with itself, it would seem sensitive."""
    alarms = 0
    for seed in range(8):
        comparisons = twin_and_attack_comparisons(twins_of(wrong_about(0.1, seed), 8), {})
        alarms += any(comparison.found for comparison in comparisons)
    assert alarms <= 1


def test_changes_that_a_judge_minds_are_found_among_those_that_it_does_not():
    minded = {"twin_1", "twin_4"}
    slips = wrong_about(0.05, 0)
    says: Says = lambda facts, repeat: 0.0 if facts.operator in minded else slips(facts, repeat)  # noqa: E731
    comparisons = twin_and_attack_comparisons(twins_of(says, 8), {})
    assert {comparison.name for comparison in comparisons if comparison.found} == minded


def test_what_is_found_is_no_measure_for_the_other_changes():
    def says(facts: ProbeFacts, repeat: int) -> float:
        del repeat
        minded = facts.operator == "twin_1" and random.Random(facts.key.case_id).random() < 1 / 3
        return float(facts.operator != "twin_0" and not minded)

    comparisons = {
        comparison.name: comparison for comparison in twin_and_attack_comparisons(twins_of(says, 4), {})
    }
    assert {name for name, each in comparisons.items() if each.found} == {"twin_0", "twin_1"}
    assert comparisons["twin_1"].difference.value == pytest.approx(1 / 3, abs=0.1)


def test_a_sort_of_change_that_is_alone_is_compared_with_repetition():
    says: Says = lambda facts, repeat: float(facts.plants == "nothing")  # noqa: E731
    (comparison,) = twin_and_attack_comparisons(twins_of(says, 1), {})
    assert (comparison.difference.value, comparison.found) == (1.0, True)


def test_what_is_not_graded_is_counted_apart_and_is_no_failure():
    result = audit(lambda facts, repeat: None if facts.operator == "fault_a" else facts.label)
    (fault_a,) = [operator for operator in result.operators if operator.operator == "fault_a"]
    assert fault_a.ungraded == {"unparsable": ITEMS}
    assert (fault_a.rate.value, fault_a.rate.undefined) == (None, "no row was graded")
    assert result.findings == []


def test_without_repeats_invariance_is_not_tested_and_says_so():
    once = [verdict for verdict in verdicts(lambda facts, repeat: facts.label) if verdict.repeat == 0]
    scored = scored_probes(once, CHOSEN.probes, {}, {})["judge"]
    result = judge_audit(
        "judge", judge_id("judge"), scored, CHOSEN, about=ABOUT, controls={}, threshold=PassThreshold()
    )
    (comparison,) = result.comparisons
    assert comparison.p is None
    assert comparison.untested is not None
    assert "judged once" in comparison.untested
    assert result.steadiness is None


def test_every_comparison_says_what_it_could_have_found():
    comparisons = audit(lambda facts, repeat: facts.label).comparisons
    assert comparisons
    for comparison in comparisons:
        assert comparison.minimum_detectable is not None
        assert 0 < comparison.minimum_detectable < 0.2
        assert comparison.difference.n == ITEMS


def test_survivors_false_alarms_and_attacks_are_listed_with_the_reason():
    scored = scored_probes(verdicts(lambda facts, repeat: 1.0 - facts.label), CHOSEN.probes, {}, {})["judge"]
    rows = list(to_read("judge", scored.values()))
    assert {(row.what, row.operator) for row in rows} == {
        ("survivor", "fault_a"),
        ("survivor", "fault_b"),
        ("false alarm", "twin_a"),
        ("false alarm", "original"),
        ("attack passed", "attack_a"),
        ("attack passed", "control_a"),
    }
    assert {row.reason for row in rows} == {"so it seems"}


@each_row(
    ("score", "label", "passed"),
    [
        (1.0, 1.0, True),
        (0.49, 1.0, False),
        (0.5, 0.0, True),
        (0.4, 0.0, False),
        (0.75, 0.5, True),
        (0.7, 0.5, False),
        (0.9, 0.8, True),
        (0.85, 0.8, False),
    ],
)
def test_a_statement_with_false_claims_passes_when_its_score_is_nearer_to_a_true_one(
    score: float, label: float, passed: bool
):
    assert passes(score, label, 0.5) is passed


def test_a_score_exactly_on_the_way_from_a_label_to_1_passes():
    for label in (0.1, 0.3, 0.6):
        for pass_at in (0.1, 0.5, 0.7):
            assert passes(round(label + (1 - label) * pass_at, 12), label, pass_at)


def test_prompts_are_compared_on_faults_and_on_right_outputs_apart():
    said = [
        *verdicts(lambda facts, repeat: facts.label, by="good"),
        *verdicts(lambda facts, repeat: 1.0, by="lenient"),
    ]
    scored = scored_probes(said, CHOSEN.probes, {}, {})
    faults, right = compare_prompts({name: scored[name] for name in ("good", "lenient")})
    assert (faults.difference.value, faults.found) == (1.0, True)
    assert (right.difference.value, right.found) == (0.0, False)
    assert right.minimum_detectable is not None
