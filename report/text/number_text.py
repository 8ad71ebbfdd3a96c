"""Numbers, rates and small phrases in words, so that terminal and HTML read alike.

`decimal`, `number`, `interval` and `statistic` format values; `counted` and `listed` build phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...calibration.pass_threshold import HALF, PassThreshold, ThresholdSource
from ...calibration.statistic import Statistic
from ...evaluation.conclusion.run_results import UNJUDGED, StratumRate, SystemResult, UnevenTrials
from ...settings.typed_commands import option_of_verb
from ...spelling import command, either, setting, spelled_word

if TYPE_CHECKING:
    from ...deterministic.artifacts.dependencies import UnknownDependency

MODEL = "gpt-4.1-mini"
"""Default judging model in proposed commands."""

_MINUTE = 60
_HOUR = 3600
_MIN_P = 1e-4
"""Smallest p-value that is printed as a number."""


def count(number: int) -> str:
    """Format a count with thousands separators: ``1,974``."""
    return f"{number:,}"


def passing(at: float, source: ThresholdSource | None = None, *, always: bool = False) -> str:
    """Return a suffix for a judge's name: its pass threshold, and who set it if known.

    Args:
        at: The threshold.
        source: Who set it.
        always: Return the suffix for the default threshold, too, instead of an empty text.
    """
    return (
        ""
        if at == HALF and not always
        else f"; threshold {f'{at:g}' if source is None else PassThreshold(at, source)}"
    )


def decimal(value: float, digits: int = 2) -> str:
    """Format a statistic with fixed digits: ``0.71``, ``-0.04``; zero has no sign."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def percent(share: float, digits: int = 0) -> str:
    """Format a share in percent: ``71 %``."""
    return f"{100 * share:.{digits}f} %"


def number(value: float | None) -> str:
    """Format a number for a table, with three digits; an unknown number is a dash."""
    return "-" if value is None else decimal(value, 3)


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, plural unless 1: ``1 cluster``, ``3 replies``."""
    plural = f"{noun.removesuffix('y')}ies" if _CONSONANT_Y.search(noun) else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def all_counted(count: int, noun: str) -> str:
    """Return a phrase for all of several things: ``the label``, ``the 3 labels``."""
    return f"the {noun if count == 1 else counted(count, noun)}"


_CONSONANT_Y = re.compile(r"[^aeiou]y$")


def p_value(value: float | None) -> str:
    """Format a p-value for a table; a small one is never shown as 0."""
    if value is None:
        return "-"
    return "<0.0001" if value < _MIN_P else f"{value:.4f}"


def statistic_cells(result: Statistic) -> tuple[str, str, str, str]:
    """Return four table cells: value, interval, n, and the method or why it is undefined."""
    n = count(result.n)
    if result.value is None:
        return "-", "", n, f"undefined: {result.undefined}"
    return number(result.value), interval(result.low, result.high, 3), n, result.method or ""


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Format an interval in brackets, ``[0.68, 0.74]``; empty if there is none."""
    if low is None or high is None:
        return ""
    return f"[{decimal(low, digits)}, {decimal(high, digits)}]"


def signed(value: float) -> str:
    """Format a change with its sign: ``+0.04``."""
    return f"{'+' if value > 0 else ''}{decimal(value)}"


def with_interval(value: float, low: float | None, high: float | None) -> str:
    """Format a number with its interval, if any: ``0.71 [0.68, 0.74]``."""
    return f"{decimal(value)} {interval(low, high)}".rstrip()


def outcomes(ungraded: Mapping[Any, int]) -> str:
    """Format counts by outcome, without zeros: ``18 unparsable, 8 failed``."""
    return ", ".join(f"{count(number)} {outcome(name)}" for name, number in ungraded.items() if number)


def outcome(name: str) -> str:
    """Return an outcome's code in words: ``not applicable``."""
    return name.replace("_", " ")


def missing_verdicts(count: int) -> str:
    """Return the number of verdicts missing for lack of a reply.

    Several calls may have failed for one verdict, or none may have been made.
    """
    return f"{counted(count, 'verdict')} missing, because calls failed or were not made"


def unchecked_outputs(count: int) -> str:
    """Return the number of outputs without a verdict because a custom checker failed."""
    return f"{counted(count, 'output')} not checked, because a custom checker failed"


IDLE = "not asked: it grades none of these kinds, or the run stopped before"
"""Text in place of counts for a judge that was asked nothing."""

NEVER_UNSURE = "not asked: the first judge was sure of every output that it graded, or the run stopped before"
"""The same for the second judge of ``--jury escalate``."""


_MAX_UNKNOWN = 5
"""Most unknown dependencies that are named."""


def unknown_dependency_notes(unknown: Sequence[UnknownDependency], why: str) -> Iterator[str]:
    """Yield a note per dependency that names no challenge, and a count of those left out."""
    for case_id, dependency in unknown[:_MAX_UNKNOWN]:
        yield f"note: {case_id} depends on {dependency!r}, which {why}"
    if len(unknown) > _MAX_UNKNOWN:
        yield f"note: {counted(len(unknown) - _MAX_UNKNOWN, 'more dependency')} like {'this' if len(unknown) == _MAX_UNKNOWN + 1 else 'these'}"


def unjudged_outputs(systems: Iterable[SystemResult]) -> str:
    """Return the number of undecided outputs that no judge was asked about; empty if none."""
    undecided = sum(part.of for system in systems for part in system.strata if part.name == UNJUDGED)
    return counted(undecided, "undecided output") if undecided else ""


def rate(stratum: StratumRate) -> str:
    """Format a rate with interval and denominator, or the reason if undefined.

    Example: ``0.71 [0.68, 0.74], n 1,974 of 2,000 (18 unparsable, 8 failed)``. A rate of fractions is a mean score.
    """
    if stratum.value is None:
        value_text = f"undefined ({stratum.undefined or 'no value'})"
    else:
        value_text = with_interval(stratum.value, stratum.low, stratum.high)
        value_text = f"mean score {value_text}" if stratum.fractions else value_text
    missing = outcomes(stratum.outcomes)
    return f"{value_text}, {denominator(stratum)}" + (f" ({missing})" if missing else "")


def denominator(stratum: StratumRate) -> str:
    """Return the number of rows behind a rate: ``n 1,974 of 2,000``."""
    return f"n {count(stratum.n)} of {count(stratum.of)}"


def bounds(stratum: StratumRate) -> str:
    """Format the rate's range if all ungraded items failed or passed; empty without one."""
    if stratum.bounds is None:
        return ""
    low, high = stratum.bounds
    return f"{decimal(low)} to {decimal(high)} if all ungraded items failed or passed"


def by_case(trials: UnevenTrials) -> str:
    """Format the rate with equal weight for each case, and the numbers of cases and trials."""
    trials_per_case = f"{count(trials.fewest)} to {count(trials.most)} trials each"
    counts_text = f"{counted(trials.cases, 'case')}, {counted(trials.outputs, 'output')}, {trials_per_case}"
    return f"{statistic(trials.by_case)} ({counts_text})"


def statistic(result: Statistic) -> str:
    """Format a statistic as value and interval, or the reason if undefined."""
    if result.value is None:
        return f"undefined ({result.undefined or 'no value'})"
    return with_interval(result.value, result.low, result.high)


def duration(seconds: float) -> str:
    """Format a duration: ``0.4 s``, ``12 s``, ``3 min 05 s``, ``2 h 07 min``."""
    if seconds < 9.95:  # noqa: PLR2004 - longer ones round to 10 s or more, where tenths say nothing
        return f"{seconds:.1f} s"
    whole_seconds = round(seconds)
    if whole_seconds < _MINUTE:
        return f"{whole_seconds} s"
    if whole_seconds < _HOUR:
        return f"{whole_seconds // _MINUTE} min {whole_seconds % _MINUTE:02d} s"
    return f"{whole_seconds // _HOUR} h {whole_seconds % _HOUR // _MINUTE:02d} min"


def moment(iso: str) -> str:
    """Format an ISO time as ``2026-03-20 10:41 UTC``; return other text unchanged."""
    try:
        return datetime.fromisoformat(iso).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError):
        return iso


def tokens(prompt: int, completion: int, cached: int = 0) -> str:
    """Format tokens in and out: ``12,400 in (9,800 cached), 830 out``."""
    cached_note = f" ({count(cached)} cached)" if cached else ""
    return f"{count(prompt)} in{cached_note}, {count(completion)} out"


_MAX_NAMED = 5
"""Most systems listed by name in a sentence."""


def named_or_counted(names: Sequence[str]) -> str:
    """List systems by name, or only count them if there are more than five."""
    return listed(names) if len(names) <= _MAX_NAMED else f"{len(names):,} systems"


def correction(corrected: Sequence[str], systems: Iterable[str]) -> str:
    """Say whether labels correct the rates of all systems, of some, or of none."""
    uncorrected = [name for name in systems if name not in corrected]
    if not corrected:
        return "uncorrected"
    return f"corrected with labels{f', except {named_or_counted(uncorrected)}' if uncorrected else ''}"


_MAX_RATES = 3
"""Most systems whose rates are named in a sentence; more are counted."""


def if_random(rates: Mapping[str, Statistic], *, named: bool = True) -> str:
    """Say what the corrected rates are if labels are a random sample; empty without such rates.

    Args:
        rates: Rate by system.
        named: Put the system's name before each rate.
    """
    defined = {name: rate for name, rate in rates.items() if rate.value is not None}
    if not defined:
        return ""
    clauses = [
        f"{f'{name} ' if named else ''}{statistic(rate)}" for name, rate in list(defined.items())[:_MAX_RATES]
    ]
    if len(defined) > _MAX_RATES:
        clauses.append(counted(len(defined) - _MAX_RATES, "more system"))
    option = spelled_word("labels_chosen_by", "random")
    return f"If these labels are a random sample: {', '.join(clauses)}; say so with {option}."


def listed(names: Sequence[str]) -> str:
    """List names in a sentence: ``a, b and c``."""
    *all_but_last, last = names
    return f"{', '.join(all_but_last)} and {last}" if all_but_last else last


def needs_model(base_url: str | None = None) -> str:
    """Return a note for a command that asks a model: what it needs to reach one.

    ``base_url`` is the spelling of that setting where the note is read; by default, the command's option.
    """
    return f"needs OPENAI_API_KEY, or {base_url or option_of_verb('run', 'base_url')} of another server"


def whole_list() -> str:
    """Return where to find all rows of a shortened table: a command's option, or a method."""
    return either(setting("json"), "to_dict()")


def draw_command() -> str:
    """Return the command, or the call in Python, that draws items to label."""
    return either(command("plan", "TABLE", next=50), "fd.plan_labels(table, draw=50)")
