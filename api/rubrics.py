"""`fiducial.rubrics`: scores by rubrics, by system and by tag, corrected with labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..calibration.rubrics.rubric_results import Rubrics
from ..evaluation.past_runs.judged_rubrics import rubric_scores
from ..evaluation.store.run_store import RunStore
from ..report.text.rubric_text import rubric_document
from .argument_checks import checked_arguments, require_range
from .display import Presentation, bind_display, statistics_frame
from .paths import FilePath, input_path
from .run import Run, folder_of

if TYPE_CHECKING:
    import pandas as pd


def _rubrics_frame(rubrics: Rubrics) -> pd.DataFrame:
    return statistics_frame(
        (
            {
                "judge": judge.judge,
                "system": system.system,
                "tag": mean.tag,
                "ungraded": mean.ungraded,
                "corrected": None if mean.corrected is None else mean.corrected.value,
            },
            mean.score,
        )
        for judge in rubrics.judges
        for system in judge.systems
        for mean in system.means
    )


bind_display(Rubrics, Presentation(make_document=rubric_document, make_frame=_rubrics_frame))


@checked_arguments
def rubrics(run: Run | FilePath, *, labels: FilePath | None = None, level: float = 0.95) -> Rubrics:
    """Score a run by its rubrics: points over points possible, by system and by criteria tag.

    Args:
        run: A run, or its folder.
        labels: A table of labels of criteria: case, criterion (its text or number), label and, with several systems, the system.
        level: Confidence level of the intervals.

    Returns:
        Means with intervals and bounds. With labels, also each judge's errors by criterion and tag, and corrected means.

    Raises:
        InputError: No judge was asked about criteria, or a label cannot be used.
        RunFolderError: It is not a run folder, or was edited by hand.
    """
    require_range("level", level)
    with RunStore(folder_of(run)) as store:
        store.require_unedited()
        return rubric_scores(store, None if labels is None else input_path(labels), level=level)
