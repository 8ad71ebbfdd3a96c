"""Join labels that arrive later to the outputs of an import or run folder, by id."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ...calibration.decisions import ADDED, CHOSEN_BY
from ...calibration.label_declarations import LabelDeclaration
from ...errors import InputError
from ...records import InputPath, ItemKey, Verdict, read_numbered, read_records, write_records
from ...records.folder_files import LABELS, MANIFEST, OUTPUTS
from ...tables.label_index import LabelIndex, no_label_matches
from ...tables.label_rounds import in_next_round, n_rounds
from ...tables.label_table import LabelTable, OutputName
from ...tables.standing_labels import MAJORITY, is_tie
from ..inputs import keyed_lines
from ..store.run_store import RunStore
from ..store.run_writer import RunWriter
from .label_choice import with_choice


class JoinedLabels(msgspec.Struct, frozen=True, kw_only=True):
    """Labels that were joined to outputs.

    Attributes:
        labels: Path of the file with the labels.
        added: Number of people's labels that are new or changed.
        replaced: Number of these that replace another grade by the same person.
        unchanged: Number of labels that existed before.
        superseded: Number of rows that a later row of the same person on the same output replaces.
        ties: Number of outputs without a label, because people disagree.
        unmatched: Number of labels without an output.
        first_unmatched: Id of the first of these.
        rounds: Number of rounds in which outputs got labels.
    """

    labels: Path
    added: int
    unchanged: int
    replaced: int = 0
    superseded: int = 0
    ties: int = 0
    unmatched: int = 0
    first_unmatched: str | None = None
    rounds: int = 1


def join_labels(
    folder: Path, labels: InputPath, *, chosen_by: LabelDeclaration | None = None
) -> JoinedLabels:
    """Add labels to those of a folder.

    Args:
        folder: Folder of an import, or a run folder.
        labels: Verdicts, or a table of grades.
        chosen_by: How outputs were chosen for these labels, or None if undeclared.

    Raises:
        InputError: The folder has no outputs, a label cannot be used, or none matches.
    """
    if (folder / MANIFEST).exists():
        return _join_to_run(folder, labels, chosen_by)
    outputs = folder / OUTPUTS
    if not outputs.exists():
        raise InputError(f"holds no {OUTPUTS}; expected a folder of `fiducial import`, or a run", path=folder)
    keys = [key for key, *_ in keyed_lines(outputs)]
    matched_labels, unmatched_ids = _match_labels(labels, keys, chosen_by)
    path = folder / LABELS
    before = list(read_records(path, Verdict)) if path.exists() else []
    all_labels, changed_labels = _merge_labels(before, in_next_round(before, matched_labels))
    write_records(path, all_labels)
    return _count_joined(path, before, matched_labels, changed_labels, unmatched_ids)


def _join_to_run(folder: Path, labels: InputPath, chosen_by: LabelDeclaration | None) -> JoinedLabels:
    with RunStore(folder) as store:
        store.manifest  # noqa: B018 - raises if the folder is not a run, before anything is written
    with RunWriter(folder) as run:
        run.require_known()
        outputs = dict.fromkeys(verdict.key for verdict in run.verdicts.standing)
        matched_labels, unmatched_ids = _match_labels(labels, outputs, chosen_by)
        matched_labels = [
            msgspec.structs.replace(label, evidence={**label.evidence, ADDED: True})
            for label in matched_labels
        ]
        before = list(run.labels)
        all_labels, changed_labels = _merge_labels(before, in_next_round(before, matched_labels))
        if changed_labels:
            run.put_labels(all_labels)
    return _count_joined(folder / LABELS, before, matched_labels, changed_labels, unmatched_ids)


def _count_joined(
    path: Path,
    before: list[Verdict],
    labels: list[Verdict],
    changed_labels: list[Verdict],
    unmatched_ids: list[str],
) -> JoinedLabels:
    # A majority's label is computed from people's labels, so it does not count as one.
    labels_by_people = [
        [verdict for verdict in verdicts if verdict.by != MAJORITY]
        for verdicts in (before, labels, changed_labels)
    ]
    earlier_keys, keys, changed_keys = (
        {(verdict.key, verdict.by) for verdict in verdicts} for verdicts in labels_by_people
    )
    return JoinedLabels(
        labels=path,
        added=len(changed_keys),
        replaced=len(changed_keys & earlier_keys),
        unchanged=len(keys - changed_keys),
        superseded=len(labels_by_people[1]) - len(keys),
        ties=sum(is_tie(label) for label in labels),
        unmatched=len(unmatched_ids),
        first_unmatched=next(iter(unmatched_ids), None),
        rounds=max(1, n_rounds([*before, *changed_labels])),
    )


def _match_labels(
    labels: InputPath, outputs: Iterable[ItemKey], chosen_by: LabelDeclaration | None
) -> tuple[list[Verdict], list[str]]:
    """Return the labels of these outputs, and the ids of the others."""
    keys = list(outputs)
    output_names = (OutputName(*key) for key in keys)
    if isinstance(labels, LabelTable):
        index = LabelIndex(labels)
        rows = [(row, key) for key in keys for row in index.labels_of(OutputName(*key), str(key))]
        index.require_matched(output_names)
        usable = [with_choice(row.on(key), chosen_by) for row, key in rows if row.is_usable]
        return usable, [row.id for row in index.unmatched]
    output_keys = set(keys)
    matched_labels: list[Verdict] = []
    unmatched_labels: list[Verdict] = []
    for line, verdict in read_numbered(labels, Verdict):
        if verdict.source == "judge":
            message = "a judge's verdict is not a label; expected human, checker or construction"
            raise InputError(message, path=labels, line=line, field="source")
        (matched_labels if verdict.key in output_keys else unmatched_labels).append(verdict)
    if not matched_labels:
        raise no_label_matches(OutputName(*unmatched_labels[0].key), output_names, labels)
    return [with_choice(label, chosen_by) for label in matched_labels], [
        str(label.key) for label in unmatched_labels
    ]


def _merge_labels(before: Iterable[Verdict], new: Iterable[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """Replace a person's earlier labels by new ones; return all labels, and those that changed."""
    earlier = {(verdict.key, verdict.by): verdict for verdict in before}
    by_person = dict(earlier)
    for label in new:
        key = (label.key, label.by)
        old = earlier.get(key)
        by_person.pop(key, None)  # so that it comes last
        if old is not None and _without_evidence(old) == _without_evidence(label):
            label = _with_new_declaration(old, label)  # noqa: PLW2901 - the same grade
        by_person[key] = label
    return list(by_person.values()), [
        label for key, label in by_person.items() if label is not earlier.get(key)
    ]


def _with_new_declaration(old: Verdict, label: Verdict) -> Verdict:
    chosen_by = label.evidence.get(CHOSEN_BY, old.evidence.get(CHOSEN_BY))
    return old if chosen_by == old.evidence.get(CHOSEN_BY) else with_choice(old, chosen_by)


def _without_evidence(label: Verdict) -> Verdict:
    """Return a label without its evidence, which contains the grade as written."""
    return msgspec.structs.replace(label, evidence={})
