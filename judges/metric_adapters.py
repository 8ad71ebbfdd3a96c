"""Use metrics of other tools as judges.

`metric_function` turns a metric into a function of a case and an output. A metric is called with the arguments that its signature
names: the question, the answer, the reference or the passages, under the names of its tool. Metrics of DeepEval and ragas take an
object instead.
"""

from __future__ import annotations

import copy
import inspect
import json
import math
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple, cast

from ..records import Case, Output, message_text
from ..records.made_scores import rounded_score
from ..records.output import calls_made, last_text, messages_asked
from .callables import result_of
from .prompt_variables import NotApplicableError

Score = tuple[float, str | None]
"""Score in [0, 1], and the reason if there is one."""

_PARAMETER_NAMES: Mapping[str, tuple[str, ...]] = {
    "question": ("query", "input", "inputs", "question", "user_input", "prompt"),
    "answer": ("response", "output", "outputs", "answer", "prediction", "actual_output", "completion"),
    "reference": ("expected", "reference", "reference_outputs", "ground_truth", "expected_output", "target"),
    "passages": ("context", "contexts", "retrieved_contexts", "retrieval_context", "documents"),
}
"""Names of parameters in other tools, by field of `MetricItem`."""

_REASON_NAMES = ("reason", "rationale", "comment", "explanation")
_MAX_ROUNDING = 1e-9
"""A score may be outside the scale by this much, due to rounding."""
_SCORES_OF_WORDS = {"yes": 1.0, "no": 0.0, "pass": 1.0, "fail": 0.0, "true": 1.0, "false": 0.0}


class MetricItem(NamedTuple):
    """Arguments of a metric for one output.

    Attributes:
        question: The last user message.
        answer: The text, or the calls as JSON.
        reference: The first accepted answer, else the criterion, else the expected calls as JSON, else None.
        passages: Texts of the case's context.
    """

    question: str
    answer: str
    reference: str | None
    passages: list[str]


def metric_item(case: Case, output: Output) -> MetricItem:
    """Return the arguments of a metric for one output."""
    questions = [
        message_text(message) for message in messages_asked(case, output) if message["role"] == "user"
    ]
    return MetricItem(
        questions[-1] if questions else "",
        _answer(output),
        _reference(case.reference),
        [text if isinstance(text := item.content, str) else json.dumps(text) for item in case.context],
    )


def _answer(output: Output) -> str:
    if (text := last_text(output)) is not None:
        return text
    calls = [{"name": call.name, "arguments": call.arguments} for call in calls_made(output) or ()]
    return json.dumps(calls, ensure_ascii=False)


def _reference(reference: Mapping[str, Any]) -> str | None:
    answers = reference.get("answers")
    if answers:
        return str(answers[0])
    if reference.get("criterion") is not None:
        return str(reference["criterion"])
    return json.dumps(reference["calls"], ensure_ascii=False) if "calls" in reference else None


def metric_function(
    metric: Any, *, key: str | None = None, scale: tuple[float, float] = (0.0, 1.0)
) -> Callable[[Case, Output], Any]:
    """Return a metric as a function that a judge can call.

    Args:
        metric: A metric, scorer or evaluator of DeepEval, ragas, MLflow, autoevals, openevals or Azure, or any function.
        key: Key of the score, if the metric returns a mapping.
        scale: The metric's lowest and highest score.
    """
    call = _caller(metric)

    async def judge(case: Case, output: Output) -> Score:
        return _score(await result_of(call, metric_item(case, output)), key, scale)

    return judge


def _caller(metric: Any) -> Callable[[MetricItem], Any]:
    """Return a function that calls a metric in the way of its tool."""
    package = type(metric).__module__.partition(".")[0]
    if package == "deepeval" or hasattr(metric, "a_measure"):
        return lambda item: _measure_deepeval(metric, item)
    if hasattr(metric, "single_turn_ascore"):
        return lambda item: _ragas_sample(metric, item)
    target = metric.ascore if hasattr(metric, "ascore") else metric
    return lambda item: target(**_arguments(target, item))


def _measure_deepeval(metric: Any, item: MetricItem) -> tuple[Any, Any]:
    """Measure with a copy of a DeepEval metric, since a metric stores its last score."""
    metric = copy.copy(metric)
    case = import_module("deepeval.test_case").LLMTestCase(
        input=item.question,
        actual_output=item.answer,
        expected_output=item.reference,
        context=item.passages or None,
        retrieval_context=item.passages or None,
    )
    metric.measure(case)
    return metric.score, getattr(metric, "reason", None)


def _ragas_sample(metric: Any, item: MetricItem) -> Any:
    sample = import_module("ragas.dataset_schema").SingleTurnSample(
        user_input=item.question,
        response=item.answer,
        reference=item.reference,
        retrieved_contexts=item.passages or None,
    )
    return metric.single_turn_ascore(sample)


def _arguments(target: Any, item: MetricItem) -> dict[str, Any]:
    """Return the arguments that a metric's signature names.

    Raises:
        NotApplicableError: The metric requires a reference, and the case has none.
    """
    values: dict[str, Any] = item._asdict()
    # Azure's evaluators take the context as one text.
    if getattr(target, "__module__", "").startswith("azure.") or hasattr(target, "_singleton_inputs"):
        values["passages"] = "\n\n".join(item.passages)
    parameters = inspect.signature(target).parameters.values()
    for parameter in parameters:
        if (
            item.reference is None
            and parameter.name in _PARAMETER_NAMES["reference"]
            and parameter.default is parameter.empty
        ):
            raise NotApplicableError(
                f"the case has no reference, which the metric's {parameter.name} requires"
            )
    requested = {
        parameter.name
        for parameter in parameters
        if parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
    }
    requested |= set(cast("list[str]", getattr(target, "_singleton_inputs", ())))
    if not requested & {name for names in _PARAMETER_NAMES.values() for name in names}:
        requested |= {"input", "output", "expected"}  # a wrapper that hides its signature
    # All known names of a field are filled, since a signature may have several of them.
    return {
        name: values[field]
        for field, names in _PARAMETER_NAMES.items()
        for name in names
        if name in requested and values[field] is not None
    }


def unknown_parameters(metric: Any) -> list[str]:
    """Return the required parameters of a function that no input of a metric can fill."""
    if not inspect.isroutine(metric):
        return []
    try:
        parameters = inspect.signature(metric).parameters.values()
    except ValueError:  # a function in C without a signature
        return []
    known_names = {name for names in _PARAMETER_NAMES.values() for name in names}
    return [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
        and parameter.name not in known_names
    ]


def _score(result: Any, key: str | None, scale: tuple[float, float]) -> Score:
    """Return the score in [0, 1], and the reason, from a metric's result.

    Raises:
        ValueError: The result has no score, or one that is not on the scale.
    """
    reason = None
    if isinstance(result, tuple):
        result, reason = cast("tuple[Any, Any]", result)
    value = _value(result, key)
    reason = reason if isinstance(reason, str) else _reason(result)
    if isinstance(value, str):
        value = _SCORES_OF_WORDS.get(value.strip().lower())
    if not isinstance(value, int | float) or math.isnan(value):
        hint = "; name it with key=" if hasattr(result, "keys") else ""
        raise ValueError(f"no score in {str(result)[:200]!r}{hint}")
    low, high = scale
    score = rounded_score((float(value) - low) / (high - low))
    if not -_MAX_ROUNDING <= score <= 1 + _MAX_ROUNDING:
        raise ValueError(f"score {value:g} is outside {low:g} to {high:g}; give the metric's scale=")
    return min(1.0, max(0.0, score)), reason


def _value(result: Any, key: str | None) -> Any:
    if isinstance(result, Mapping):
        fields = cast("Mapping[str, Any]", result)
        if key is not None:
            return fields.get(key)
        if "score" in fields:
            return fields["score"]
        scores = [value for name, value in fields.items() if name.endswith("score") and _is_number(value)]
        return scores[0] if len(scores) == 1 else None
    for name in ("score", "value"):
        if not _is_number(result) and hasattr(result, name):
            return getattr(result, name)
    item = getattr(result, "item", None)  # of a scalar of numpy
    return item() if callable(item) and not _is_number(result) else result


def _reason(result: Any) -> str | None:
    places: list[Any] = [result, getattr(result, "metadata", None)]
    for place in places:
        for name in _REASON_NAMES:
            reason = (
                cast("Mapping[str, Any]", place).get(name)
                if isinstance(place, Mapping)
                else getattr(place, name, None)
            )
            if isinstance(reason, str) and reason:
                return reason
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)
