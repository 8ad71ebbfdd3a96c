"""Settings of `fiducial check`."""

from pathlib import Path
from typing import Annotated

from ..checking_settings import RulesSettings, WorkersSettings
from ..inputs_settings import CasesSettings, OnlySettings, OutputsSettings
from ..results_settings import JsonSettings
from ..setting import Setting


class CheckSettings(
    CasesSettings, OutputsSettings, OnlySettings, JsonSettings, RulesSettings, WorkersSettings
):
    """Settings of `fiducial check`."""

    out: Annotated[Path, Setting("File for the verdicts (JSON Lines).", form="out file", required=True)]
