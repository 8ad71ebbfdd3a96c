"""`fiducial.gate`: answer whether a run may be merged, or say what would tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar, cast

from ..calibration.label_declarations import LabelDeclaration
from ..errors import ColumnsError, InputError, UnknownFormatError, UsageError
from ..evaluation.past_runs.gate_decision import decide_gate
from ..evaluation.past_runs.gate_numbers import Gate, GateLimits, minimums
from ..evaluation.past_runs.gated_imports import gated_records
from ..evaluation.past_runs.gated_runs import GatedRun, gated_run
from ..evaluation.store.run_store import RunStore
from ..formats.native_files import NativeFileError
from ..records import Case, Output, Verdict, atomic_write, read_records
from ..report.gate_files import gate_annotations, gate_junit
from ..report.text.gate_text import gate_document, gate_screen
from ..spelling import command, either, names_a_setting
from .argument_checks import checked_arguments, require_choice
from .display import Presentation, bind_display
from .paths import FilePath, input_path
from .reading import read
from .run import Run, folder_of

R = TypeVar("R", Case, Output, Verdict)

__all__ = ["Gate", "gate", "gate_annotations"]


def _write_junit(gate: Gate, path: Path) -> Path:
    with atomic_write(path) as file:
        file.write(gate_junit(gate).encode())
    return path


bind_display(
    Gate,
    Presentation(make_document=gate_document, make_screen=gate_screen, writers={"junit": _write_junit}),
)


@checked_arguments
def gate(
    after: Run | FilePath,
    before: Run | FilePath | None = None,
    *,
    minimum: Mapping[str, float] | Iterable[str] = (),
    max_drop: float | None = None,
    no_new_failures: Iterable[str] = (),
    max_ungraded: float | None = None,
    cost_at_most: float | None = None,
    judge_error: float | None = None,
    labels_chosen_by: LabelDeclaration | None = None,
    graded_by: str | None = None,
) -> Gate:
    """Answer whether a run passes its limits: ``passes``, ``fails`` or ``cannot tell``.

    A rate passes if the lower end of its interval with all ungraded outputs as failures reaches the limit, and fails if the upper end
    with all of them as passes misses it. Runs are only read.

    Args:
        after: The run: a run, a run folder, an import, or a file of another tool.
        before: The run to compare with; without any other limit, a drop of 0 is the limit.
        minimum: Minimum rates: ``{"overall": 0.8, "pass^4": 0.5, "rubric": 0.7, "risk=high:overall": 0.9}``; ``rubric`` is the mean score.
        max_drop: Maximum drop of the rate of all outputs.
        no_new_failures: Tags, in either run, of cases that must pass if they passed before; without ``before``, all of them.
        max_ungraded: Maximum share of a system's outputs that are ungraded or missing.
        cost_at_most: Maximum cost of the judges, in US dollars.
        judge_error: Maximum shift of a rate, or of a change between runs, by errors of a judge that labels do not correct. 0 takes the
            judge's verdicts as right. By default the shift is unknown, and the judge's verdicts settle nothing.
        labels_chosen_by: How outputs were chosen for labels, in both runs; by default as their labels say.
        graded_by: Whose grades count in a file of another tool, or whose scores of rubrics, if several graded.

    Raises:
        InputError: A run cannot be read, or none of its systems is in the other.
        RunFolderError: A run folder is unfinished or was edited, or its counts are not those of its verdicts.
        UsageError: There is no limit, or a limit is not one.
    """
    minimum_texts = minimum
    if isinstance(minimum, Mapping):
        minimum_texts = [f"{name}={value}" for name, value in cast("Mapping[str, float]", minimum).items()]
    for name, share in (
        ("max_drop", max_drop),
        ("max_ungraded", max_ungraded),
        ("judge_error", judge_error),
    ):
        if share is not None and not 0 <= share <= 1:
            raise UsageError(f"{name}={share}: expected a share from 0 to 1")
    if labels_chosen_by is not None:
        require_choice("labels_chosen_by", labels_chosen_by, LabelDeclaration)
    limits = GateLimits(
        minimums=minimums(minimum_texts),
        max_drop=max_drop,
        no_new_failures=[*no_new_failures],
        max_ungraded=max_ungraded,
        cost_at_most=cost_at_most,
        judge_error=judge_error,
    )
    with ExitStack() as exit_stack:
        gated = _read(after, graded_by, labels_chosen_by, exit_stack)
        gated_before = None if before is None else _read(before, graded_by, labels_chosen_by, exit_stack)
        return decide_gate(gated, gated_before, limits)


def _read(
    run: Run | FilePath,
    graded_by: str | None,
    labels_chosen_by: LabelDeclaration | None,
    exit_stack: ExitStack,
) -> GatedRun:
    folder = folder_of(run) if isinstance(run, Run) else input_path(run)
    if not isinstance(folder, Path) or (folder / "run.json").exists():
        return gated_run(exit_stack.enter_context(RunStore(folder)), labels_chosen_by, graded_by)
    if folder.is_dir() and (folder / "verdicts.jsonl").exists():
        return gated_records(
            str(folder),
            _records_of_import(folder / "cases.jsonl", Case),
            _records_of_import(folder / "outputs.jsonl", Output),
            _records_of_import(folder / "verdicts.jsonl", Verdict),
            graded_by=graded_by,
        )
    try:
        reading = read(folder)
    except InputError as error:
        _name_who_takes_options(error, folder)
        raise
    if not reading.verdicts:
        raise InputError("it has no grades to gate; run it first", path=folder)
    return gated_records(str(folder), reading.cases, reading.outputs, reading.verdicts, graded_by=graded_by)


def _name_who_takes_options(error: InputError, path: Path) -> None:
    """Add to a reading error which command takes what it proposes; a gate does not."""
    if isinstance(error, UnknownFormatError):
        takes = f"`{command('import', 'FORMAT', path, out='imported')}` reads it: then gate the folder that it writes"
        error.message += f"; {either(takes, '`fd.read(..., as_=FORMAT)` reads it: then gate the folder that its `save` writes')}"
    elif not isinstance(error, NativeFileError) and names_a_setting(error.message):
        takes = f"`{command('import', path, out='imported')}` takes these options: then gate the folder that it writes"
        error.message += f"; {either(takes, '`fd.read` takes these arguments: then gate the folder that its `save` writes')}"
    if isinstance(error, ColumnsError):
        error.options = ""  # the running command does not have these options


def _records_of_import(path: Path, kind: type[R]) -> Iterator[R]:
    return read_records(path, kind) if path.exists() and path.stat().st_size else iter(())
