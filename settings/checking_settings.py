"""Settings of checkers."""

from pathlib import Path
from typing import Annotated, Literal

from .sections import NAMES, WORKSPACES
from .setting import DeclaredSettings, Setting


class WorkspacesSettings(DeclaredSettings):
    """Workspaces of files."""

    allow_code: Annotated[
        bool,
        Setting(
            "Run code of workspaces in a sandbox; otherwise challenges that need it are ungraded.",
            section=WORKSPACES,
        ),
    ] = False
    files: Annotated[
        Literal["any", "all"],
        Setting(
            "any: one right file of a workspace passes; all: every file the challenge names must be right.",
            section=WORKSPACES,
            harmless=True,
        ),
    ] = "any"
    case_insensitive: Annotated[
        bool, Setting("Ignore case when searching workspaces for words.", section=WORKSPACES, harmless=True)
    ] = False
    whole_word: Annotated[
        bool, Setting("Match whole words in workspaces.", section=WORKSPACES, harmless=True)
    ] = False
    code_timeout: Annotated[
        float,
        Setting(
            "Time limit of a workspace's script.",
            metavar="SECONDS",
            low=0,
            low_open=True,
            high=3600,
            section=WORKSPACES,
            harmless=True,
        ),
    ] = 60.0


class NamesSettings(WorkspacesSettings):
    """Names, functions and environments that calls use, for commands that check workspaces, too."""

    names: Annotated[
        Literal["dotted", "underscored", "auto"],
        Setting("Form in which systems saw function names with dots.", section=NAMES, harmless=True),
    ] = "auto"
    functions: Annotated[
        tuple[str, ...],
        Setting("Functions that calls may execute.", metavar="MODULE|FILE.py:NAME", section=NAMES),
    ] = ()
    worlds: Annotated[
        tuple[str, ...],
        Setting(
            "A custom environment.", option="--environment", metavar="MODULE|FILE.py:CLASS", section=NAMES
        ),
    ] = ()


class RulesSettings(NamesSettings):
    """Rules of checkers, and corrected references."""

    rules: Annotated[
        Literal["bfcl", "strict"],
        Setting("strict: without BFCL's known faults; bfcl: exactly the original's verdicts.", harmless=True),
    ] = "strict"
    text: Annotated[
        Literal["exact", "loose"] | None,
        Setting(
            "How strict rules compare texts in calls where neither the case nor the schema says it: loose ignores case, punctuation "
            "and blanks.  [default: leave a difference of form undecided]",
            harmless=True,
        ),
    ] = None
    labels_patch: Annotated[
        Path | None,
        Setting(
            "Corrected references of cases (`fiducial labels export`); the corrected cases are written beside --out.",
            form="input file",
        ),
    ] = None


class WorldsSettings(DeclaredSettings):
    """Custom environments, for commands without the other settings of `NamesSettings`."""

    worlds: Annotated[
        tuple[str, ...],
        Setting("A custom environment.", option="--environment", metavar="MODULE|FILE.py:CLASS"),
    ] = ()


class WorkersSettings(DeclaredSettings):
    """Processes that check."""

    workers: Annotated[
        int | None,
        Setting(
            "Processes that check; results do not depend on it.  [default: the cores, if that is faster]",
            metavar="N",
            low=1,
            harmless=True,
        ),
    ] = None
