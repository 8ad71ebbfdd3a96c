"""Settings of `fiducial estimate`."""

from pathlib import Path
from typing import Annotated, Literal

from ..labels_settings import LabelChoiceSettings, ScoreKindsSettings
from ..setting import Setting
from ..tables_settings import OpenChoicesSettings, TablesSettings


class EstimateSettings(TablesSettings, ScoreKindsSettings, LabelChoiceSettings, OpenChoicesSettings):
    """Settings of `fiducial estimate`."""

    judge: Annotated[
        str | None,
        Setting("Judge whose scores to use, if the table has several.", metavar="NAME", harmless=True),
    ] = None
    interval: Annotated[
        Literal["score", "logit", "wald"],
        Setting(
            "score: Wilson's on the effective n, reliable with few labels and clusters; logit: as published, clustered; wald: treats items as independent.",
            harmless=True,
        ),
    ] = "score"
    target: Annotated[
        Literal["population", "finite"],
        Setting("Rate of the population behind the items, or of just these items.", harmless=True),
    ] = "population"
    anytime: Annotated[
        bool,
        Setting(
            "Give an interval that holds at every look, whenever you stop adding labels (a confidence sequence by betting). Labels are a plain random sample; rounds are --labels files, draws or `labels add`.",
            harmless=True,
        ),
    ] = False
    draw: Annotated[
        tuple[Path, ...],
        Setting(
            "Draw probabilities of the labelled items, from `fiducial plan --next --out`; one file per round, in order.",
            form="input file",
        ),
    ] = ()
    strata: Annotated[
        str | None,
        Setting(
            "Also estimate by stratum: a column of few values, `score` or, for a run, a tag of its cases. Needed for labels drawn by `fiducial plan --strata`; makes others more precise, too.",
            metavar="COLUMN",
            harmless=True,
        ),
    ] = None
    phases: Annotated[
        str | None,
        Setting(
            "Judges of nested random samples, the one with most items first: combine them, as `fiducial plan --budget` planned.",
            metavar="JUDGE,JUDGE",
            harmless=True,
        ),
    ] = None
    judges: Annotated[
        str | None,
        Setting(
            "Also combine these judges by a regression on the labels; the first is the judge of the other estimates.",
            metavar="JUDGE,JUDGE",
        ),
    ] = None
    reweight_by: Annotated[
        str | None,
        Setting(
            "Also reweight labels by the columns that decided which items got one, such as a category. Map a column of numbers first: --map covariate:length=length.",
            metavar="COLUMN,COLUMN",
        ),
    ] = None
    open_worse_by: Annotated[
        float | None,
        Setting(
            "Correct undecided (open) outputs by the judge's errors on checked ones, if its TPR and TNR on undecided ones are lower by at most this much: 0.1 is ten points.",
            metavar="POINTS",
            low=0,
            high=1,
        ),
    ] = None
