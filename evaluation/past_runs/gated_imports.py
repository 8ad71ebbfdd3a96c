"""Grades from other tools' files, in the form that a gate reads."""

from __future__ import annotations

from collections.abc import Iterable

from ...deterministic.checkers import SYSTEM_ERROR
from ...errors import InputError
from ...records import Case, ItemKey, Output, Verdict
from ...spelling import spelled_word
from .gated_judging import CRASHED, GatedOutput
from .gated_runs import GatedRun

_MODEL_GRADED = frozenset(
    {
        "model_graded_fact", "model_graded_qa",  # Inspect
        "answer-relevance", "context-faithfulness", "context-recall", "context-relevance", "conversation-relevance",
        "factuality", "g-eval", "llm-rubric", "model-graded-closedqa", "model-graded-factuality", "pi", "search-rubric",
        "trajectory:goal-success",  # promptfoo
    }
)  # fmt: skip
"""Names of other tools' scorers that are documented to ask a model."""


def _asks_a_model(verdict: Verdict) -> bool:
    """Return whether a verdict is known to come from a model; see decision 42."""
    names_model = verdict.judge is not None or "@" in verdict.by or verdict.by in _MODEL_GRADED
    return verdict.source == "judge" and names_model


def _gated_output(verdict: Verdict | None, author: str, *, crashed: bool) -> GatedOutput:
    """Return a tool's grade of an output; a crash without a score fails, as in a run."""
    if verdict is None or verdict.score is None:
        if crashed:
            return GatedOutput(0.0, CRASHED, judged=False, error_type=SYSTEM_ERROR)
        return GatedOutput(None, author, judged=False)
    tool_verdict = verdict.evidence.get("pass")
    return GatedOutput(
        score=verdict.score,
        by=author,
        judged=_asks_a_model(verdict),
        error_type=verdict.error_type,
        passed=tool_verdict if isinstance(tool_verdict, bool) else None,
    )


def gated_records(
    name: str,
    cases: Iterable[Case],
    outputs: Iterable[Output],
    verdicts: Iterable[Verdict],
    *,
    graded_by: str | None = None,
) -> GatedRun:
    """Return the outputs and grades of another tool as a run.

    Args:
        name: Path of the file or folder.
        cases: Cases in it.
        outputs: Outputs in it; one without a verdict is ungraded.
        verdicts: Verdicts in it.
        graded_by: Author whose verdicts count, if there are several.

    Raises:
        InputError: There are several authors and none is named, or the named one gave no verdict.
    """
    tool_verdicts = [verdict for verdict in verdicts if verdict.source != "human" and not verdict.repeat]
    authors = list(dict.fromkeys(verdict.by for verdict in tool_verdicts))
    if graded_by is not None and graded_by not in authors:
        raise InputError(
            f"no verdict is by {graded_by!r}; there are {', '.join(authors) or 'none'}", path=name
        )
    if graded_by is None and len(authors) > 1:
        raise InputError(
            f"{len(authors)} authors graded: {', '.join(authors)}; name one: {spelled_word('graded_by', authors[0])}",
            path=name,
        )
    cases_by_id, outputs = {case.id: case for case in cases}, list(outputs)
    author = graded_by or next(iter(authors), "nobody")  # without a verdict, all outputs are ungraded
    crashed = {output.key for output in outputs if output.error is not None}
    by_output = {verdict.key: verdict for verdict in tool_verdicts if verdict.by == author}
    systems: dict[str, dict[ItemKey, GatedOutput]] = {}
    for key in dict.fromkeys([*(output.key for output in outputs), *by_output]):
        grade = _gated_output(by_output.get(key), author, crashed=key in crashed)
        systems.setdefault(key.system, {})[key] = grade
    for system, graded_outputs in systems.items():
        answered = {key.case_id for key in graded_outputs}
        graded_outputs |= {
            ItemKey(case_id, system, 0): GatedOutput(None, "nobody", judged=False)
            for case_id in cases_by_id
            if case_id not in answered
        }
    return GatedRun(
        name=name,
        systems=systems,
        missing={},
        clusters={case.id: case.cluster_id for case in cases_by_id.values()},
        cases=cases_by_id,
        records=outputs,
    )
