"""`fiducial merge`: merge runs of parts of one data set into one run."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import as_named
from ..settings.verbs.merge import MergeSettings
from .declared_options import options_of
from .notes import note
from .printing import command_line

_EXAMPLE = """\b
Example:
  fiducial run part-0 --outputs outputs-0 --out run-0     (on one machine)
  fiducial run part-1 --outputs outputs-1 --out run-1     (on another)
  fiducial merge run-0 run-1 --out run
"""


@click.command("merge", epilog=_EXAMPLE)
@options_of(MergeSettings)
def command(runs: tuple[Path, ...], out: Path, price: tuple[str, ...]) -> None:
    """Merge finished runs over parts of one data set, without checking or judging again.

    The numbers equal those of one run over all inputs as a set of shards. Runs with different rules, judges, checkers or thresholds are
    refused, as are outputs with different verdicts in two of them.
    """
    from ..api.merging import distinct_folders, merge

    run = merge(distinct_folders(runs, note), out, prices=price, command=command_line(), progress=True)
    click.echo(
        as_named(
            f"{run}\nreport: {run.report()}\nrecords: {out} (`fiducial calibrate {out}` for every statistic)"
        )
    )
