"""`fiducial.assert_rate`: fail a test when a rate may be too low, naming failed outputs."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

from ..calibration.statistic import Statistic
from ..errors import UsageError
from ..evaluation.conclusion.run_results import DECIDED
from ..records import Verdict
from .argument_checks import checked_arguments
from .gates import not_gated
from .inert_text import inert
from .run import Run, SystemRates

_MAX_SHOWN, _MAX_REASON_LENGTH = 10, 200


@checked_arguments
def assert_rate(statistic: Statistic, at_least: float = 0.8) -> None:
    """Fail unless the lower bound of a rate's interval is high enough.

    ``--fail-under`` of commands compares the value.

    Args:
        statistic: A rate of a run, or any statistic.
        at_least: Lowest value that the lower bound may have.

    Raises:
        AssertionError: The lower bound is lower or undefined, or cases have unequal numbers of trials; the message names failed outputs with reasons.
        UsageError: The first argument is not a statistic, or the second not a number.
    """
    __tracebackhide__ = True
    if not isinstance(statistic, Statistic):  # pyright: ignore[reportUnnecessaryIsInstance] - not every test is type-checked
        raise UsageError(f"assert_rate: expected a statistic, got {_type_and_hint(statistic)}")
    if not isinstance(at_least, Real) or not -1 <= at_least <= 1:
        raise UsageError(f"assert_rate: expected at_least between 0 and 1, got {_number_and_hint(at_least)}")
    why = not_gated(statistic)
    if statistic.low is not None and statistic.low >= at_least and not why:
        return
    failures: Sequence[Verdict] = getattr(statistic, "failures", ())
    raise AssertionError(inert("\n".join([_shortfall(statistic, at_least, why), *_failure_lines(failures)])))


def _type_and_hint(value: object) -> str:
    """Return the type of a value, and its rate if it has one."""
    kind = type(value).__name__
    if isinstance(value, SystemRates):
        return f'{kind}; pass its rate: run.systems["{value.name}"].overall'
    if isinstance(value, Run):
        return f'{kind}; pass a rate of it: run.systems["{next(iter(value.systems))}"].overall'
    return kind


def _number_and_hint(value: object) -> str:
    if isinstance(value, int | float) and 1 < value <= 100:  # noqa: PLR2004 - percent
        return f"{value!r}; did you mean {value / 100:g}?"
    return repr(value)


def _shortfall(statistic: Statistic, at_least: float, why: str) -> str:
    name = getattr(statistic, "name", "the rate")
    name = "pass rate of checked outputs" if name == DECIDED else name
    if statistic.value is None:
        return f"{name} is undefined: {statistic.undefined}"
    if why:
        return f"{name} is {statistic.value:.3f} (n {statistic.n:,}), but {why}"
    if statistic.low is None or statistic.high is None:
        return f"{name} is {statistic.value:.3f} (n {statistic.n:,}), without an interval to go by"
    return (
        f"{name} is {statistic.value:.3f} [{statistic.low:.3f}, {statistic.high:.3f}] (n {statistic.n:,}); "
        f"at {100 * statistic.level:g} % confidence it may be as low as {statistic.low:.3f}, below {at_least:g}"
    )


def _failure_lines(failures: Sequence[Verdict]) -> list[str]:
    if not failures:
        return []
    lines = [
        f"{len(failures):,} output{'s' if len(failures) > 1 else ''} failed:",
        *map(_failure_line, failures[:_MAX_SHOWN]),
    ]
    not_listed = len(failures) - _MAX_SHOWN
    return [*lines, f"  ... and {not_listed:,} more"] if not_listed > 0 else lines


def _failure_line(verdict: Verdict) -> str:
    trial = f", trial {verdict.trial}" if verdict.trial else ""
    why = " ".join(": ".join(part for part in (verdict.error_type, verdict.reason) if part).split())
    shortened = why if len(why) <= _MAX_REASON_LENGTH else why[: _MAX_REASON_LENGTH - 3] + "..."
    grade = f"  {verdict.case_id} ({verdict.system}{trial}): {verdict.score:g} by {verdict.by}"
    return f"{grade}: {shortened}" if shortened else grade
