"""Labels that arrive later, joined to an imported folder or a run by the ids of its outputs."""

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
        labels: The file that holds them.
        added: Number of people's labels that are new or changed.
        replaced: Number of these that replace another grade by the same person.
        unchanged: Number of labels that existed before.
        superseded: Number of rows that a later row replaces, of the same person on the same output.
        ties: Number of outputs without a label, since people disagree.
        unmatched: Number of labels without an output.
        first_unmatched: The id of the first of these.
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
        chosen_by: How outputs were chosen for these labels, or None if that is not declared.

    Raises:
        InputError: The folder has no outputs, a label cannot be used, or none matches.
    """
    if (folder / MANIFEST).exists():
        return _into_run(folder, labels, chosen_by)
    outputs = folder / OUTPUTS
    if not outputs.exists():
        raise InputError(f"holds no {OUTPUTS}; expected a folder of `fiducial import`, or a run", path=folder)
    keys = [key for key, *_ in keyed_lines(outputs)]
    matched, unmatched = _matched(labels, keys, chosen_by)
    path = folder / LABELS
    before = list(read_records(path, Verdict)) if path.exists() else []
    together, changed = _merged(before, in_next_round(before, matched))
    write_records(path, together)
    return _joined(path, before, matched, changed, unmatched)


def _into_run(folder: Path, labels: InputPath, chosen_by: LabelDeclaration | None) -> JoinedLabels:
    with RunStore(folder) as store:
        store.manifest  # noqa: B018 - refuses a folder that is not a run before anything is made
    with RunWriter(folder) as run:
        run.require_known()
        outputs = dict.fromkeys(verdict.key for verdict in run.verdicts.standing)
        matched, unmatched = _matched(labels, outputs, chosen_by)
        matched = [msgspec.structs.replace(each, evidence={**each.evidence, ADDED: True}) for each in matched]
        before = list(run.labels)
        together, changed = _merged(before, in_next_round(before, matched))
        if changed:
            run.put_labels(together)
    return _joined(folder / LABELS, before, matched, changed, unmatched)


def _joined(
    path: Path, before: list[Verdict], labels: list[Verdict], changed: list[Verdict], unmatched: list[str]
) -> JoinedLabels:
    by_people = [
        [verdict for verdict in some if verdict.by != MAJORITY] for some in (before, labels, changed)
    ]
    earlier, new, added = ({(verdict.key, verdict.by) for verdict in some} for some in by_people)
    return JoinedLabels(
        labels=path,
        added=len(added),
        replaced=len(added & earlier),
        unchanged=len(new - added),
        superseded=len(by_people[1]) - len(new),
        ties=sum(is_tie(label) for label in labels),
        unmatched=len(unmatched),
        first_unmatched=next(iter(unmatched), None),
        rounds=max(1, n_rounds([*before, *changed])),
    )


def _matched(
    labels: InputPath, outputs: Iterable[ItemKey], chosen_by: LabelDeclaration | None
) -> tuple[list[Verdict], list[str]]:
    """Return the labels of these outputs, and the ids of the others."""
    keys = list(outputs)
    places = (OutputName(*key) for key in keys)
    if isinstance(labels, LabelTable):
        index = LabelIndex(labels)
        rows = [(row, key) for key in keys for row in index.labels_of(OutputName(*key), str(key))]
        index.require_matched(places)
        usable = [with_choice(row.on(key), chosen_by) for row, key in rows if row.is_usable]
        return usable, [row.id for row in index.unmatched]
    output_keys = set(keys)
    matched: list[Verdict] = []
    unmatched: list[Verdict] = []
    for line, verdict in read_numbered(labels, Verdict):
        if verdict.source == "judge":
            message = "a judge's verdict is not a label; expected human, checker or construction"
            raise InputError(message, path=labels, line=line, field="source")
        (matched if verdict.key in output_keys else unmatched).append(verdict)
    if not matched:
        raise no_label_matches(OutputName(*unmatched[0].key), places, labels)
    return [with_choice(each, chosen_by) for each in matched], [str(each.key) for each in unmatched]


def _merged(before: Iterable[Verdict], new: Iterable[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """Replace a person's earlier labels with new ones; return all, and those that changed."""
    earlier = {(verdict.key, verdict.by): verdict for verdict in before}
    merged = dict(earlier)
    for label in new:
        key = (label.key, label.by)
        old = earlier.get(key)
        merged.pop(key, None)  # so that it comes last
        if old is not None and _without_evidence(old) == _without_evidence(label):
            label = _declared_anew(old, label)  # noqa: PLW2901 - the same grade
        merged[key] = label
    return list(merged.values()), [label for key, label in merged.items() if label is not earlier.get(key)]


def _declared_anew(old: Verdict, label: Verdict) -> Verdict:
    """Return the earlier label, with the later declaration of how its output was chosen, if any."""
    chosen_by = label.evidence.get(CHOSEN_BY, old.evidence.get(CHOSEN_BY))
    return old if chosen_by == old.evidence.get(CHOSEN_BY) else with_choice(old, chosen_by)


def _without_evidence(label: Verdict) -> Verdict:
    """Return a label without its evidence, which holds the grade as it was written."""
    return msgspec.structs.replace(label, evidence={})
