"""From a run folder to its report."""

from __future__ import annotations

from collections.abc import Iterator

from ..calibration.comparison.results import Comparison
from ..errors import InputError, RunFolderError
from ..evaluation.store.manifest import Manifest
from ..evaluation.store.run_store import REPORT, VERDICTS, RunStore
from ..records import FolderPath, InputPath, MemoryFolder
from . import words
from .html import write_report
from .items.packing import MOST_TEXTS
from .items.reading import RunItems
from .model import InputFile, ReportData, SystemResult

_MOST_NAMED = 4
"""Systems that a title names; of more it says how many there are."""


def report_on(
    folder: FolderPath, path: InputPath | None = None, *, texts: int | None = MOST_TEXTS
) -> InputPath:
    """Write the report of a run.

    Args:
        folder: The run folder.
        path: The file; ``report.html`` in the folder when left out.
        texts: Of how many items the page holds the texts; None for all.

    Returns:
        The file.

    Raises:
        RunFolderError: It is not a run folder, or its inputs are not where, or not what, they were.
        InputError: The file cannot be written.
    """
    return reported(folder, path, texts=texts)[0]


def reported(
    folder: FolderPath,
    path: InputPath | None = None,
    *,
    unchanged: bool = False,
    texts: int | None = MOST_TEXTS,
) -> tuple[InputPath, ReportData]:
    """Write the report of a run, see `report_on`, unless it is there and nothing has changed; the file, and what it shows."""
    path = path or folder / REPORT
    with RunStore(folder) as store:
        data = report_data(store)
        if not (unchanged and path.exists()):
            with RunItems(store) as items:
                write_report(path, data, items, texts=texts)
    return path, data


def report_data(store: RunStore) -> ReportData:
    """Everything of a report but its items.

    Args:
        store: The run.

    Returns:
        The data.

    Raises:
        RunFolderError: The run was not concluded.
    """
    manifest = store.manifest
    if manifest.results is None or manifest.ended is None or manifest.inputs is None:
        raise RunFolderError(f"{store.path}: the run was not finished; type its command again to go on")
    return ReportData(
        title=_title([result.system for result in manifest.results]),
        created=manifest.ended,
        command=manifest.command or "",
        records=str(store.path / VERDICTS),
        versions=dict(manifest.versions or {}),
        inputs=[InputFile(name=file.name, sha256=file.sha256, rows=file.rows) for file in manifest.inputs],
        systems=manifest.results,
        judges=manifest.judges or [],
        calibration=store.calibration,
        compared=systems_compared(store),
        folder="" if isinstance(store.path, MemoryFolder) else str(store.path),
        cuts=store.roster.cuts,
        notes=[*edited(store), *(manifest.notes or []), *_not_judged(manifest, manifest.results)],
    )


def edited(store: RunStore) -> Iterator[str]:
    """A warning of verdicts that are not as the run wrote them."""
    for name in store.edited:
        yield f"{name} was changed by hand since the run wrote it: what is shown here is what it says now."


def _not_judged(manifest: Manifest, systems: list[SystemResult]) -> Iterator[str]:
    """What to do where outputs that no checker decided were not judged for want of a judge or a model."""
    if problem := manifest.not_judged:
        yield f"No judge was asked: {problem}. With that, the command below goes on where it stopped."
    elif open_outputs := words.not_judged(systems):
        yield (
            f"No judge was asked about {open_outputs}: give the command below --judge JUDGE and --model NAME, and it goes on from here "
            "(`fiducial prompts list` names the judges)."
        )


def _title(systems: list[str]) -> str:
    return ", ".join(systems) if len(systems) <= _MOST_NAMED else f"{len(systems)} systems"


def systems_compared(store: RunStore) -> Comparison | None:
    """The systems of a run against each other, part by part; None for one system, or none that has something in common with another."""
    if len(store.manifest.results or []) < 2:  # noqa: PLR2004 - one is compared with nothing
        return None
    from ..calibration.comparison.compare import compare  # noqa: PLC0415 - scipy is slow to import
    from ..evaluation.run_table import systems_table  # noqa: PLC0415 - likewise

    try:
        return compare(systems_table(store), by="system")
    except InputError:
        return None
