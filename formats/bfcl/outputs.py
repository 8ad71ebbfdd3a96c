"""Results of a BFCL result tree as Outputs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ...records import Output, Step, ToolCall
from ..json_types import is_arguments, is_list, is_object
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
    if category.family in {"multi_turn", "agentic"} and is_list(result):
        return Output(case_id=entry_id, system=system, turns=[_steps(turn) for turn in result])
    step = _step(result)
    if isinstance(step, str):
        return Output(case_id=entry_id, system=system, text=step)
    return Output(case_id=entry_id, system=system, tool_calls=step)


def _steps(turn: Any) -> list[Step]:
    return [_step(step) for step in turn] if is_list(turn) else [_step(turn)]


def _step(step: Any) -> str | list[ToolCall]:
    if isinstance(step, str):
        return step
    if is_list(step):
        calls = [call for call in map(_call, step) if call is not None]
        if len(calls) == len(step):
            return calls
    return json.dumps(step)


def _call(call: Any) -> ToolCall | None:
    if not is_object(call) or not call:
        return None
    # Of an object with several keys BFCL reads the first alone.
    name, arguments = next(iter(call.items()))
    return ToolCall(name=name, arguments=arguments if is_arguments(arguments) else json.dumps(arguments))
