"""Settings of `fiducial bfcl`."""

from pathlib import Path
from typing import Annotated, Literal

from ..access_settings import AccessSettings, DryRunSettings
from ..generating_settings import WorkingSettings
from ..results_settings import JsonSettings
from ..setting import Setting


class BfclGenerateSettings(WorkingSettings, AccessSettings, DryRunSettings):
    """Settings of `fiducial bfcl generate`."""

    data: Annotated[
        Path,
        Setting(
            "BFCL's data: a folder with its files, a bfcl_eval-*.whl, or a checkout of the repository.",
            metavar="PATH",
            form="input",
            required=True,
        ),
    ]
    model: Annotated[
        str, Setting("The model that works on the entries.", metavar="NAME", harmless=True, required=True)
    ]
    results: Annotated[
        Path, Setting("The result tree; the same command resumes it.", form="out folder", required=True)
    ]
    system: Annotated[
        str | None, Setting("Name of the system's folder.  [default: the model's name]", harmless=True)
    ] = None
    categories: Annotated[
        tuple[str, ...],
        Setting(
            "A category, or a group of them (live, multi_turn, ...); may be given several times.",
            option="--category",
            aliases=("--test-category",),
            metavar="NAME",
            harmless=True,
        ),
    ] = ("all_scoring",)
    count_failures: Annotated[
        bool,
        Setting(
            "Write entries whose call failed as BFCL does, which scores them 0.  [default: no result; retried]",
            harmless=True,
        ),
    ] = False
    search: Annotated[
        str | None,
        Setting("The web: pages as JSON Lines or a folder, or a search service.", metavar="CORPUS|URL"),
    ] = None
    embedding_model: Annotated[
        str | None,
        Setting(
            "Model of the vector memory, at the same endpoint.  [default: hashed words]",
            metavar="NAME",
            harmless=True,
        ),
    ] = None


class BfclScoreSettings(JsonSettings):
    """Settings of `fiducial bfcl score`."""

    data: Annotated[
        Path,
        Setting(
            "BFCL's data: a folder with its files, a bfcl_eval-*.whl, or a checkout of the repository.",
            metavar="PATH",
            form="input",
            required=True,
        ),
    ]
    results: Annotated[
        Path,
        Setting("Result tree: <system>/<group>/BFCL_v4_<category>_result.json.", form="input", required=True),
    ]
    scores: Annotated[
        Path, Setting("Folder for score files and CSV files.", form="out folder", required=True)
    ]
    names: Annotated[
        Literal["dotted", "underscored", "auto"],
        Setting(
            "Form in which systems saw function names with dots; auto: by each system's results.",
            harmless=True,
        ),
    ] = "auto"
    mode: Annotated[
        Literal["prompt", "fc", "auto"],
        Setting(
            "Text, or native function calls; with auto, a stored list is native calls and a text is text.",
            harmless=True,
        ),
    ] = "auto"
    partial: Annotated[bool, Setting("Score the entries that have a result.", harmless=True)] = False
    rules: Annotated[
        Literal["bfcl", "strict"],
        Setting("strict: without BFCL's known faults; bfcl: exactly the original's verdicts.", harmless=True),
    ] = "bfcl"
    categories: Annotated[
        tuple[str, ...],
        Setting(
            "Score only this category, or group of them (live, multi_turn, ...); may be given several times.",
            option="--category",
            aliases=("--test-category",),
            metavar="NAME",
            harmless=True,
        ),
    ] = ()
    models: Annotated[
        tuple[str, ...],
        Setting(
            "Score only this system's folder; may be given several times.",
            option="--model",
            metavar="NAME",
            harmless=True,
        ),
    ] = ()
    price: Annotated[
        tuple[str, ...],
        Setting(
            "Dollars for a million tokens: fills the cost column.", metavar="[MODEL=]IN/OUT", harmless=True
        ),
    ] = ()
