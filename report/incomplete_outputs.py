"""Rules for the next step if outputs are missing, crashed, or are code that may not run.

Each returns a step, or None if it does not apply; `next_step` tries them in order.
"""

from __future__ import annotations

from ..evaluation.conclusion.run_summary import RunSummary
from .python_call import named
from .ranking import Answer
from .text.failures_text import crashes_of
from .text.number_text import counted, listed
from .text.safe_text import shortened

_MAX_NAMED = 3
"""Most systems listed with the number of their missing outputs; more are only counted."""

_MAX_ID_LENGTH = 60
"""Most characters of a case's id."""

_MIN_CRASHED_SHARE = 0.05
"""Smallest share of crashed outputs at which fixing the system comes first."""

_MAX_REASON_CHARS = 160
"""Longest reason of a crash."""


def add_missing(summary: RunSummary) -> Answer | None:
    """Propose adding the outputs that systems lack."""
    missing = {system.system: system.missing for system in summary.systems if system.missing}
    if not missing:
        return None
    count = sum(missing.values())
    sentence = f"{counted(count, 'case')} {'has' if count == 1 else 'have'} no output"
    if len(summary.systems) > 1:
        clauses = [f"{name} has none for {counted(n, 'case')}" for name, n in missing.items()]
        sentence = f"{counted(count, 'output')} {'is' if count == 1 else 'are'} missing: {listed(clauses)}"
        if len(missing) > _MAX_NAMED:
            sentence = f"{counted(len(missing), 'system')} lack outputs, {count:,} in all"
    if summary.typed.given("generate", "agent"):
        text = f"{sentence}. The same command generates them:"
        return Answer(text=text, evidence="systems", step=summary.again())
    add = (
        f"Add {'one' if count == 1 else 'them'}, or an `error`, and rerun with a new {named(summary, 'out')}."
    )
    return Answer(text=f"{sentence}{_example_of_missing(summary, count)}. {add}", evidence="systems")


def _example_of_missing(summary: RunSummary, count: int) -> str:
    example = next((system.missing_case for system in summary.systems if system.missing_case), "")
    return f" ({'' if count == 1 else 'such as '}{shortened(example, _MAX_ID_LENGTH)})" if example else ""


def allow_code(summary: RunSummary) -> Answer | None:
    """Propose to allow code if workspaces were not checked because their code may not run."""
    count = sum(system.faults.get("code_not_allowed", 0) for system in summary.systems)
    if not count:
        return None
    text = f"{counted(count, 'output')} not checked, because code may not run."
    allowed = f"{named(summary, 'allow_code')}{'=True' if summary.is_python else ''}"
    return Answer(text=f"{text} Add {allowed} and use a new {named(summary, 'out')}.", evidence="systems")


def fix_crashes(summary: RunSummary) -> Answer | None:
    """Propose fixing a system whose most common failure is a crash, if that is not rare."""
    for system in summary.systems:
        crashes, outputs = crashes_of(system), sum(system.outcomes.get("checker", {}).values())
        if (
            crashes is None
            or crashes.n < max(system.faults.values())
            or crashes.n < _MIN_CRASHED_SHARE * outputs
        ):
            continue
        name = "the agent" if len(summary.systems) == 1 else system.system
        of = f"{crashes.n:,} of {counted(max(outputs, crashes.n), 'time')}"
        text = f"Fix {name}: it crashed {of} ({shortened(crashes.reason, _MAX_REASON_CHARS).rstrip('.')})."
        return Answer(text=text, evidence="items", address=crashes.address)
    return None
