"""Settings of `fiducial prompts`."""

from pathlib import Path
from typing import Annotated

from ..checking_settings import WorldsSettings
from ..judging_settings import JudgeScaleSettings
from ..setting import DeclaredSettings, Setting


class PromptsCheckSettings(JudgeScaleSettings):
    """Settings of `fiducial prompts check`."""

    files: Annotated[tuple[Path, ...], Setting(is_argument=True, form="input file", required=True)]


class PromptsFlowSettings(DeclaredSettings):
    """Settings of `fiducial prompts flow`."""

    judge: Annotated[str, Setting(is_argument=True, required=True)]
    out: Annotated[Path, Setting("The folder of the flow.", form="out folder", required=True)]
    dag: Annotated[
        bool, Setting("Write flow.dag.yaml with a variant per prompt, instead of flow.flex.yaml.")
    ] = False
    model: Annotated[str, Setting("With --dag: the model for rows that name none.", harmless=True)] = (
        "gpt-4.1-mini"
    )


class PromptsImportSettings(DeclaredSettings):
    """Settings of `fiducial prompts import`."""

    file: Annotated[Path, Setting(is_argument=True, form="input file", required=True)]
    out: Annotated[Path, Setting("The prompt file to write.", form="out file", required=True)]
    inputs: Annotated[
        tuple[str, ...],
        Setting(
            "An input to judge, or a mapping to the prompt's own name, e.g. answer=response; may be given several times.",
            option="--input",
            metavar="[THEIRS=]OURS",
            harmless=True,
        ),
    ] = ()
    scale: Annotated[
        str | None,
        Setting(
            "Possible scores, e.g. 1-5; or 5-1 if 1 is the best.  [default for chat messages: 0-1]",
            metavar="WORST-BEST",
            harmless=True,
        ),
    ] = None
    step: Annotated[
        float | None,
        Setting(
            "Distance of neighbouring scores, e.g. 1 for whole numbers.  [default: any number in between is a score]",
            low=0,
            low_open=True,
            harmless=True,
        ),
    ] = None


class PromptsListSettings(DeclaredSettings):
    """Settings of `fiducial prompts list`."""

    as_json: Annotated[bool, Setting("Print JSON.", option="--json")] = False


class PromptsRenderSettings(JudgeScaleSettings, WorldsSettings):
    """Settings of `fiducial prompts render`."""

    judge: Annotated[str, Setting(is_argument=True, required=True)]
    cases: Annotated[
        Path, Setting("The cases file (JSON Lines).", aliases=("--case",), form="input file", required=True)
    ]
    outputs: Annotated[Path | None, Setting("Outputs of the systems (JSON Lines).", form="input file")] = None
    case_id: Annotated[str, Setting("Id of the case.", option="--id", harmless=True, required=True)]
    system: Annotated[str | None, Setting("System of the output.  [default: the first]", harmless=True)] = (
        None
    )
    trial: Annotated[int, Setting("Trial of the output.", harmless=True)] = 0
    as_json: Annotated[bool, Setting("Print the request body.", option="--json")] = False


class PromptsShowSettings(DeclaredSettings):
    """Settings of `fiducial prompts show`."""

    judge: Annotated[str, Setting(is_argument=True, required=True)]
