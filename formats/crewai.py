"""Outputs of CrewAI's crews and tasks.

A task is a case: its description is the question, its raw output the answer, its agent the system. ``expected_output`` tells the agent what to
write, and is a tag: it is no accepted answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..records import TagValue
from .calls import AgentAnswer, user_message
from .example import Example
from .example_records import records_of
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import ImportedRecord
from .json_values import is_list, is_object

NAME = "crewai"
ABOUT = "`CrewOutput` and `TaskOutput` (JSON, JSON Lines)"
LOST = "messages, usage, failures of tools, structured outputs"

_TASK_FIELDS = frozenset({"description", "expected_output", "raw", "agent"})
_TAG_FIELDS = ("expected_output", "name", "summary")


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a crew's output, or a task's."""
    if not is_object(glimpse):
        return False
    tasks = glimpse.get("tasks_output")
    is_crew = is_list(tasks) and bool(tasks) and is_object(tasks[0]) and "raw" in glimpse
    return is_crew or glimpse.keys() >= _TASK_FIELDS


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read outputs of crews or tasks; see `Format`."""
    rows = read_rows(path, lambda node: node.items("tasks_output") if "tasks_output" in node else None)
    yield from convert_rows(rows, lambda row: records_of(_example(row), row.position, options))


def _example(row: FileRow) -> Example:
    task = row.node
    tags: dict[str, TagValue] = {name: text for name in _TAG_FIELDS if (text := task.text(name)) is not None}
    return Example(
        prefix="task",
        number=row.number,
        messages=[user_message(task.need("description"))],
        tags=tags,
        answer=AgentAnswer(task.text("raw")),
        system=task.name("agent"),
    )
