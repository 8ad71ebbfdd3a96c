"""Select cases by id or tag, with their outputs, for commands on part of a data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..errors import UsageError
from ..records import Case, InputPath, MemoryFile, Output, Verdict, memory_file, read_records
from ..records.disk_files import shards_of
from ..spelling import command, setting
from ..tables.label_table import is_verdicts
from .derived_inputs import require_local, write_beside
from .paths import FilePath, paths_of

__all__ = ["selected", "selected_cases", "selected_files", "selected_labels"]


def selected(cases: Iterable[Case], only: Iterable[str]) -> Iterator[Case]:
    """Yield the cases of a selection: by id or ``TAG=VALUE``; one match is enough.

    Raises:
        UsageError: A part of the selection matches no case.
    """
    unmatched = dict.fromkeys(only)
    parts = list(unmatched)
    for case in cases:
        matching_parts = [part for part in parts if _matches(case, part)]
        for part in matching_parts:
            unmatched.pop(part, None)
        if matching_parts:
            yield case
    if unmatched:
        raise UsageError(f"{setting('only', next(iter(unmatched)))}: no case has this id or tag")


def _matches(case: Case, part: str) -> bool:
    """Return whether a case has the id, or the value of a tag; ids may contain an equals sign."""
    tag, equals, value = part.partition("=")
    return part == case.id or (bool(equals) and tag in case.tags and _tag_text(case.tags[tag]) == value)


def _tag_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def selected_cases(files: Iterable[InputPath], only: Iterable[str]) -> MemoryFile:
    """Return the selected cases of files as a file in memory.

    Raises:
        UsageError: A part of the selection matches no case.
    """
    all_cases = (case for path in files for case in read_records(path, Case))
    return memory_file("selected cases", list(selected(all_cases, only)))


def selected_files(
    cases: FilePath | Sequence[FilePath],
    outputs: Sequence[Path],
    only: Sequence[str],
    beside: Path,
) -> tuple[Path, list[Path]]:
    """Write the selected cases, and the outputs on them, next to the result that uses them.

    For a result ``run`` the files are ``run.only.cases.jsonl`` and ``run.only.outputs.jsonl``.

    Raises:
        UsageError: Nothing matches, or an output names a workspace, which belongs to the folder of its file.
    """
    require_local(beside, f"{setting('only')} writes files")
    files = shards_of(paths_of(cases)).files
    selected_records = list(selected((case for path in files for case in read_records(path, Case)), only))
    cases_file = _write_selection(beside.with_name(f"{beside.stem}.only.cases.jsonl"), selected_records)
    if not outputs:
        return cases_file, []
    ids = {case.id for case in selected_records}
    candidates = (record for path in shards_of(outputs).files for record in read_records(path, Output))
    selected_outputs = [_without_workspace(output) for output in candidates if output.case_id in ids]
    return cases_file, [
        _write_selection(beside.with_name(f"{beside.stem}.only.outputs.jsonl"), selected_outputs)
    ]


def selected_labels(labels: Path, cases: Path, beside: Path) -> Path | None:
    """Write the labels of the selected cases; return their file, or None if there are none.

    ``cases`` is the first result of `selected_files`. A table is unchanged: its rows on other cases are ignored.
    """
    if not is_verdicts(labels):
        return labels
    ids = {case.id for case in read_records(cases, Case)}
    selected_records = [label for label in read_records(labels, Verdict) if label.case_id in ids]
    return (
        _write_selection(beside.with_name(f"{beside.stem}.only.labels.jsonl"), selected_records)
        if selected_records
        else None
    )


def _without_workspace(output: Output) -> Output:
    if output.workspace is not None:
        raise UsageError(
            f"{setting('only')}: the output on {output.case_id!r} names a workspace; use `{command('artifacts run', only=True)}` instead"
        )
    return output


def _write_selection(path: Path, rows: Iterable[Case | Output | Verdict]) -> Path:
    return write_beside(path, rows, "exists with another selection")
