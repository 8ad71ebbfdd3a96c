"""agbenchmark challenges as Cases: `data.json` with artifacts and custom code.

Both generations of the schema are read: ``ground.type`` and ``ground.eval.type``. The reference is ``data.json`` with every field unchanged,
including unknown ones. It gets two more: ``folder``, the folder of the challenge's files, and ``suite``, the ``suite.json`` beside that folder, if any.
A challenge without a name gets the name of the test class beside it, else of its folder. Comments (``#``, ``//``) are skipped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ...errors import InputError, readable
from ...records import Case, TagValue
from ...records.typed_values import convert, decode_json
from ..json_comments import line_of_error, without_comments

_T = TypeVar("_T")

DATA, SUITE = "data.json", "suite.json"

_ARTIFACTS = frozenset({"artifacts_in", "artifacts_out", "custom_python"})
_MAX_BYTES = 4 * 1024 * 1024
_TEST_CLASS = re.compile(r"^class (Test\w+)", re.MULTILINE)


class _Eval(msgspec.Struct):
    type: str
    scoring: str | None = None
    template: str | None = None
    examples: str | None = None


class _Ground(msgspec.Struct):
    files: list[str]
    answer: str = ""
    should_contain: list[str] | None = None
    should_not_contain: list[str] | None = None
    type: str | None = None
    eval: _Eval | None = None


class _Info(msgspec.Struct):
    difficulty: str | None = None
    description: str | None = None
    side_effects: list[str] | None = None


class _Data(msgspec.Struct):
    """Fields of the schema that matter here; all others are kept unchanged."""

    task: str
    ground: _Ground
    name: str = ""
    category: list[str] = []
    dependencies: list[str] = []
    cutoff: int | float | None = None
    info: _Info = msgspec.field(default_factory=_Info)


class _Suite(msgspec.Struct):
    same_task: bool = False
    prefix: str | None = None
    task: str | None = None


def read_challenges(path: Path | str) -> Iterator[Case]:
    """Read every challenge in or below a folder as an ``artifact`` case, sorted by id.

    Ids are the relative paths of the challenges' folders.

    Raises:
        InputError: There is no challenge, or one is invalid; the message names file and field.
    """
    root = Path(path)
    if not root.is_dir():
        raise InputError("not a folder; expected a folder of agbenchmark challenges", path=path)
    folders = _challenge_folders(root)
    if not folders:
        raise InputError(f"no challenge here: no {DATA} in it or below it", path=path)
    for folder in folders:
        yield _case(root, folder)


def _challenge_folders(root: Path) -> list[Path]:
    """Return the folders with a ``data.json``, except artifacts of challenges."""
    challenges: list[Path] = []
    for parent, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _ARTIFACTS]
        if DATA in files:
            challenges.append(Path(parent))
    return sorted(challenges, key=lambda folder: folder.relative_to(root).parts)


def _case(root: Path, folder: Path) -> Case:
    fields, data = _read(folder / DATA, _Data)
    if not data.name:
        data.name = fields["name"] = _default_name(folder.resolve())
    reference = {**fields, "folder": str(folder.resolve())}
    task = data.task
    tags = _tags(data)
    if folder != root and (folder.parent / SUITE).is_file():
        reference["suite"], suite = _read(folder.parent / SUITE, _Suite)
        tags["suite"] = suite.prefix
        # The challenges of such a suite grade parts of one answer: the task is the suite's.
        task = suite.task if suite.same_task and suite.task else task
    relative = folder.relative_to(root)
    return Case(
        id=relative.as_posix() if relative.parts else root.resolve().name,
        kind="artifact",
        messages=[{"role": "user", "content": task}],
        reference=reference,
        cluster=data.name,
        tags=tags,
    )


def _default_name(folder: Path) -> str:
    """Return the name of the only test class in a challenge's folder, else of the folder."""
    classes: set[str] = set()
    for path in sorted(folder.glob("*.py")):
        with readable(path):
            if path.is_file() and path.stat().st_size <= _MAX_BYTES:
                classes.update(_TEST_CLASS.findall(path.read_text("utf-8", "replace")))
    return classes.pop() if len(classes) == 1 else folder.name


def _tags(data: _Data) -> dict[str, TagValue]:
    """Return the tags of a challenge; the first category is the main one, as in agbenchmark."""
    evaluation = data.ground.eval.type if data.ground.eval is not None else data.ground.type
    tags: dict[str, TagValue] = {"name": data.name, "evaluation": evaluation or "file"}
    if data.category:
        tags |= {"category": data.category[0], "categories": ", ".join(data.category)}
    if data.info.difficulty is not None:
        tags["difficulty"] = data.info.difficulty.lower()
    return tags


def _read(path: Path, kind: type[_T]) -> tuple[dict[str, Any], _T]:
    """Return the JSON object in a file, and its fields as a type."""
    with readable(path):
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(f"larger than {_MAX_BYTES // 1024 // 1024} MiB", path=path)
        raw = path.read_bytes()
    try:
        fields = _decoded(raw)
        return fields, convert(fields, kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        # msgspec puts the path of a field behind its message.
        message, _, field = str(error).partition(" - at `$.")
        line = line_of_error(raw, message)
        raise InputError(message, path=path, line=line, field=field.rstrip("`") or None) from error


def _decoded(raw: bytes) -> dict[str, Any]:
    """Decode JSON; skip comments only if that fails."""
    try:
        return decode_json(raw, dict[str, Any])
    except msgspec.DecodeError:
        return decode_json(without_comments(raw), dict[str, Any])
