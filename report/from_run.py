"""From a run folder to its report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from ..errors import RunFolderError
from ..evaluation.run_folder.folder import CALIBRATION, LABELS, REPORT, VERDICTS, read_manifest
from ..evaluation.run_folder.verdict_log import VerdictIndex
from ..records import Case, CaseIndex, ItemKey, Output, Verdict, decode_record, read_records
from .html import write_report
from .model import InputFile, JudgeUse, ReportData, ReportItem, SystemResult

_MOST_NAMED = 4
"""Systems that a title names; of more it says how many there are."""


def report_on(folder: Path, path: Path | None = None) -> Path:
    """Write the report of a run.

    Args:
        folder: The run folder.
        path: The file; ``report.html`` in the folder when left out.

    Returns:
        The file.

    Raises:
        RunFolderError: It is not a run folder, or its inputs are not where they were.
        InputError: The file cannot be written.
    """
    manifest = read_manifest(folder)
    path = path or folder / REPORT
    write_report(path, report_data(folder, manifest), report_items(folder, manifest))
    return path


def report_data(folder: Path, manifest: dict[str, Any]) -> ReportData:
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
        calibration = folder / CALIBRATION
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
            calibration=decode_record(calibration.read_bytes(), dict[str, Any])
            if calibration.exists()
            else None,
            pass_at=manifest["pass_at"],
            notes=manifest.get("notes", []),
        )
    except (KeyError, msgspec.MsgspecError) as error:
        raise RunFolderError(
            f"{folder}: the run was not finished; type its command again to go on"
        ) from error


def _title(systems: list[str]) -> str:
    return ", ".join(systems) if len(systems) <= _MOST_NAMED else f"{len(systems)} systems"


def report_items(folder: Path, manifest: dict[str, Any]) -> Iterator[ReportItem]:
    """Every output of a run with everything that was said of it.

    Args:
        folder: The run folder.
        manifest: Its manifest.

    Yields:
        One item an output, in the order of the files.

    Raises:
        RunFolderError: The inputs are not where they were.
    """
    cases_file, *output_files = (Path(file["path"]) for file in manifest["inputs"])
    for file in (cases_file, *output_files):
        if not file.exists():
            raise RunFolderError(f"{folder}: its input {file} is not there any more; the report needs it")
    labels = _labels(folder)
    with CaseIndex(cases_file) as cases, closing(VerdictIndex(folder / VERDICTS)) as verdicts:
        for file in output_files:
            for output in read_records(file, Output):
                yield _item(cases[output.case_id], output, verdicts[output.key], labels.get(output.key))


def _item(case: Case, output: Output, verdicts: list[Verdict], label: Verdict | None) -> ReportItem:
    category = case.tags.get("category")
    return ReportItem(
        output=output,
        query=_query(case),
        category=case.kind if category is None else str(category),
        checker=next((verdict for verdict in verdicts if verdict.source == "checker"), None),
        judges=[verdict for verdict in verdicts if verdict.source == "judge" and verdict.repeat == 0],
        label=label,
        tools=case.tools,
        context=case.context,
        reference=case.reference,
    )


def _query(case: Case) -> str:
    contents = (
        message.get("content") for turn in case.turns for message in turn if message["role"] == "user"
    )
    return "\n\n".join(content for content in contents if isinstance(content, str))


def _labels(folder: Path) -> dict[ItemKey, Verdict]:
    path = folder / LABELS
    if not path.exists():
        return {}
    # What one person could not tell does not hide what another said.
    return {verdict.key: verdict for verdict in read_records(path, Verdict) if verdict.graded}
