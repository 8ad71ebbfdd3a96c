"""Settings of `fiducial generate`."""

from pathlib import Path
from typing import Annotated

from ..checking_settings import WorldsSettings
from ..generating_settings import GeneratingSettings
from ..inputs_settings import OnlySettings
from ..setting import Setting


class GenerateSettings(GeneratingSettings, WorldsSettings, OnlySettings):
    """Settings of `fiducial generate`."""

    cases: Annotated[Path, Setting(is_argument=True, form="input file", required=True)]
    model: Annotated[
        str | None, Setting("The model that works on the cases.", metavar="NAME", harmless=True)
    ] = None
    out: Annotated[
        Path,
        Setting(
            "File for the outputs (JSON Lines); the same command resumes it.  [required without --dry-run]",
            form="file unless dry run",
        ),
    ]
    accept_edited: Annotated[bool, Setting("Accept outputs that were edited by hand.")] = False
