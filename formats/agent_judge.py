"""DevAI's tasks with their requirements, and judgments of Agent-as-a-Judge.

A task is a case with a criterion per requirement. A judgment has a case per requirement, ``TASK/NUMBER``, and a verdict of ``agent-as-a-judge``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..records import Criterion
from .calls import user_message
from .example import Example
from .example_records import records_of
from .field_reader import FieldReader
from .file_rows import FileRow, convert_rows, read_rows
from .import_options import Options
from .imported_records import FilePosition, ImportedRecord
from .imported_scores import scored
from .json_values import is_list, is_object

NAME = "devai"
ABOUT = "tasks of DevAI and judgments of Agent-as-a-Judge (JSON)"
LOST = "prerequisites, preferences, costs, times"

_REQUIREMENT_LISTS = ("judge_stats", "requirements")


def recognises(glimpse: Any) -> bool:
    """Return whether the first value of a file is a task or a judgment."""
    return is_object(glimpse) and any(map(_is_requirement, _first_requirements(glimpse)))


def _first_requirements(value: dict[str, Any]) -> list[Any]:
    return [item for name in _REQUIREMENT_LISTS if is_list(items := value.get(name)) for item in items[:1]]


def _is_requirement(value: Any) -> bool:
    return is_object(value) and "criteria" in value and ("satisfied" in value or "requirement_id" in value)


def read(path: Path, options: Options) -> Iterator[ImportedRecord]:
    """Read tasks and judgments; see `Format`."""
    yield from convert_rows(read_rows(path), lambda row: _records(row, options))


def _records(row: FileRow, options: Options) -> Iterator[ImportedRecord]:
    task = row.node
    requirements = task.nodes("judge_stats") or task.nodes("requirements")
    name = task.name("name") or row.position.path.stem
    messages = [] if task.get("query") is None else [user_message(task.text("query"))]
    judged_requirements = [
        requirement for requirement in requirements if requirement.get("satisfied") is not None
    ]
    if not judged_requirements:
        criteria = [Criterion(text=requirement.need("criteria")) for requirement in requirements]
        yield from records_of(Example(id=name, messages=messages, criteria=criteria), row.position, options)
    for number, requirement in enumerate(judged_requirements):
        yield from _judgment(
            f"{name}/{requirement.whole('requirement_index', 'requirement_id') or number}",
            name,
            requirement,
            row.position,
            options,
        )
    if judged_requirements and len(judged_requirements) < len(requirements):
        yield row.position.skipped_part(
            "satisfied", f"{len(requirements) - len(judged_requirements):,} requirements are not judged"
        )


def _judgment(
    name: str, task: str, requirement: FieldReader, position: FilePosition, options: Options
) -> Iterator[ImportedRecord]:
    reason = requirement.node("llm_stats").text("reason") if is_object(requirement.get("llm_stats")) else None
    score = scored(
        "agent-as-a-judge",
        requirement.value["satisfied"],
        reason=reason,
        field=requirement.path("satisfied"),
        written="numbers",
    )
    example = Example(id=name, criterion=requirement.need("criteria"), cluster=task, scores=[score])
    yield from records_of(example, position, options)
