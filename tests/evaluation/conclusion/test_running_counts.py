from __future__ import annotations

from fractions import Fraction

from each_row import each_row

from fiducial.evaluation.conclusion.running_counts import Sums, Tally
from fiducial.records import UNGRADED, Outcome, Verdict


def checked(
    number: int, outcome: Outcome = "graded", *, score: float = 1.0, fault: str | None = None
) -> Verdict:
    return Verdict(
        case_id=str(number),
        system="s",
        by="ast/bfcl",
        source="checker",
        outcome=outcome,
        score=score if outcome == "graded" else None,
        error_type=fault,
    )


def judged(number: int, score: float) -> Verdict:
    return Verdict(
        case_id=str(number), system="s", by="mine@m", source="judge", outcome="graded", score=score
    )


@each_row("outcome", sorted(UNGRADED))
def test_what_is_not_graded_is_counted_and_adds_nothing_to_the_scores(outcome: Outcome):
    sums = Sums()
    sums.add(checked(1, score=0.5), "a")
    sums.add(checked(2, outcome), "a")
    assert (sums.graded, sums.total, sums.score_sum) == (1, 2, 0.5)
    assert sums.ungraded == {outcome: 1}


def test_scores_are_summed_by_cluster():
    sums = Sums()
    for number, (cluster, score) in enumerate([("a", 1.0), ("b", 0.5), ("a", 0.0)]):
        sums.add(checked(number, score=score), cluster)
    assert sums.clusters == {"a": (2, 1.0), "b": (1, 0.5)}


def test_sums_are_exact_in_any_order():
    scores = [0.1, 1e-17, 0.7, 1.0, 0.3, 1e-9, 0.2, 0.0]
    found: set[tuple[float, int]] = set()
    for shift in range(len(scores)):
        sums = Sums()
        for score in scores[shift:] + scores[:shift]:
            sums.add(judged(1, score), "cluster")
        found.add((sums.score_sum, sums.graded))
    assert found == {(float(sum(map(Fraction, scores))), 8)}


def test_faults_are_those_that_a_checker_named():
    sums = Sums()
    sums.add(checked(1, score=0.0, fault="value_error:string"), "a")
    sums.add(checked(2), "a")
    assert sums.faults == {"value_error:string": 1}


def test_what_the_checker_left_undecided_is_open_by_the_kind_of_its_case():
    tally = Tally()
    tally.add_checked(checked(1), "a", "tool_call")
    tally.add_checked(checked(2, "undecided"), "b", "any_call")
    assert tally.open_kinds == {"s": {"any_call": 1}}
