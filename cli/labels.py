"""`fiducial labels`: add labels and references; export decisions as corrected references."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..settings.verbs.labels import LabelsAddSettings, LabelsExportSettings
from .declared_options import options_of
from .label_options import grade_arguments, header_arguments
from .printing import emit

if TYPE_CHECKING:
    from ..api.reviewing import LabelDeclaration

_EXPORT_EXAMPLE = """\b
Examples:
  fiducial labels export run --out patch.jsonl
  fiducial check cases.jsonl --outputs outputs.jsonl --labels-patch patch.jsonl --out verdicts.jsonl
"""


_ADD_EXAMPLE = """\b
Examples:
  fiducial labels add shop grades.csv
  fiducial labels add shop grades.csv --label-scale 1:5 --label-pass-at 4
  fiducial labels add shop bobs.csv --by bob
  fiducial labels add shop expected.csv          (session_id, expected_calls)
"""


@click.group(no_args_is_help=True)
def command() -> None:
    """Add labels and references; export decisions as corrected references."""


@command.command(
    "add",
    short_help="Add labels and references to an import or a run.",
    epilog=_ADD_EXAMPLE,
)
@options_of(LabelsAddSettings)
def add(
    folder: Path,
    labels: Path,
    by: str | None,
    labels_chosen_by: LabelDeclaration | None,
    json_file: str | None,
) -> None:
    """Add LABELS to FOLDER, which `fiducial import` wrote, or a run.

    LABELS is CSV, TSV, JSON Lines, JSON or Parquet with ids (and systems, if there are several) and grades, or trusted verdicts. Its columns
    expected_calls, accepted_answers, criterion and context become references of the cases, with which checkers and judges grade.
    """
    from ..api.labels import join_labels

    result = join_labels(
        folder,
        labels,
        by=by,
        labels_chosen_by=labels_chosen_by,
        **header_arguments(),
        **grade_arguments(),
    )
    emit(result, json_file, wrapped=False)


@command.command(
    "export", short_help="Write corrected references as a patch of the data set.", epilog=_EXPORT_EXAMPLE
)
@options_of(LabelsExportSettings)
def export(run: Path, out: Path, json_file: str | None) -> None:
    """Write corrected references for the run RUN, with reasons and who decided.

    A reference that a person wrote on the review page is used as it is; otherwise the reference is extended by an output that was found
    correct. Each is verified: with it, the checker must agree with the decision on every decided output of the case. Decisions that no
    reference can express are listed.
    """
    from ..api.labels import export_labels

    emit(export_labels(run, out), json_file, wrapped=False)
