"""The first answers, by the rules of docs/report.md."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from found_results import compared, judged, panel, systems
from msgspec.structs import replace

from fiducial.calibration import compare, table_from_rows
from fiducial.calibration.agreement.adjudication_results import (
    AdjudicatedJudge,
    Adjudication,
    Adjudicators,
    LookedAt,
)
from fiducial.calibration.agreement.calibration_results import Calibration, JudgeCalibration
from fiducial.calibration.agreement.diagnosis_results import EqualRates, SuspectedLabel
from fiducial.calibration.cautions import Caution
from fiducial.calibration.statistic import Statistic
from fiducial.evaluation.conclusion.run_results import (
    DECIDED,
    JUDGED,
    OPEN,
    UNJUDGED,
    JudgeUse,
    Stratum,
    SystemResult,
)
from fiducial.report.answers import answers
from fiducial.report.found import Found


def better(*names: str, **more: Any) -> str:
    return answers(Found(systems=systems(*names), compared=compared(*names, **more))).better.text


def test_a_system_is_better_where_the_difference_is_beyond_chance():
    assert better("a", "c").startswith("a is better than c: its pass rate on what checkers decided is 0.")
    assert better("c", "a").startswith("a is better than c: its pass rate on what checkers decided is 0.")


def test_systems_that_cannot_be_told_apart_are_not_ranked():
    told = better("a", "b", "c")
    assert told.startswith(
        "a and b cannot be told apart: their pass rates on what checkers decided differ by 0."
    )
    assert told.endswith("a is better than c.")


def test_what_judges_say_uncorrected_ranks_nothing():
    told = better("a", "c", judged=1.0)
    assert told.startswith("a is better than c: its pass rate on what checkers decided")
    assert "above that of c. Of 40 outputs that no checker decided the judges, uncorrected, point" in told


def test_judges_that_rate_the_open_part_alike_point_no_way():
    told = better("a", "c", judged=0.5)
    assert told.endswith("the judges, uncorrected, point no way: a and c stand equal.")


def test_where_nothing_is_graded_nobody_is_ranked():
    rows = [{"item_id": "i", "judge": "j", "system": name, "score": None} for name in "ab"]
    nothing = compare(table_from_rows(rows), by="system")
    told = answers(Found(systems=systems("a", "b"), compared=nothing)).better.text
    assert told == "No system can be called better: nothing is graded yet."


def test_how_far_several_judges_may_be_trusted_is_one_sentence():
    sure = Calibration(judges={"j": panel((0.99, 0.95), (0.97, 0.91))})
    for names, calibration, told in (
        (("j", "k"), sure, "Of 2 judges trust 1 as they are; of 1 nobody knows yet."),
        (("k", "l"), None, "Nobody knows yet how far the 2 judges may be trusted."),
    ):
        found = Found(systems=systems("a"), judges=judged(*names), calibration=calibration)
        assert answers(found).trusted == told


def test_outputs_that_are_missing_are_wanted_before_more_of_anything():
    less = Found(systems=systems("a", missing=16), command="fiducial run c --outputs o --out r")
    assert answers(less).next.text.startswith("16 outputs missing: add them to the outputs")
    made = msgspec.structs.replace(less, command="fiducial run c --generate a --out r")
    assert answers(made).next.command == made.command


def test_a_wide_interval_of_a_system_alone_wants_more_items():
    decided = Stratum(name=DECIDED, n=61, of=61, value=1.0, low=0.21, high=1.0)
    told = answers(Found(systems=systems("a", strata=[decided]))).next
    assert told.command == "fiducial plan --half-width 0.05 --prevalence 0.95"


def test_one_system_alone_is_told_with_its_denominator():
    told = answers(Found(systems=systems("a"))).better.text
    assert told == "a alone was evaluated: 0.50 [0.40, 0.60] on 60 of 60, by checkers."


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (panel((0.99, 0.95), (0.97, 0.91)), "as it is"),
        (panel((0.99, 0.95), (0.97, 0.89)), "corrected"),
        (panel((0.99, 0.95), (0.97, 0.91), balanced=0.5, high=0.75), "not"),
        (panel((0.99, 0.95), (0.97, 0.91), balanced=0.5, high=0.85), "unknown"),
        (JudgeCalibration(n=5, tp=5), "unknown"),
        (JudgeCalibration(), "unknown"),
    ],
)
def test_a_judge_is_trusted_as_far_as_the_lower_ends_of_its_rates_go(found: JudgeCalibration, word: str):
    told = answers(
        Found(systems=systems("a"), judges=judged("j"), calibration=Calibration(judges={"j": found}))
    )
    assert [each.word for each in told.trust] == [word]


def test_a_judge_may_be_trusted_on_the_slices_on_which_it_stands():
    good, bad = panel((0.99, 0.95), (0.97, 0.91)), panel((0.99, 0.95), (0.8, 0.6))
    uneven = EqualRates(p=0.001, groups=2, undefined=None, holm_p=0.002)
    calibration = Calibration(
        judges={"j": bad},
        slices={"kind": {"calls": {"j": good}, "prose": {"j": bad}}},
        homogeneity={"kind": {"j": {"true_negative_rate": uneven}}},
    )
    (told,) = answers(Found(systems=systems("a"), judges=judged("j"), calibration=calibration)).trust
    assert (told.word, told.why[:27]) == ("only on some", "only on kind calls; on all,")


def test_what_is_next_is_the_first_thing_that_would_narrow_the_answer():
    open_part = Stratum(name=OPEN, by="j", n=70, of=70, value=0.5)
    unjudged = Stratum(name=UNJUDGED, n=0, of=9)
    calibration = Calibration(
        judges={"j": panel((0.99, 0.95), (0.97, 0.91)), "k": panel((0.99, 0.95), (0.97, 0.89))},
        cautions=[Caution("another_cut", {"j": 0.7})],
        suspected_label_errors=[
            SuspectedLabel(item_id="i", label=1.0, contradicted_by=["j", "k"], agreed_by=[], evidence=3.0)
        ],
    )
    without_cut = Calibration(
        judges=calibration.judges, suspected_label_errors=calibration.suspected_label_errors
    )
    certified = Calibration(judges=calibration.judges)
    one, judges = systems("a"), judged("j", "k")
    steps = [
        (
            Found(
                systems=systems("a", strata=[unjudged, open_part]), judges=judged("j", failed=2), command="X"
            ),
            "X",
        ),
        (Found(systems=systems("a", strata=[unjudged]), command="X"), "X --judge JUDGE --model NAME"),
        (Found(systems=systems("a", strata=[open_part]), judges=judges, folder="R"), "fiducial review R"),
        (Found(systems=systems("a", "b"), compared=compared("a", "b")), "fiducial plan --difference 0."),
        (Found(systems=one, judges=judges, calibration=calibration, command="X"), "X --pass-at j=0.7"),
        (Found(systems=one, judges=judges, calibration=without_cut), "fiducial review RUN --of suspects"),
        (Found(systems=one, judges=judges, calibration=certified), "fiducial audit certify RUN --by j"),
        (Found(systems=one), ""),
    ]
    for found, command in steps:
        assert answers(found).next.command.startswith(command)
        assert bool(answers(found).next.command) == bool(command)


def test_labels_are_asked_for_where_judges_of_several_systems_are_not_corrected():
    told = answers(Found(systems=systems("a", "c"), compared=compared("a", "c", judged=1.0))).next
    assert told.text.startswith("Label the 40 outputs")


def test_what_a_judge_alone_was_asked_about_wants_labels_until_there_are_some():
    alone = Stratum(name=JUDGED, by="j", n=80, of=80, value=0.9, low=0.8, high=0.95)
    found = Found(systems=[SystemResult(system="a", strata=[alone])], judges=judged("j"), folder="run")
    told = answers(found).next
    assert told.text.startswith("Label 50 of the 80 outputs that only judges decided")
    assert told.command == "fiducial review run"
    labelled = replace(found, calibration=Calibration(judges={"j": panel((0.99, 0.95), (0.97, 0.91))}))
    assert "Label" not in answers(labelled).next.text


def adjudicated(*, judge_right: int, left: int) -> Adjudication:
    apart = LookedAt(rows=9, judge_right=judge_right, judge_wrong=9 - judge_right - left)
    rates = {name: Statistic(value=1.0, n=5) for name in ("true_positive_rate", "true_negative_rate")}
    ways = dict.fromkeys(("as_labelled", "adjudicated", "lowest", "highest", "corrected"), rates)
    by = Adjudicators(people={"ann": 9 - left}, models={}, items=9 - left)
    judge = AdjudicatedJudge(disagreements=apart, agreements=LookedAt(rows=20), label_errors={}, **ways)
    return Adjudication(by=by, faults={}, judges={"j": judge})


@pytest.mark.parametrize(
    ("decided", "command"),
    [
        (adjudicated(judge_right=2, left=3), "fiducial labels export RUN --out patch.jsonl"),
        (adjudicated(judge_right=0, left=3), "fiducial review RUN --of suspects"),
        (adjudicated(judge_right=0, left=0), "fiducial audit certify RUN"),
    ],
)
def test_labels_that_were_found_wrong_are_to_be_corrected_and_what_was_decided_is_not_asked_again(
    decided: Adjudication, command: str
):
    calibration = Calibration(
        judges={"j": panel((0.99, 0.95), (0.97, 0.91)), "k": panel((0.99, 0.95), (0.97, 0.89))},
        suspected_label_errors=[
            SuspectedLabel(item_id="i", label=1.0, contradicted_by=["j", "k"], agreed_by=[], evidence=3.0)
        ],
        adjudication=decided,
    )
    told = answers(Found(systems=systems("a"), judges=judged("j", "k"), calibration=calibration))
    assert told.next.command.startswith(command)
    why = {each.judge: each.why for each in told.trust}
    assert "adjudicated by people: of 9 disagreements the judge is right in" in why["j"]
    assert "adjudicated" not in why["k"]


def test_why_a_judge_never_answered_is_said_where_the_command_is_proposed_again():
    failed = JudgeUse(
        name="j", fingerprint="f", outcomes={"failed": 2}, reasons={"failed": {"HTTP 404: no such model": 2}}
    )
    told = answers(Found(systems=systems("a"), judges=[failed], command="X")).next
    assert "Fix this first: HTTP 404: no such model. Then the same command" in told.text
    answered = replace(failed, outcomes={"failed": 2, "graded": 1})
    assert "HTTP 404" not in answers(Found(systems=systems("a"), judges=[answered], command="X")).next.text
