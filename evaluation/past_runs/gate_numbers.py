"""Limits and result of a gate."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from ...calibration.gating.gate_results import GateAnswer, GateCheck
from ...errors import UsageError
from ...records import nearest
from ...records.result import Result, display_of
from ...spelling import setting
from .changed_verdicts import ChangedVerdict

_PASS_POWER_K = re.compile(r"pass\^([1-9]\d*)")
RUBRIC = "rubric"
"""Mean share of the points of rubrics."""

_RATES = ("overall", "pass_rate", RUBRIC)


class Minimum(msgspec.Struct, frozen=True):
    """Minimum of a rate.

    Attributes:
        statistic: ``overall``, ``pass_rate`` (of checked outputs, and missing ones as ungraded), ``rubric`` (mean score) or ``pass^4``.
        at_least: The smallest rate that passes.
        tag: Tag of the cases that count: ``safety``, ``risk=high``; empty for all.
    """

    statistic: str
    at_least: float
    tag: str = ""

    @property
    def k(self) -> int | None:
        """Number of trials that must all pass, or None for a rate of single outputs."""
        match = _PASS_POWER_K.fullmatch(self.statistic)
        return None if match is None else int(match[1])

    def __str__(self) -> str:
        return f"{f'{self.tag}:' if self.tag else ''}{self.statistic}={self.at_least:g}"


def minimums(texts: Iterable[str]) -> list[Minimum]:
    """Parse ``overall=0.8``, ``pass^4=0.5``, and with a tag ``risk=high:overall=0.9``.

    Raises:
        UsageError: A text has another form, or names an unknown rate.
    """
    return [_parse_minimum(text) for text in texts]


def _parse_minimum(text: str) -> Minimum:
    name, _, value = text.rpartition("=")
    tag, _, statistic = name.rpartition(":")
    try:
        at_least = float(value)
    except ValueError:
        at_least = -1.0  # out of range, so refused below
    if not name or not 0 <= at_least <= 1:
        raise UsageError(
            f"{setting('minimum', text)}: expected STAT=VALUE with a value from 0 to 1: overall=0.8"
        )
    if statistic not in _RATES and not _PASS_POWER_K.fullmatch(statistic):
        known_rates = [*_RATES, "pass^4"]
        raise UsageError(
            f"{setting('minimum', text)}: no rate is called {statistic!r}{nearest(statistic, known_rates)}; there are {', '.join(known_rates)}, of cases with a tag as TAG:overall"
        )
    return Minimum(statistic, at_least, tag)


class GateLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Conditions of a gate.

    Attributes:
        minimums: Minimums of rates.
        max_drop: Largest allowed drop of the rate of all outputs; 0.02 is two points.
        no_new_failures: Tags of cases that must not fail anew.
        max_ungraded: Largest allowed share of ungraded outputs.
        cost_at_most: Largest allowed cost of judges in US dollars.
        judge_error: Bound on how far errors of a judge without labels shift a rate, or None if unknown.
    """

    minimums: list[Minimum] = []
    max_drop: float | None = None
    no_new_failures: list[str] = []
    max_ungraded: float | None = None
    cost_at_most: float | None = None
    judge_error: float | None = None

    @property
    def is_empty(self) -> bool:
        """True without any condition."""
        return self == GateLimits(judge_error=self.judge_error)


class Gate(Result, frozen=True, kw_only=True):
    """Answer of a gate: ``gate.answer``, ``gate.systems``, ``gate.checks``, ``gate.broke``.

    Attributes:
        answer: Answer over all conditions.
        systems: Answer by system.
        checks: Each condition with its answer.
        incomparable: Changes other than the systems, which may explain the difference.
        judge_again: The command that grades the earlier outputs as the later run graded its own; empty if none is needed.
        before: Path of the earlier run; empty without one.
        after: Path of the run.
        common: Number of common cases by system.
        cases: Number of cases in either run by system.
        broke: Outputs that passed before and fail now; of a case with several trials one, if all passed and all fail.
        flaky: Cases by system that pass some of their trials, and passed more before.
        answers: Shortened answers of the first regressions, by the name of the output.
        graded: Number of outputs of the run with a grade.
        outputs: Number of its outputs, missing ones included.
        failed_calls: Number of its calls that failed.
        counts_as: Answer that an option puts in place of "cannot tell", or None if it does not apply.
    """

    answer: GateAnswer
    systems: dict[str, GateAnswer]
    checks: list[GateCheck]
    incomparable: list[str] = []
    judge_again: str = ""
    before: str = ""
    after: str
    common: dict[str, int] = {}
    cases: dict[str, int] = {}
    broke: list[ChangedVerdict] = []
    flaky: dict[str, list[str]] = {}
    answers: dict[str, str] = {}
    graded: int
    outputs: int
    failed_calls: int = 0
    counts_as: Literal["passes", "fails"] | None = None

    def assert_passes(self) -> None:
        """Fail a test unless the gate passes, with the answer as the message."""
        __tracebackhide__ = True
        if self.answer != "passes":
            raise AssertionError(str(self))

    def decided(self, cannot_tell: Literal["pass", "fail"] | None = None) -> GateAnswer:
        """Return the answer with ``cannot_tell`` in place of "cannot tell", if any output is graded."""
        if self.answer != "cannot tell" or cannot_tell is None or not self.graded:
            return self.answer
        return "passes" if cannot_tell == "pass" else "fails"

    def decided_by(self, cannot_tell: Literal["pass", "fail"] | None) -> Gate:
        """Return the gate with ``counts_as`` set, if the data cannot tell and this option decides."""
        counts_as = self.decided(cannot_tell)
        # Failed calls come first: with them, a command does not end as if the gate passed.
        if counts_as in {self.answer, "cannot tell"} or (counts_as == "passes" and self.failed_calls):
            return self
        return replace(self, counts_as=counts_as)

    def write_junit(self, path: str | os.PathLike[str]) -> Path:
        """Write the conditions as JUnit XML, and return the path."""
        return display_of(type(self)).write(self, "junit", path)
