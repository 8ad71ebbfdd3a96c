"""Settings of `fiducial export`."""

from pathlib import Path
from typing import Annotated

from ..setting import DeclaredSettings, Setting


class ExportSettings(DeclaredSettings):
    """Settings of `fiducial export`."""

    run: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    to: Annotated[
        str,
        Setting(
            "inspect, precomputed_scores, otlp, mlflow, langfuse, junit, csv, parquet or hf.",
            metavar="FORM",
            harmless=True,
            required=True,
        ),
    ]
    out: Annotated[
        Path | None, Setting("The file; a folder for hf, and for inspect with several systems.", form="out")
    ] = None
    endpoint: Annotated[
        str | None,
        Setting("With --to otlp: send to a collector instead, by the official exporter.", metavar="URL"),
    ] = None
    judge: Annotated[str | None, Setting("Only verdicts of this judge.", metavar="NAME", harmless=True)] = (
        None
    )
    system: Annotated[
        str | None, Setting("Only the outputs of this system.", metavar="NAME", harmless=True)
    ] = None
    accept_edited: Annotated[bool, Setting("Accept a run that was edited by hand.")] = False
