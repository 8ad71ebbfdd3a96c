"""From a run folder to its report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..errors import RunFolderError
from ..evaluation.run_folder.folder import REPORT, VERDICTS, kept_calibration, read_manifest
from ..evaluation.run_folder.roster import Roster
from ..records import FolderPath, InputPath
from . import words
from .html import write_report
from .model import InputFile, JudgeUse, ReportData, SystemResult
from .run_items import RunItems

_MOST_NAMED = 4
"""Systems that a title names; of more it says how many there are."""


def report_on(folder: FolderPath, path: InputPath | None = None) -> InputPath:
    """Write the report of a run.

    Args:
        folder: The run folder.
        path: The file; ``report.html`` in the folder when left out.

    Returns:
        The file.

    Raises:
        RunFolderError: It is not a run folder, or its inputs are not where, or not what, they were.
        InputError: The file cannot be written.
    """
    manifest = read_manifest(folder)
    path = path or folder / REPORT
    data = report_data(folder, manifest)
    with RunItems(folder, manifest) as items:
        write_report(path, data, items)
    return path


def report_data(folder: FolderPath, manifest: dict[str, Any]) -> ReportData:
    """Everything of a report but its items.

    Args:
        folder: The run folder.
        manifest: Its manifest.

    Returns:
        The data.

    Raises:
        RunFolderError: The run was not concluded.
    """
    try:
        systems = msgspec.convert(manifest["results"], list[SystemResult])
        return ReportData(
            title=_title([result.system for result in systems]),
            created=manifest["ended"],
            command=manifest["command"],
            records=str(folder / VERDICTS),
            versions=manifest["versions"],
            inputs=msgspec.convert(manifest["inputs"], list[InputFile]),
            systems=systems,
            judges=msgspec.convert(manifest["judges"], list[JudgeUse]),
            calibration=kept_calibration(folder),
            cuts=Roster(manifest).cuts,
            notes=[*manifest.get("notes", []), *_not_judged(manifest, systems)],
        )
    except (KeyError, msgspec.MsgspecError) as error:
        raise RunFolderError(
            f"{folder}: the run was not finished; type its command again to go on"
        ) from error


def _not_judged(manifest: dict[str, Any], systems: list[SystemResult]) -> Iterator[str]:
    """What to do where outputs that no checker decided were not judged for want of a judge or a model."""
    if problem := manifest.get("not_judged"):
        yield f"No judge was asked: {problem}. With that, the command below goes on where it stopped."
    elif open_outputs := words.not_judged(systems):
        yield (
            f"No judge was asked about {open_outputs}: give the command below --judge JUDGE and --model NAME, and it goes on from here "
            "(`fiducial prompts list` names the judges)."
        )


def _title(systems: list[str]) -> str:
    return ", ".join(systems) if len(systems) <= _MOST_NAMED else f"{len(systems)} systems"
