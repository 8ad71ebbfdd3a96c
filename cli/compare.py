"""`fiducial compare`: compare judges, prompts or systems on the same items."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..settings.checking_settings import WorldsSettings
from ..settings.judging_settings import JudgingSettings
from ..settings.setting import names_of
from ..settings.verbs.compare import CompareSettings
from .declared_options import options_of, scale_for
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .forms import one_labels_file
from .model_options import model_access
from .option_sources import require_untyped
from .printing import command_line, emit_page
from .shared_options import SectionedCommand
from .table_options import accepts_edited, load_pairs, load_table

if TYPE_CHECKING:
    from ..api.pair_results import RecordedPairs

_EXAMPLE = """\b
Example:
  fiducial compare prompt_a.jsonl prompt_b.jsonl --json comparison.json
  fiducial compare RUN_FOLDER --by system --against baseline
  fiducial compare RUN_FOLDER --by system --judge preference --model gpt-4.1-mini --out preferences
"""

_JUDGING_OPTIONS = (*(names_of(JudgingSettings).keys() - {"price"}), *names_of(WorldsSettings), "out")
_TABLE_OPTIONS = (
    "pass_at",
    "right",
    "labels_chosen_by",
    "statistic",
    "error_costs",
    "flips",
    "not_worse_by",
    "interval",
    "seed",
    "replicates",
)


@click.command("compare", cls=SectionedCommand, epilog=_EXAMPLE)
@options_of(CompareSettings)
@scale_for("judges")
def command(**values: Any) -> int:
    """Test every pair of judges or systems on their common items.

    P-values are corrected for the number of pairs. Of recorded verdicts on pairs of outputs, win rates are compared. With --judge, a judge sees both outputs of a case, in both orders, and picks the better
    one. Exit code 3: finished, but calls to the model failed; with --out the same command retries only these.
    """
    options = CompareSettings(**values)
    if options.judges:
        require_untyped(["columns", *_TABLE_OPTIONS], "goes with tables; --judge asks about outputs")
        if options.by != "system":
            raise UsageError("--judge compares two outputs of a case: add --by system")
        return _prefer(options)
    require_untyped(_JUDGING_OPTIONS, "goes with --judge; add it, or drop this option")
    if options.by != "system" or options.right is not None:
        require_untyped(["labels_chosen_by"], "goes with --by system, without --right")
    if options.by == "system" and options.right != "agrees":
        require_untyped(
            ["interval", "seed", "replicates"], "is for judges; the intervals of systems have no options"
        )
    from ..api.table_statistics import compare

    recorded_verdicts = load_pairs(options.tables, options.columns, options.labels)
    if recorded_verdicts is not None:
        return _show_recorded(options, recorded_verdicts)
    outputs = options.by == "system" and options.right != "agrees"
    table = load_table(
        options.tables,
        options.columns,
        options.labels,
        outputs=outputs,
        apart=options.by == "judge",
        systems_apart=options.by == "system",
    )
    comparison = compare(
        table,
        by=options.by,
        against=options.against,
        prices=options.price,
        **{name: getattr(options, name) for name in _TABLE_OPTIONS},
    )
    emit_page(comparison, options.html, json_file=options.json_file)
    return EXIT_OK


def _show_recorded(options: CompareSettings, pairs: RecordedPairs) -> int:
    """Print the preferences in recorded verdicts on pairs, without asking a model."""
    from ..api.preferring import Preferences

    if options.by != "system":
        raise UsageError(
            "these are verdicts on pairs of outputs: add --by system; `fiducial calibrate` measures their judges"
        )
    require_untyped(
        _TABLE_OPTIONS,
        "is for verdicts on single outputs",
    )
    preferences = Preferences(judges=pairs.preferences(against=options.against))
    emit_page(preferences, options.html, json_file=options.json_file)
    return EXIT_OK


def _prefer(options: CompareSettings) -> int:
    """Ask judges which of two outputs is better, or forecast the cost of it."""
    from ..api.preferring import forecast_preferences, prefer_by, preference_plan

    if (table := next((path for path in options.tables if not path.is_dir()), None)) is not None:
        raise UsageError(f"{table} is not a run folder; --judge reads outputs from run folders")
    labels, accept_edited = one_labels_file(options.labels), accepts_edited()
    plan = preference_plan(options, labels=labels, accept_edited=accept_edited, command=command_line())
    access = cache(lambda: model_access(options))  # once: all judges share its budget
    if options.dry_run:
        click.echo(str(forecast_preferences(plan, access(), options.price)))
        return EXIT_OK
    preferences = prefer_by(plan, access, progress=True)
    closing: list[str] = []
    if preferences.failed:
        retry = (
            "rerun the command to retry only these"
            if options.out
            else "--out FOLDER keeps the others for a retry"
        )
        closing.append(f"verdicts missing because calls failed: {preferences.failed:,}; {retry}")
    emit_page(preferences, options.html, json_file=options.json_file, closing=closing)
    return EXIT_PARTIAL if preferences.failed else EXIT_OK
