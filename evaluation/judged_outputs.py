"""The outputs of a run folder, or of an imported one, each with its case and what was said of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ..errors import InputError
from ..formats.folder import CASES, OUTPUTS
from ..formats.judged import Judged, Known
from ..records import CaseIndex, InputPath, Output, read_records
from .run_folder.folder import MANIFEST, VERDICTS, kept_calibration, read_manifest
from .run_folder.kept_inputs import run_inputs
from .run_folder.roster import Roster
from .run_folder.verdict_log import VerdictIndex


def judged_outputs(folder: Path) -> Iterator[Judged]:
    """The outputs of a folder, in their order.

    Args:
        folder: A run folder, or one that ``fiducial import`` made.

    Yields:
        Each output with its case and its verdicts as they stand; those that nothing was said of, too.

    Raises:
        InputError: It is neither, or a file cannot be read.
        RunFolderError: The inputs of a run are not where, or not what, they were.
    """
    cases_file, *outputs_files = _inputs(folder)
    verdicts = VerdictIndex(folder / VERDICTS) if (folder / VERDICTS).exists() else None
    try:
        with CaseIndex(cases_file) as cases:
            for path in outputs_files:
                for output in read_records(path, Output):
                    said = [] if verdicts is None else verdicts[output.key]
                    yield Judged(cases[output.case_id], output, said)
    finally:
        if verdicts is not None:
            verdicts.close()


def known_of(folder: Path) -> Known:
    """What a folder says of itself.

    Args:
        folder: See `judged_outputs`.
    """
    created = datetime.now(UTC).isoformat(timespec="seconds")
    if not (folder / MANIFEST).exists():
        return Known(folder.resolve().name, created, {}, {})
    manifest = read_manifest(folder)
    cuts = {judge.by: judge.cut.at for judge in Roster(manifest)}
    return Known(folder.resolve().name, manifest.get("ended") or created, cuts, _agreement(folder))


def _agreement(folder: Path) -> dict[str, dict[str, float]]:
    calibration = kept_calibration(folder)
    told: dict[str, dict[str, float]] = {}
    for name, judge in calibration.judges.items() if calibration is not None else ():
        accuracy = msgspec.to_builtins(judge.accuracy)
        told[name] = {
            field: accuracy[field]
            for field in ("value", "low", "high", "n")
            if accuracy.get(field) is not None
        }
    return told


def _inputs(folder: Path) -> list[InputPath]:
    if (folder / MANIFEST).exists():
        return run_inputs(folder, read_manifest(folder))
    files: list[InputPath] = [folder / CASES, folder / OUTPUTS]
    for file in files:
        if not file.exists():
            raise InputError(
                f"neither a run nor an import: it has no {MANIFEST}, and no {Path(str(file)).name}",
                path=folder,
            )
    return files
