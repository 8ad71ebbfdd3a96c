"""Settings of `fiducial rubrics`."""

from pathlib import Path
from typing import Annotated

from ..results_settings import JsonSettings
from ..setting import Setting


class RubricsSettings(JsonSettings):
    """Settings of `fiducial rubrics`."""

    run: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    labels: Annotated[
        Path | None,
        Setting(
            "Labels of criteria: a table with the case, the criterion (its text or number), perhaps the system, and whether it is met.",
            form="labels of one file",
            harmless=True,
        ),
    ] = None
    level: Annotated[
        float, Setting("Level of the intervals.", low=0, low_open=True, high=1, high_open=True, harmless=True)
    ] = 0.95
