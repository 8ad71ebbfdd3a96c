"""Settings of `fiducial cases`."""

from pathlib import Path
from typing import Annotated

from ..inputs_settings import OnlySettings
from ..setting import DeclaredSettings, Setting


class CasesAgbenchmarkSettings(OnlySettings):
    """Settings of `fiducial cases agbenchmark`."""

    path: Annotated[Path, Setting(is_argument=True, form="input", required=True)]
    out: Annotated[Path, Setting("The cases file to write (JSON Lines).", form="out file", required=True)]


class CasesAzureSettings(DeclaredSettings):
    """Settings of `fiducial cases azure`."""

    path: Annotated[Path, Setting(is_argument=True, form="input file", required=True)]
    out: Annotated[Path, Setting("The cases file to write (JSON Lines).", form="out file", required=True)]
    outputs_out: Annotated[
        Path | None, Setting("The outputs file to write: the responses.", form="out file")
    ] = None
    criterion: Annotated[
        str | None, Setting("Criterion of a good answer, in a sentence; for open answers.", harmless=True)
    ] = None
    system: Annotated[str, Setting("Name of the system.", harmless=True)] = "logged"


class CasesBfclSettings(OnlySettings):
    """Settings of `fiducial cases bfcl`."""

    path: Annotated[Path, Setting(is_argument=True, form="input", required=True)]
    categories: Annotated[
        tuple[str, ...],
        Setting(
            "Categories or groups of them: non_live, live, multi_turn, memory, web_search, agentic, format_sensitivity, retired, all_scoring (what counts in the overall score), all.",
            option="--category",
            metavar="NAME...",
            harmless=True,
        ),
    ] = ("all_scoring",)
    out: Annotated[Path, Setting("The cases file to write (JSON Lines).", form="out file", required=True)]
    results: Annotated[Path | None, Setting("A result tree, whose answers become outputs.", form="input")] = (
        None
    )
    outputs_out: Annotated[
        Path | None, Setting("The outputs file to write; goes with --results.", form="out file")
    ] = None
    histories_out: Annotated[
        Path | None,
        Setting(
            "Also write the conversations before memory questions, for `fiducial generate --histories`.",
            form="out file",
        ),
    ] = None


class CasesOpenaiSettings(DeclaredSettings):
    """Settings of `fiducial cases openai`."""

    path: Annotated[Path, Setting(is_argument=True, form="input file", required=True)]
    out: Annotated[Path, Setting("The cases file to write (JSON Lines).", form="out file", required=True)]
    outputs_out: Annotated[
        Path | None, Setting("The outputs file to write: the last answers in the log.", form="out file")
    ] = None
    criterion: Annotated[
        str | None,
        Setting("Criterion of a good answer, in a sentence; every case's reference.", harmless=True),
    ] = None
    system: Annotated[str, Setting("Name of the system, for lines without a model.", harmless=True)] = (
        "logged"
    )


class CasesCustomSettings(DeclaredSettings):
    """Settings of `fiducial cases NAME`, for a registered format."""

    path: Annotated[Path, Setting(is_argument=True, form="input", required=True)]
    out: Annotated[Path, Setting("The cases file to write (JSON Lines).", form="out file", required=True)]
    outputs_out: Annotated[Path | None, Setting("The outputs file to write.", form="out file")] = None
