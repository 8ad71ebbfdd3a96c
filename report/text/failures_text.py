"""Failures of the best system, as checkers and judges found them."""

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

_COMMONEST = 3

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
    """Return the three commonest failures of the best system, the commonest first."""
    if not systems:
        return []
    best = by_rate(systems, ranked)[0]
    checked = [
        CommonFailure(
            count, _what(best, fault), items_at(system=best.system, fault=fault), _example(best, fault)
        )
        for fault, count in list(best.faults.items())[:_COMMONEST]
    ]
    # Judges may fail the same outputs, so beside faults only the strictest judge counts.
    judged = _judged_failures(best, judges)[: 1 if checked else None]
    return sorted([*checked, *judged], key=lambda each: -each.n)[:_COMMONEST]


def failure_parts(
    system: SystemResult,
    parts: Sequence[FailurePart],
    words: Mapping[str, str],
    untested: Collection[str] = (),
) -> list[CommonFailure]:
    """Return all failures of a system in parts that add up, the commonest first.

    Args:
        system: The system.
        parts: Its failed items by who failed them, and by fault.
        words: Names of groups of who failed items; by default the groups themselves.
        untested: Groups of judges without labels.
    """
    shown = parts if len(parts) <= _MAX_PARTS else parts[: _MAX_PARTS - 1]
    named = [
        CommonFailure(
            part.n,
            _named_part(system, part, words),
            items_at(system=system.system, group=part.by, **({"fault": part.fault} if part.fault else {})),
            _example(system, part.fault) if part.fault else "",
            is_untested=part.by in untested,
        )
        for part in shown
    ]
    if rest := sum(part.n for part in parts[len(shown) :]):
        named.append(CommonFailure(rest, f"of {len(parts) - len(shown)} other kinds", ""))
    return named


def _named_part(system: SystemResult, part: FailurePart, words: Mapping[str, str]) -> str:
    if part.fault:
        return _what(system, part.fault)
    return words.get(part.by, part.by)


def failures_document(
    systems: Sequence[SystemResult],
    judges: Sequence[JudgeUse],
    ranked: Ranked = NOT_RANKED,
    *,
    most: int = _COMMONEST,
) -> Iterator[Piece]:
    """Name the commonest failures, each with an example."""
    failures = commonest_failures(systems, judges, ranked)[:most]
    if not failures:
        return
    names = short_names(system.system for system in systems)
    best = names.in_text(by_rate(systems, ranked)[0].system)
    yield f"Commonest failures{f' of {best}' if len(systems) > 1 else ''}:"
    width = len(f"{failures[0].n:,}")
    for failure in failures:
        begin = f"  {failure.n:>{width},}  "
        text = f"{failure.what}; {failure.example}" if failure.example else failure.what
        yield f"{begin}{clipped(text, WIDTH - columns_of(begin))}"


class Crashes(NamedTuple):
    """Outputs of a system that are an error instead of an answer, and the reason of one."""

    n: int
    reason: str
    address: str


def crashes_of(system: SystemResult) -> Crashes | None:
    """Return the crashes of a system, or None without any, or if the example is an empty answer."""
    count, example = system.faults.get(SYSTEM_ERROR, 0), system.examples.get(SYSTEM_ERROR)
    if not count or example is None or not example.reason or example.reason == EMPTY_ANSWER:
        return None
    return Crashes(count, example.reason, items_at(system=system.system, fault=SYSTEM_ERROR))


def _what(system: SystemResult, fault: str) -> str:
    return "crashed" if fault == SYSTEM_ERROR and crashes_of(system) is not None else in_words(fault)


def _example(system: SystemResult, fault: str) -> str:
    return _in_words(system.examples.get(fault))


def _in_words(example: FaultExample | None) -> str:
    if example is None:
        return ""
    case = example.item.rpartition("|")[0].rpartition("|")[0]
    return f"{case}: {marks_in_words(example.reason)}" if example.reason else case


def _judged_failures(system: SystemResult, judges: Sequence[JudgeUse]) -> list[CommonFailure]:
    """Count the undecided outputs that each judge failed, the strictest judge first.

    Means of fractions give no count.
    """
    failed = [
        CommonFailure(
            count,
            failed_by(part.by),
            items_at(system=system.system, group=failed_by(part.by)),
            _in_words(system.judged_examples.get(part.by)),
        )
        for part in without_baselines(judged_parts(system), judges)
        if part.by is not None and part.value is not None and not part.fractions
        if (count := _failed_outputs(part, part.value))
    ]
    return sorted(failed, reverse=True)


def _failed_outputs(part: StratumRate, rate: float) -> int:
    """Return how many outputs a judge failed; its rate gives each case the weight 1."""
    if part.trials is not None and part.trials.failed is not None:
        return part.trials.failed
    return round(part.n * (1.0 - rate))
