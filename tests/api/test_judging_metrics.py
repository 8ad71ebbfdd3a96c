from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from each_row import each_row

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


@each_row(
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


@each_row("said", [None, "maybe", {"a_score": 1.0, "b_score": 0.0}, float("nan"), 4, object()])
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


def test_a_score_on_a_scale_reaches_the_threshold_that_it_is():
    def metric(output: str) -> float:
        del output
        return 1.3

    assert verdict(metric, scale=(1, 2)).score == 0.3


def test_a_coroutine_is_awaited_and_an_error_is_a_failed_verdict():
    async def metric(response: str) -> float:
        if "PostNord" in response:
            raise ValueError("quota")
        return 1.0

    found = verdict(metric)
    assert (found.outcome, found.reason) == ("failed", "ValueError: quota")


def in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def test_a_synchronous_metric_runs_in_a_thread_and_a_coroutine_in_the_event_loop():
    async def awaited(response: str) -> bool:
        del response
        return in_event_loop()

    def called(response: str) -> bool:
        del response
        return in_event_loop()

    assert verdict(awaited).score == 1.0
    assert verdict(called).score == 0.0


def test_an_object_with_a_measure_runs_in_a_thread(monkeypatch: pytest.MonkeyPatch):
    class Measured:
        score: bool

        async def a_measure(self, case: Any) -> None:
            raise NotImplementedError

        def measure(self, case: Any) -> None:
            del case
            self.score = in_event_loop()

    module = ModuleType("deepeval.test_case")
    module.LLMTestCase = dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "deepeval.test_case", module)
    assert verdict(Measured()).score == 0.0


UNREFERENCED = fd.Case(id="c", kind="grounded_answer", messages=CASE.messages, context=CASE.context)


def test_the_answer_of_recorded_turns_is_their_last_text_or_else_their_calls():
    call = fd.ToolCall(name="look_up", arguments={"of": "carrier"})
    answers: list[str] = []

    def metric(output: str) -> float:
        answers.append(output)
        return 1.0

    taken: list[list[Any]] = [[[call], "By PostNord."], [[call]]]
    for steps in taken:
        fd.judge_from(metric)(CASE, fd.Output(case_id="c", system="bot", turns=[steps]))
    assert answers == ["By PostNord.", '[{"name": "look_up", "arguments": {"of": "carrier"}}]']


def test_a_metric_that_requires_a_reference_does_not_apply_to_a_case_without_one():
    def metric(output: str, ground_truth: str) -> float:
        raise AssertionError((output, ground_truth))

    found = fd.judge_from(metric)(UNREFERENCED, OUTPUT)
    assert (found.outcome, found.score) == ("not_applicable", None)
    assert found.reason == "the case has no reference, which the metric's ground_truth requires"


def test_a_metric_whose_reference_is_optional_grades_a_case_without_one():
    def metric(output: str, expected: str | None = None) -> bool:
        return bool(output) and expected is None

    assert fd.judge_from(metric)(UNREFERENCED, OUTPUT).score == 1.0


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
    caught = {
        operator.operator: operator.rate.value
        for operator in found.judges[0].operators
        if operator.plants == "fault"
    }
    assert caught


@pytest.mark.parametrize("metric", [None, 3, "rouge"])
def test_what_cannot_be_called_is_refused(metric: Any):
    with pytest.raises(UsageError, match="expected a metric or a function"):
        fd.judge_from(metric)


def test_a_function_of_parameters_that_nothing_fills_is_refused():
    def of_records(case: object, output: object) -> float:
        return float(case is output)

    with pytest.raises(UsageError, match=r"metric: no input is called 'case'.*@fd.judge_function\(NAME\)"):
        fd.judge_from(of_records)


def test_a_mapping_with_several_scores_asks_for_its_key():
    reason = verdict(lambda output: {"a": 1, "b": 0}).reason  # pyright: ignore[reportUnknownLambdaType]
    assert reason is not None
    assert reason.endswith("; name it with key=")


def test_a_rubric_is_no_reference_to_compare_with():
    def metric(output: str, expected: str | None = None) -> tuple[float, str]:
        return float(bool(output)), repr(expected)

    reference = {"criterion": None, "criteria": [{"text": "It is polite."}]}
    case = fd.Case(
        id="c", kind="open_answer", messages=[{"role": "user", "content": "q"}], reference=reference
    )
    assert fd.judge_from(metric)(case, OUTPUT).reason == "None"
