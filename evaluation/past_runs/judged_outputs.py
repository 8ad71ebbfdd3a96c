"""Read the outputs of a run or import folder, each with its case and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ...errors import InputError
from ...formats.export_items import ExportContext, ExportItem
from ...records import CaseIndex, Output, read_records
from ...records.folder_files import CASES, OUTPUTS
from ...tables.standing_labels import standing_labels
from ..store.file_names import MANIFEST, VERDICTS
from ..store.kept_inputs import RunInputs
from ..store.run_store import RunStore


def judged_outputs(folder: Path) -> Iterator[ExportItem]:
    """Yield the outputs of a run or import folder, in order, with case and current verdicts.

    An import may have no verdicts.
    """
    with RunStore(folder) as store:
        inputs = store.inputs if store.begun else _import_files(folder)
        journal = store.verdicts if (folder / VERDICTS).exists() else None
        labels = standing_labels(store.labels) if store.begun else {}
        with CaseIndex(inputs.cases) as cases:
            for path in inputs.outputs:
                for output in read_records(path, Output):
                    verdicts = [] if journal is None else journal.verdicts_on(output.key)
                    decisions = standing_labels(verdict for verdict in verdicts if verdict.source != "judge")
                    label = labels.get(output.key) or decisions.get(output.key)
                    yield ExportItem(cases[output.case_id], output, verdicts, label)


def require_unedited_run(folder: Path) -> None:
    """Require that a run was not edited by hand; imports have no checksums to tell."""
    with RunStore(folder) as store:
        if store.begun:
            store.require_unedited()


def known_of(folder: Path) -> ExportContext:
    """Return the context of an export: name, date, thresholds and judges' accuracy."""
    with RunStore(folder) as store:
        created = store.manifest_or_empty.ended or datetime.now(UTC).isoformat(timespec="seconds")
        thresholds = {judge.by: judge.threshold.at for judge in store.roster}
        return ExportContext(folder.resolve().name, created, thresholds, _accuracies(store))


def _accuracies(store: RunStore) -> dict[str, dict[str, float]]:
    by_judge: dict[str, dict[str, float]] = {}
    for name, judge in store.calibration.judges.items() if store.calibration is not None else ():
        accuracy = msgspec.to_builtins(judge.accuracy)
        by_judge[name] = {
            field: accuracy[field]
            for field in ("value", "low", "high", "n")
            if accuracy.get(field) is not None
        }
    return by_judge


def _import_files(folder: Path) -> RunInputs:
    files = RunInputs((folder / CASES,), (folder / OUTPUTS,))
    for file in (*files.cases, *files.outputs):
        if not file.exists():
            raise InputError(
                f"neither a run nor an import: it has no {MANIFEST}, and no {Path(str(file)).name}",
                path=folder,
            )
    return files
