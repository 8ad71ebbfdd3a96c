"""`fiducial.export_labels` and `fiducial.correct_cases`: correct a data set by labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import msgspec
from msgspec.structs import asdict

from ..calibration.label_declarations import LabelDeclaration
from ..errors import InputError, UsageError
from ..evaluation.labelling.corrections import Correction, UnexpressedDecision, corrected_cases, corrections
from ..evaluation.labelling.joined_labels import join_labels as join
from ..evaluation.labelling.joined_references import JoinedReferences
from ..evaluation.store.run_store import RunStore
from ..formats.references import References
from ..records import Case, name_of_files, write_records
from ..records.disk_files import shards_of
from ..report.text.caution_text import looks_of
from ..report.text.number_text import counted, whole_list
from ..spelling import command, setting
from ..tables.joined_table import joined_table
from ..tables.label_table import is_verdicts, label_table
from ..tables.table_rows import UnreadRows
from .argument_checks import checked_arguments, require_choice
from .derived_inputs import require_local, write_beside
from .display import Document, Result
from .headers import header_choice
from .joining import complete_cases, next_lines, recheck_command
from .label_sources import LabelReading, grade_meaning, label_input, unpacked_source
from .paths import Cases, FilePath, Labels, source, written_path
from .run import Run, disk_folder_of

_MAX_SHOWN = 10
"""Decisions that the document lists; all are in the JSON."""


class LabelsExported(Result, frozen=True, kw_only=True):
    """Patch of a data set.

    Attributes:
        patch: The file, or None if there is nothing to correct, or no file was asked for.
        corrections: The corrected references.
        unsaid: Decisions against the checker that no reference expresses.
        command: The command to type next, if there is a patch.
    """

    patch: Path | None
    corrections: list[Correction]
    unsaid: list[UnexpressedDecision]
    command: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``labels export --json`` prints it."""
        return {
            "patch": self.patch and str(self.patch),
            "corrections": msgspec.to_builtins(self.corrections),
            "unsaid": msgspec.to_builtins(self.unsaid),
        }

    def document(self) -> Document:
        """Return the result as a document."""
        heading = f"{counted(len(self.corrections), 'corrected reference')}, each tried on the outputs that were decided"
        lines = [heading if self.corrections else "no reference to correct"]
        if self.unsaid:
            lines.append(
                f"{counted(len(self.unsaid), 'decision')} against the checker that no reference expresses:"
            )
            lines += [f"  {unsaid.item}: {unsaid.found}; {unsaid.why}" for unsaid in self.unsaid[:_MAX_SHOWN]]
            if len(self.unsaid) > _MAX_SHOWN:
                lines.append(f"  {len(self.unsaid) - _MAX_SHOWN:,} more ({whole_list()} has all)")
        if self.patch is not None:
            lines += [
                f"patch: {self.patch}",
                f"next: check with the corrected references (`run` takes {setting('labels_patch')}, too)",
                f"  {self.command}",
            ]
        return lines


@checked_arguments
def export_labels(run: Run | FilePath, out: FilePath | None = None) -> LabelsExported:
    """Export the decisions on a run's outputs as corrected references of its cases.

    A reference written on the review page is used; otherwise the existing one is widened by an output decided to be right. Each is tested: with it
    the checker must agree with the decision on every decided output of the case.

    Args:
        run: A run kept in a folder, or that folder.
        out: The file for the patch (JSON Lines); None writes none.

    Returns:
        The corrections, and the decisions that no reference expresses.

    Raises:
        RunFolderError: It is not a run, or its inputs were moved or changed.
        InputError: The run has no decisions, or they cannot be used.
    """
    folder = disk_folder_of(run, "label")
    with RunStore(folder) as store:
        store.manifest  # noqa: B018 - raises for anything but a run
        store.require_unedited()
        if not store.adjudications:
            raise InputError(
                f"no decisions yet; make a page for them: `{command('review', folder, of='disagreements')}`",
                path=str(folder),
            )
        corrected_references, unsaid = corrections(store)
    patch = None if out is None or not corrected_references else written_path(out)
    if patch is not None:
        write_records(patch, corrected_references)
    next_command = "" if patch is None else str(recheck_command(folder, patch))
    return LabelsExported(patch=patch, corrections=corrected_references, unsaid=unsaid, command=next_command)


class LabelsJoined(Result, frozen=True, kw_only=True):
    """Labels and references that were joined to outputs and cases.

    Attributes:
        folder: The import, or the run.
        labels: The file of the labels, or None if the table has none.
        added: Number of people's labels that are new or changed.
        replaced: Number of added labels that replace another grade by the same person.
        unchanged: Number of labels that already existed.
        superseded: Number of labels replaced by a later row of the same person on the same output.
        ties: Number of outputs without a label, since as many people passed as failed them.
        unmatched: Number of labels without a matching output.
        first_unmatched: Id of the first unmatched label.
        skipped: Number of rows that could not be read as labels.
        first_skipped: Position and problem of the first skipped row.
        references: The references, or None if the table has none.
        commands: The commands to type next.
        rounds: Number of rounds in which outputs got labels.
    """

    folder: Path
    labels: Path | None = None
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    superseded: int = 0
    ties: int = 0
    unmatched: int = 0
    first_unmatched: str | None = None
    skipped: int = 0
    first_skipped: str | None = None
    references: JoinedReferences | None = None
    commands: list[str] = []
    rounds: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Return the result as ``labels add --json`` prints it."""
        return msgspec.to_builtins(self, enc_hook=str)

    def document(self) -> Document:
        """Return the counts, and what to type next."""
        lines = [] if self.references is None else [*_references_joined(self.references)]
        if self.labels is not None:
            replaced = f"{self.replaced:,} replaced, " if self.replaced else ""
            counts = f"{self.added - self.replaced:,} added, {replaced}{self.unchanged:,} already there"
            lines.append(f"labels: {self.labels} ({counts})")
        if self.replaced:
            other_name = setting("by", "NAME")
            lines.append(
                f"a replaced label had the same name; keep a second person's labels with {other_name}"
            )
        if self.superseded:
            count = counted(self.superseded, "earlier row")
            lines.append(f"{count} superseded: the last row of a person on an output counts")
        if self.ties:
            lines.append(f"{counted(self.ties, 'output')} without a label: people disagree, half and half")
        if self.unmatched:
            matches = "matches" if self.unmatched == 1 else "match"
            lines.append(
                f"{counted(self.unmatched, 'label')} {matches} no output, {self.first_unmatched!r} for one"
            )
        if self.skipped:
            lines.append(f"{counted(self.skipped, 'row')} skipped, the first: {self.first_skipped}")
        return [*lines, *looks_of(self.rounds, self.folder), *self.commands]


def _references_joined(references: JoinedReferences) -> Iterator[str]:
    if references.changed:
        counts = f"{references.added:,} added, {references.replaced:,} replaced, {references.unchanged:,} already there"
        yield f"references: {references.cases} ({counts})"
    else:
        yield f"references: none is new ({references.unchanged:,} already there)"
    if references.skipped:
        first_skipped = references.skipped[0]
        position = ":".join(
            str(part) for part in (first_skipped.file, first_skipped.line) if part is not None
        )
        field = "" if first_skipped.field is None else f"{first_skipped.field}: "
        yield f"skipped: {counted(len(references.skipped), 'row')}, the first: {position}: {field}{first_skipped.reason}"


def join_labels(
    folder: Run | FilePath,
    labels: Labels,
    *,
    by: str | None = None,
    labels_chosen_by: LabelDeclaration | None = None,
    header: bool | None = None,
    column_names: Sequence[str] | None = None,
    **reading: Unpack[LabelReading],
) -> LabelsJoined:
    """Add labels, and references of cases, to an existing import or run.

    References of an import are added to its cases. For a run they go to a file of cases next to its folder, by which its outputs can be graded again.

    Args:
        folder: The folder of an import or of a run.
        labels: Trusted verdicts, or a table with ids (and systems) and grades, expected_calls, accepted_answers, a criterion or a context.
        by: The person who gave the labels of a table, if its rows name none; by default the column of labels.
        labels_chosen_by: How outputs were chosen for labels; as for `estimate`.
        header: Whether the first row of CSV is a header; None takes it for one unless it looks like data.
        column_names: Names of the columns of CSV, in place of a header, or of its names if ``header`` is True.
        **reading: The meaning of a table; see `LabelReading`.

    Raises:
        UsageError: ``by`` was given with verdicts, which name their person.
        InputError: The folder has no outputs, a label or a reference cannot be used, or none matches.
    """
    if labels_chosen_by is not None:
        require_choice("labels_chosen_by", labels_chosen_by, LabelDeclaration)
    target = disk_folder_of(folder, "label") if isinstance(folder, Run) else written_path(folder)
    path = unpacked_source("labels", labels)
    choice = header_choice(header, column_names)
    if is_verdicts(path):
        if by is not None:
            raise UsageError(f"{setting('by')} is about tables of grades; verdicts name their person in `by`")
        joined_labels = join(target, label_input(labels, **reading), chosen_by=labels_chosen_by)
        return LabelsJoined(
            folder=target, commands=[*next_lines(target, labels=True)], **asdict(joined_labels)
        )
    grades = grade_meaning(**reading)
    table = joined_table(path, reading.get("map") or {}, grades, choice)
    completed = None
    if table.references:
        reference_rows = References(
            path, table.of_references, grades, alone=True, without=table.not_references, header=choice
        )
        completed = complete_cases(target, reference_rows)
    joined_labels, unread = None, UnreadRows()
    if table.has_labels:
        label_rows = label_table(
            path, grades, table.of_labels, table.references, by, skip=True, header=choice
        )
        joined_labels, unread = join(target, label_rows, chosen_by=labels_chosen_by), label_rows.unread
    references = None
    if completed is not None:
        references = completed.joined
        if references.changed:
            write_records(references.cases, completed.cases)
    commands = next_lines(target, labels=joined_labels is not None, references=references)
    counts = {} if joined_labels is None else asdict(joined_labels)
    return LabelsJoined(
        folder=target,
        skipped=unread.count,
        first_skipped=None if unread.first is None else str(unread.first),
        references=references,
        commands=[*commands],
        **counts,
    )


@checked_arguments
def correct_cases(cases: Cases, patch: FilePath | Iterable[Mapping[str, Any]]) -> list[Case]:
    """Apply a patch to a data set.

    Args:
        cases: In any form.
        patch: The file that `export_labels` wrote, or its ``corrections``.

    Returns:
        The cases with corrected references.

    Raises:
        InputError: The patch is for other cases or references.
    """
    return list(corrected_cases(source("cases", cases), source("patch", patch)))


def corrected_file(cases: Sequence[Path], patch: Path, beside: Path) -> Path:
    """Apply a patch to a data set and write the cases next to the result that uses them.

    For a result ``run`` the file is ``run.cases.jsonl``. No other file is overwritten.

    Raises:
        InputError: The patch is for other cases, or for other references than these have.
    """
    require_local(beside, f"{setting('labels_patch')} writes the corrected cases")
    files = shards_of(cases).files
    return write_beside(
        beside.with_name(f"{beside.stem}.cases.jsonl"),
        corrected_cases(files, patch),
        f"exists, and is not {name_of_files(files)} corrected by {patch}",
    )
