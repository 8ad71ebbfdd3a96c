"""A run as a log of Inspect, and the scores of one judge for its ``precomputed_scores``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from itertools import starmap
from pathlib import Path
from typing import Any

import msgspec

from ..errors import UsageError
from ..records import Outcome, Output, Step, ToolCall, ToolResults, Verdict, atomic_write, write_records
from ..records.output import messages_asked
from ..records.typed_values import decode_json
from ..spelling import setting
from .export_items import ExportContext, ExportItem, Written, identity, with_scores
from .json_values import as_text

_INSPECT_REASONS: dict[Outcome, str] = {
    "unparsable": "invalid_response_format",
    "refused": "refusal",
    "failed": "grader_failed",
}
"""Inspect's words for outcomes without a score; other outcomes keep their name."""


def write_scores(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write scores for ``inspect score --scorer precomputed_scores``.

    Verdicts without a score are left out; Inspect counts these samples as unscored.
    """
    del run
    judged_items = list(items)
    systems = {item.output.system for item in judged_items}
    judges = {verdict.by for item in judged_items for verdict in item.verdicts}
    for option, names in ((setting("system"), systems), (setting("judge"), judges)):
        if len(names) != 1:
            choices = ", ".join(sorted(names)) or "none"
            raise UsageError(
                f"precomputed scores are of one judge on one system: name it with {option}, one of {choices}"
            )
    graded, left_out = with_scores(
        verdict for item in judged_items for verdict in item.verdicts if verdict.repeat == 0
    )
    rows = write_records(path, (_score_row(verdict) for verdict in graded))
    return Written(files=[str(path)], rows=rows, left_out=left_out)


def _score_row(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.case_id,
        "epoch": verdict.trial + 1,
        "value": verdict.score,
        "explanation": verdict.reason or "",
        "metadata": {"by": verdict.by, **identity(verdict)},
    }


def write_log(items: Iterable[ExportItem], path: Path, run: ExportContext) -> Written:
    """Write logs that Inspect can view, analyse and score further.

    One system gives a file, several a folder with one log each.
    """
    by_system: dict[str, list[ExportItem]] = {}
    for item in items:
        by_system.setdefault(item.output.system, []).append(item)
    is_single = len(by_system) == 1
    files = [path if is_single else path / f"{number:03d}.json" for number in range(1, len(by_system) + 1)]
    for file, (system, outputs) in zip(files, by_system.items(), strict=True):
        with atomic_write(file) as out:
            # Inspect itself writes NaN for an unscored sample.
            out.write(json.dumps(_log(system, outputs, run), ensure_ascii=True).encode())
    return Written(files=[str(file) for file in files], rows=sum(map(len, by_system.values())))


def _log(system: str, items: list[ExportItem], run: ExportContext) -> dict[str, Any]:
    ids = list(dict.fromkeys(item.case.id for item in items))
    names = list(dict.fromkeys(verdict.by for item in items for verdict in item.verdicts))
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": run.created,
            "task": run.task,
            "dataset": {"name": run.task, "samples": len(ids), "sample_ids": ids, "shuffled": False},
            # A model that Inspect need not build; the metadata names the system.
            "model": "none/none",
            "config": {"epochs": max((item.output.trial for item in items), default=0) + 1},
            "metadata": {"fiducial.system": system},
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": len(items),
            "completed_samples": len(items),
            "scores": [_result(name, items) for name in names],
        },
        "stats": {"started_at": run.created, "completed_at": run.created},
        "samples": [_sample(item) for item in items],
    }


def _result(name: str, items: list[ExportItem]) -> dict[str, Any]:
    verdicts = [verdict for item in items for verdict in item.verdicts if verdict.by == name]
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    mean = sum(scores) / len(scores) if scores else math.nan
    return {
        "name": name,
        "scorer": name,
        "scored_samples": len(scores),
        "unscored_samples": len(verdicts) - len(scores),
        "params": {},
        "metrics": {"mean": {"name": "mean", "value": mean, "params": {}}},
    }


def _sample(item: ExportItem) -> dict[str, Any]:
    messages = [*_chat_messages(item), *_answer_messages(item)]
    text = item.output.text or ""
    ends_with_answer = bool(messages) and messages[-1]["role"] == "assistant"
    last_answer = messages[-1] if ends_with_answer else {"role": "assistant", "content": text}
    sample: dict[str, Any] = {
        "id": item.case.id,
        "epoch": item.output.trial + 1,
        "input": _chat_messages(item) or "",
        "target": _target(item),
        "messages": messages,
        "output": {
            "model": "none/none",
            "choices": [{"message": last_answer, "stop_reason": "stop"}],
            "completion": text,
        },
        "scores": {verdict.by: _score(verdict) for verdict in item.verdicts if verdict.repeat == 0},
        "metadata": {**item.case.tags, "cluster": item.case.cluster_id},
    }
    if item.output.error is not None:
        sample["error"] = {"message": item.output.error, "traceback": "", "traceback_ansi": ""}
    return sample


def _chat_messages(item: ExportItem) -> list[dict[str, Any]]:
    return [
        {"role": message["role"], "content": as_text(message.get("content")) or ""}
        for message in messages_asked(item.case, item.output)
        if message["role"] in {"system", "user", "assistant"}
    ]


def _target(item: ExportItem) -> str | list[str]:
    calls = item.case.reference.get("calls", [])
    return item.accepted or [as_text(call) or "" for call in calls] or ""


def _answer_messages(item: ExportItem) -> Iterator[dict[str, Any]]:
    """Yield the steps of an output as messages, with ids for its calls."""
    calls: list[tuple[str, ToolCall]] = []
    number = 0
    for step in _steps(item.output):
        if isinstance(step, str):
            yield {"role": "assistant", "content": step}
        elif isinstance(step, ToolResults):
            for (call_id, call), result in zip(calls, step.results, strict=False):
                content = as_text(result) or ""
                yield {"role": "tool", "content": content, "tool_call_id": call_id, "function": call.name}
        else:
            calls = [(f"call_{call_number}", call) for call_number, call in enumerate(step, start=number)]
            number += len(step)
            yield {"role": "assistant", "content": "", "tool_calls": list(starmap(_tool_call, calls))}


def _steps(output: Output) -> list[Step]:
    steps = [step for turn in output.turns or [] for step in turn]
    if steps:
        return steps
    calls: list[Step] = [output.tool_calls] if output.tool_calls else []
    return [*calls, *([] if output.text is None else [output.text])]


def _tool_call(call_id: str, call: ToolCall) -> dict[str, Any]:
    arguments = arguments_object(call.arguments)
    return {"id": call_id, "function": call.name, "arguments": arguments, "type": "function"}


def arguments_object(arguments: dict[str, Any] | str) -> dict[str, Any]:
    """Return arguments as an object, as other tools expect; other text is wrapped in one."""
    if isinstance(arguments, dict):
        return arguments
    try:
        return decode_json(arguments, dict[str, Any])
    except msgspec.DecodeError:
        return {"arguments": arguments}


def _score(verdict: Verdict) -> dict[str, Any]:
    score: dict[str, Any] = {
        "value": math.nan if verdict.score is None else verdict.score,
        "explanation": verdict.reason,
        "metadata": identity(verdict) | verdict.evidence,
    }
    if verdict.score is None:
        score["reason"] = _INSPECT_REASONS.get(verdict.outcome, verdict.outcome)
    return msgspec.to_builtins(score)
