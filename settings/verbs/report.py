"""Settings of `fiducial report`."""

from pathlib import Path
from typing import Annotated

from ..results_settings import JsonSettings, VerboseSettings
from ..setting import Setting


class ReportSettings(JsonSettings, VerboseSettings):
    """Settings of `fiducial report`."""

    run: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    after: Annotated[Path | None, Setting(is_argument=True, form="existing folder")] = None
    html: Annotated[
        Path | None,
        Setting("The page to write.  [default of one run: report.html in its folder]", form="out file"),
    ] = None
    all_texts: Annotated[
        bool, Setting("Include the texts of all items.  [default: the 1,000 most worth reading]")
    ] = False
    items: Annotated[
        int | None,
        Setting(
            "Also print this many of the worst failures: question, answer, what was expected, who says so.",
            low=1,
            metavar="N",
        ),
    ] = None
    markdown: Annotated[
        bool,
        Setting(
            "Print a summary for a pull request, in GitHub's Markdown; write a page only with --html.",
            harmless=True,
        ),
    ] = False
    accept_edited: Annotated[bool, Setting("Accept a run that was edited by hand; the page says so.")] = False
