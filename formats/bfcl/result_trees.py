"""BFCL's result trees as Outputs.

A tree has a folder per system and in it a file per category, with one answer a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InputError, RecordError
from ...records import Output, Step, ToolCall, read_lines
from ...spelling import command
from ..json_values import is_arguments, is_list, is_object
from .categories import CATEGORIES, Category, category_called
from .data_source import parse_object

_FILE_NAME = re.compile(r"\ABFCL_v\d+_(\w+)_result\.json")

_UNSCORED_WORDS = ("chatable", "sql", "exec", "rest", "prereq")
"""Words in the names of categories whose results BFCL does not score."""


class ResultFile(NamedTuple):
    """The answers of one system in one category."""

    system: str
    category: Category
    path: Path


class ResultTree(NamedTuple):
    """Result files of all systems.

    Attributes:
        files: Result files, sorted by system, then in BFCL's order of categories.
        unscored: Result files of categories that BFCL does not score.
    """

    files: list[ResultFile]
    unscored: list[Path]


class ResultLine(NamedTuple):
    """One answer of a result file, with its line number."""

    line: int
    id: str
    fields: dict[str, Any]

    @property
    def result(self) -> Any:
        """The answer as the system gave it."""
        return self.fields["result"]


def find_results(root: Path, categories: Collection[Category] | None = None) -> ResultTree:
    """Find every system's result files, for all categories or some.

    Their paths are ``<system>/<group>/BFCL_v4_<category>_result.json``.

    Raises:
        InputError: No result file is found, a file names an unknown category, or a system has two files of one category.
    """
    if not root.is_dir():
        raise InputError("expected a folder with one folder per system", path=root)
    file_by_key: dict[tuple[str, str], ResultFile] = {}
    unscored: list[Path] = []
    for path in sorted(root.rglob("*_result.json")):
        match = _FILE_NAME.fullmatch(path.name)
        system, *rest_of_path = path.relative_to(root).parts
        if match is None or not rest_of_path:
            continue
        name = match[1]
        category = category_called(name)
        # A category that BFCL does not score is read only if it is asked for by name.
        is_chosen = categories is not None and category in categories
        if not is_chosen and any(word in name for word in _UNSCORED_WORDS):
            unscored.append(path)
            continue
        if category is None:
            raise InputError(f"{name!r} is not a category of BFCL v4", path=path)
        earlier_file = file_by_key.get((system, category.name))
        if earlier_file is not None:
            raise InputError(
                f"{system!r} has two files of category {name}; the other is {earlier_file.path}", path=path
            )
        if categories is None or is_chosen:
            file_by_key[system, category.name] = ResultFile(system, category, path)
    if not file_by_key:
        raise _no_results(root, unscored)
    category_position = {name: index for index, name in enumerate(CATEGORIES)}
    files = sorted(
        file_by_key.values(), key=lambda file: (file.system, category_position[file.category.name])
    )
    return ResultTree(files, unscored)


def _no_results(root: Path, unscored: Collection[Path]) -> InputError:
    if not unscored:
        return InputError(
            "found no <system>/<group>/BFCL_v4_<category>_result.json to score below this folder", path=root
        )
    names = ", ".join(sorted({path.name for path in unscored}))
    return InputError(
        f"holds only results that BFCL does not score ({names}); `{command('cases bfcl', 'DATA', category='exec_simple', results=root, out='cases.jsonl', outputs_out='outputs.jsonl')}` makes outputs of them, which `fiducial check` decides",
        path=root,
    )


def read_results(path: Path) -> Iterator[ResultLine]:
    """Read the lines of a result file."""
    for line, _, raw in read_lines(path):
        yield _result_line(raw, path, line)


def _result_line(raw: bytes, path: Path, line: int) -> ResultLine:
    fields = parse_object(raw, place=str(path), line=line)
    if not isinstance(fields.get("id"), str):
        raise RecordError(f"expected a text, got {fields.get('id')!r:.60}", path=path, line=line, field="id")
    if "result" not in fields:
        raise RecordError("is missing", path=path, line=line, field="result")
    return ResultLine(line, fields["id"], fields)


class ResultIndex:
    """The answers of a file by id, read from disk on demand.

    Making the index reads and checks every line, but keeps only the line's offset.

    Attributes:
        lines: 1-based line number of each id.

    Raises:
        InputError: The file cannot be read.
        RecordError: A line is not a result, or an id is repeated.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[str, int] = {}
        self._offsets: dict[str, int] = {}
        for line, offset, raw in read_lines(path):
            result = _result_line(raw, path, line)
            if result.id in self.lines:
                raise RecordError(
                    f"the id {result.id!r} is already on line {self.lines[result.id]}",
                    path=path,
                    line=line,
                    field="id",
                )
            self.lines[result.id] = line
            self._offsets[result.id] = offset

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self.lines

    def read(self, entry_ids: list[str]) -> Iterator[ResultLine]:
        """Yield the answers to these entries, in this order.

        Raises:
            KeyError: An entry has no answer.
        """
        with self.path.open("rb") as file:
            for entry_id in entry_ids:
                file.seek(self._offsets[entry_id])
                yield _result_line(file.readline(), self.path, self.lines[entry_id])


def read_outputs(files: Iterable[ResultFile]) -> Iterator[Output]:
    """Read the answers in result files, as `find_results` lists them, as Outputs.

    Raises:
        InputError: A file cannot be read.
        RecordError: A line is not a result.
    """
    for file in files:
        for answer in read_results(file.path):
            yield to_output(answer.id, file.system, file.category, answer.result)


def to_output(entry_id: str, system: str, category: Category, result: Any) -> Output:
    """Turn a stored result into an Output.

    A text becomes ``text``, a list of calls ``tool_calls``, and turns of steps ``turns``. Any other value becomes its
    JSON text, which no decoder reads as calls.
    """
    if category.in_turns and is_list(result):
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
    # BFCL reads only the first key of an object.
    name, arguments = next(iter(call.items()))
    return ToolCall(name=name, arguments=arguments if is_arguments(arguments) else json.dumps(arguments))
