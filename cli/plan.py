"""`fiducial plan`: estimate how many labels or items are needed, and which to label next."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..records import write_records
from ..settings.verbs.plan import PlanSettings
from .declared_options import options_of
from .label_options import grade_options
from .option_sources import require_untyped
from .printing import command_line, emit
from .shared_options import SectionedCommand, numbers_by_name
from .table_options import load_table

_EXAMPLE = """\b
Example:
  fiducial plan --half-width 0.05 --tpr 0.9 --tnr 0.85 --prevalence 0.3 --unlabelled 2000
  fiducial plan judged.jsonl --half-width 0.05                      (how many more, by the labels so far)
  fiducial plan --difference 0.05 --discordant 0.15 --power 0.8
  fiducial plan --budget 500 --cost label=2 --cheap 0.85,0.8 --cost cheap=0.0005 --expensive 0.95,0.93 --cost expensive=0.02 --of 1000000
  fiducial plan run --labels labels.jsonl --budget 500 --cost label=2 --cheap JUDGE --expensive JUDGE --of 1000000
  fiducial plan judged.jsonl --next 50
  fiducial plan judged.jsonl --next 50 --by-doubt --out draw.jsonl
  fiducial plan judged.jsonl --labels labels.jsonl --next 100 --strata category --out draw.jsonl
"""

# Options by the goal they belong to.
_DRAW_OPTIONS = ("by_doubt", "strata")
_BUDGET_OPTIONS = ("costs", "of", "cheap", "expensive", "decided")


@click.command("plan", cls=SectionedCommand, epilog=_EXAMPLE)
@options_of(PlanSettings)
def command(
    *,
    tables: tuple[Path, ...],
    labels: tuple[Path, ...],
    columns: tuple[str, ...],
    out: Path | None,
    on_average: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compute how many labels or items are needed."""
    by_budget = options["budget"] is not None
    _require_goal(options, has_table=bool(tables), has_out=out is not None)
    if not tables and (labels or columns or options["judge"] or grade_options()):
        raise UsageError("--labels, --map, --judge and grades are of a TABLE: name it")
    _require_all_used(options, has_table=bool(tables), on_average=on_average)
    from ..api.planning import plan_both

    table = None
    if tables:
        strata = options["strata"]
        tags = [strata] if strata else []
        table = load_table(tables, columns, labels, open_only=not by_budget, outputs=by_budget, tags=tags)
    costs = numbers_by_name("--cost", "STEP=DOLLARS", options["costs"])
    options["costs"] = costs
    options |= {
        "cheap": _judge_or_rates(options["cheap"]),
        "expensive": _judge_or_rates(options["expensive"]),
    }
    options |= {"assurance": None} if on_average else {}
    result = plan_both(table, **options)
    if out is not None and result.draw is not None:
        write_records(out, result.draw.rows())
    emit(result, "-" if as_json else None)


def _require_goal(options: Mapping[str, Any], *, has_table: bool, has_out: bool) -> None:
    """Raise a UsageError if nothing is to be planned, or options lack their goal."""
    goals = {name for name in ("half_width", "difference", "budget", "draw") if options[name] is not None}
    if has_table and not goals - {"difference"}:
        raise UsageError(f"say how many of its items to label: `{command_line()} --next 50`")
    if "draw" not in goals and (has_out or any(options[name] for name in _DRAW_OPTIONS)):
        raise UsageError("--by-doubt, --strata and --out are for --next: add --next N")
    if not goals:
        raise UsageError(
            "say what to plan: `fiducial plan --half-width 0.05`, or --difference, --next or --budget"
        )
    if "budget" not in goals and any(options[name] for name in _BUDGET_OPTIONS):
        raise UsageError(
            "--cost, --of, --cheap, --expensive and --decided are for --budget: add --budget DOLLARS"
        )


def _require_all_used(options: Mapping[str, Any], *, has_table: bool, on_average: bool) -> None:
    """Raise a UsageError for typed options of a goal that is not planned."""
    if options["half_width"] is None:
        require_untyped(["tpr", "tnr", "unlabelled", "assurance", "on_average"], "goes with --half-width")
        if options["budget"] is None:
            require_untyped(["prevalence"], "goes with --half-width or --budget")
    if on_average:
        require_untyped(["assurance"], "is not used with --on-average; drop one of them")
    if options["difference"] is None:
        require_untyped(["discordant", "power"], "goes with --difference")
    if options["budget"] is None:
        require_untyped(["decided_rate"], "goes with --budget")
    elif has_table:
        measured_options = [
            "decided",
            "decided_rate",
            *(["prevalence"] if options["half_width"] is None else []),
        ]
        require_untyped(measured_options, "is measured on the TABLE: drop it")
    if options["draw"] is None:
        require_untyped(["seed"], "goes with --next")
    _require_all_used_with_draw(options)


def _require_all_used_with_draw(options: Mapping[str, Any]) -> None:
    """Raise a UsageError for a judge that nothing measures, or clusters without sizes to plan."""
    measures_rates = options["half_width"] is not None and options["budget"] is None
    if options["draw"] is None and not measures_rates:
        require_untyped(["judge"], "goes with --next, or with --half-width and without --budget")
    if all(options[name] is None for name in ("half_width", "difference", "budget")):
        require_untyped(["rows_per_cluster", "icc"], "goes with --half-width, --difference or --budget")


def _judge_or_rates(text: str | None) -> str | tuple[float, float] | None:
    """Parse two numbers as rates, and any other text as a judge's name."""
    if text is None:
        return None
    try:
        tpr, tnr = map(float, text.split(","))
    except ValueError:
        return text
    return tpr, tnr
