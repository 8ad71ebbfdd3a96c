"""`fiducial.export`: export a run or an import in other tools' formats."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..evaluation.past_runs.judged_outputs import judged_outputs, known_of, require_unedited_run
from ..formats.export_items import ExportItem, Written
from ..formats.writers import writer_of
from .argument_checks import checked_arguments
from .paths import FilePath, written_path
from .run import Run, disk_folder_of


@checked_arguments
def export(
    run: Run | FilePath,
    to: str,
    out: FilePath,
    *,
    judge: str | None = None,
    system: str | None = None,
    accept_edited: bool = False,
) -> Written:
    """Write verdicts for another tool.

    Args:
        run: A run kept in a folder, that folder, or a folder made by ``fiducial import``.
        to: The format: ``inspect``, ``precomputed_scores``, ``otlp``, ``mlflow``, ``langfuse``, ``junit``, ``csv``, ``parquet`` or ``hf``.
        out: The file; for ``hf``, and for ``inspect`` with several systems, the folder.
        judge: Only the verdicts under this name.
        system: Only the outputs of this system.
        accept_edited: Whether to accept a run that was edited by hand.

    Returns:
        The files, the number of rows, and what the format cannot hold.

    Raises:
        UsageError: There is no such format, judge or system, or the run is only in memory.
        InputError: It is not a folder.
        RunFolderError: It was edited by hand.
    """
    write = writer_of(to)
    folder, items = _selected(run, judge, system, accept_edited=accept_edited)
    return write(items, written_path(out), known_of(folder))


def send_otlp(
    run: Run | FilePath,
    endpoint: str,
    *,
    judge: str | None = None,
    system: str | None = None,
    accept_edited: bool = False,
) -> int:
    """Send verdicts as ``gen_ai.evaluation.result`` log records; return the number sent.

    The official exporter sends them over HTTP. Verdicts are selected as in `export`.

    Raises:
        UsageError: There is no such judge or system.
        MissingExtraError: The exporter is not installed.
        ProviderError: The endpoint did not accept them.
    """
    from ..formats.to_otlp import send  # noqa: PLC0415 - an extra

    folder, items = _selected(run, judge, system, accept_edited=accept_edited)
    return send(items, endpoint, known_of(folder))


def _selected(
    run: Run | FilePath, judge: str | None, system: str | None, *, accept_edited: bool
) -> tuple[Path, list[ExportItem]]:
    """Return a run's folder, and its selected outputs with their selected verdicts.

    Raises:
        UsageError: No selected output has a selected verdict.
    """
    folder = disk_folder_of(run, "export")
    if not accept_edited:
        require_unedited_run(folder)
    items = [
        item._replace(verdicts=[verdict for verdict in item.verdicts if judge in {None, verdict.by}])
        for item in judged_outputs(folder)
        if system in {None, item.output.system}
    ]
    if not any(item.verdicts for item in items):
        raise UsageError(f"{folder} holds no verdict{_selection_words(folder, judge, system)}")
    return folder, items


def _selection_words(folder: Path, judge: str | None, system: str | None) -> str:
    """Return the selected names, and the existing ones, for an error about a selection."""
    selection = {"judge": judge, "system": system}
    names = " and".join(f" of {what} {name!r}" for what, name in selection.items() if name is not None)
    items = [item for item in judged_outputs(folder) if item.verdicts]
    if not names or not items:
        return " to export"
    systems = sorted({item.output.system for item in items})
    judges = sorted({verdict.by for item in items for verdict in item.verdicts})
    return f"{names} to export; systems: {', '.join(systems)}; judges: {', '.join(judges)}"
