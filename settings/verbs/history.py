"""Settings of `fiducial history`."""

from pathlib import Path
from typing import Annotated

from ..results_settings import JsonSettings, VerboseSettings
from ..setting import Setting


class HistorySettings(JsonSettings, VerboseSettings):
    """Settings of `fiducial history`."""

    folder: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    html: Annotated[
        Path | None, Setting("Write it as a page, with a line for each rate.", form="out file")
    ] = None
    markdown: Annotated[
        bool, Setting("Print it in GitHub's Markdown, as a summary for a pull request.", harmless=True)
    ] = False
