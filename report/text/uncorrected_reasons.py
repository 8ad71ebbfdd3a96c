"""Why labels do not correct a judge's rate: the sentence after an asterisk."""

from __future__ import annotations

from typing import get_args

from ...calibration.label_declarations import RANDOM_SAMPLES, LabelsChosenBy
from ...evaluation.conclusion.run_results import ALL_CORRECTED, StratumRate
from ...spelling import command

_FEW_LABELS = "fewer than two labels of these outputs"
_OWN_RATE = "a judge's own rate; labels correct that of all outputs"
_UNDECLARED = "labels that may be no random sample of these outputs"
_CHOSEN_LABELS = "labels that are not a random sample of these outputs"


def own_rate_reason(overall: StratumRate | None) -> str:
    """Return why a judge's rate is uncorrected in a run without checkers.

    There, labels correct one rate of all judges.

    Args:
        overall: The system's rate of all outputs.
    """
    if overall is None:
        return _FEW_LABELS
    if overall.name == ALL_CORRECTED:
        return _OWN_RATE
    if overall.contradicted is not None or overall.declared not in {None, *RANDOM_SAMPLES}:
        return _CHOSEN_LABELS
    return _FEW_LABELS if overall.if_random is None else _UNDECLARED


def uncorrected_reason(corrected: StratumRate | None) -> str:
    """Return why a judge's rate of undecided outputs is uncorrected.

    Args:
        corrected: The rate that labels give with how they were declared, or None if there are too few.
    """
    if corrected is None:
        return _FEW_LABELS
    if corrected.declared in get_args(LabelsChosenBy):
        estimates = command("estimate", "RUN", labels_chosen_by=corrected.declared)
        return f"{_CHOSEN_LABELS} (`{estimates}` corrects the rate of undecided ones)"
    if corrected.value is None:
        return _CHOSEN_LABELS
    return _UNDECLARED if corrected.declared is None else _CHOSEN_LABELS
