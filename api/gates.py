"""Gates for continuous integration: statistics that must reach a value."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..calibration.gating.gate_results import clears
from ..calibration.statistic import CaseRate
from ..errors import UsageError
from ..evaluation.conclusion.run_results import TRIED_AGAIN, StratumRate, SystemResult
from ..records import nearest
from ..records.made_scores import rounded_score
from ..spelling import command, setting, spelled_word
from ..tables.grades import as_number

if TYPE_CHECKING:
    from ..calibration.agreement.calibration_results import JudgeCalibration
    from ..calibration.statistic import Statistic
    from ..calibration.trial_rates import SystemTrials
    from ..evaluation.conclusion.run_summary import RunSummary

PASS_RATE = "pass_rate"  # noqa: S105 - a rate, not a password
"""Gate on the rate of each system's checked outputs."""

OVERALL = "overall"
"""Gate on the rate of all outputs of each system; other names are statistics of each judge's calibration."""


_TRIAL_RATE = re.compile(r"pass[\^@][1-9]\d*")
"""Name of a rate over trials."""


def parse_gates(options: Iterable[str], names: Collection[str]) -> dict[str, float]:
    """Parse ``--fail-under STAT=VALUE`` options; raise a UsageError for unknown statistics."""
    gates: dict[str, float] = {}
    for text in options:
        name, _, value = text.partition("=")
        if not value and as_number(name) is not None:
            raise UsageError(
                f"{setting('fail_under', text)}: name the statistic: {setting('fail_under', f'{next(iter(names))}={name}')}"
            )
        if _TRIAL_RATE.fullmatch(name) and name not in names:
            raise UsageError(
                f"{setting('fail_under', text)}: {name} is a rate over trials; gate it with `{command('trials', 'RUN', fail_under=text)}`"
            )
        if name not in names:
            raise UsageError(
                f"{setting('fail_under', text)}: no statistic is called {name!r}{nearest(name, names)}; there are {', '.join(names)}"
            )
        if name in gates:
            raise UsageError(f"{setting('fail_under', text)}: {name} has a value already; name each once")
        try:
            gates[name] = float(value)
        except ValueError as error:
            raise UsageError(f"{setting('fail_under')} expects STAT=VALUE, got {text!r}") from error
        if not math.isfinite(gates[name]):
            # No number is below NaN: such a gate would never fail.
            raise UsageError(f"{setting('fail_under')} expects a finite VALUE, got {text!r}")
    return gates


def parse_run_gates(options: Iterable[str]) -> dict[str, float]:
    """Parse the gates of a run."""
    from ..calibration.statistic_catalogue import ESTIMATORS  # noqa: PLC0415 - scipy is slow to import

    return parse_gates(options, (PASS_RATE, OVERALL, *ESTIMATORS))


def parse_trial_gates(options: Iterable[str]) -> dict[str, float]:
    """Parse gates on rates over trials: ``pass^4=0.5``, ``pass@4=0.9``."""
    texts = list(options)
    names = [text.partition("=")[0] for text in texts]
    return parse_gates(texts, [name for name in names if _TRIAL_RATE.fullmatch(name)] or ["pass^4", "pass@4"])


def trials_in_gates(gates: Iterable[str]) -> list[int]:
    """Return the numbers of trials that gates are about."""
    return [int(name[len("pass^") :]) for name in gates]


def trial_gate_failures(
    gates: Mapping[str, float], systems: Mapping[str, SystemTrials], run: object = "RUN"
) -> Iterator[str]:
    """Yield one line per gate that a system's rate over trials of ``run`` fails."""
    for system, trials in systems.items():
        # "pass^k" and 4 make "pass^4".
        statistic_by_name = {
            f"{rate[:-1]}{k}": statistic
            for rate, by_k in trials.rates.items()
            for k, statistic in by_k.items()
        }
        for name, at_least in gates.items():
            lower_end_hint = _lower_end_hint(run, name, at_least) if name.startswith("pass^") else ""
            yield from _failure_lines(system, name, statistic_by_name.get(name), at_least, lower_end_hint)


def judge_gate_failures(gates: Mapping[str, float], judges: Mapping[str, JudgeCalibration]) -> Iterator[str]:
    """Yield one line per gate that a judge fails.

    An undefined statistic fails, since it proves nothing.
    """
    for judge, calibration in judges.items():
        for name, at_least in gates.items():
            yield from _failure_lines(judge, name, calibration.statistics[name], at_least)


UngradedRule: TypeAlias = Literal["fail", "ignore"]
"""How a gate on all outputs counts missing, unreadable and refused ones."""


def run_gate_failures(
    gates: Mapping[str, float],
    min_graded: float | None,
    summary: RunSummary,
    ungraded: UngradedRule = "fail",
    run: object = "RUN",
) -> list[str]:
    """Return one line per gate that the run fails.

    ``min_graded`` is the least share of outputs that must have a score, and ``run`` the run's folder.
    """
    lines: list[str] = []
    for system in summary.systems:
        if (at_least := gates.get(PASS_RATE)) is not None:
            lower_end_hint = _lower_end_hint(run, PASS_RATE, at_least)
            lines += _failure_lines(system.system, PASS_RATE, system.strata[0], at_least, lower_end_hint)
        if (at_least := gates.get(OVERALL)) is not None:
            lines += _overall_failure(system, at_least, ungraded, _lower_end_hint(run, OVERALL, at_least))
    judge_gates = {name: at_least for name, at_least in gates.items() if name not in {PASS_RATE, OVERALL}}
    if judge_gates and summary.calibration is None:
        lines.append(f"gate failed: {', '.join(judge_gates)}: no judge was calibrated")
    elif summary.calibration is not None:
        lines += judge_gate_failures(judge_gates, summary.calibration.judges)
    if min_graded is not None:
        share = summary.counts.graded / summary.counts.outputs
        if not clears(share, min_graded):
            lines.append(
                f"gate failed: {summary.counts.graded:,} of {summary.counts.outputs:,} outputs are graded "
                f"({share:.4f}), less than {min_graded:g}{_lower_end_hint(run, OVERALL, gates.get(OVERALL))}"
            )
    return lines


def _lower_end_hint(run: object, name: str, at_least: float | None) -> str:
    """Return a hint at the command that gates a lower end; empty if the limit is no rate."""
    minimum = "RATE" if at_least is None else f"{at_least:g}"
    if at_least is not None and not 0 <= at_least <= 1:
        return ""
    return f"; lower end: `{command('gate', run, min=f'{name}={minimum}')}`"


def _ungraded_counts(system: SystemResult) -> dict[str, int]:
    """Count missing outputs and those whose replies have no grade, by reason."""
    return {**({"missing": system.missing} if system.missing else {}), **system.withheld}


def _rate_with_failures(system: SystemResult) -> float | None:
    """Return the overall rate with ungraded outputs as failures, or None if there are none.

    Each case has weight 1, as in the overall rate. This includes cases without an output.
    """
    rate, ungraded = system.overall, float(sum(_ungraded_counts(system).values()))
    if rate is None or rate.value is None or not ungraded:
        return None
    graded = float(rate.n)
    if system.graded_weight is not None:  # cases have unequal numbers of trials: weights instead of counts
        graded, ungraded = system.graded_weight, system.missing + (system.withheld_weight or 0.0)
    passed = rate.value * graded
    return rounded_score(passed / (graded + ungraded))


def _overall_failure(
    system: SystemResult, at_least: float, ungraded: UngradedRule, lower_end_hint: str
) -> Iterator[str]:
    rate, rate_with_failures = system.overall, _rate_with_failures(system)
    lines = list(_failure_lines(system.system, OVERALL, rate, at_least, lower_end_hint))
    if (
        ungraded == "ignore"
        or rate_with_failures is None
        or lines
        or rate is None
        or clears(rate_with_failures, at_least)
    ):
        yield from lines
        return
    yield f"gate failed: {_both_rates(system, rate_with_failures)} is below {at_least:g}{lower_end_hint}"


def _both_rates(system: SystemResult, rate_with_failures: float) -> str:
    from ..report.text import number_text  # noqa: PLC0415 - most gates hold

    assert system.overall is not None
    ungraded = number_text.listed([f"{n:,} {reason}" for reason, n in _ungraded_counts(system).items()])
    return (
        f"{system.system}: overall {rate_with_failures:.4f} with {ungraded} as failures "
        f"({system.overall.value:.4f} with `{spelled_word('ungraded', 'ignore')}`)"
    )


def gate_notes(gates: Mapping[str, float], summary: RunSummary) -> Iterator[str]:
    """Yield notes on gates.

    For a gate on all outputs, a note has the rates with and without ungraded outputs. For a gate on checked outputs, it says how many
    outputs the gate does not count.
    """
    for system in summary.systems if OVERALL in gates else ():
        rate_with_failures, rate = _rate_with_failures(system), system.overall
        if rate_with_failures is None or rate is None or rate.value is None:
            continue
        at_least = gates[OVERALL]
        # Otherwise the failure's own message has both values.
        if clears(rate_with_failures, at_least) or not clears(rate.value, at_least):
            yield f"gate: {_both_rates(system, rate_with_failures)}"
    for system in summary.systems if PASS_RATE in gates and OVERALL not in gates else ():
        rate = system.strata[0]
        if rate.n < rate.of:
            yield f"gate: pass_rate of {system.system} counts {rate.n:,} of {rate.of:,} outputs; `overall` counts judged ones too"


def not_gated(statistic: Statistic) -> str:
    """Return why a rate cannot be gated: how cases were tried; empty if it can."""
    if isinstance(statistic, CaseRate):
        cases = statistic.n + statistic.left_out
        reason = f"{statistic.left_out:,} of {cases:,} cases have too few graded trials, and are left out"
        return reason if statistic.left_out else ""
    if not isinstance(statistic, StratumRate) or (trials := statistic.trials) is None:
        return ""
    if trials.retried:
        return TRIED_AGAIN
    if statistic.n_cases is not None:
        return ""
    from ..report.text.number_text import by_case  # noqa: PLC0415 - most gates hold

    # A folder written by an earlier version, whose rate weighs outputs alike.
    return (
        "cases have unequal numbers of trials, and those with more count more; "
        f"with weight 1 for each case it is {by_case(trials)}; give each case as many trials"
    )


def _failure_lines(
    who: str, name: str, statistic: Statistic | None, at_least: float, lower_end_hint: str = ""
) -> Iterator[str]:
    if statistic is None or statistic.value is None:
        why = "nothing is graded" if statistic is None else statistic.undefined
        yield f"gate failed: {who}: {name} is undefined ({why}){lower_end_hint}"
    elif why := not_gated(statistic):
        yield f"gate failed: {who}: {name} {statistic.value:.4f} is not gated: {why}"
    elif not clears(statistic.value, at_least):
        from ..report.text.number_text import interval  # noqa: PLC0415 - most gates hold

        ends = " ".join(filter(None, (f"{statistic.value:.4f}", interval(statistic.low, statistic.high, 4))))
        yield f"gate failed: {who}: {name} {ends} (n {statistic.n:,}) is below {at_least:g}{lower_end_hint}"
