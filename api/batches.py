"""Judging by batch files in OpenAI's format: write requests, read results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..evaluation.batch.batch_export import Questions
from ..evaluation.batch.batch_export import export_batch as write_questions
from ..evaluation.batch.batch_files import BatchFile
from ..evaluation.judging.access import ModelAccess
from ..judges.transport.batch_results import ResultsTally
from ..records.disk_files import shards_of
from ..report.text.number_text import counted
from ..spelling import setting
from .checking import Worlds, worlds_of
from .paths import FilePath, input_path, paths_of, written_path
from .progress_bars import show_progress
from .run_files import Access


def export_batch(
    out: FilePath, *, worlds: Worlds = None, progress: bool | None = None, **questions: Any
) -> list[BatchFile]:
    """Write the requests that judges still need as batch files.

    No file is written if no request remains. ``questions`` are fields of `Questions`.
    """
    with show_progress(enabled=progress) as progress_display:
        files = {name: shards_of(paths_of(questions.pop(name))).files for name in ("cases", "outputs")}
        requested = Questions(**files, environments=worlds_of(worlds), **questions)
        return write_questions(requested, written_path(out), progress_display)


def access_to_results(
    results: Sequence[FilePath],
    record: FilePath | None = None,
    *,
    served_by: str | None = None,
    model: str = "",
    on_note: Callable[[str], object] = lambda _: None,
) -> Access:
    """Return access to batch results instead of a model; earlier results come first.

    ``on_note`` gets a line for each group of unused results, which verdicts do not show.
    """
    access = ModelAccess(
        results=tuple(input_path(result) for result in results),
        record=None if record is None else written_path(record),
        served_by=served_by,
        on_results_used=lambda tally: [on_note(line) for line in _unused_lines(tally, model)],
    )
    return lambda: access


def _unused_lines(tally: ResultsTally, model: str) -> Iterator[str]:
    if tally.unasked:
        yield f"{tally.unasked:,} of {tally.results:,} results match no request: other prompts, models or outputs, or already judged"
    if tally.superseded:
        yield f"{counted(tally.superseded, 'result')} superseded by a later or better one for the same request"
    for served_by, count in sorted(tally.served_by.items()):
        yield f"warning: {counted(count, 'reply')} from {served_by!r}, but {model!r} was asked; {setting('expect_served_by', model)} refuses them"
