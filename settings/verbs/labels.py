"""Settings of `fiducial labels`."""

from pathlib import Path
from typing import Annotated

from ..labels_settings import GradesSettings, HeaderSettings, LabelChoiceSettings, LabelColumnsSettings
from ..results_settings import JsonSettings
from ..setting import Setting


class LabelsAddSettings(
    GradesSettings, LabelColumnsSettings, LabelChoiceSettings, HeaderSettings, JsonSettings
):
    """Settings of `fiducial labels add`."""

    folder: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    labels: Annotated[Path, Setting(is_argument=True, form="input file", required=True)]
    by: Annotated[
        str | None,
        Setting(
            "The person who gave the labels.  [default: the table's column `annotator`, or the name of its column of labels]",
            metavar="NAME",
            harmless=True,
        ),
    ] = None


class LabelsExportSettings(JsonSettings):
    """Settings of `fiducial labels export`."""

    run: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    out: Annotated[Path, Setting("The patch (JSON Lines).", form="out file", required=True)]
