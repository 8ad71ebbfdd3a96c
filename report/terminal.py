"""What a run came to, in lines for a terminal: every rate with its interval, its denominator and what is not graded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..evaluation.conclusion import Conclusion
from ..evaluation.results import JudgeUse, SystemResult
from . import words

_PANEL = ("accuracy", "true_positive_rate", "true_negative_rate", "cohen_kappa", "gwet_ac1", "mcc")
_MOST_FAULTS = 5


def summary_lines(conclusion: Conclusion, *, faults: int = _MOST_FAULTS) -> Iterator[str]:
    """A run in lines.

    Args:
        conclusion: What it came to.
        faults: How many kinds of fault are named per system.

    Yields:
        Lines of plain text.
    """
    for system in conclusion.systems:
        yield from system_lines(system, faults)
    for note in dict.fromkeys(
        rate.note for system in conclusion.systems for rate in system.strata if rate.note
    ):
        yield f"note: {note}"
        yield ""
    if conclusion.judges:
        yield "judges"
        yield from (_judge_line(judge) for judge in conclusion.judges)
        yield ""
    if conclusion.calibration is not None:
        yield from calibration_lines(conclusion.calibration)


def system_lines(system: SystemResult, faults: int = _MOST_FAULTS) -> Iterator[str]:
    """What is said of one system.

    Args:
        system: The system's result.
        faults: How many kinds of fault are named.

    Yields:
        Lines of plain text, an empty one last.
    """
    yield system.system
    for stratum in system.strata:
        by = f" ({stratum.by})" if stratum.by else ""
        yield f"  {stratum.name}{by}: {words.rate(stratum)}"
        if stratum.bounds is not None:
            yield f"    over all {words.count(stratum.of)}: {words.bounds(stratum)}"
    if system.faults:
        named = list(system.faults.items())
        more = f", {len(named) - faults} more kinds" if len(named) > faults else ""
        yield "  faults: " + ", ".join(f"{words.count(n)} {name}" for name, n in named[:faults]) + more
    yield ""


def _judge_line(judge: JudgeUse) -> str:
    said = words.outcomes(judge.outcomes)
    cost = f"{words.count(judge.calls)} calls, tokens: {words.tokens(judge.prompt_tokens, judge.completion_tokens)}"
    cached = f", {words.count(judge.from_cache)} from cache or recording" if judge.from_cache else ""
    if judge.cost is not None:
        cost += f", ${judge.cost:,.4f}"
    return f"  {judge.name}: {said}; {cost}{cached}" if judge.calls or cached else f"  {judge.name}: {said}"


def calibration_lines(calibration: dict[str, Any]) -> Iterator[str]:
    """How far the judges agree with the labels, beside judges that do not look.

    Args:
        calibration: As ``calibrate --json`` writes it.

    Yields:
        Lines of plain text.
    """
    yield "calibration: judges against labels (checkers' verdicts, and --labels where given)"
    for name, panel in {**calibration["judges"], **calibration["baselines"]}.items():
        missing = f", {words.count(panel['n_missing'])} not graded by the judge" if panel["n_missing"] else ""
        clusters = (
            f" in {words.count(panel['n_clusters'])} clusters" if panel["n_clusters"] < panel["n"] else ""
        )
        table = f"tp {panel['tp']}, fp {panel['fp']}, fn {panel['fn']}, tn {panel['tn']}"
        yield f"  {name}: on {words.count(panel['n'])}{clusters}{missing}; {table}"
        statistics = panel["statistics"]
        # A judge that does not look has an accuracy worth beating; its other statistics say nothing.
        for wanted in _PANEL if name in calibration["judges"] else _PANEL[:1]:
            statistic = statistics[wanted]
            yield f"    {wanted:<20} {words.statistic(statistic)} on {words.count(statistic['n'])}"
    for warning in calibration.get("warnings", ()):
        yield f"  note: {warning}"
    yield ""
