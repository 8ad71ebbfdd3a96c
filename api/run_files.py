"""Runs from files into a folder, with all options.

`fiducial.evaluate` does so with fewer options.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ..evaluation.conclusion.conclude import Conclusion
from ..evaluation.judging.access import BatchMode, ModelAccess
from ..evaluation.judging.judge_on import parse_judge_on
from ..evaluation.pipeline import Plan
from ..evaluation.pipeline import run as run_plan
from ..evaluation.shards import shards_of
from ..evaluation.store.file_names import GENERATED
from ..evaluation.store.manifest import component_versions
from ..judges.prices import price_list
from ..records import InputPath
from ..report.document import Piece, as_lines
from ..report.from_run import report_on
from ..report.html import report_template
from ..report.run_summary import RunSummary
from ..report.text import number_text
from ..report.text.run_text import SCREEN, run_document
from ..report.text.summary_text import summary_document
from ..report.text.systems_text import WIDTH
from .display import Document, Shown
from .engines import engine_of
from .gates import run_gates
from .progress_bars import shown_progress

if TYPE_CHECKING:
    from ..evaluation.forecast import Forecast
    from ..evaluation.judging.composites import JuryRule
    from ..evaluation.past_runs.reparsing import Reparsed

__all__ = [
    "GENERATED",
    "Access",
    "Forecasts",
    "ModelAccess",
    "Plan",
    "RunResults",
    "engine_of",
    "forecast",
    "parse_judge_on",
    "plan_of",
    "reparse",
    "run",
]

Access: TypeAlias = Callable[[], ModelAccess]
"""How a model is reached; asked for only when one has to be asked."""


class RunResults(Shown, frozen=True, kw_only=True):
    """Results of a run.

    Attributes:
        plan: What was to be done.
        conclusion: What it came to, in numbers.
        report: The report's file.
    """

    plan: Plan
    conclusion: Conclusion
    report: Path

    def document(self) -> Document:
        """Return a one-screen summary, with the first sentence of each note."""
        notes = [re.sub(r"(?<=\.) .*", "", note) for note in self.plan.notes] + self._unmatched()
        used = sum(1 for _ in as_lines(notes, width=WIDTH))
        return [*run_document(self.found, SCREEN - 1 - used), *notes]

    def _unmatched(self) -> list[str]:
        """Count the labels that match no output."""
        unused = self.conclusion.unused_labels
        counted = number_text.counted(unused, "label")
        return [f"{counted} {'matches' if unused == 1 else 'match'} no output of this run"] if unused else []

    @property
    def found(self) -> RunSummary:
        """Results to display."""
        told = self.conclusion
        return RunSummary(
            systems=told.systems,
            judges=told.judges,
            calibration=told.calibration,
            compared=told.compared,
            folder=str(self.plan.out),
            command=self.plan.command,
        )

    def in_full(self) -> Document:
        """Return the complete results."""
        notes = [*self.plan.notes, *([""] if self.plan.notes else [])]
        return [*notes, *summary_document(self.conclusion)]

    def closing(self) -> Iterator[str]:
        """Yield lines about missing verdicts, and where report and records are kept."""
        conclusion, out = self.conclusion, self.plan.out
        checks = sum(system.failed_checks for system in conclusion.systems)
        if conclusion.failed > checks:
            yield f"{number_text.missing(conclusion.failed - checks)}; the same command asks again for these alone"
        if checks:
            yield f"{number_text.not_checked(checks)}; the same command checks these alone again"
        yield f"report: {self.report}"
        yield f"records: {out} (the same command resumes; `fiducial calibrate {out}` for every statistic)"

    def failing(self, gates: Mapping[str, float], min_graded: float | None) -> list[str]:
        """Return one line per gate that the run fails."""
        return run_gates(gates, min_graded, self.conclusion)


def plan_of(
    *,
    prices: Sequence[str] | None = None,
    jury: str | None = None,
    weights: tuple[float, ...] = (),
    unsure: tuple[float, float] = (0.2, 0.8),
    poll_seconds: float | None = None,
    cases: Sequence[InputPath],
    outputs: Sequence[InputPath],
    **fields: Any,
) -> Plan:
    """Return the settings of a run.

    Files may be folders of shards, and ``fields`` are those of `Plan`.

    ``prices``, beside the public list, are ``[MODEL=]IN/OUT[/CACHED]`` in dollars for a million tokens, and None leaves costs out; ``jury`` is a rule by which opinions, each of
    its weight, are counted into one more verdict, ``unsure`` the scores that ``escalate`` hands on; ``poll_seconds`` None asks the model directly.
    """
    of, by = shards_of(cases), shards_of(outputs)
    return Plan(
        cases=of.files,
        outputs=by.files,
        sharded=of.sharded or by.sharded,
        prices=None if prices is None else price_list(prices),
        priced=tuple(prices or ()),
        jury=None if jury is None else _jury(jury, weights, unsure),
        batch=None if poll_seconds is None else BatchMode(poll_seconds=poll_seconds),
        **fields,
    )


def _jury(rule: Any, weights: tuple[float, ...], unsure: tuple[float, float]) -> JuryRule:
    from ..evaluation.judging.composites import JuryRule  # noqa: PLC0415 - most runs have none

    return JuryRule(rule=rule, weights=weights, unsure=unsure)


def run(plan: Plan, access: Access, *, progress: bool | None = None) -> RunResults:
    """Run a plan, or resume it, and write the report.

    Raises:
        InputError: An input cannot be used; nothing was done.
        RunFolderError: The folder is in use or belongs to another run; nothing was done.
        UsageError: There is no such judge; nothing was done.
        ConfigurationError: There is nothing to do but ask a model, and none can be reached; nothing was done.
    """
    reached = cache(lambda: msgspec.structs.replace(access(), meanwhile=partial(_load, plan)))
    with shown_progress(wanted=progress) as shown, plan.engine or nullcontext():
        conclusion = run_plan(plan, reached, shown, lambda: datetime.now(UTC))
    report = report_on(plan.out, unchanged=conclusion.unchanged)
    assert isinstance(report, Path)
    return RunResults(plan=plan, conclusion=conclusion, report=report)


def _load(plan: Plan) -> None:
    """Load what the end of a run needs while the first replies are pending.

    Loading then takes half of the time that it would take at the end.
    """
    report_template()
    component_versions()
    if plan.prices is not None and plan.model is not None:
        plan.prices(plan.model)
    gc.freeze()  # what is loaded stays; looking through it for garbage once more takes 50 ms


class Forecasts(Shown, frozen=True, kw_only=True):
    """Forecast of judging."""

    judges: list[Forecast]

    def document(self) -> Document:
        """Return the forecast as a document."""
        from ..report.text.forecast_text import forecasts_document  # noqa: PLC0415 - most runs are not foreseen

        return forecasts_document(self.judges)


def forecast(plan: Plan, access: ModelAccess, *, progress: bool | None = None) -> Forecasts:
    """Forecast a plan's judging without making a call or writing to the run folder."""
    from ..evaluation.forecast import foresee  # noqa: PLC0415 - most runs are not foreseen

    with shown_progress(wanted=progress) as shown:
        return Forecasts(judges=foresee(plan, access, shown))


class Reparsing(Shown, frozen=True, kw_only=True):
    """Changes from reparsing a run's replies."""

    found: list[Reparsed]
    conclusion: Conclusion
    report: Path

    def document(self) -> Document:
        """Return the changes as a document."""
        return [*summary_document(self.conclusion), *map(_reread, self.found), f"report: {self.report}"]


def reparse(folder: Path, *, progress: bool | None = None) -> Reparsing:
    """Read every reply of a run again with the current parsers, without a call to a model.

    Raises:
        RunFolderError: It is no run folder, it is in use, or its inputs are not what and where they were.
        PromptError: A prompt file is not there any more, or cannot be used.
    """
    from ..evaluation.past_runs.reparsing import reparse as read_again  # noqa: PLC0415 - seldom needed

    with shown_progress(wanted=progress) as shown:
        found, conclusion = read_again(folder, shown, lambda: datetime.now(UTC), prices=price_list())
    report = report_on(folder)
    assert isinstance(report, Path)
    return Reparsing(found=found, conclusion=conclusion, report=report)


def _reread(entry: Reparsed) -> Piece:
    left = f"; {entry.without:,} without a stored reply, left as they are" if entry.without else ""
    return f"{entry.by}: {entry.replies:,} replies read again, {entry.changed:,} verdicts changed{left}"
