"""What `run`, `judge` and `demo` have in common: evaluate, report, say what came out, and leave with the right exit code."""

from __future__ import annotations

import gc
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
import msgspec

from ..evaluation.conclusion.stage import Conclusion
from ..evaluation.judging.stage import ModelAccess
from ..evaluation.pipeline import Plan, run
from ..evaluation.run_folder.versions import component_versions
from ..report import words
from ..report.from_run import report_on
from ..report.html import report_template
from ..report.terminal import summary_lines
from ..report.text import visible
from .gates import PASS_RATE, parse_gates, run_gates
from .jury_options import jury_rule, split_options
from .main import EXIT_GATE, EXIT_OK, EXIT_PARTIAL, EXIT_USAGE
from .model_options import batch_mode, model_access, prices
from .progress import shown_progress

_CREDENTIALS = re.compile(r"//[^/@\s]+@")


def command_line() -> str:
    """The command as it was typed, for the record; without credentials that a URL may hold."""
    return _CREDENTIALS.sub("//***@", shlex.join(["fiducial", *sys.argv[1:]]))


def evaluate_as_asked(given: Mapping[str, Any], **stages: Any) -> int:
    """Run, or with ``--dry-run`` foresee, what the options of `run` and `judge` ask for.

    Args:
        given: Their values.
        **stages: Fields of the plan that only one of the two has.

    Returns:
        The exit code.
    """
    plan = Plan(
        cases=given["cases"],
        outputs=given["outputs"],
        out=given["out"],
        command=command_line(),
        judges=given["judges"],
        model=given["model"],
        labels=given["labels"],
        pass_at=given["pass_at"],
        repeats=given["repeats"],
        prices=prices(given),
        jury=jury_rule(given),
        batch=batch_mode(given),
        **split_options(given),
        **stages,
    )
    # Once, since all judges share its budget.
    access = cache(lambda: msgspec.structs.replace(model_access(given), meanwhile=partial(_load, plan)))
    if given["dry_run"]:
        from .dry_run import show_forecast  # noqa: PLC0415 - most runs are not foreseen

        return show_forecast(plan, access())
    return evaluate(plan, access, fail_under=given["fail_under"], min_graded=given["min_graded"])


def evaluate(
    plan: Plan,
    access: Callable[[], ModelAccess],
    *,
    fail_under: Iterable[str] = (),
    min_graded: float | None = None,
) -> int:
    """Run a plan and show what it came to.

    Args:
        plan: What to do.
        access: How a model is reached.
        fail_under: Gates, as typed.
        min_graded: The least share of outputs that must have a score.

    Returns:
        The exit code.
    """
    gates = _gates(fail_under)
    with shown_progress() as progress:
        conclusion = run(plan, access, progress, lambda: datetime.now(UTC))
    report = report_on(plan.out)
    for line in (*plan.notes, *([""] if plan.notes else []), *summary_lines(conclusion)):
        click.echo(visible(line))
    failures = run_gates(gates, min_graded, conclusion)
    for line in (*failures, *_next_steps(plan, conclusion, report)):
        click.echo(visible(line))
    if conclusion.not_judged is not None:
        click.echo(f"fiducial: {conclusion.not_judged}", err=True)
        return EXIT_USAGE
    if failures:
        return EXIT_GATE
    return EXIT_PARTIAL if conclusion.failed else EXIT_OK


def _load(plan: Plan) -> None:
    """Load what the end of a run takes: half of the time that it would take then."""
    report_template()
    component_versions()
    if plan.prices is not None and plan.model is not None:
        plan.prices(plan.model)
    gc.freeze()  # what is loaded stays; looking through it for garbage once more takes 50 ms


def _gates(given: Iterable[str]) -> dict[str, float]:
    given = tuple(given)
    if not given:
        return {}
    from ..calibration import ESTIMATORS  # noqa: PLC0415 - scipy is slow to import, and most runs have no gate

    return parse_gates(given, (PASS_RATE, *ESTIMATORS))


def _next_steps(plan: Plan, conclusion: Conclusion, report: Path) -> Iterable[str]:
    if conclusion.failed:
        yield f"{words.missing(conclusion.failed)}; the same command asks again for these alone"
    yield f"report: {report}"
    yield f"records: {plan.out} (the same command resumes; `fiducial calibrate {plan.out}` for every statistic)"
