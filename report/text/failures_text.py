"""Failures of the best system: the commonest, all in parts that add up, and crashes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...deterministic.checkers import SYSTEM_ERROR
from ...deterministic.finding import in_words
from ...evaluation.conclusion.run_results import FaultExample, JudgeUse, StratumRate, SystemResult
from ...records.output import EMPTY_ANSWER
from ..document import Piece
from ..items.naming import failed_by, items_at, marks_in_words, short_names
from .one_screen import clipped
from .safe_text import WIDTH, columns_of
from .systems_text import NOT_RANKED, Ranked, by_rate, judged_parts, without_baselines

if TYPE_CHECKING:
    from ..items.packing import FailurePart

_MAX_COMMONEST = 3
"""Most failures that are named."""

_MAX_PARTS = 16
"""Most parts of a system's failures."""


class CommonFailure(NamedTuple):
    """A failure common to several outputs.

    Attributes:
        n: Number of outputs.
        what: The failure in words.
        address: Link to these outputs in a report; empty if no filter finds just these.
        example: A case and the reason of its checker or judge; empty if unknown.
        is_untested: True if a judge without labels found it.
    """

    n: int
    what: str
    address: str
    example: str = ""
    is_untested: bool = False


def commonest_failures(
    systems: Sequence[SystemResult], judges: Sequence[JudgeUse], ranked: Ranked = NOT_RANKED
) -> list[CommonFailure]:
    """Return the three commonest failures of the best system, the commonest first.

    They are faults that checkers found, and outputs that judges failed, which may overlap; compare `failure_parts`.
    """
    if not systems:
        return []
    best = by_rate(systems, ranked)[0]
    checked = [
        CommonFailure(
            count, _fault_words(best, fault), items_at(system=best.system, fault=fault), _example(best, fault)
        )
        for fault, count in list(best.faults.items())[:_MAX_COMMONEST]
    ]
    # Judges may fail the same outputs, so their counts must not be added: only the strictest is listed with faults.
    judged = _judged_failures(best, judges)[: 1 if checked else None]
    return sorted([*checked, *judged], key=lambda failure: -failure.n)[:_MAX_COMMONEST]


def failure_parts(
    system: SystemResult,
    parts: Sequence[FailurePart],
    words: Mapping[str, str],
    untested: Collection[str] = (),
) -> list[CommonFailure]:
    """Return all failures of a system in parts that do not overlap, the commonest first.

    Args:
        system: The system.
        parts: Its failed items by who failed them, and by fault.
        words: Names of groups of who failed items; by default the groups themselves.
        untested: Groups of judges without labels.
    """
    # The last row is for all other parts.
    largest_parts = parts if len(parts) <= _MAX_PARTS else parts[: _MAX_PARTS - 1]
    failures = [
        CommonFailure(
            part.n,
            _part_words(system, part, words),
            items_at(system=system.system, group=part.by, **({"fault": part.fault} if part.fault else {})),
            _example(system, part.fault) if part.fault else "",
            is_untested=part.by in untested,
        )
        for part in largest_parts
    ]
    if remaining := sum(part.n for part in parts[len(largest_parts) :]):
        failures.append(CommonFailure(remaining, f"of {len(parts) - len(largest_parts)} other kinds", ""))
    return failures


def _part_words(system: SystemResult, part: FailurePart, words: Mapping[str, str]) -> str:
    if part.fault:
        return _fault_words(system, part.fault)
    return words.get(part.by, part.by)


def failures_document(
    systems: Sequence[SystemResult],
    judges: Sequence[JudgeUse],
    ranked: Ranked = NOT_RANKED,
    *,
    most: int = _MAX_COMMONEST,
) -> Iterator[Piece]:
    """Yield a heading and a line per failure of the best system, each with an example."""
    failures = commonest_failures(systems, judges, ranked)[:most]
    if not failures:
        return
    names = short_names(system.system for system in systems)
    best = names.in_text(by_rate(systems, ranked)[0].system)
    yield f"Commonest failures{f' of {best}' if len(systems) > 1 else ''}:"
    width = len(f"{failures[0].n:,}")
    for failure in failures:
        count_column = f"  {failure.n:>{width},}  "
        text = f"{failure.what}; {failure.example}" if failure.example else failure.what
        yield f"{count_column}{clipped(text, WIDTH - columns_of(count_column))}"


class Crashes(NamedTuple):
    """Outputs of a system that are an error instead of an answer, and the reason of one."""

    n: int
    reason: str
    address: str


def crashes_of(system: SystemResult) -> Crashes | None:
    """Return the crashes of a system, or None if there are none.

    An empty answer has the error type of a crash, but is none.
    """
    count, example = system.faults.get(SYSTEM_ERROR, 0), system.examples.get(SYSTEM_ERROR)
    if not count or example is None or not example.reason or example.reason == EMPTY_ANSWER:
        return None
    return Crashes(count, example.reason, items_at(system=system.system, fault=SYSTEM_ERROR))


def _fault_words(system: SystemResult, fault: str) -> str:
    return "crashed" if fault == SYSTEM_ERROR and crashes_of(system) is not None else in_words(fault)


def _example(system: SystemResult, fault: str) -> str:
    return _example_words(system.examples.get(fault))


def _example_words(example: FaultExample | None) -> str:
    if example is None:
        return ""
    case = example.item.rpartition("|")[0].rpartition("|")[0]  # of case|system|trial
    return f"{case}: {marks_in_words(example.reason)}" if example.reason else case


def _judged_failures(system: SystemResult, judges: Sequence[JudgeUse]) -> list[CommonFailure]:
    """Return the undecided outputs that each judge failed, the strictest judge first.

    Judges with fractional scores are left out: from a mean score no number of failures follows.
    """
    failures = [
        CommonFailure(
            count,
            failed_by(part.by),
            items_at(system=system.system, group=failed_by(part.by)),
            _example_words(system.judged_examples.get(part.by)),
        )
        for part in without_baselines(judged_parts(system), judges)
        if part.by is not None and part.value is not None and not part.fractions
        if (count := _failed_outputs(part, part.value))
    ]
    return sorted(failures, reverse=True)


def _failed_outputs(part: StratumRate, rate: float) -> int:
    """Return how many outputs a judge failed.

    With unequal numbers of trials the rate is one of cases, so the count of outputs is kept apart.
    """
    if part.trials is not None and part.trials.failed is not None:
        return part.trials.failed
    return round(part.n * (1.0 - rate))
