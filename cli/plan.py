"""`fiducial plan`: how many labels or items it takes, and which to label next."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import UsageError
from ..records import write_records
from .options import Number
from .table_input import column_option, emit, load_table

_EXAMPLE = """\b
Example:
  fiducial plan --half-width 0.05 --tpr 0.9 --tnr 0.85 --prevalence 0.3 --unlabelled 2000
  fiducial plan --difference 0.05 --discordant 0.15 --power 0.8
  fiducial plan judged.jsonl --next 50
  fiducial plan judged.jsonl --next 50 --by-doubt --out draw.jsonl
  fiducial plan judged.jsonl --labels labels.jsonl --next 100 --strata category --out draw.jsonl
"""

_SHARE = Number(0, 1, min_open=True, max_open=True)


@click.command("plan", epilog=_EXAMPLE)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--half-width", type=_SHARE, help="Labels for intervals this narrow.")
@click.option(
    "--tpr", type=_SHARE, default=0.9, show_default=True, help="Expected true positive rate of the judge."
)
@click.option("--tnr", type=_SHARE, default=0.9, show_default=True, help="Expected true negative rate.")
@click.option(
    "--prevalence", type=_SHARE, default=0.5, show_default=True, help="Expected share of right outputs."
)
@click.option(
    "--unlabelled", type=click.IntRange(min=1), help="Items judged and not labelled, for the corrected rate."
)
@click.option(
    "--assurance",
    type=_SHARE,
    default=0.8,
    show_default=True,
    help="Share of samples in which intervals are to be as narrow as --half-width.",
)
@click.option(
    "--on-average",
    is_flag=True,
    help="Labels for which intervals are that narrow on average, so in about half of the samples: the textbook's sizes.",
)
@click.option("--difference", type=_SHARE, help="Items to find this difference between two judges.")
@click.option(
    "--discordant",
    type=_SHARE,
    default=0.2,
    show_default=True,
    help="Share of items on which just one is right.",
)
@click.option("--power", type=_SHARE, default=0.8, show_default=True, help="Wanted chance to find it.")
@click.option("--rows-per-cluster", type=Number(min=1), default=1.0, show_default=True)
@click.option("--icc", type=Number(0, 1), default=0.0, show_default=True, help="Correlation within clusters.")
@click.option(
    "--next",
    "count",
    type=click.IntRange(min=1),
    help="Draw this many items of TABLE to label next; of a run folder, from what no checker decided.",
)
@click.option(
    "--by-doubt",
    is_flag=True,
    help="Draw about so many, likelier where labels are in doubt; `fiducial estimate --draw` must know the chances.",
)
@click.option(
    "--strata",
    metavar="COLUMN",
    help="Draw from each stratum as many as the labels so far ask for (Neyman), at least ten in all: a column of few "
    "values, or `score` for parts by the judge's score. `fiducial estimate --strata` must know them.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the items, and their chances, as JSON Lines.",
)
@click.option("--judge", metavar="NAME", help="Whose doubt, when the table has several judges.")
@click.option(
    "--labels",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Verdicts (JSONL) that are trusted: labels there are so far, of the items named case_id|system|trial.",
)
@column_option
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draw.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    tables: tuple[Path, ...],
    half_width: float | None,
    tpr: float,
    tnr: float,
    prevalence: float,
    unlabelled: int | None,
    assurance: float,
    on_average: bool,  # noqa: FBT001 - a flag of the command line
    difference: float | None,
    discordant: float,
    power: float,
    rows_per_cluster: float,
    icc: float,
    count: int | None,
    by_doubt: bool,  # noqa: FBT001 - a flag of the command line
    strata: str | None,
    out: Path | None,
    judge: str | None,
    labels: Path | None,
    columns: tuple[str, ...],
    seed: int,
    as_json: bool,  # noqa: FBT001 - a flag of the command line
) -> None:
    """Say how many labels or items it takes, before they are paid for."""
    if count is None and (by_doubt or strata or out or judge or labels or columns):
        raise UsageError("--by-doubt, --strata, --out, --judge, --labels and --column are about --next")
    from ..api.planning import plan  # noqa: PLC0415 - numpy and scipy are slow to import

    found = plan(
        load_table(tables, columns, labels, open_only=True) if tables else None,
        half_width=half_width,
        tpr=tpr,
        tnr=tnr,
        prevalence=prevalence,
        unlabelled=unlabelled,
        assurance=None if on_average else assurance,
        difference=difference,
        discordant=discordant,
        power=power,
        rows_per_cluster=rows_per_cluster,
        icc=icc,
        draw=count,
        by_doubt=by_doubt,
        strata=strata,
        judge=judge,
        seed=seed,
    )
    if out is not None and found.draw is not None:
        write_records(out, found.draw.rows())
    emit(found, "-" if as_json else None)
