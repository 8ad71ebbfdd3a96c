"""Ungraded outputs in words: verdicts not given, the reasons, and what rates may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...calibration.comparison.comparison_results import ComparedStratum
from ...calibration.intervals.closed_forms import wilson_interval
from ...evaluation.conclusion.run_results import JudgeUse, SystemResult
from ...records import Outcome
from . import number_text
from .safe_text import shortened

_MAX_REASON_CHARS = 240
"""Longest reason for a missing verdict."""


def outputs_to_judge(use: JudgeUse) -> int:
    """Return how many outputs a judge was to grade: all but those that it is not for."""
    return sum(use.outcomes.values()) - use.outcomes.get("not_applicable", 0)


def never_answered(judges: Sequence[JudgeUse]) -> list[JudgeUse]:
    """Return the judges all of whose calls failed."""
    return [use for use in judges if use.outcomes.get("failed", 0) == outputs_to_judge(use) > 0]


def reason_of_failed_calls(judges: Sequence[JudgeUse]) -> str:
    """Return the first reason why calls failed, such as a wrong key; empty without failed calls."""
    return next((reason.rstrip(".") for use in judges for reason in use.reasons.get("failed", ())), "")


def ungraded_lines(judges: Sequence[JudgeUse], *, printed_reason: str = "") -> Iterator[str]:
    """Yield a line on what each judge did not grade and why; judges with equal texts share one.

    Args:
        judges: What the judges did.
        printed_reason: A reason that is printed elsewhere and not repeated.
    """
    names_by_text: dict[str, list[str]] = {}
    for use in judges:
        if text := _ungraded_outcomes(use, judges, printed_reason):
            names_by_text.setdefault(text, []).append(use.name)
    for text, names in sorted(names_by_text.items()):
        yield f"{names[0] if len(names) == 1 else number_text.counted(len(names), 'judge')}: {text}"


def ungraded_share_lines(systems: Sequence[SystemResult]) -> Iterator[str]:
    """Yield systems whose share of unreadable and refused replies is clearly above the others'."""
    counts = {
        system.system: (sum(system.withheld.values()), system.overall.of - system.missing)
        for system in systems
        if system.overall is not None and system.overall.of > system.missing
    }
    for name, (withheld, outputs) in counts.items():
        others = [pair for other, pair in counts.items() if other != name]
        others_withheld = sum(number for number, _ in others)
        others_outputs = sum(number for _, number in others)
        if (
            withheld
            and others_outputs
            # Wilson's intervals of both shares do not overlap.
            and wilson_interval(withheld / outputs, outputs)[0]
            > wilson_interval(others_withheld / others_outputs, others_outputs)[1]
        ):
            yield (
                f"{name}: judges gave no grade for {withheld:,} of {number_text.counted(outputs, 'output')}, "
                f"for {others_withheld:,} of {others_outputs:,} of the others: read these replies"
            )


class UngradedRange(NamedTuple):
    """Rate of a system if its ungraded outputs failed, and if they passed.

    Attributes:
        system: Name to show.
        bounds: Both rates, or None if every output is graded, or there is no rate.
        ungraded: Number of these outputs.
        failed_calls: How many of them are ungraded because calls failed.
    """

    system: str
    bounds: tuple[float, float] | None
    ungraded: int
    failed_calls: int = 0


def ungraded_ranges(systems: Iterable[UngradedRange]) -> Iterator[str]:
    """Yield a sentence with the worst and best case of each system that has ungraded outputs."""
    ranges = [
        f"{system.system} {' to '.join(map(number_text.decimal, system.bounds))}{_failed_calls(system)}"
        for system in systems
        if system.bounds is not None
    ]
    if ranges:
        yield f"If all ungraded outputs failed or passed: {', '.join(ranges)}."


def ranges_of(
    stratum: ComparedStratum, display_name: Callable[[str], str], systems: Iterable[str]
) -> Iterator[UngradedRange]:
    """Yield the worst and best case of systems in a stratum, by `ungraded_ranges`.

    Args:
        stratum: The part of the outputs.
        display_name: Function from a system to the name to show.
        systems: The systems.
    """
    for name in systems:
        count = stratum.outputs[name] - stratum.graded[name]
        yield UngradedRange(
            display_name(name), stratum.bounds.get(name), count, stratum.failed_calls.get(name, 0)
        )


def _failed_calls(system: UngradedRange) -> str:
    """Return how many outputs are ungraded because of failed calls, in brackets; empty if none."""
    if not system.failed_calls:
        return ""
    count = "all" if system.failed_calls == system.ungraded else f"{system.failed_calls:,}"
    return f" ({count} of {system.ungraded:,} by failed calls)"


_ESCALATION = ("jury", "escalate")
"""Kind and variant of a jury that asks its second judge only if the first is unsure."""


def reason_not_asked(use: JudgeUse, judges: Sequence[JudgeUse]) -> str:
    """Return why a judge was asked nothing.

    Args:
        use: The judge, without outcomes.
        judges: All judges of the run.
    """
    escalating = [
        jury for jury in judges if jury.id is not None and (jury.id.kind, jury.id.variant) == _ESCALATION
    ]
    # A jury's name ends with that of its last judge.
    is_second = any(jury.name.endswith(f"+{use.name}") and jury.outcomes for jury in escalating)
    return number_text.NEVER_UNSURE if is_second else number_text.IDLE


def _ungraded_outcomes(use: JudgeUse, judges: Sequence[JudgeUse], printed_reason: str) -> str:
    """Return counts of the outputs that a judge did not grade, with reasons; empty if none."""
    if not use.outcomes:
        return reason_not_asked(use, judges)
    return "; ".join(
        _outcome_with_reason(outcome, count, use.reasons.get(outcome, {}), printed_reason)
        for outcome, count in use.outcomes.items()
        if outcome != "graded" and count
    )


def _outcome_with_reason(
    outcome: Outcome, count: int, reasons: Mapping[str, int], printed_reason: str
) -> str:
    """Return an outcome with its commonest reason, which is shown in full for a failed call."""
    outcome_text = number_text.outcomes({outcome: count})
    reason = next(iter(reasons), "")
    if not reason or reason.rstrip(".") == printed_reason:
        return outcome_text
    return f"{outcome_text}: {reason if outcome == 'failed' else shortened(reason, _MAX_REASON_CHARS)}"
