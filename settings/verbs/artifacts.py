"""Settings of `fiducial artifacts`."""

from pathlib import Path
from typing import Annotated, Literal

from ..checking_settings import WorkspacesSettings
from ..inputs_settings import OnlySettings
from ..setting import DeclaredSettings, Setting


class ArtifactsDoctorSettings(DeclaredSettings):
    """Settings of `fiducial artifacts doctor`."""


class ArtifactsPrepareSettings(OnlySettings):
    """Settings of `fiducial artifacts prepare`."""

    cases: Annotated[Path, Setting(is_argument=True, form="input file", required=True)]
    out: Annotated[
        Path, Setting("Folder for workspaces and outputs.jsonl.", form="out folder", required=True)
    ]
    system: Annotated[str | None, Setting("Name of the agent in outputs and verdicts.", harmless=True)] = None


class ArtifactsRunSettings(OnlySettings, WorkspacesSettings):
    """Settings of `fiducial artifacts run`."""

    cases: Annotated[Path, Setting(is_argument=True, form="input file", required=True)]
    agent: Annotated[
        str | None,
        Setting("The agent's command line; {task} and {workspace} are filled in.", metavar="COMMAND"),
    ] = None
    mock: Annotated[
        bool, Setting("Run no agent; test every challenge with its own solution.", harmless=True)
    ] = False
    tests: Annotated[
        tuple[str, ...],
        Setting(
            "Only challenges of this name, as in agbenchmark; may be given several times.",
            option="--test",
            metavar="NAME",
        ),
    ] = ()
    out: Annotated[
        Path, Setting("Output folder; the same command resumes it.", form="out folder", required=True)
    ]
    system: Annotated[str | None, Setting("Name of the agent in outputs and verdicts.", harmless=True)] = None
    cutoff: Annotated[
        float | None,
        Setting(
            "Time limit of the agent per challenge, instead of the challenge's own.",
            metavar="SECONDS",
            low=0,
            low_open=True,
            harmless=True,
        ),
    ] = None
    trials: Annotated[
        int,
        Setting(
            "Attempts at each challenge, each in its own workspace; FIDUCIAL_TRIAL has the number.",
            low=1,
            high=1000,
            harmless=True,
        ),
    ] = 1
    rules: Annotated[
        Literal["bfcl", "strict"],
        Setting("strict: no file of a workspace stands in for a library or a hidden test.", harmless=True),
    ] = "strict"
