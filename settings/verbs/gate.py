"""Settings of `fiducial gate`."""

from pathlib import Path
from typing import Annotated, Literal

from ..labels_settings import LabelChoiceSettings
from ..results_settings import JsonSettings, VerboseSettings
from ..setting import Setting


class GateSettings(LabelChoiceSettings, JsonSettings, VerboseSettings):
    """Settings of `fiducial gate`."""

    runs: Annotated[
        tuple[Path, ...], Setting(is_argument=True, metavar="[BEFORE] AFTER", form="input", required=True)
    ]
    before: Annotated[
        Path | None, Setting("The run to compare with, instead of naming it first.", form="input")
    ] = None
    minimum: Annotated[
        tuple[str, ...],
        Setting(
            "Least rate, by the lower end of its interval: overall=0.8 (all outputs), pass_rate=0.8 (checked ones, and missing ones as ungraded), pass^4=0.5, rubric=0.7 (mean score of rubrics); of cases with a tag, risk=high:overall=0.9. May be given several times.",
            option="--min",
            metavar="[TAG:]STAT=VALUE",
            harmless=True,
        ),
    ] = ()
    max_drop: Annotated[
        float | None,
        Setting(
            "Most that the rate of all outputs may drop: 0.02 is two points, as in `compare --not-worse-by`.  [default with a run before and no other limit: 0]",
            metavar="POINTS",
            low=0,
            high=1,
            harmless=True,
        ),
    ] = None
    no_new_failures: Annotated[
        tuple[str, ...],
        Setting(
            "Cases with this tag, in either run, that passed before must pass; without a run before, all of them. TAG is a name or NAME=VALUE.",
            metavar="TAG",
            harmless=True,
        ),
    ] = ()
    max_ungraded: Annotated[
        float | None,
        Setting(
            "Largest share of a system's outputs that may be ungraded or missing.",
            metavar="SHARE",
            low=0,
            high=1,
            harmless=True,
        ),
    ] = None
    cost_at_most: Annotated[
        float | None,
        Setting("Most dollars that the judges may have cost.", metavar="DOLLARS", low=0, harmless=True),
    ] = None
    judge_error: Annotated[
        float | None,
        Setting(
            "Most by which errors of a judge that labels do not correct may shift a rate, or a change between runs: 0.05; 0 takes its verdicts as right.  [default: unknown, so that they settle nothing]",
            metavar="POINTS",
            low=0,
            high=1,
            harmless=True,
        ),
    ] = None
    cannot_tell: Annotated[
        Literal["pass", "fail"] | None,
        Setting(
            "End with 0 or 1 where the data cannot tell.  [default: 4]; a run without a graded output ends with 4, whatever this says.",
            harmless=True,
        ),
    ] = None
    graded_by: Annotated[
        str | None,
        Setting(
            "Whose grades count in a file of another tool, or whose scores of rubrics, if several graded.",
            metavar="NAME",
            harmless=True,
        ),
    ] = None
    markdown: Annotated[
        bool, Setting("Print Markdown for a pull request: the regressions, and who says so.", harmless=True)
    ] = False
    junit: Annotated[
        Path | None, Setting("Also write the conditions as JUnit XML.", metavar="FILE", form="out file")
    ] = None
    annotations: Annotated[
        bool,
        Setting("Also print what failed, and regressions, as annotations of GitHub Actions.", harmless=True),
    ] = False
