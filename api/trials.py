"""`fiducial.trials`: pass^k and pass@k over repeated trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from ..calibration.trial_rates import SystemTrials, trial_rates
from ..errors import UsageError
from ..records import nearest
from ..report.text.trials_text import trials_document
from ..spelling import setting
from ..tables.frames import data_frame
from .argument_checks import checked_arguments, require_range
from .display import Document, Framed, Presentation, ResultOnPage, bind_display
from .tables import TableReading, Tables, read_table

if TYPE_CHECKING:
    import pandas as pd

    from ..report.page import ResultPage

_MAX_K = 1_000
"""Maximum k of a rate over k trials."""


class TrialRates(ResultOnPage, Framed, frozen=True):
    """Rates over repeated trials by system: ``trials["careful"].rates["pass^k"][4].low``.

    ``to_frame`` has one row per system, rate and k.
    """

    systems: Mapping[str, SystemTrials]

    def __getitem__(self, system: str) -> SystemTrials:
        if system not in self.systems:
            raise KeyError(f"there is no system {system!r}{nearest(system, self.systems)}")
        return self.systems[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)


def _trials_document(trials: TrialRates) -> Document:
    return trials_document(trials.systems)


def _trials_page(trials: TrialRates) -> ResultPage:
    from ..report.trials_page import trials_page  # noqa: PLC0415 - numbers need no page

    return trials_page(trials.systems)


def _trials_frame(trials: TrialRates) -> pd.DataFrame:
    """Return a row per system, rate and k."""
    return data_frame(
        [
            {
                "system": name,
                "rate": rate,
                "k": k,
                "value": statistic.value,
                "low": statistic.low,
                "high": statistic.high,
                "n": statistic.n,
            }
            for name, system in trials.systems.items()
            for rate, by_k in system.rates.items()
            for k, statistic in by_k.items()
        ]
    )


bind_display(
    TrialRates,
    Presentation(
        make_document=_trials_document,
        make_page=_trials_page,
        make_frame=_trials_frame,
    ),
)


@checked_arguments
def trials(
    table: Tables,
    ks: int | Sequence[int] | None = None,
    *,
    level: float = 0.95,
    **reading: Unpack[TableReading],
) -> TrialRates:
    """Estimate pass^k and pass@k over repeated trials, corrected for the judge's errors.

    pass^k is the chance that k trials of a case all pass, pass@k that at least one does. Checkers' verdicts count unchanged; a
    judge's are corrected with labels if the table has some, since an error in every tenth verdict makes pass^8 far too low or too high.

    Args:
        table: A run with several trials a case, or a table with a column ``trial``.
        ks: One or more numbers of trials; by default the smallest number of graded trials of a case, and the powers of two below it.
        level: Nominal coverage.
        **reading: Options for reading the table: ``labels``, ``map``; see `TableReading`.

    Returns:
        The rates of each system, with intervals clustered by case.

    Raises:
        InputError: The table cannot be used, or every case was tried once.
        UsageError: A k is not a positive number of trials.
    """
    ks = [ks] if isinstance(ks, int) else ks
    if ks is not None and (not ks or any(not 1 <= k <= _MAX_K for k in ks)):
        raise UsageError(
            f"{setting('ks')}: expected numbers from 1 to {_MAX_K:,}, got {', '.join(map(str, ks)) or 'none'}"
        )
    require_range("level", level)
    rows = read_table(table, outputs=True, **reading)
    return TrialRates(trial_rates(rows, None if ks is None else sorted(set(ks)), level=level))
