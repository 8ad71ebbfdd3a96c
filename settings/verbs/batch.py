"""Settings of `fiducial batch`."""

from pathlib import Path
from typing import Annotated

from ..checking_settings import WorldsSettings
from ..inputs_settings import CasesSettings, OutputsSettings
from ..judging_settings import BATCHED_JUDGES, JudgeScaleSettings, PassThresholdsSettings
from ..results_settings import GatesSettings
from ..setting import Setting


class BatchedSettings(CasesSettings, OutputsSettings, JudgeScaleSettings, WorldsSettings):
    """Outputs, and the judges that are asked about them in batches."""

    judges: Annotated[tuple[str, ...], BATCHED_JUDGES]
    model: Annotated[str, Setting("The judging model.", metavar="NAME", harmless=True, required=True)]
    repeats: Annotated[
        int, Setting("Number of times each output is judged.", low=1, high=100, harmless=True)
    ] = 1


class BatchExportSettings(BatchedSettings):
    """Settings of `fiducial batch export`."""

    results: Annotated[
        tuple[Path, ...], Setting("Results received so far.", metavar="FILE...", form="input file")
    ] = ()
    run: Annotated[
        Path | None, Setting("Skip outputs that have a verdict in this run folder.", form="existing folder")
    ] = None
    out: Annotated[
        Path, Setting("The batch file; long ones are split and numbered.", form="out file", required=True)
    ]


class BatchImportSettings(BatchedSettings, PassThresholdsSettings, GatesSettings):
    """Settings of `fiducial batch import`."""

    results: Annotated[
        tuple[Path, ...],
        Setting(
            "Result and error files of batches, earlier ones first.",
            metavar="FILE...",
            form="input file",
            required=True,
        ),
    ]
    labels: Annotated[
        Path | None,
        Setting(
            "Trusted verdicts to calibrate against (JSON Lines).", form="labels of one file", harmless=True
        ),
    ] = None
    record: Annotated[
        Path | None, Setting("Also append every reply to this file, for --replay.", form="out file")
    ] = None
    expect_served_by: Annotated[
        str | None,
        Setting(
            "Accept replies only from this model, in any release, if the file names the model.",
            metavar="MODEL",
            harmless=True,
        ),
    ] = None
    out: Annotated[
        Path, Setting("The run folder; a further import adds to it.", form="folder", required=True)
    ]
