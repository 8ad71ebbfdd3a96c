"""Settings of judges."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from .access_settings import AccessSettings, DryRunSettings
from .sections import JURIES
from .setting import DeclaredSettings, Setting

JUDGES = Setting(
    "NAME, NAME/VARIANT, or a .prompty file; @MODEL may follow.",
    option="--judge",
    metavar="JUDGE...",
    harmless=True,
)
"""Judges of outputs, for commands that also work without a judge."""

REQUIRED_JUDGES = msgspec.structs.replace(JUDGES, required=True)
"""Judges of outputs, for commands that need at least one judge."""

BATCHED_JUDGES = msgspec.structs.replace(REQUIRED_JUDGES, help="NAME, NAME/VARIANT, or a .prompty file.")
"""Judges of outputs, for commands with one model for all judges: the help mentions no @MODEL."""


class JudgeParametersSettings(DeclaredSettings):
    """Decoding parameters of judges."""

    judge_parameters: Annotated[
        Mapping[str, Any],
        Setting(
            "Override a decoding parameter of the prompt, e.g. reasoning_effort=low; null omits it. May be given several times.",
            option="--judge-parameter",
            metavar="NAME=VALUE",
            form="parameters",
        ),
    ] = {}


class JudgingSettings(JudgeParametersSettings, AccessSettings, DryRunSettings):
    """A judging model, how often and how it is asked."""

    model: Annotated[
        str | None,
        Setting(
            "The judging model; `baseline` is the word overlap baseline, no model.",
            metavar="NAME",
            harmless=True,
        ),
    ] = None
    repeats: Annotated[
        int, Setting("Number of times each output is judged.", low=1, high=100, harmless=True)
    ] = 1
    batch: Annotated[
        bool, Setting("Use the provider's batch endpoint: cheaper, done within a day.", harmless=True)
    ] = False
    poll_seconds: Annotated[
        float, Setting("Seconds between checks of a batch's status.", low=0, harmless=True)
    ] = 30.0

    @property
    def batch_poll_seconds(self) -> float | None:
        """Seconds between checks of a batch, or None if the model is asked directly."""
        return self.poll_seconds if self.batch else None


class JudgeScaleSettings(DeclaredSettings):
    """The scale of prompt files that declare none."""

    scale: Annotated[
        str | None,
        Setting(
            "Scale of a .prompty file that declares none: 1-5, or 5-1 if 1 is the best.",
            metavar="WORST-BEST",
            harmless=True,
        ),
    ] = None


class JurySettings(DeclaredSettings):
    """Several judges as one, and answers judged by statements."""

    jury: Annotated[
        Literal["majority", "mean", "escalate"] | None,
        Setting(
            "Also combine the judges' verdicts and repeats into one; escalate: ask the second judge if the first is unsure.",
            section=JURIES,
            harmless=True,
        ),
    ] = None
    weights: Annotated[
        str | None,
        Setting(
            "Weight of each judge in the jury.  [default: 1 each]",
            metavar="W,W...",
            section=JURIES,
            harmless=True,
        ),
    ] = None
    unsure: Annotated[
        str,
        Setting(
            "Scores of the first judge on which --jury escalate asks the second; 0-0.5 means all that fail.",
            metavar="LOW-HIGH",
            section=JURIES,
            harmless=True,
        ),
    ] = "0.2-0.8"
    split_statements: Annotated[
        bool,
        Setting(
            "Split long answers into statements and judge each (groundedness, custom prompts); each answer also gets one verdict.",
            section=JURIES,
            harmless=True,
        ),
    ] = False
    split_model: Annotated[
        str | None,
        Setting(
            "The model that splits answers.  [default: the judge's]",
            metavar="MODEL",
            section=JURIES,
            harmless=True,
        ),
    ] = None


class PassThresholdsSettings(DeclaredSettings):
    """The lowest score that passes."""

    pass_at: Annotated[
        Mapping[str, float],
        Setting(
            "Lowest score that passes, in (0, 1]: for every judge, or for one (groundedness=1); may be given several times.  [default: each judge's own, else 0.5]",
            metavar="[JUDGE=]SCORE",
            form="pass at",
            harmless=True,
        ),
    ] = {}
