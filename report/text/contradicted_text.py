"""Systems whose labels are no random sample: their rates by how these may have been chosen."""

from __future__ import annotations

from collections.abc import Mapping

from ...calibration.comparison.comparison_results import ContradictedLabels
from ...spelling import command
from .number_text import counted, listed, statistic

_MOST = 3
"""Most systems whose scenarios are told; more are counted."""


def if_chosen(contradicted: Mapping[str, ContradictedLabels], *, named: bool = True) -> str:
    """Return rates of undecided outputs by how these may have been chosen for labels.

    Systems are named unless there is only one. Empty if no labels are contradicted.
    """
    sentences = [_of_system(name if named else "", each) for name, each in list(contradicted.items())[:_MOST]]
    if len(contradicted) > _MOST:
        sentences.append(f"So are those of {counted(len(contradicted) - _MOST, 'more system')}.")
    return " ".join(sentences)


def _of_system(name: str, found: ContradictedLabels) -> str:
    from .estimation_text import MAYBE_CHOSEN, explained  # noqa: PLC0415 - loads numpy, and labels are seldom contradicted

    columns = [f"{column} (p {p:.2g})" for column, p in found.columns.items()]
    unlike = f"by {listed(columns)}" if columns else f"by score (p {found.p:.2g})"
    text = f"Labelled outputs{f' of {name}' if name else ''} are unlike the others {unlike}, so they are not a random sample"
    known = [
        f"{MAYBE_CHOSEN[chosen_by]} {statistic(rate)}"
        for chosen_by, rate in found.scenarios.items()
        if rate.value is not None
    ]
    if not known:
        return f"{text}: no rate is corrected. {explained(found.explained_by)}"
    return (
        f"{text}. Pass rate of undecided outputs, if they were chosen {', '.join(known)} "
        f"(`{command('estimate', 'RUN', labels_chosen_by='score')}`). {explained(found.explained_by)}"
    )
