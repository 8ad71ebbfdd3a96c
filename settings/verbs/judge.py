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
