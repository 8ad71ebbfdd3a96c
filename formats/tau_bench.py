"""Results of tau-bench and tau2-bench.

A task is a case, a simulation an output of its trial, with what its simulated user asked. The reward is a verdict of ``reward``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..records import TagValue
from ..tables.grades import is_missing
from .calls import role_of
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import ImportedRecord
from .imported_scores import ImportedScore, scored, unscored
from .json_values import as_text, is_list, is_object
from .known_columns import row_example
from .recognized_grades import RecognizedGrades

NAME = "tau"
ABOUT = "results of tau-bench and tau2-bench (JSON)"
LOST = "costs, durations, seeds; expected actions are a tag, since the reward grades what they changed; calls of the simulated user are listed"

_FROM_DOCUMENT = "\0task"
"""Field added to a simulation: its task and the agent's model, from elsewhere in the document.

The NUL keeps it apart from fields of files.
"""


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a simulation, or a document of them."""
    if not is_object(glimpse):
        return False
    if is_list(glimpse.get("simulations")):
        return "tasks" in glimpse or any(map(_is_simulation, glimpse["simulations"][:1]))
    return _is_simulation(glimpse)


def _is_simulation(value: Any) -> bool:
    return is_object(value) and (
        {"task_id", "reward", "traj"} <= value.keys()
        or {"task_id", "reward_info", "messages"} <= value.keys()
    )


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read simulations; see `Format`."""
    yield from convert_rows(read_rows(path, _simulations), lambda row: _records(row, options))


def _simulations(document: FieldReader) -> list[tuple[str, Any]] | None:
    if "simulations" not in document:
        return None
    tasks = {task.name("id"): task.value for task in document.nodes("tasks")}
    agent = document.node("info").node("agent_info").text("llm")
    return [
        (at, {**run, _FROM_DOCUMENT: (tasks.get(str(run.get("task_id"))), agent)} if is_object(run) else run)
        for at, run in document.items("simulations")
    ]


def _records(row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    line = row.node
    document_task, agent = line.value.get(_FROM_DOCUMENT, (None, None))
    task_value: Any = line.node("info").get("task") if "traj" in line else document_task
    task = FieldReader(task_value if is_object(task_value) else {}, line.path("task"))
    messages, user_calls = _split_messages(line)
    if user_calls:
        yield row.position.skipped_part(
            line.path("messages"), f"calls of the simulated user ({user_calls:,}) have no place in an answer"
        )
    fields = {
        "id": line.need("task_id"),
        "trial": line.whole("trial") or 0,
        "messages": messages,
        "system": agent,
        "error": None if messages else as_text(line.node("info").get("error")) or "there is no message",
    }
    example, skipped = row_example(
        FileRow(fields, row.position, row.at, row.number), options, RecognizedGrades()
    )
    yield from skipped
    example.tags = _tags(line, task)
    example.scores = [_reward(line)]
    yield from records_of(example, row.position, options)


def _split_messages(line: FieldReader) -> tuple[list[dict[str, Any]], int]:
    """Return the messages of user and agent, and the number of the user's own calls."""
    messages: list[dict[str, Any]] = []
    user_calls = 0
    for node in line.nodes("traj" if "traj" in line else "messages"):
        # tau2-bench wraps the results of parallel calls in one message.
        for message in node.nodes("tool_messages") or [node]:
            is_users_call = message.get("requestor") == "user" or (
                role_of(message) == "user" and message.get("content") is None
            )
            user_calls += is_users_call
            if not is_users_call:
                messages.append(message.value)
    return messages, user_calls


def _tags(line: FieldReader, task: FieldReader) -> dict[str, TagValue]:
    """Return what the task expects, and how the simulation ended."""
    criteria = task.node("evaluation_criteria")
    actions = task.items("actions") or criteria.items("actions")
    scenario = task.node("user_scenario") if is_object(task.get("user_scenario")) else FieldReader({})
    facts: Mapping[str, Any] = {
        "expected_actions": [action for _, action in actions] or None,
        "instruction": task.get("instruction") or scenario.get("instructions"),
        "termination_reason": line.get("termination_reason"),
    }
    return {name: as_text(value) for name, value in facts.items() if value}


def _reward(line: FieldReader) -> ImportedScore:
    """Return the reward as a checker's score, since a program computes it."""
    info = line.node("reward_info") if is_object(line.get("reward_info")) else line
    value = info.value.get("reward")
    if is_missing(value):
        return unscored("reward", "not_applicable", "the simulation has no reward", source="checker")
    evidence = {"breakdown": info.get("reward_breakdown")}
    return scored(
        "reward", value, source="checker", field=info.path("reward"), evidence=evidence, written="numbers"
    )
