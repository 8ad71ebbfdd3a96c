"""Output whose grade differs between two runs."""

from __future__ import annotations

from ..conclusion.run_results import ResultStruct


class ChangedVerdict(ResultStruct, frozen=True, kw_only=True):
    """Output whose grade differs between two runs.

    Attributes:
        by: Author of the grade: the checker, or a judge that graded it in both runs.
        before: Grade in the first run: ``pass``, ``fail``, or why there is no score.
        error_type: The fault found in the second run, else in the first.
    """

    case_id: str
    system: str
    trial: int
    by: str
    before: str
    after: str
    error_type: str | None = None
