from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import fiducial as fd
from fiducial.errors import UsageError

CASE = fd.Case(
    id="c",
    kind="web_search_answer",
    messages=[{"role": "user", "content": "Which carrier?"}],
    reference={"answers": ["PostNord", "Post Nord"]},
    context=[{"id": "1", "content": "We ship by PostNord."}],  # pyright: ignore[reportArgumentType] - as JSON has it
)
OUTPUT = fd.Output(case_id="c", system="bot", text="By PostNord.")


def verdict(metric: Any, **options: Any) -> fd.Verdict:
    return fd.judge_from(metric, **options)(CASE, OUTPUT)


def test_a_function_is_called_by_the_names_of_its_parameters():
    seen = dict[str, Any]()

    def metric(input: str, output: str, expected: str, context: list[str]) -> float:  # noqa: A002 - a tool's name
        seen.update(input=input, output=output, expected=expected, context=context)
        return 0.75

    found = verdict(metric)
    assert found.score == 0.75
    assert found.by == "metric/metric"
    assert seen == {
        "input": "Which carrier?",
        "output": "By PostNord.",
        "expected": "PostNord",
        "context": ["We ship by PostNord."],
    }


@dataclass
class Feedback:
    value: Any
    rationale: str = "because"


@pytest.mark.parametrize(
    ("said", "score", "reason"),
    [
        (True, 1.0, None),
        ({"score": 0.5, "comment": "half"}, 0.5, "half"),
        ({"f1_score": 0.25, "f1_result": "fail", "f1_threshold": 0.5}, 0.25, None),
        (Feedback("yes"), 1.0, "because"),
        (Feedback(0), 0.0, "because"),
        ((0.5, "a reason"), 0.5, "a reason"),
    ],
)
def test_a_score_is_found_where_tools_put_it(said: Any, score: float, reason: str | None):
    def metric(response: str) -> Any:
        del response
        return said

    found = verdict(metric)
    assert (found.score, found.reason) == (score, reason)


@pytest.mark.parametrize("said", [None, "maybe", {"a_score": 1.0, "b_score": 0.0}, float("nan"), 4, object()])
def test_what_is_no_score_is_ungraded_and_never_0(said: Any):
    def metric(response: str) -> Any:
        del response
        return said

    found = verdict(metric)
    assert (found.outcome, found.score) == ("failed", None)


def test_a_scale_and_the_entry_of_a_mapping_can_be_named():
    def metric(query: str, response: str) -> Any:
        del query, response
        return {"coherence": 4, "fluency": 2}

    assert verdict(metric, key="coherence", scale=(1, 5)).score == 0.75


def test_a_coroutine_is_awaited_and_an_error_is_a_failed_verdict():
    async def metric(response: str) -> float:
        if "PostNord" in response:
            raise ValueError("quota")
        return 1.0

    found = verdict(metric)
    assert (found.outcome, found.reason) == ("failed", "ValueError: quota")


def test_the_threshold_of_a_metric_is_its_own():
    class Metric:
        threshold = 0.7

        def __call__(self, output: str) -> float:
            return len(output) / 100

    run = fd.evaluate([CASE], [OUTPUT], judges=[fd.judge_from(Metric(), name="length")], judge_on="all")
    assert run.cuts["length/metric"].at == 0.7


def test_another_setting_is_another_judge():
    class Metric:
        def __init__(self, words: int) -> None:
            self.words = words

        def __call__(self, output: str) -> bool:
            return len(output.split()) >= self.words

    assert fd.judge_from(Metric(2)).task.id != fd.judge_from(Metric(3)).task.id
    assert fd.judge_from(Metric(2)).task.id == fd.judge_from(Metric(2)).task.id


def test_a_metric_can_be_audited():
    def exact(output: str, expected: str) -> bool:
        return expected.lower() in output.lower()

    probes = fd.mutate([CASE])
    found = fd.audit(probes, fd.judge_from(exact))
    caught = {each.operator: each.rate.value for each in found.judges[0].operators if each.plants == "fault"}
    assert caught


@pytest.mark.parametrize("metric", [None, 3, "rouge"])
def test_what_cannot_be_called_is_refused(metric: Any):
    with pytest.raises(UsageError, match="expected a metric or a function"):
        fd.judge_from(metric)
