"""Results as data frames."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from ..records import Verdict

_COLUMNS = (
    "case_id",
    "system",
    "trial",
    "by",
    "source",
    "outcome",
    "score",
    "error_type",
    "reason",
    "repeat",
)


def verdicts_frame(verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Verdicts, a row each; ``score`` is NaN where there is none, which ``outcome`` says."""
    rows = [[getattr(verdict, name) for name in _COLUMNS] for verdict in verdicts]
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype({"score": "float64"})
