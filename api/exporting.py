"""`fiducial.export`: export a run or an import in other tools' formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..errors import UsageError
from ..evaluation.past_runs.judged_outputs import judged_outputs, known_of, refuse_edited_run
from ..formats.export_items import ExportItem, Written
from ..formats.writers import writer_of
from .paths import FilePath, written_path
from .run import Run, disk_folder_of


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
    folder, chosen = _chosen(run, judge, system, accept_edited=accept_edited)
    write, items = writer_of(to), list(chosen)
    if not any(item.verdicts for item in items):
        chosen_by = {"judge": judge, "system": system}
        what = " and".join(f" of {name} {value!r}" for name, value in chosen_by.items() if value is not None)
        exportable = [
            item for item in _chosen(run, None, None, accept_edited=accept_edited)[1] if item.verdicts
        ]
        systems = sorted({item.output.system for item in exportable})
        judges = sorted({verdict.by for item in exportable for verdict in item.verdicts})
        hint = f"; systems: {', '.join(systems)}; judges: {', '.join(judges)}" if what and exportable else ""
        raise UsageError(f"{folder} holds no verdict{what} to export{hint}")
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
        MissingExtraError: The exporter is not installed.
        ProviderError: The endpoint did not accept them.
    """
    from ..formats.to_otlp import send  # noqa: PLC0415 - an extra

    folder, items = _chosen(run, judge, system, accept_edited=accept_edited)
    return send(items, endpoint, known_of(folder))


def _chosen(
    run: Run | FilePath, judge: str | None, system: str | None, *, accept_edited: bool
) -> tuple[Path, Iterator[ExportItem]]:
    """Return a run's folder, and its chosen outputs with verdicts.

    The outputs are those of one system or of all, with the verdicts of one judge or of all.
    """
    folder = disk_folder_of(run, "export")
    if not accept_edited:
        refuse_edited_run(folder)
    return folder, (
        item._replace(verdicts=[verdict for verdict in item.verdicts if judge in {None, verdict.by}])
        for item in judged_outputs(folder)
        if system in {None, item.output.system}
    )
