"""Results of a BFCL result tree as Outputs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from ...records import Output, Step, ToolCall
from .categories import Category
from .results import ResultFile, read_results


def read_outputs(files: Iterable[ResultFile]) -> Iterator[Output]:
    """Read the answers in result files, as `find_results` lists them, as Outputs.

    Raises:
        InputError: A file cannot be read.
        RecordError: A line is not a result.
    """
    for file in files:
        for line in read_results(file.path):
            yield to_output(line.id, file.system, file.category, line.result)


def to_output(entry_id: str, system: str, category: Category, result: Any) -> Output:
    """Turn a stored result into an Output.

    A text becomes ``text``, a list of calls ``tool_calls``, and turns of steps ``turns``. What is none of these becomes its
    JSON text, which no decoder takes for calls.
    """
    if category.family in {"multi_turn", "agentic"} and isinstance(result, list):
        turns = [_steps(turn) for turn in cast("list[Any]", result)]
        return Output(case_id=entry_id, system=system, turns=turns)
    step = _step(result)
    if isinstance(step, str):
        return Output(case_id=entry_id, system=system, text=step)
    return Output(case_id=entry_id, system=system, tool_calls=step)


def _steps(turn: Any) -> list[Step]:
    return [_step(step) for step in cast("list[Any]", turn)] if isinstance(turn, list) else [_step(turn)]


def _step(step: Any) -> str | list[ToolCall]:
    if isinstance(step, str):
        return step
    if isinstance(step, list):
        calls = [_call(call) for call in cast("list[Any]", step)]
        if None not in calls:
            return [call for call in calls if call is not None]
    return json.dumps(step)


def _call(call: Any) -> ToolCall | None:
    if not isinstance(call, dict) or not call:
        return None
    # Of an object with several keys BFCL reads the first alone.
    name, arguments = next(iter(cast("dict[str, Any]", call).items()))
    if isinstance(arguments, dict):
        return ToolCall(name=name, arguments=cast("dict[str, Any]", arguments))
    return ToolCall(name=name, arguments=arguments if isinstance(arguments, str) else json.dumps(arguments))
