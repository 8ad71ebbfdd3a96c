"""`fiducial audit card` and `table`: judges on one fixed set of probes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import click

from ..errors import as_named
from ..settings.verbs.audit import AuditCardSettings, AuditTableSettings
from .declared_options import options_of, scale_for
from .exit_codes import EXIT_OK, EXIT_PARTIAL
from .model_options import model_access, select_options
from .printing import command_line, emit

_CARD = """\b
Examples:
  fiducial audit card --judge tool_call_accuracy/reasons --model gpt-4.1-mini --out card.json --dry-run
  fiducial audit card --judge my_judge.prompty --model my-model --base-url http://127.0.0.1:8000/v1 \\
      --record replies.jsonl --made-by "A. Person" --out card.json
"""

_TABLE = """\b
Examples:
  fiducial audit table cards/*.json
  fiducial audit table cards/*.json --out judges.md
  fiducial audit table card.json --badge badge.svg
"""


@click.command("card", short_help="Measure a judge on a fixed set of probes.", epilog=_CARD)
@options_of(AuditCardSettings)
@scale_for("judge")
def card_command(**values: Any) -> int:
    """Ask a judge about one fixed set of probes, and write its card.

    The set is the same for everyone, so cards stand side by side: `fiducial audit table`. With --record the replies are kept, so that
    anybody can make the card again with --replay. Exit code 3: calls failed; the card counts them as without a score.
    """
    from ..api.measured_judges import card_by, card_plan, forecast_card

    options = select_options(AuditCardSettings, values)
    plan = card_plan(options, command=command_line())
    access = cache(lambda: model_access(options))
    if options.dry_run:
        click.echo(str(forecast_card(plan, access(), options.price)))
        return EXIT_OK
    card = card_by(plan, access, progress=True, prices=options.price)
    emit(card, options.json_file, closing=[as_named(f"card: {options.out}")])
    return EXIT_PARTIAL if card.shares.ungraded.get("failed") else EXIT_OK


@click.command("table", short_help="Cards of judges side by side.", epilog=_TABLE)
@options_of(AuditTableSettings)
def table_command(
    cards: tuple[Path, ...], out: Path | None, badge: Path | None, json_file: str | None
) -> None:
    """Print cards of judges side by side; refuse cards of different sets.

    The table does not rank: only judges of the same kinds of case were asked the same probes, and intervals overlap.
    """
    from ..api.measured_judges import audit_table

    table = audit_table(cards)
    written_files = [] if out is None else table.write(out)[:1]
    if badge is not None:
        written_files.append(table.badge(badge))
    emit(table, json_file, closing=[as_named(f"written: {path}") for path in written_files])
