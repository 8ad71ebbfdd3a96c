"""`fiducial.export`: a run, or what was imported, in the forms that other tools read."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import UsageError
from ..evaluation.past_runs.judged_outputs import judged_outputs, known_of
from ..formats.judged import Judged, Written
from ..formats.writers import writer_of
from .places import FilePath, folder_path, written_path
from .run import Run


def export(
    run: Run | FilePath, to: str, out: FilePath, *, judge: str | None = None, system: str | None = None
) -> Written:
    """Write verdicts for another tool.

    Args:
        run: A run that is kept in a folder, that folder, or one that ``fiducial import`` made.
        to: The form: ``inspect``, ``precomputed_scores``, ``otlp``, ``mlflow``, ``langfuse``, ``junit``, ``csv``, ``parquet`` or ``hf``.
        out: The file, or, of ``hf`` and of ``inspect`` with several systems, the folder.
        judge: Only the verdicts under this name.
        system: Only the outputs of this system.

    Returns:
        The files, how many rows, and what the form has no place for.

    Raises:
        UsageError: There is no such form, judge or system, or the run is in memory alone.
        InputError: The folder is none.
    """
    folder = run.folder if isinstance(run, Run) else folder_path(run)
    if folder is None:
        raise UsageError("this run is in memory alone: evaluate with out=FOLDER to export it")
    write = writer_of(to)
    items = list(_chosen(judged_outputs(folder), judge, system))
    if not any(item.verdicts for item in items):
        what = "".join(
            f", {name} {value!r}"
            for name, value in (("judge", judge), ("system", system))
            if value is not None
        )
        raise UsageError(f"{folder} holds no verdict to export{what}")
    return write(items, written_path(out), known_of(folder))


def _chosen(items: Iterator[Judged], judge: str | None, system: str | None) -> Iterator[Judged]:
    for item in items:
        if system is None or item.output.system == system:
            said = [verdict for verdict in item.verdicts if judge in {None, verdict.by}]
            yield item._replace(verdicts=said)


def send_otlp(
    run: Run | FilePath, endpoint: str, *, judge: str | None = None, system: str | None = None
) -> int:
    """Send verdicts, chosen as by `export`, as ``gen_ai.evaluation.result`` log records by the official exporter over HTTP; says how many.

    Raises:
        MissingExtraError: The exporter is not installed.
        ProviderError: The endpoint did not take them.
    """
    from ..formats.send_otlp import send  # noqa: PLC0415 - an extra

    folder = run.folder if isinstance(run, Run) else folder_path(run)
    if folder is None:
        raise UsageError("this run is in memory alone: evaluate with out=FOLDER to export it")
    return send(_chosen(judged_outputs(folder), judge, system), endpoint, known_of(folder))
