"""Settings of `fiducial plan`."""

from pathlib import Path
from typing import Annotated

from ..labels_settings import GradesSettings, ScoreScalesSettings
from ..results_settings import VerboseSettings
from ..sections import BUDGET, DIFFERENCE, DRAW, INTERVAL
from ..setting import Setting
from ..tables_settings import LabelTablesSettings


class PlanSettings(LabelTablesSettings, GradesSettings, ScoreScalesSettings, VerboseSettings):
    """Settings of `fiducial plan`."""

    tables: Annotated[tuple[Path, ...], Setting(is_argument=True, metavar="[TABLE]...", form="input")] = ()
    half_width: Annotated[
        float | None,
        Setting(
            "Labels for intervals this narrow.",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            section=INTERVAL,
            harmless=True,
        ),
    ] = None
    tpr: Annotated[
        float | None,
        Setting(
            "Expected true positive rate of the judge.  [default: by the labels of TABLE, else 0.9]",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            section=INTERVAL,
            harmless=True,
        ),
    ] = None
    tnr: Annotated[
        float | None,
        Setting(
            "Expected true negative rate.  [default: as --tpr]",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            section=INTERVAL,
            harmless=True,
        ),
    ] = None
    prevalence: Annotated[
        float | None,
        Setting(
            "Expected share of right outputs.  [default: by the labels of TABLE, else 0.5]",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            section=INTERVAL,
            harmless=True,
        ),
    ] = None
    unlabelled: Annotated[
        int | None,
        Setting(
            "Judged items without a label, for the corrected rate.", low=1, section=INTERVAL, harmless=True
        ),
    ] = None
    assurance: Annotated[
        float,
        Setting(
            "Share of samples whose interval should be as narrow as --half-width.",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            section=INTERVAL,
            harmless=True,
        ),
    ] = 0.8
    on_average: Annotated[
        bool,
        Setting(
            "Plan for intervals that are this narrow on average, that is in about half of the samples: the textbook's sizes.",
            section=INTERVAL,
            harmless=True,
        ),
    ] = False
    difference: Annotated[
        float | None,
        Setting(
            "Items to find this difference between two judges.",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            section=DIFFERENCE,
            harmless=True,
        ),
    ] = None
    discordant: Annotated[
        float,
        Setting(
            "Share of items on which only one of them is right.",
            low=0,
            low_open=True,
            high=1,
            section=DIFFERENCE,
            harmless=True,
        ),
    ] = 0.2
    power: Annotated[
        float,
        Setting(
            "Power to find it.",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            section=DIFFERENCE,
            harmless=True,
        ),
    ] = 0.8
    budget: Annotated[
        float | None,
        Setting(
            "Dollars to spend for the narrowest interval: how many outputs to check, to judge by a cheap and by an expensive judge, and to label. TABLE is then a pilot with labels of undecided outputs.",
            low=0,
            low_open=True,
            section=BUDGET,
            harmless=True,
        ),
    ] = None
    costs: Annotated[
        tuple[str, ...],
        Setting(
            "Cost of one output at a step: check, cheap, expensive or label.  [check: 0]",
            option="--cost",
            metavar="STEP=DOLLARS",
            section=BUDGET,
            harmless=True,
        ),
    ] = ()
    of: Annotated[
        int | None,
        Setting("Number of outputs available.  [default: any number]", low=1, section=BUDGET, harmless=True),
    ] = None
    cheap: Annotated[
        str | None,
        Setting(
            "The cheap judge: expected rates, or its name in the pilot.",
            metavar="TPR,TNR|JUDGE",
            section=BUDGET,
            harmless=True,
        ),
    ] = None
    expensive: Annotated[
        str | None,
        Setting(
            "The expensive judge: expected rates, or its name in the pilot.",
            aliases=("--dear",),
            metavar="TPR,TNR|JUDGE",
            section=BUDGET,
            harmless=True,
        ),
    ] = None
    decided: Annotated[
        float,
        Setting(
            "Expected share of outputs that checkers decide, without a pilot.",
            low=0,
            high=1,
            high_open=True,
            section=BUDGET,
            harmless=True,
        ),
    ] = 0.0
    decided_rate: Annotated[
        float, Setting("Expected share of those that pass.", low=0, high=1, section=BUDGET, harmless=True)
    ] = 0.5
    rows_per_cluster: Annotated[
        float, Setting("Rows that depend on each other, on average.", low=1, harmless=True)
    ] = 1.0
    icc: Annotated[float, Setting("Correlation within clusters.", low=0, high=1, harmless=True)] = 0.0
    draw: Annotated[
        int | None,
        Setting(
            "Draw this many items of TABLE to label next; from a run folder, undecided outputs.",
            option="--next",
            low=1,
            section=DRAW,
            harmless=True,
        ),
    ] = None
    by_doubt: Annotated[
        bool,
        Setting(
            "Draw uncertain items more often; pass the chances to `fiducial estimate --draw`.",
            section=DRAW,
            harmless=True,
        ),
    ] = False
    strata: Annotated[
        str | None,
        Setting(
            "Draw from strata by Neyman's allocation, so that each has at least ten labels: a column of few values, `score` or, for a run, a tag of its cases. Pass the same to `fiducial estimate --strata`.",
            metavar="COLUMN",
            section=DRAW,
            harmless=True,
        ),
    ] = None
    out: Annotated[
        Path | None,
        Setting(
            "Write the items, and their chances, as JSON Lines.",
            metavar="FILE",
            form="out file",
            section=DRAW,
        ),
    ] = None
    judge: Annotated[
        str | None,
        Setting(
            "Judge whose rates or doubt count, if the table has several.",
            metavar="NAME",
            section=DRAW,
            harmless=True,
        ),
    ] = None
    seed: Annotated[int, Setting("Seed of the draw.", harmless=True)] = 0
    as_json: Annotated[bool, Setting("Print JSON.", option="--json")] = False
