"""Settings of `fiducial calibrate`."""

from pathlib import Path
from typing import Annotated, Literal

from ..labels_settings import ScoreKindsSettings
from ..setting import Setting
from ..tables_settings import OpenChoicesSettings, ResamplingSettings, TablesSettings


class CalibrateSettings(TablesSettings, ScoreKindsSettings, ResamplingSettings, OpenChoicesSettings):
    """Settings of `fiducial calibrate`."""

    interval: Annotated[
        Literal["wilson", "wald", "cluster-t", "bootstrap"] | None,
        Setting(
            "Intervals of another kind, to compare with other software. Default: Wilson on the cluster-effective n for proportions, BCa cluster bootstrap for the rest.",
            harmless=True,
        ),
    ] = None
    slices: Annotated[
        tuple[str, ...],
        Setting("Also print each value of this column.", option="--slice", metavar="COLUMN", harmless=True),
    ] = ()
    label_audit: Annotated[
        Path | None,
        Setting(
            "A person's verdicts (JSONL) on a random sample of the labelled items, to correct for wrong labels.",
            form="input file",
        ),
    ] = None
    label_audit_by: Annotated[
        Literal["double-sampling", "gart-buck"],
        Setting(
            "gart-buck needs no verdicts on the audited items, and holds only if judge and labels share no errors.",
            harmless=True,
        ),
    ] = "double-sampling"
    adjudications: Annotated[
        Path | None,
        Setting(
            "People's decisions on who is right if judge and label differ (`fiducial review --of disagreements`), besides those in run folders.",
            form="input file",
        ),
    ] = None
    max_error: Annotated[
        float | None,
        Setting(
            "Find the confidence above which verdicts are wrong at most this often, guaranteed at 90 %.",
            low=0,
            low_open=True,
            high=1,
            high_open=True,
            harmless=True,
        ),
    ] = None
    cascade: Annotated[
        str | None,
        Setting(
            "Certify a cascade of judges together; each gets the items that earlier ones were unsure of (needs --max-error).",
            metavar="A,B,...",
            harmless=True,
        ),
    ] = None
    levels: Annotated[
        str | None,
        Setting(
            "All values that labels and scores can have (0,0.5,1): adds agreement on these categories.",
            metavar="A,B,...",
            harmless=True,
        ),
    ] = None
    threshold_for: Annotated[
        str | None,
        Setting(
            "Find the --pass-at that maximises STAT, e.g. balanced_accuracy.", metavar="STAT", harmless=True
        ),
    ] = None
    recalibrate: Annotated[
        Literal["isotonic", "platt"] | None,
        Setting(
            "Map scores to rates, and print the Brier score on held-out items before and after.",
            harmless=True,
        ),
    ] = None
    error_costs: Annotated[
        str | None,
        Setting(
            "Costs of a bad output that a judge lets through and of a good one that it rejects (5,1): probabilities pass from A / (A + B) on.",
            metavar="A,B",
            harmless=True,
        ),
    ] = None
    gates: Annotated[
        tuple[str, ...],
        Setting(
            "Exit 1 when a judge's value, not the lower end of its interval, is below VALUE, or undefined.",
            option="--fail-under",
            metavar="STAT=VALUE",
            harmless=True,
        ),
    ] = ()
