"""`fiducial rubrics`: score a run by rubrics of many criteria."""

from __future__ import annotations

from pathlib import Path

import click

from .param_types import EXISTING_FOLDER, Number
from .printing import emit
from .shared_options import json_option, one_labels_option, option

_EXAMPLE = """\b
Examples:
  fiducial rubrics judged
  fiducial rubrics judged --labels criteria.csv --json rubrics.json
"""


@click.command("rubrics", epilog=_EXAMPLE)
@click.argument("run", type=EXISTING_FOLDER)
@one_labels_option(
    "Labels of criteria: a table with the case, the criterion (its text or number), perhaps the system, and whether it is met."
)
@option(
    "--level",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.95,
    help="Level of the intervals.",
)
@json_option
def command(run: Path, labels: Path | None, level: float, json_file: str | None) -> None:
    """Score RUN by its rubrics: points over points possible, by system and tag.

    Labels of criteria correct the scores for the judge's errors.
    """
    from ..api.rubrics import rubrics

    emit(rubrics(run, labels=labels, level=level), json_file)
