"""`fiducial compare`: judges, prompts or systems against each other on the same items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .table_input import emit, load_table, table_options

if TYPE_CHECKING:
    from ..api.measuring import By, GivenPassAt, IntervalOption, Right

_EXAMPLE = """\b
Example:
  fiducial compare prompt_a.jsonl prompt_b.jsonl --json comparison.json
  fiducial compare RUN_FOLDER --by system --against baseline
"""


@click.command("compare", epilog=_EXAMPLE)
@table_options(resamples=True)
@click.option(
    "--by",
    type=click.Choice(["judge", "system"]),
    default="judge",
    show_default=True,
    help="judge: which is right more often? system: which passes more often, on what checkers decided, on the rest by judges, and "
    "on both together?",
)
@click.option(
    "--right",
    type=click.Choice(["agrees", "score", "label"]),
    help="agrees: score and label fall on the same side of --pass-at; score, label: that one passes. "
    "Default of judges: agrees, or score where no row has a label. Systems pass by their checkers, and else by judges, unless this "
    "says otherwise; agrees compares how well they are judged.",
)
@click.option("--against", metavar="NAME", help="Compare only with this one, not every pair.")
@click.option(
    "--statistic",
    default="accuracy",
    show_default=True,
    help="Whose difference is estimated: any statistic of `fiducial calibrate`.",
)
@click.option(
    "--flips", type=click.IntRange(min=0), default=0, help="List up to this many items that differ, per pair."
)
@click.option(
    "--interval",
    type=click.Choice(["wald", "cluster-t", "bootstrap"]),
    help="Of the difference between judges. Default: for shares of the same rows a t-test over clusters (CR2), or McNemar's mid-p "
    "with Tango's interval where every item is its own; else BCa cluster bootstrap, paired.",
)
@click.option(
    "--price",
    "prices",
    multiple=True,
    metavar="[MODEL=]IN/OUT",
    help="US dollars for a million tokens in and out, for tables with tokens. Default: public list prices.",
)
def command(
    tables: tuple[Path, ...],
    labels: Path | None,
    columns: tuple[str, ...],
    pass_at: GivenPassAt,
    seed: int,
    replicates: int,
    json_file: str | None,
    by: By,
    right: Right | None,
    against: str | None,
    statistic: str,
    flips: int,
    interval: IntervalOption | None,
    prices: tuple[str, ...],
) -> None:
    """Test every pair of judges or systems on the items both have, corrected for the number of pairs."""
    from ..api.measuring import compare  # noqa: PLC0415 - numpy and scipy are slow to import

    found = compare(
        load_table(tables, columns, labels, outputs=by == "system" and right != "agrees"),
        by=by,
        right=right,
        pass_at=pass_at,
        against=against,
        statistic=statistic,
        flips=flips,
        interval=interval,
        seed=seed,
        replicates=replicates,
        prices=prices,
    )
    emit(found, json_file)
