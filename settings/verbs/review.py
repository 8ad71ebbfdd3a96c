"""Settings of `fiducial review`."""

from pathlib import Path
from typing import Annotated, Literal

from ..labels_settings import LabelChoiceSettings
from ..setting import Setting


class ReviewSettings(LabelChoiceSettings):
    """Settings of `fiducial review`."""

    run: Annotated[Path, Setting(is_argument=True, form="existing folder", required=True)]
    sample: Annotated[
        Literal["open", "decided", "doubt", "suspected"],
        Setting(
            "open: random undecided outputs (no checker decided them), to correct rates; decided: random checked ones, to audit checkers; doubt: undecided ones, likelier if the judge is unsure; suspected: the outputs of --of suspects, to label anew.",
            harmless=True,
        ),
    ] = "open"
    of: Annotated[
        Literal["disagreements", "survivors", "suspects"] | None,
        Setting(
            "Instead of --sample: decide between label and judge, shown unnamed. disagreements: outputs on which they differ; survivors: faults that every judge of an audit but the baseline missed; suspects: outputs whose label most judges contradict.",
            harmless=True,
        ),
    ] = None
    agreements: Annotated[
        int,
        Setting(
            "With --of: add outputs on which label and judges agree, to measure how often both err.",
            low=0,
            high=1000,
            harmless=True,
        ),
    ] = 20
    count: Annotated[int, Setting("Number of outputs.", option="--n", low=1, high=1000, harmless=True)] = 50
    seed: Annotated[int, Setting("Seed of the draw.", harmless=True)] = 0
    judge: Annotated[
        str | None,
        Setting(
            "Only outputs that this judge graded; with --sample doubt, the judge in doubt.",
            metavar="NAME",
            harmless=True,
        ),
    ] = None
    name: Annotated[
        str,
        Setting(
            "Name of the person; outputs they have labelled are skipped.  [default: all labelled outputs are skipped]",
            option="--by",
            metavar="NAME",
            harmless=True,
            shows_default=False,
        ),
    ] = ""
    out: Annotated[Path | None, Setting("The page.  [default: in the run folder]", form="out file")] = None
    accept_edited: Annotated[bool, Setting("Accept a run that was edited by hand; the page says so.")] = False
    labels: Annotated[
        tuple[Path, ...],
        Setting("Import labels into the run.", option="--add", metavar="FILE...", form="input file"),
    ] = ()
    as_json: Annotated[bool, Setting("Print JSON.", option="--json")] = False
