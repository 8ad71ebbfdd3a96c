"""Settings of asking judges about outputs, into a run folder."""

from .inputs_settings import CasesSettings, OnlySettings
from .judging_settings import JudgeScaleSettings, JudgingSettings, JurySettings
from .labels_settings import GradesSettings, LabelColumnsSettings
from .results_settings import GatesSettings, JsonSettings, RunFolderSettings


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

    @property
    def generates(self) -> bool:
        """True if a model or an agent generates outputs first."""
        return False
