"""`fiducial rubrics`: score a run by rubrics of many criteria."""

from __future__ import annotations

from pathlib import Path

import click

from ..settings.verbs.rubrics import RubricsSettings
from .declared_options import options_of
from .printing import emit

_EXAMPLE = """\b
Examples:
  fiducial rubrics judged
  fiducial rubrics judged --labels criteria.csv --json rubrics.json
"""


@click.command("rubrics", epilog=_EXAMPLE)
@options_of(RubricsSettings)
def command(run: Path, labels: Path | None, level: float, json_file: str | None) -> None:
    """Score RUN by its rubrics: points over points possible, by system and tag.

    Labels of criteria correct the scores for the judge's errors.
    """
    from ..api.rubrics import rubrics

    emit(rubrics(run, labels=labels, level=level), json_file)
