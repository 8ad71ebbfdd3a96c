"""`fiducial labels`: what people decided, as a patch of the data set."""

from __future__ import annotations

from pathlib import Path

import click

from .kinds import FOLDER, OUT_FILE
from .options import json_option, option
from .table_input import emit

_EXAMPLE = """\b
Examples:
  fiducial labels export run --out patch.jsonl
  fiducial check cases.jsonl --outputs outputs.jsonl --labels-patch patch.jsonl --out verdicts.jsonl
"""


@click.group(no_args_is_help=True)
def command() -> None:
    """Corrected references, made of what people decided where judge and label differ."""


@command.command(
    "export", short_help="Write corrected references as a patch of the data set.", epilog=_EXAMPLE
)
@click.argument("run", type=FOLDER)
@option("--out", type=OUT_FILE, required=True, help="The patch (JSON Lines).")
@json_option
def export(run: Path, out: Path, json_file: str | None) -> None:
    """Write corrected references of the cases of the run folder RUN, with reasons and who decided.

    A reference that somebody wrote on the review page is taken; else one is widened by an output that was found right. Each is tried: under it the checker says
    of every decided output of its case what was decided. Decisions that no reference says are listed.
    """
    from ..api.labels import export_labels

    emit(export_labels(run, out), json_file)
