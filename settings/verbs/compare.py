"""Settings of `fiducial compare`."""

from pathlib import Path
from typing import Annotated, Literal

from ..checking_settings import WorldsSettings
from ..judging_settings import JudgeScaleSettings, JudgingSettings
from ..labels_settings import LabelChoiceSettings, ScoreKindsSettings
from ..setting import Setting
from ..tables_settings import ResamplingSettings, TablesSettings


class CompareSettings(
    TablesSettings,
    ScoreKindsSettings,
    LabelChoiceSettings,
    ResamplingSettings,
    WorldsSettings,
    JudgingSettings,
    JudgeScaleSettings,
):
    """Settings of `fiducial compare`."""

    by: Annotated[
        Literal["judge", "system"],
        Setting(
            "judge: which one is right more often; system: which one passes more often, on checked outputs, on judged ones, and on all.",
            harmless=True,
        ),
    ] = "judge"
    right: Annotated[
        Literal["agrees", "score", "label"] | None,
        Setting(
            "agrees: score and label fall on the same side of --pass-at; score, label: that one passes. Default of judges: agrees, or score if no row has a label. Systems pass by their checkers, and else by judges, unless this says otherwise; agrees compares how well they are judged.",
            harmless=True,
        ),
    ] = None
    against: Annotated[
        str | None, Setting("Compare the others with this one only, not every pair.", metavar="NAME")
    ] = None
    statistic: Annotated[
        str | None,
        Setting(
            "Statistic to compare: any of `fiducial calibrate`. Default of judges: balanced_accuracy if their labels have both classes, else accuracy.",
            harmless=True,
        ),
    ] = None
    error_costs: Annotated[
        str | None,
        Setting(
            "Costs of a bad output that a judge lets through and of a good one that it rejects (5,1): judges are compared by the share of the cost that they avoid.",
            metavar="A,B",
            harmless=True,
        ),
    ] = None
    flips: Annotated[
        int,
        Setting(
            "List up to this many items that differ, per pair.", low=0, harmless=True, shows_default=False
        ),
    ] = 0
    not_worse_by: Annotated[
        float | None,
        Setting(
            "Conclude for each pair: not worse by more than this, worse, or cannot tell; 0.02 is two points. With --against only on the others.",
            metavar="POINTS",
            low=0,
            high=1,
            harmless=True,
        ),
    ] = None
    interval: Annotated[
        Literal["wald", "cluster-t", "bootstrap"] | None,
        Setting(
            "Interval of the difference between judges. Default for shares of the same rows: a t-test over clusters (CR2), or McNemar's mid-p with Tango's interval if items are independent; otherwise a paired BCa cluster bootstrap.",
            harmless=True,
        ),
    ] = None
    judges: Annotated[
        tuple[str, ...],
        Setting(
            "With --by system: ask this judge which of two outputs of a case is better, each first once. preference, preference/VARIANT, or a .prompty file that shows first and second; the tables are run folders.",
            option="--judge",
            metavar="JUDGE",
            harmless=True,
        ),
    ] = ()
    html: Annotated[
        Path | None,
        Setting("Also write a page with figures of the differences and every number.", form="out file"),
    ] = None
    out: Annotated[
        Path | None,
        Setting("With --judge: the folder for its verdicts; the same command resumes it.", form="folder"),
    ] = None
