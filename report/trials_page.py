"""Page of repeated trials: a figure of pass^k and pass@k by k, and every number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..calibration.trial_rates import SystemTrials
from .document import Figure
from .figures.forest_plot import PlottedInterval, forest
from .page import ResultPage
from .text.number_text import counted
from .text.trials_text import trials_document

_MAX_FIGURES = 6
"""Most systems with a figure."""


def trials_page(systems: Mapping[str, SystemTrials]) -> ResultPage:
    """Return the page of rates over trials."""
    trials = sum(system.trials for system in systems.values())
    return ResultPage(
        title="Repeated trials",
        about=f"{counted(len(systems), 'system')}, {counted(trials, 'graded trial')}",
        answer=trials_document(systems),
        figures=list(_figures(systems))[:_MAX_FIGURES],
    )


def _figures(systems: Mapping[str, SystemTrials]) -> Iterator[Figure]:
    """Yield a figure of each system's rates by k, of the k that its first table has."""
    for name, trials in systems.items():
        intervals = [
            PlottedInterval.of(f"{rate[:-1]}{k}", statistic)
            for rate, by_k in trials.rates.items()
            for k, statistic in by_k.items()
            if statistic.value is not None
            and k <= trials.smallest
            and (k == 1 or trials.uncorrectable is None)
        ]
        if intervals and not trials.retried:
            caption = f"{name}: chance that all of k trials pass (pass^k), that one does (pass@k)"
            yield Figure(forest(caption, intervals), caption=caption)
