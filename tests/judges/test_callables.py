from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from each_row import each_row
from judge_items import make_case, make_output

from fiducial.evaluation.judging.access import ModelAccess
from fiducial.judges.callables import FunctionJudge, callable_judge
from fiducial.records import Case, Output, Verdict


def judged(judge: FunctionJudge) -> Verdict:
    async def run() -> Verdict:
        return await anext(judge.verdicts([(make_case(), make_output(), 1)], ModelAccess()))

    return asyncio.run(run())


def saying(said: Any) -> FunctionJudge:
    def function(case: Case, output: Output) -> Any:
        return said

    return callable_judge("mine", function)


@each_row(
    ("said", "score", "reason"),
    [
        (True, 1.0, None),
        (0, 0.0, None),
        (0.25, 0.25, None),
        ((False, "no"), 0.0, "no"),
        ((0.5, None), 0.5, None),
        (np.float32(0.5), 0.5, None),
        (np.bool_(True), 1.0, None),
    ],
)
def test_a_score_a_truth_value_or_either_with_a_reason_is_a_verdict(
    said: Any, score: float, reason: str | None
):
    verdict = judged(saying(said))
    assert (verdict.outcome, verdict.score, verdict.reason) == ("graded", score, reason)
    assert (verdict.case_id, verdict.repeat, verdict.by, verdict.source) == (
        "case-0",
        1,
        "mine/function",
        "judge",
    )


@each_row("said", [None, "1", 2, -0.1, float("nan"), (1, 2), (1, "a", "b"), [1]])
def test_what_is_no_score_is_unparsable_and_never_0(said: Any):
    verdict = judged(saying(said))
    assert (verdict.outcome, verdict.score) == ("unparsable", None)
    assert "expected a score in [0, 1]" in str(verdict.reason)


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (ValueError("not\ntoday"), "ValueError: not today"),
        (SystemExit(2), "SystemExit: 2"),
        (StopIteration(), "RuntimeError: StopIteration"),
    ],
)
def test_what_a_function_raises_is_a_call_that_failed(raised: BaseException, reason: str):
    def function(case: Case, output: Output) -> bool:
        raise raised

    verdict = judged(callable_judge("mine", function))
    assert (verdict.outcome, verdict.score, verdict.reason) == ("failed", None, reason)


def test_a_verdict_is_taken_and_signed_by_the_judge():
    said = Verdict(case_id="?", system="?", by="?", source="human", outcome="refused", reason="no opinion")
    verdict = judged(saying(said))
    assert (verdict.outcome, verdict.reason, verdict.by, verdict.source, verdict.case_id) == (
        "refused",
        "no opinion",
        "mine/function",
        "judge",
        "case-0",
    )


def test_a_coroutine_function_is_awaited_and_any_callable_will_do():
    async def later(case: Case, output: Output) -> float:
        await asyncio.sleep(0)
        return 0.5

    class Judge:
        async def __call__(self, case: Case, output: Output) -> float:
            return await later(case, output)

    assert judged(callable_judge("mine", later)).score == judged(callable_judge("mine", Judge())).score == 0.5


def test_another_function_under_the_same_name_is_another_judge():
    def one(case: Case, output: Output) -> bool:
        return True

    def other(case: Case, output: Output) -> bool:
        return False

    same = callable_judge("mine", one).id
    assert same == callable_judge("mine", one).id
    assert len({same, callable_judge("mine", other).id, callable_judge("yours", one).id}) == 3
    spaces: dict[str, Any] = {}
    for number in (1, 0):
        source = f"def f(case, output): return {number}"
        exec(source, space := {})
        spaces[source] = callable_judge("mine", space["f"]).id
    assert len(set(spaces.values())) == 2
