"""Metrics of DeepEval, ragas, MLflow, autoevals and openevals judge in this process."""

from __future__ import annotations

from typing import Any

import pytest

import fiducial as fd

REASON = "make shipped-judges brings the tools themselves"
# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false, reportUntypedFunctionDecorator=false, reportMissingModuleSource=false

CASE = fd.Case(
    id="c",
    kind="web_search_answer",
    messages=[{"role": "user", "content": "Which carrier?"}],
    reference={"answers": ["PostNord"]},
    context=[{"id": "1", "content": "We ship by PostNord."}],  # pyright: ignore[reportArgumentType] - as JSON has it
)
RIGHT = fd.Output(case_id="c", system="bot", text="PostNord")
WRONG = fd.Output(case_id="c", system="bot", text="DHL")


def scores(metric: Any, **options: Any) -> list[float | None]:
    judge = fd.judge_from(metric, **options)
    verdicts = [judge(CASE, output) for output in (RIGHT, WRONG)]
    assert [verdict.outcome for verdict in verdicts] == ["graded", "graded"], [
        verdict.reason for verdict in verdicts
    ]
    return [verdict.score for verdict in verdicts]


def test_metrics_of_deepeval():
    pytest.importorskip("deepeval", reason=REASON)
    from deepeval.metrics import BaseMetric, ExactMatchMetric

    assert scores(ExactMatchMetric()) == [1.0, 0.0]

    class Own(BaseMetric):
        threshold = 0.6

        def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
            del args, kwargs
            self.score = float(test_case.expected_output in test_case.actual_output)
            self.reason = f"{len(test_case.retrieval_context)} passage"
            return self.score

        async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float:
            return self.measure(test_case, *args, **kwargs)

        def is_successful(self) -> bool:
            return True

    judge = fd.judge_from(Own())
    found = judge(CASE, RIGHT)
    assert (found.score, found.reason, judge.pass_at) == (1.0, "1 passage", 0.6)


def test_metrics_of_deepeval_with_its_own_mock_of_a_model():
    pytest.importorskip("deepeval", reason=REASON)
    from deepeval.metrics import GEval
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import SingleTurnParams

    class Scripted(DeepEvalBaseLLM):
        def load_model(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def generate(self, prompt: str, *args: Any, **kwargs: Any) -> str:
            return f'{{"score": {9 if "DHL" not in prompt else 1}, "reason": "scripted"}}'

        async def a_generate(self, prompt: str, *args: Any, **kwargs: Any) -> str:
            return self.generate(prompt)

        def get_model_name(self) -> str:
            return "scripted"

    metric = GEval(
        name="right",
        evaluation_steps=["Compare."],
        evaluation_params=[SingleTurnParams.ACTUAL_OUTPUT],
        model=Scripted(),
        async_mode=False,
    )
    right, wrong = scores(metric)
    assert right is not None
    assert wrong is not None
    assert right > 0.5 > wrong


def test_metrics_of_ragas():
    pytest.importorskip("ragas", reason=REASON)
    from ragas.metrics import ExactMatch, StringPresence

    assert scores(ExactMatch()) == [1.0, 0.0]
    assert scores(StringPresence()) == [1.0, 0.0]


def test_scorers_of_mlflow():
    pytest.importorskip("mlflow", reason=REASON)
    scorers = pytest.importorskip("mlflow.genai.scorers", reason=REASON)
    from mlflow.entities import Feedback

    @scorers.scorer
    def short(outputs: str) -> Any:
        return Feedback(value="yes" if "PostNord" in outputs else "no", rationale="by name")

    assert scores(short) == [1.0, 0.0]


def test_evaluators_of_autoevals():
    pytest.importorskip("autoevals", reason=REASON)
    from autoevals import ExactMatch, Levenshtein

    assert scores(ExactMatch()) == [1.0, 0.0]
    right, wrong = scores(Levenshtein())
    assert right == 1.0
    assert wrong is not None
    assert wrong < 0.5


def test_evaluators_of_openevals():
    pytest.importorskip("openevals", reason=REASON)
    from openevals.exact import exact_match

    assert scores(exact_match) == [1.0, 0.0]
