"""Scorers for Inspect, found by its entry point.

Usage:
``inspect score log.eval --scorer fiducial/tool_call_accuracy -S model=gpt-4.1-mini --model none/none``.

``fiducial/check`` and ``fiducial/check_KIND`` are the checkers, the rest are judges by name. A score is a number in [0, 1]; what could not be
judged is unscored with its reason, never None or an exception. Standard errors are clustered by the metadata's ``cluster``; a sample without one
is its own cluster.
"""

from __future__ import annotations

import asyncio
import site
import sys
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import inspect_ai.scorer as inspect_scorer  # pyright: ignore[reportMissingImports]
import msgspec

from ..errors import FiducialError
from ..formats.example import as_values, context_item
from ..formats.example_records import DEFAULT_CRITERION, SAME_ANSWER
from ..formats.field_reader import FieldReader
from ..formats.import_options import Options
from ..formats.imported_records import FilePosition
from ..formats.inspect_logs import read_sample
from ..judges.catalogue import JUDGED_KINDS
from ..records import KINDS, Case, Kind, Outcome, Output, Verdict, kind_spec
from .callable_judge import CallableJudge
from .checking import check
from .judging import judge
from .paths import as_case

_inspect = cast("Any", inspect_scorer)

_REASONS: dict[Outcome, str] = {
    "unparsable": "invalid_response_format",
    "refused": "refusal",
    "failed": "grader_failed",
}
"""Reasons for a missing score, in Inspect's words if it has one, else in ours."""

CASE = "fiducial_case"
"""Metadata key of the unchanged case, if the data set was made from cases."""

_CHECKED_KINDS: tuple[Kind, ...] = tuple(
    kind for kind, spec in KINDS.items() if spec.checked_by is not None and spec.family != "workspace"
)

Decide = Callable[[Case, Output], Awaitable[Verdict]]
"""Checker or judge, as a coroutine function."""


def _registered(name: str) -> str:
    """Return a name in the form that Inspect's registry expects.

    Inspect prefixes the package's name to installed scorers, and only to those.
    """
    on_path = [folder for folder in sys.path if "site-packages" in folder]
    folders = [*site.getsitepackages(), site.getusersitepackages(), *on_path]
    is_installed = any(Path(__file__).is_relative_to(folder) for folder in folders)
    return name if is_installed else f"fiducial/{name}"


@_inspect.metric(name=_registered("clustered_stderr"))
def clustered_stderr() -> Any:
    """Return the standard error of the mean over clusters, computed as Inspect's own.

    Every sample without a cluster is its own cluster.
    """
    stderr = _inspect.stderr(cluster="cluster")

    def stderr_over_clusters(scores: list[Any]) -> Any:
        return stderr([_with_cluster(score) for score in scores])

    return stderr_over_clusters


def _with_cluster(score: Any) -> Any:
    metadata = cast("dict[str, Any]", score.sample_metadata or {})
    cluster = metadata.get("cluster")
    with_cluster_name = {**metadata, "cluster": str(score.sample_id) if cluster is None else cluster}
    return score.model_copy(update={"sample_metadata": with_cluster_name})


def _scorer(name: str, factory: Callable[..., Any]) -> Any:
    factory.__name__ = factory.__qualname__ = name
    return _inspect.scorer(metrics=[_inspect.mean(), clustered_stderr()], name=_registered(name))(factory)


def _score_with(decide: Decide, fit: Callable[[Case, Any], Case]) -> Any:
    """Return a scorer for Inspect; ``fit`` converts a sample's case, given its metadata."""

    async def score(state: Any, target: Any) -> Any:
        answer = None
        try:
            case, output = _case_and_output(state, target)
            answer = output.text
            return _as_score(await decide(fit(case, state.metadata or {}), output), answer)
        except FiducialError as error:
            return _unscored("scoring_failed", " ".join(str(error).split()), answer)
        except Exception as error:  # noqa: BLE001 - an exception would end the whole evaluation
            return _unscored("scoring_failed", " ".join(f"{type(error).__name__}: {error}".split()), answer)

    return score


def _as_score(verdict: Verdict, answer: str | None) -> Any:
    metadata = {
        "by": verdict.by,
        "outcome": verdict.outcome,
        "error_type": verdict.error_type,
        "evidence": msgspec.to_builtins(verdict.evidence) or None,
        "judge": None if verdict.judge is None else msgspec.to_builtins(verdict.judge),
    }
    present = {name: value for name, value in metadata.items() if value is not None}
    if verdict.score is None:
        return _unscored(_REASONS.get(verdict.outcome, verdict.outcome), verdict.reason, answer, present)
    return _inspect.Score(value=verdict.score, answer=answer, explanation=verdict.reason, metadata=present)


def _unscored(
    reason: str, explanation: str | None, answer: str | None, metadata: dict[str, Any] | None = None
) -> Any:
    return _inspect.Score.unscored(reason=reason, answer=answer, explanation=explanation, metadata=metadata)


def _case_and_output(state: Any, target: Any) -> tuple[Case, Output]:
    metadata = cast("dict[str, Any]", state.metadata or {})
    messages: Any = state.input
    if not isinstance(messages, str):
        messages = [message.model_dump(exclude_none=True) for message in messages]
    sample: dict[str, Any] = {
        "id": str(state.sample_id),
        "epoch": state.epoch,
        "input": messages,
        "target": list(target),
        "messages": [message.model_dump(exclude_none=True) for message in state.messages],
        "output": {"completion": state.output.completion},
        "metadata": {name: value for name, value in metadata.items() if name not in {CASE, "cluster"}},
    }
    position = FilePosition(Path("sample"))
    records = list(read_sample(FieldReader(sample), position, str(state.model), Options()))
    case = next(record for record in records if isinstance(record, Case))
    no_output = Output(case_id=case.id, system=str(state.model), text="")
    output = next((record for record in records if isinstance(record, Output)), no_output)
    original = metadata.get(CASE)
    if original is not None:  # the data set was made from cases
        case = as_case(original)
        output = msgspec.structs.replace(output, case_id=case.id)
    return case, output


def _checker(kind: Kind | None) -> Callable[..., Any]:
    def factory(rules: str = "strict") -> Any:
        async def decide(case: Case, output: Output) -> Verdict:
            return await asyncio.to_thread(check, case, output, rules=cast("Any", rules))

        return _score_with(
            decide, lambda case, _: case if kind is None else _converted_to_kind(case, kind, "")
        )

    return factory


def _judge(name: str) -> Callable[..., Any]:
    def factory(
        model: str | None = None, variant: str | None = None, base_url: str | None = None, criterion: str = ""
    ) -> Any:
        @cache
        def ready_judge() -> CallableJudge:
            return judge(name if variant is None else f"{name}/{variant}", model=model, base_url=base_url)

        async def decide(case: Case, output: Output) -> Verdict:
            return await ready_judge().one(case, output)

        kinds = JUDGED_KINDS[name]
        nearest_kind = min([kind for kind in kinds if kind_spec(kind).plain] or kinds)

        def case_for_judge(case: Case, metadata: Any) -> Case:
            context = [
                context_item(item, number)
                for number, item in enumerate(as_values(metadata.get("context")), start=1)
            ]
            if context and not case.context:
                case = msgspec.structs.replace(case, context=context)
            if case.kind in kinds and not criterion:
                return case
            return _converted_to_kind(case, nearest_kind, criterion)

        return _score_with(decide, case_for_judge)

    return factory


def _converted_to_kind(case: Case, kind: Kind, criterion: str) -> Case:
    """Convert a case into another kind, if its reference allows."""
    if case.kind == kind and not criterion:
        return case
    answers: list[Any] = case.reference.get("answers") or as_values(case.reference.get("answer"))
    if kind_spec(kind).family == "open":
        expected_answer = {"answer": str(answers[0])} if answers else {}
        reference = {
            "criterion": criterion or (SAME_ANSWER if answers else DEFAULT_CRITERION),
            **expected_answer,
        }
    elif kind_spec(kind).family == "answer":
        reference = {"answers": [str(expected_answer) for expected_answer in answers]}
    else:
        reference = case.reference if kind == case.kind else {}
    return as_case({**msgspec.to_builtins(case), "kind": kind, "reference": reference})


check_as_it_is = _scorer("check", _checker(None))
CHECKERS = {kind: _scorer(f"check_{kind}", _checker(kind)) for kind in _CHECKED_KINDS}
JUDGES = {name: _scorer(name, _judge(name)) for name in JUDGED_KINDS}
