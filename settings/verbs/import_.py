"""Settings of `fiducial import`."""

from pathlib import Path
from typing import Annotated, Literal

from ..labels_settings import GradesSettings, HeaderSettings, ScoreScalesSettings
from ..setting import Setting


class ImportSettings(GradesSettings, ScoreScalesSettings, HeaderSettings):
    """Settings of `fiducial import`."""

    paths: Annotated[tuple[str, ...], Setting(is_argument=True, metavar="[SOURCE] PATH...", required=True)]
    out: Annotated[
        Path | None,
        Setting("The folder for the records; needed unless --explain is given.", form="out folder"),
    ] = None
    explain: Annotated[
        bool,
        Setting(
            "PATH is the folder of an import: print the command that names the columns it was read with.",
            harmless=True,
        ),
    ] = False
    as_: Annotated[
        str | None,
        Setting(
            "Format of PATH.  [default: from the content]", option="--as", metavar="SOURCE", harmless=True
        ),
    ] = None
    columns: Annotated[
        tuple[str, ...],
        Setting(
            "Name a column that is not recognised: answer=response; fields are query, response, accepted_answers, context, score and others.",
            option="--map",
            metavar="NAME=NAME",
            harmless=True,
        ),
    ] = ()
    criterion: Annotated[
        str | None, Setting("Criterion of a good answer, for cases without a reference.", harmless=True)
    ] = None
    system: Annotated[
        str | None,
        Setting("One system name for all outputs.  [default: from the file]", metavar="NAME", harmless=True),
    ] = None
    unit: Annotated[
        Literal["session", "turn"],
        Setting(
            "session: a conversation is one case, with the calls of all turns; turn: each turn is a case."
        ),
    ] = "session"
    join: Annotated[
        Path | None,
        Setting(
            "Table of references by id, with columns such as expected_calls, accepted_answers, criterion, label.",
            metavar="TABLE",
            form="input file",
        ),
    ] = None
    grade_by: Annotated[
        Literal["reference", "context"],
        Setting(
            "reference: grade by accepted answers where there are some; context: by the context before them, for judges of groundedness."
        ),
    ] = "reference"
    as_json: Annotated[bool, Setting("Print the summary as JSON.", option="--json")] = False
