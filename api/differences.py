"""`fiducial.diff` and `fiducial.history`: compare two runs, or follow runs over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..evaluation.past_runs.changed_verdicts import ChangedVerdict
from ..evaluation.past_runs.compare_runs import Difference, two_runs
from ..evaluation.past_runs.history import History, read_history
from ..evaluation.store.run_store import RunStore
from ..records import MemoryFolder
from ..report.changed_cases import changed_cases
from ..report.document import Piece
from ..report.text.difference_screen import difference_screen
from ..report.text.difference_text import difference_document
from ..report.text.history_screen import history_screen
from ..report.text.history_text import history_document
from ..tables.frames import data_frame
from .argument_checks import checked_arguments
from .display import Presentation, bind_display
from .paths import FilePath, folder_path
from .run import Run, folder_of

if TYPE_CHECKING:
    import pandas as pd

    from ..report.page import ResultPage


def _difference_frame(difference: Difference) -> pd.DataFrame:
    kinds = {
        "broke": difference.broke,
        "better": difference.better,
        "graded otherwise": difference.graded_otherwise,
    }
    rows = [
        {"what": kind, **msgspec.to_builtins(verdict)}
        for kind, verdicts in kinds.items()
        for verdict in verdicts
    ]
    # Columns are named, since without changes no row names them.
    return data_frame(rows, columns=["what", *ChangedVerdict.__struct_fields__])


def _difference_page(difference: Difference) -> ResultPage:
    from ..report.difference_page import difference_page  # noqa: PLC0415 - numbers need no page

    return difference_page(difference, _changed_cases(difference))


def _changed_cases(difference: Difference) -> list[Piece]:
    """Return both answers of the changed cases; empty for runs in memory."""
    changed_verdicts = [*difference.broke, *difference.better, *difference.graded_otherwise]
    folders = [folder_path(run) for run in (difference.before, difference.after)]
    if not changed_verdicts or not all(folder.is_dir() for folder in folders):
        return []
    with RunStore(folders[0]) as before, RunStore(folders[1]) as after:
        return list(changed_cases(before, after, changed_verdicts))


def _history_frame(history: History) -> pd.DataFrame:
    return data_frame(
        [
            {
                "run": run.name,
                "ended": run.ended,
                "system": system,
                "part": part,
                **msgspec.structs.asdict(rate),
            }
            for run in history.runs
            for system, rates in run.systems.items()
            for part, rate in rates.items()
        ]
    )


def _history_page(history: History) -> ResultPage:
    from ..report.history_page import history_page  # noqa: PLC0415 - numbers need no page

    return history_page(history)


bind_display(
    Difference,
    Presentation(
        make_document=difference_document,
        make_screen=difference_screen,
        make_page=_difference_page,
        make_frame=_difference_frame,
    ),
)
bind_display(
    History,
    Presentation(
        make_document=history_document,
        make_screen=history_screen,
        make_page=_history_page,
        make_frame=_history_frame,
    ),
)


_NAMES_IN_MEMORY = {"before": "the earlier run", "after": "the later run"}
"""Names of runs in memory."""


@checked_arguments
def diff(before: FilePath | Run, after: FilePath | Run) -> Difference:
    """Compare two runs: fixes, regressions, the size of the difference, and other changes.

    Args:
        before: A run, or its folder.
        after: A later one.

    Returns:
        The paired difference over common outputs. If each run has one system, these two are compared whatever their names.

    Raises:
        RunFolderError: One of them is not a finished run, or was edited by hand.
        InputError: They have no output in common.
    """
    folders = {"before": folder_of(before), "after": folder_of(after)}
    with RunStore(folders["before"]) as first, RunStore(folders["after"]) as second:
        difference = two_runs(first, second)
    # Runs in memory share one name, which a folder may have, too.
    in_memory = {side for side, folder in folders.items() if isinstance(folder, MemoryFolder)}
    return msgspec.structs.replace(difference, **{side: _NAMES_IN_MEMORY[side] for side in in_memory})


@checked_arguments
def history(folder: FilePath) -> History:
    """Return the finished runs of a folder, in order of completion.

    Args:
        folder: A folder of run folders; other subfolders are skipped.

    Returns:
        Their rates with intervals, changes from one to the next, and drifted judges.

    Raises:
        InputError: There is no finished run in it.
    """
    return read_history(folder_path(folder))
