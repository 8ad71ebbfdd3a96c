"""Settings of where results go."""

from pathlib import Path
from typing import Annotated, Literal

from .judging_settings import PassThresholdsSettings
from .setting import DeclaredSettings, Setting


class RunFolderSettings(PassThresholdsSettings):
    """Where a run goes, and labels that go with it."""

    labels: Annotated[
        Path | None,
        Setting(
            "Trusted verdicts of people or by construction (JSON Lines).",
            form="labels of one file",
            harmless=True,
        ),
    ] = None
    out: Annotated[
        Path,
        Setting(
            "The run folder; the same command resumes it.  [required without --dry-run]",
            form="run folder unless dry run",
        ),
    ]
    accept_edited: Annotated[bool, Setting("Accept a run folder whose verdicts were edited by hand.")] = False


class JsonSettings(DeclaredSettings):
    """The result as JSON."""

    json_file: Annotated[
        str | None,
        Setting(
            "Also write the result as JSON to FILE; without FILE, or with -, print JSON instead.",
            option="--json",
            metavar="[FILE]",
            form="json",
        ),
    ] = None


class VerboseSettings(DeclaredSettings):
    """Everything instead of one screen."""

    verbose: Annotated[
        bool, Setting("Print everything instead of one screen.", short="-v", form="verbose", harmless=True)
    ] = False


class VerbositySettings(DeclaredSettings):
    """Amount of what is printed."""

    verbose: Annotated[
        bool, Setting("Print everything instead of one screen.", short="-v", harmless=True)
    ] = False
    quiet: Annotated[bool, Setting("Print only failed gates.", short="-q", harmless=True)] = False


class GatesSettings(VerbositySettings):
    """When a run fails."""

    fail_under: Annotated[
        tuple[str, ...],
        Setting(
            "Exit 1 when the value of a statistic, not the lower end of its interval, is below VALUE (or undefined): pass_rate=0.8 (of checked outputs), overall=0.8 (of all outputs), or one of each judge, cohen_kappa=0.6. `fiducial gate --min` goes by the lower end.",
            metavar="STAT=VALUE",
            harmless=True,
        ),
    ] = ()
    ungraded: Annotated[
        Literal["fail", "ignore"],
        Setting(
            "What missing, unreadable and refused outputs are to --fail-under overall=: failures, or left out.",
            harmless=True,
        ),
    ] = "fail"
    min_graded: Annotated[
        float | None,
        Setting("Exit 1 when less than this share is graded.", metavar="SHARE", low=0, high=1, harmless=True),
    ] = None
