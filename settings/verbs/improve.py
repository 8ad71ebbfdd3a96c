"""Settings of `fiducial improve`."""

from pathlib import Path
from typing import Annotated

from ..access_settings import AccessSettings
from ..checking_settings import WorldsSettings
from ..judging_settings import JudgeParametersSettings
from ..labels_settings import GradesSettings, HeaderSettings
from ..results_settings import JsonSettings, VerboseSettings
from ..setting import Setting


class ImproveSettings(
    GradesSettings,
    HeaderSettings,
    JudgeParametersSettings,
    WorldsSettings,
    JsonSettings,
    VerboseSettings,
    AccessSettings,
):
    """Settings of `fiducial improve`."""

    labelled: Annotated[Path, Setting(is_argument=True, metavar="RUN|TABLE", form="input", required=True)]
    prompt: Annotated[
        str,
        Setting(
            "The current prompt: NAME, NAME/VARIANT, or a .prompty file; @MODEL names the judging model.",
            metavar="JUDGE",
            required=True,
        ),
    ]
    candidates: Annotated[
        tuple[Path, ...],
        Setting("Prompt files to try.", option="--candidate", metavar="FILE...", form="input file"),
    ] = ()
    model: Annotated[
        str | None,
        Setting(
            "The judging model, unless --prompt names it; it also writes candidates if no file is named.",
            metavar="NAME",
            harmless=True,
        ),
    ] = None
    proposals: Annotated[
        int | None,
        Setting(
            "Candidates that the model writes.  [default: 4 without --candidate, else 0]", low=0, high=16
        ),
    ] = None
    out: Annotated[
        Path, Setting("The output folder; the same command resumes it.", form="out folder", required=True)
    ]
    probes: Annotated[
        Path | None,
        Setting("Probes of `audit mutate`.  [default: made of the holdout]", form="existing folder"),
    ] = None
    adjudications: Annotated[
        Path | None,
        Setting("Decisions on labels, beside those of the run (docs/adjudication.md).", form="input file"),
    ] = None
    holdout: Annotated[float, Setting("Share of the groups to hold out.", low=0, high=1)] = 0.5
    margin: Annotated[
        float, Setting("Largest tolerated loss on the probes of one operator.", low=0, high=1)
    ] = 0.1
    sample: Annotated[int, Setting("Maximum probes per operator.", low=1, harmless=True)] = 200
    seed: Annotated[int, Setting("Seed of the division.", harmless=True)] = 0
    criterion: Annotated[
        str | None, Setting("Criterion of a good answer, for tables without one.", harmless=True)
    ] = None
    columns: Annotated[
        tuple[str, ...],
        Setting(
            "Name a column that is not recognised: answer=response.",
            option="--map",
            metavar="NAME=COLUMN",
            harmless=True,
        ),
    ] = ()
