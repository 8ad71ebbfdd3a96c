"""Cascades: a judge is asked only where an earlier one may not decide alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import UsageError
from ..spelling import setting
from .paths import FilePath, folder_path

if TYPE_CHECKING:
    from ..evaluation.run_plan import Plan


def after_first_judge(plan: Plan, unsure_of: FilePath | None, max_error: float | None) -> Plan:
    """Return a plan that asks only about outputs that an earlier judge may not decide alone.

    Args:
        plan: The plan.
        unsure_of: The earlier run; None to leave the plan as it is.
        max_error: Maximum error rate of the verdicts that are kept.

    Raises:
        UsageError: Only one of the two is given.
        InputError: The run has no judge, or no labels.
    """
    if (unsure_of is None) != (max_error is None):
        raise UsageError(f"{setting('unsure_of', 'RUN')} and {setting('max_error')} go together")
    if unsure_of is None or max_error is None:
        return plan
    from ..evaluation.past_runs.certified_part import sent_on_from  # noqa: PLC0415 - most runs are no cascades
    from ..evaluation.store.run_store import RunStore  # noqa: PLC0415 - as above
    from ..report.text.cascade_text import cascade_notes  # noqa: PLC0415 - as above

    with RunStore(folder_path(unsure_of)) as store:
        sent_on = sent_on_from(store, max_error)
    return msgspec.structs.replace(plan, sent_on=sent_on, notes=[*plan.notes, *cascade_notes(sent_on.part)])
