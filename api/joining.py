"""Join labels and references to the folder of an import or a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, UsageError
from ..evaluation.labelling.joined_references import CompletedCases, JoinedReferences, join_references
from ..evaluation.store.copies import copy_at
from ..evaluation.store.file_names import GENERATED, MANIFEST
from ..evaluation.store.run_store import LABELS, RunStore
from ..formats.import_summary import import_summary
from ..formats.references import References
from ..proposed_steps import Command
from ..records import Author, FolderPath
from ..records.folder_files import CASES
from ..report.rerun_command import rerun_command
from ..report.text.import_text import next_of_import, one_judge
from ..settings.typed_commands import proposed, typed_command


def complete_cases(folder: Path, table: References) -> CompletedCases:
    """Return the cases of an import or a run with the references of a table.

    Cases of an import replace those in its folder; cases of a run go to a file next to the run's folder.

    Raises:
        InputError: The folder has no cases, none is in the table, or no output could meet a reference.
        RunFolderError: Inputs of the run were moved or changed.
        UsageError: The run is in an object store.
    """
    if not _is_run(folder):
        if not (folder / CASES).exists():
            raise InputError(
                f"holds no {CASES}; expected a folder of `fiducial import`, or a run", path=folder
            )
        return join_references([folder / CASES], table, folder / CASES)
    if copy_at(folder) is not None:
        raise UsageError(
            f"references are written beside the run: give a run folder on this machine, not {folder}"
        )
    with RunStore(folder) as store:
        return join_references(store.inputs.cases, table, _cases_beside(_unused_folder(folder)))


def next_lines(folder: Path, *, labels: bool, references: JoinedReferences | None = None) -> Iterator[str]:
    """Yield a heading and the next commands after labels or references were joined, if any."""
    has_new_references = references is not None and references.changed > 0
    if _is_run(folder):
        if has_new_references:
            yield "next: grade the outputs by these references"
            yield f"  {_regrade_command(folder)}"
        elif labels and (judges := _judges(folder)):
            yield _NEXT_CORRECTED_RATE
            if len(judges) == 1:
                yield f"  {_estimate_command(folder)}"
            else:
                yield from correction_commands(folder)
        return
    import_counts = import_summary(folder)
    if has_new_references or not import_counts.scored:
        run = folder / "run"
        yield from next_of_import(import_counts, (_unused_folder(run) if run.exists() else run).name)
    elif labels:
        yield _NEXT_CORRECTED_RATE
        yield f"  {_estimate_command(folder, import_counts.judges)}"


_NEXT_CORRECTED_RATE = "next: the pass rate, corrected with these labels"


def _estimate_command(folder: Path, judges: Sequence[str] = ()) -> Command:
    return proposed("estimate", folder, judge=one_judge(judges))


def correction_commands(run: Path) -> list[str]:
    """Return indented commands that correct rates with labels of the undecided outputs."""
    manifest = RunStore(run).manifest
    if "rules" in manifest.identity:
        return [f"  {manifest.command}"]
    # Without checkers nothing is decided: all labels are one random sample, as estimate needs it.
    return [f"  {_estimate_command(run, [judge.name for judge in manifest.judges or ()])}"]


def _is_run(folder: Path) -> bool:
    return (folder / MANIFEST).exists()


def _judges(folder: Path) -> set[Author]:
    with RunStore(folder) as store:
        return {verdict.author for verdict in store.judge_verdicts() if verdict.graded}


def _unused_folder(folder: Path) -> Path:
    names = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(name for name in names if not name.exists())


def _cases_beside(folder: Path) -> Path:
    """Return the file next to a run folder to which its completed cases are written."""
    return folder.with_name(f"{folder.name}.{CASES}")


def _regrade_command(folder: Path) -> Command:
    """Return the command that grades the outputs of a run by its completed cases."""
    run_inputs = _inputs(folder)
    labels, out = folder / LABELS, _unused_folder(folder)
    return rerun_command(
        typed_command(run_inputs.command),
        run_inputs.cases,
        cases=_cases_beside(out),
        outputs=run_inputs.outputs,
        labels=labels if labels.exists() else None,
        out=out,
    )


def recheck_command(folder: FolderPath, patch: Path) -> Command:
    """Return the command that checks the outputs of a run by corrected references."""
    run_inputs = _inputs(folder)
    return proposed(
        "check",
        *run_inputs.cases,
        outputs=tuple(run_inputs.outputs),
        labels_patch=patch,
        out="verdicts.jsonl",
    )


class _RunInputs(NamedTuple):
    """Files of cases and outputs of a run, as the caller named them, and the run's command line."""

    cases: list[str]
    outputs: list[str]
    command: str


def _inputs(folder: FolderPath) -> _RunInputs:
    """Return the inputs of a run; generated outputs are in its folder."""
    with RunStore(folder) as store:
        manifest = store.manifest
    files, case_count = manifest.inputs or [], manifest.case_files or 1
    outputs = [file.name or file.path for file in files[case_count:]]
    if (folder / GENERATED).exists():
        outputs = [str(folder / GENERATED)]
    return _RunInputs([file.name for file in files[:case_count]], outputs, manifest.command or "")
