"""Labels of a run: trusted verdicts by people, by construction or by another checker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...calibration.decisions import ADDED, REVIEW, decision_of, review_of
from ...calibration.label_declarations import LabelDeclaration
from ...errors import InputError
from ...records import FolderPath, InputPath, ItemKey, Verdict, nearest, read_numbered
from ...records.result import Result
from ...spelling import command, setting
from ...tables.label_index import LabelIndex, no_label_matches
from ...tables.label_rounds import in_next_round, n_rounds
from ...tables.label_table import LabelTable, OutputName
from ..inputs import EvaluationInputs, keyed_lines
from ..store.file_names import ADJUDICATIONS, LABELS
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter
from .label_choice import with_choice
from .review_sample import TO_DECIDE

_REFUSED_SAMPLES = {
    "doubt": "was drawn by doubt, so it would correct the rates wrongly; `fiducial estimate` takes it, with the draw",
    "suspected": "is of an output chosen because judges contradict its label, so it would flatter them; correct the case instead",
}
"""Samples whose labels run folders do not accept, with the reason."""


def _decision_hint(run: FolderPath, file: InputPath) -> str:
    review_command, calibrate_command = (
        command("review", run, add=file),
        command("calibrate", run, adjudications=file),
    )
    return f"decides between a label and a judge: `{review_command}` keeps it in the run, and `{calibrate_command}` goes by it"


def _audit_hint(run: FolderPath, file: InputPath) -> str:
    calibrate_command = command("calibrate", run, label_audit=file)
    warning = f"as one of {setting('labels')} it would take the place of the checker's verdict"
    return f"is of an audit of the checker: `{calibrate_command}` takes it; {warning}"


class LabelsAdded(Result, frozen=True, kw_only=True):
    """Labels that were added to a run.

    Attributes:
        run: The run folder.
        labels: Path of the file with the labels.
        added: Number of labels that are new or changed.
        people: Number of labels by person, including unchanged ones.
        skipped: Number of outputs that the person could not decide; they are saved, but are not labels.
        decided: Number of decisions between a label and a judge.
        rounds: Number of rounds in which the run's outputs got labels.
    """

    run: Path
    labels: Path
    added: int
    unchanged: int
    people: dict[str, int]
    skipped: int
    decided: int = 0
    rounds: int = 1


def declare_labels(writer: RunWriter, chosen_by: LabelDeclaration) -> None:
    """Record in the labels of a run how outputs were chosen for them."""
    declared_labels = [with_choice(label, chosen_by) for label in writer.labels]
    if declared_labels != list(writer.labels):
        writer.put_labels(declared_labels)


def adopt_labels(
    labels: InputPath,
    inputs: EvaluationInputs,
    writer: RunWriter,
    chosen_by: LabelDeclaration | None = None,
) -> None:
    """Check a labels file and copy it to the run folder, next to labels added there.

    ``chosen_by`` declares how outputs were chosen for the labels of the file.

    Raises:
        InputError: A label cannot be used, or none is about an output of the run.
    """
    adopted_labels = (
        _labels_from_table(labels, inputs)
        if isinstance(labels, LabelTable)
        else _labels_from_verdicts(labels, inputs, writer.path)
    )
    adopted_labels = [with_choice(label, chosen_by) for label in adopted_labels]
    stored_path = writer.path / LABELS
    if (
        isinstance(labels, Path)
        and isinstance(stored_path, Path)
        and labels.resolve() == stored_path.resolve()
    ):
        if chosen_by is not None:
            declare_labels(writer, chosen_by)
        return
    adopted_labels = in_next_round(list(writer.labels), adopted_labels)
    writer.put_labels(_with_added_labels(writer.labels, adopted_labels))


def _with_added_labels(before: Iterable[Verdict], file_labels: Sequence[Verdict]) -> list[Verdict]:
    """Return the labels of a file together with those that were added to the run.

    The last label of an output counts, so labels are in this order: earlier reviews, the file, added ones.
    """
    in_file = {(verdict.key, verdict.by) for verdict in file_labels}
    reviewed: list[Verdict] = []
    added_later: list[Verdict] = []
    keys_added: set[ItemKey] = set()
    for label in before:
        if ADDED in label.evidence:
            keys_added.add(label.key)
            added_later.append(label)
        elif REVIEW in label.evidence and (label.key, label.by) not in in_file:
            # A review after an added label stays after it, since the last label counts.
            (added_later if label.key in keys_added else reviewed).append(label)
    return [*reviewed, *file_labels, *added_later]


def _labels_from_verdicts(labels: InputPath, inputs: EvaluationInputs, run: FolderPath) -> list[Verdict]:
    adopted: list[Verdict] = []
    for line, verdict in read_numbered(labels, Verdict):
        _require_signed(verdict, labels, line)
        _require_trusted(verdict, labels, line, run)
        if verdict.case_id not in inputs.cases:
            hint = nearest(verdict.case_id, inputs.cases)
            message = f"no case has the id {verdict.case_id!r} in {inputs.cases.path}{hint}"
            raise InputError(message, path=labels, line=line, field="case_id")
        adopted.append(verdict)
    outputs = set(_output_keys(inputs))
    if adopted and outputs and not any(verdict.key in outputs for verdict in adopted):
        raise no_label_matches(OutputName(*adopted[0].key), (OutputName(*key) for key in outputs), labels)
    return adopted


def _labels_from_table(labels: LabelTable, inputs: EvaluationInputs) -> list[Verdict]:
    index = LabelIndex(labels)
    outputs = list(_output_keys(inputs))
    adopted = [
        row.on(key) for key in outputs for row in index.labels_of(OutputName(*key), str(key)) if row.is_usable
    ]
    index.require_matched(OutputName(*key) for key in outputs)
    # Labels without an output are included, so that the run counts them.
    adopted += [
        row.on(ItemKey(row.id, row.system or "", row.trial or 0))
        for row in index.unmatched
        if row.score is not None
    ]
    return adopted


def _output_keys(inputs: EvaluationInputs) -> Iterator[ItemKey]:
    return (key for path in inputs.output_files for key, *_ in keyed_lines(path))


def add_labels(
    folder: Path, files: Sequence[Path], *, chosen_by: LabelDeclaration | None = None
) -> LabelsAdded:
    """Add labels to those of a run: all of them, or none.

    ``chosen_by`` declares how outputs were chosen for these labels.

    Raises:
        RecordError: A line is not a verdict, is by a judge, was not sampled at random, or is about no output of the run.
        RunFolderError: It is not a run folder, or another process is writing it.
    """
    with RunStore(folder) as store:
        store.manifest  # noqa: B018 - raises if the folder is not a run, before anything is written
    with RunWriter(folder) as run:
        run.require_known()
        output_keys = {verdict.key for verdict in run.verdicts.standing}
        new_in_files = [label for file in files for label in _checked_labels(file, output_keys, folder)]
        decisions_in_files = [label for label in new_in_files if _sample_of(label) in TO_DECIDE]
        labels_in_files = [
            with_choice(label, chosen_by) for label in new_in_files if _sample_of(label) not in TO_DECIDE
        ]
        earlier_labels, earlier_decisions = list(run.labels), [decision for _, decision in run.adjudications]
        labels = _new_labels(earlier_labels, in_next_round(earlier_labels, labels_in_files))
        decisions = _new_labels(earlier_decisions, decisions_in_files)
        if labels:
            run.put_labels([*run.labels, *labels])
        if decisions:
            run.put_adjudications([*earlier_decisions, *decisions])
    return LabelsAdded(
        run=folder,
        labels=folder / (ADJUDICATIONS if len(decisions_in_files) == len(new_in_files) else LABELS),
        added=len(labels) + len(decisions),
        unchanged=len(new_in_files) - len(labels) - len(decisions),
        people=dict(Counter(label.by for label in new_in_files)),
        skipped=sum(not label.graded for label in new_in_files),
        decided=len(decisions_in_files),
        rounds=max(1, n_rounds([*earlier_labels, *labels])),
    )


def _new_labels(before: Iterable[Verdict], labels: Iterable[Verdict]) -> list[Verdict]:
    """Return the labels that are new, or differ from the same person's earlier one."""
    last_labels = {(label.key, label.by): label for label in before}
    new_labels: list[Verdict] = []
    for label in labels:
        if last_labels.get((label.key, label.by)) != label:
            last_labels[label.key, label.by] = label
            new_labels.append(label)
    return new_labels


def labelled_by(store: RunStore, name: str) -> set[ItemKey]:
    """Return the outputs that a person labelled or could not decide; any person if unnamed."""
    return {label.key for label in store.labels if label.source == "human" and name in {"", label.by}}


def decided_by(store: RunStore, name: str) -> set[ItemKey]:
    """Return the outputs on which a person decided who is right; any person if unnamed."""
    return {
        decision.key
        for _, decision in store.adjudications
        if decision.source == "human" and name in {"", decision.by}
    }


def _checked_labels(file: Path, output_keys: set[ItemKey], folder: FolderPath) -> Iterator[Verdict]:
    for line, label in read_numbered(file, Verdict):
        _require_signed(label, file, line)
        if _sample_of(label) in TO_DECIDE:
            _require_decided(label, file, line)
        else:
            _require_trusted(label, file, line, folder)
        if _sample_of(label) == "decided":
            raise InputError(
                f"this label {_audit_hint(folder, file)}",
                path=file,
                line=line,
                field="evidence.review.sample",
            )
        if label.key not in output_keys:
            raise InputError(f"the run has no output {label.key}", path=file, line=line, field="case_id")
        yield label


def _require_trusted(verdict: Verdict, path: InputPath, line: int, run: FolderPath) -> None:
    if verdict.source == "judge":
        message = "a judge's verdict is not a label; expected human, checker or construction"
        raise InputError(message, path=path, line=line, field="source")
    sample = _sample_of(verdict)
    reason = _REFUSED_SAMPLES.get(str(sample))
    if sample in TO_DECIDE:
        reason = _decision_hint(run, path)
    if reason is not None:
        raise InputError(f"this label {reason}", path=path, line=line, field="evidence.review.sample")


def _require_signed(verdict: Verdict, path: InputPath, line: int) -> None:
    if not verdict.by.strip():
        raise InputError("expected the name of who labelled", path=path, line=line, field="by")


def _require_decided(verdict: Verdict, path: InputPath, line: int) -> None:
    try:
        decision_of(verdict)
    except ValueError as error:
        raise InputError(str(error), path=path, line=line, field="score") from None


def _sample_of(verdict: Verdict) -> Any:
    return review_of(verdict).get("sample")
