"""Settings of asking judges about outputs, into a run folder."""

from typing import Annotated

from .inputs_settings import CasesSettings, OnlySettings
from .judging_settings import JudgeScaleSettings, JudgingSettings, JurySettings
from .labels_settings import GradesSettings, LabelColumnsSettings
from .results_settings import GatesSettings, JsonSettings, RunFolderSettings
from .sections import MODEL_ACCESS
from .setting import Setting


class EvaluatingSettings(
    CasesSettings,
    JudgeScaleSettings,
    OnlySettings,
    RunFolderSettings,
    GradesSettings,
    LabelColumnsSettings,
    JurySettings,
    JudgingSettings,
    GatesSettings,
    JsonSettings,
):
    """Settings that `run` and `judge` have in common."""

    retry_unreadable: Annotated[
        int,
        Setting(
            "Later commands on the folder that ask again after unreadable replies.",
            metavar="N",
            low=0,
            high=100,
            section=MODEL_ACCESS,
            harmless=True,
        ),
    ] = 1

    @property
    def generates(self) -> bool:
        """True if a model or an agent generates outputs first."""
        return False
