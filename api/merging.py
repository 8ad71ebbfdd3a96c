"""`fiducial.merge`: merge runs of parts of one data set into one run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ..errors import UsageError
from ..evaluation.past_runs.merged_runs import merge_runs
from .argument_checks import checked_arguments
from .paths import FilePath, folder_or_memory
from .price_memory import known_prices
from .progress_bars import show_progress
from .run import Run, disk_folder_of


@checked_arguments
def merge(
    runs: FilePath | Run | Sequence[FilePath | Run],
    out: FilePath | None = None,
    *,
    prices: Sequence[str] = (),
    command: str = "fiducial.merge",
    progress: bool | None = None,
) -> Run:
    """Merge finished runs of parts of one data set.

    No output is checked or judged again.

    Every number equals that of one run over all inputs as a set of shards, to the last digit, however the data were divided and in
    whatever order the runs are given.

    Args:
        runs: Run folders, or runs kept in one; a repeated one is merged once, with a warning.
        out: The folder of the merged run; the same call resumes. None keeps it in memory.
        prices: Prices of models that are not on the public list, ``[MODEL=]IN/OUT[/CACHED]`` in dollars for a million tokens.
        command: The command line, for the record.
        progress: Whether to show progress; None shows it on a terminal and in a notebook.

    Returns:
        The merged run.

    Raises:
        UsageError: There is no run, or one is only in memory.
        RunFolderError: One is not finished, or they differ in rules, judges, checkers or thresholds.
        RecordError: They contradict each other on one output, or one case or output is in the inputs of two of them.
        InputError: An input was moved, or cannot be read.
    """
    folder = folder_or_memory(out, "run")
    run_list = [runs] if isinstance(runs, (str, os.PathLike, Run)) else runs
    folders = distinct_folders([disk_folder_of(run, "merge") for run in run_list], warnings.warn)
    if not folders:
        raise UsageError("no run to merge: name at least one")
    with show_progress(enabled=progress) as progress_display:
        merge_runs(
            folders,
            folder,
            prices=known_prices(prices),
            command=command,
            progress=progress_display,
            now=datetime.now(UTC),
        )
    return Run(folder)


def distinct_folders(folders: Iterable[Path], warn: Callable[[str], object]) -> list[Path]:
    """Return each run folder once; ``warn`` gets a note on every repetition."""
    distinct: dict[Path, Path] = {}
    for folder in folders:
        path = folder.resolve()
        if path in distinct:
            warn(f"{folder}: the same run as {distinct[path]}; it is merged once")
        distinct.setdefault(path, folder)
    return list(distinct.values())
