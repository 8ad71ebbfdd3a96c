"""Juries as they are seated, and judges that are made of others."""

from __future__ import annotations

import pytest

from fiducial.calibration.pass_threshold import PassThreshold
from fiducial.errors import UsageError
from fiducial.evaluation.judging.composites import JuryRule, by_criterion, by_statement, is_split, jury_task
from fiducial.evaluation.judging.judge_task import JudgeTask
from fiducial.judges import load_judge
from fiducial.judges.jury import JuryJudge


def task(judge: str, at: float = 0.5) -> JudgeTask:
    return JudgeTask(judge=load_judge(judge, model="m"), threshold=PassThreshold(at))


@pytest.mark.parametrize(
    ("rule", "thresholds", "expected"),
    [("mean", (0.7, 0.7), 0.7), ("mean", (0.7, 0.8), 0.5), ("majority", (0.7, 0.7), 0.5)],
)
def test_a_jury_has_the_threshold_that_its_members_share_but_a_majority_says_pass_or_fail(
    rule: str, thresholds: tuple[float, float], expected: float
):
    members = [task(f"rubric/{name}", at) for name, at in zip(("direct", "reasons"), thresholds, strict=True)]
    seated = jury_task(JuryRule(rule=rule), members, repeats=1)  # pyright: ignore[reportArgumentType]
    assert seated.threshold.at == expected
    assert [part.threshold.at for part in seated.parts] == list(thresholds)


def test_members_weigh_alike_and_are_sure_outside_the_usual_bounds_unless_told_otherwise():
    members = [task("rubric/direct"), task("rubric/reasons")]
    judge = jury_task(JuryRule(rule="escalate"), members, repeats=3).judge
    assert isinstance(judge, JuryJudge)
    assert (judge.jury.weights, judge.jury.unsure, judge.jury.repeats) == ((1.0, 1.0), (0.2, 0.8), 3)
    told = jury_task(JuryRule(rule="mean", weights=(3, 1)), members, repeats=1).judge
    assert isinstance(told, JuryJudge)
    assert told.jury.weights == (3, 1)


def test_a_judge_of_statements_is_split_and_others_are_left_alone():
    split = by_statement(task("groundedness/decomposed", 0.7), "splitter")
    assert is_split(split)
    assert split.threshold.at == 0.7
    assert [part.model for part in split.parts] == ["splitter", "m"]
    plain = task("rubric/direct")
    assert by_statement(plain, "splitter") is plain
    assert by_criterion(plain) is plain
    with pytest.raises(UsageError, match="cannot split an answer"):
        by_statement(task("groundedness/decomposed"), "baseline")
