"""`fiducial compare`: compare judges, prompts or systems on the same items."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .model_options import JudgingOptions, model_access, model_options, select_options
from .option_sources import refuse_typed
from .param_types import FOLDER, OUT_FILE, Whole
from .printing import command_line, emit_page
from .shared_options import (
    SectionedCommand,
    compose,
    environment_option,
    one_labels_file,
    option,
    scale_option,
)
from .table_options import accepts_edited, load_table, table_options

if TYPE_CHECKING:
    from ..api.table_statistics import By

_EXAMPLE = """\b
Example:
  fiducial compare prompt_a.jsonl prompt_b.jsonl --json comparison.json
  fiducial compare RUN_FOLDER --by system --against baseline
  fiducial compare RUN_FOLDER --by system --judge preference --model gpt-4.1-mini --out preferences
"""

_JUDGING_OPTIONS = (
    "worlds out model judge_parameters repeats batch poll_seconds dry_run base_url endpoints connection api_key_env concurrency timeout attempts "
    "patience expect_served_by cache no_cache record replay max_calls max_cost"
)
_TABLE_OPTIONS = ("pass_at", "right", "statistic", "flips", "interval", "seed", "replicates")


@click.command("compare", cls=SectionedCommand, epilog=_EXAMPLE)
@table_options(resamples=True)
@compose(
    option("--by", type=click.Choice(["judge", "system"]), default="judge",
           help="judge: which one is right more often; system: which one passes more often, on checked outputs, on judged ones, and on all."),
    option("--right", type=click.Choice(["agrees", "score", "label"]),
           help="agrees: score and label fall on the same side of --pass-at; score, label: that one passes. Default of judges: agrees, or score "
                "if no row has a label. Systems pass by their checkers, and else by judges, unless this says otherwise; agrees compares how "
                "well they are judged."),
    option("--against", metavar="NAME", help="Compare the others with this one only, not every pair."),
    option("--statistic", default="accuracy", help="Statistic to compare: any of `fiducial calibrate`."),
    option("--flips", type=Whole(min=0), show_default=False, default=0, help="List up to this many items that differ, per pair."),
    option("--interval", type=click.Choice(["wald", "cluster-t", "bootstrap"]),
           help="Interval of the difference between judges. Default for shares of the same rows: a t-test over clusters (CR2), or McNemar's mid-p with Tango's interval if items are independent; otherwise a paired BCa cluster bootstrap."),
    option("--judge", "judges", multiple=True, metavar="JUDGE",
           help="With --by system: ask this judge which of two outputs of a case is better, each first once. preference, preference/VARIANT, or "
                "a .prompty file that shows first and second; the tables are run folders."),
    option("--html", type=OUT_FILE, help="Also write a page with figures of the differences and every number."),
    option("--out", type=FOLDER, help="With --judge: the folder for its verdicts; the same command resumes it."),
)  # fmt: skip
@environment_option
@model_options
@scale_option("judges")
def command(
    *,
    tables: tuple[Path, ...],
    labels: tuple[Path, ...],
    columns: tuple[str, ...],
    json_file: str | None,
    html: Path | None,
    by: By,
    against: str | None,
    **options: Any,
) -> int:
    """Test every pair of judges or systems on their common items.

    P-values are corrected for the number of pairs. With --judge, a judge sees both outputs of a case, in both orders, and picks the better
    one. Exit code 3: finished, but calls to the model failed; with --out the same command retries only these.
    """
    if options["judges"]:
        refuse_typed(["columns", *_TABLE_OPTIONS], "goes with tables; --judge asks about outputs")
        if by != "system":
            raise UsageError("--judge compares two outputs of a case: add --by system")
        return _prefer(
            tables,
            labels=one_labels_file(labels),
            against=against,
            json_file=json_file,
            html=html,
            judges=options["judges"],
            out=options["out"],
            options=select_options(JudgingOptions, options),
        )
    refuse_typed(_JUDGING_OPTIONS.split(), "goes with --judge; add it, or drop this option")
    if by == "system" and options["right"] != "agrees":
        refuse_typed(
            ["interval", "seed", "replicates"], "is for judges; the intervals of systems have no options"
        )
    from ..api.table_statistics import compare

    comparison = compare(
        load_table(tables, columns, labels, outputs=by == "system" and options["right"] != "agrees"),
        by=by,
        against=against,
        prices=options["price"],
        **{name: options[name] for name in _TABLE_OPTIONS},
    )
    emit_page(comparison, html, json_file=json_file)
    return EXIT_OK


def _prefer(
    runs: tuple[Path, ...],
    *,
    labels: Path | None,
    against: str | None,
    json_file: str | None,
    html: Path | None,
    judges: tuple[str, ...],
    out: Path | None,
    options: JudgingOptions,
) -> int:
    """Ask judges which of two outputs is better, or forecast the cost of it."""
    from ..api.preferring import forecast_preferences, prefer

    if (table := next((each for each in runs if not each.is_dir()), None)) is not None:
        raise UsageError(f"{table} is not a run folder; --judge reads outputs from run folders")
    settings: dict[str, Any] = {
        "judges": judges,
        "model": options.model,
        "labels": labels,
        "against": against,
        "out": out,
        "repeats": options.repeats,
        "worlds": options.worlds,
        "poll_seconds": options.batch_poll_seconds,
        "judge_parameters": options.judge_parameters,
        "accept_edited": accepts_edited(),
        "command": command_line(),
    }
    access = cache(lambda: model_access(options))  # once: all judges share its budget
    if options.dry_run:
        click.echo(str(forecast_preferences(runs, access=access(), prices=options.price, **settings)))
        return EXIT_OK
    preferences = prefer(runs, access=access, progress=True, **settings)
    missing: list[str] = []
    if preferences.failed:
        retry = (
            "rerun the command to retry only these" if out else "--out FOLDER keeps the others for a retry"
        )
        missing.append(f"verdicts missing because calls failed: {preferences.failed:,}; {retry}")
    emit_page(preferences, html, json_file=json_file, closing=missing)
    return EXIT_PARTIAL if preferences.failed else EXIT_OK
