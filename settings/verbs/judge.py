"""Settings of `fiducial judge`."""

from pathlib import Path
from typing import Annotated

from ..checking_settings import WorldsSettings
from ..evaluating_settings import EvaluatingSettings
from ..inputs_settings import OutputsSettings
from ..judging_settings import REQUIRED_JUDGES
from ..setting import Setting


class JudgeSettings(OutputsSettings, WorldsSettings, EvaluatingSettings):
    """Settings of `fiducial judge`."""

    reparse: Annotated[
        Path | None,
        Setting(
            "Parse a run's stored replies again with the current parsers, and exit; no model is called.",
            metavar="RUN",
            form="reparse",
            eager=True,
        ),
    ] = None
    judges: Annotated[tuple[str, ...], REQUIRED_JUDGES]
    unsure_of: Annotated[
        Path | None,
        Setting(
            "Judge only the outputs that the judge of this run may not decide alone, by its labels and --max-error.",
            metavar="RUN",
            form="existing folder",
        ),
    ] = None
    max_error: Annotated[
        float | None,
        Setting(
            "With --unsure-of: maximum error rate of the verdicts that are kept, guaranteed at 90 %.",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            harmless=True,
        ),
    ] = None
