"""`fiducial review`: make the labelling page, and add its labels to the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..settings.verbs.review import ReviewSettings
from .declared_options import options_of
from .option_sources import require_untyped
from .printing import emit
from .shared_options import MultiValueCommand

if TYPE_CHECKING:
    from ..api.reviewing import LabelDeclaration, SampleKind

_EXAMPLE = """\b
Examples:
  fiducial review run --by ann
  fiducial review run --add labels-ann.jsonl labels-bob.jsonl
  fiducial review run --by ann --sample decided --n 100
  fiducial review run --by ann --of disagreements --agreements 30
  fiducial review run --by ann --sample doubt --judge rubric/reasons@gpt-4.1-mini
"""


_PAGE_OPTIONS = ("sample", "of", "agreements", "count", "seed", "judge", "name", "out", "accept_edited")


@click.command("review", cls=MultiValueCommand, epilog=_EXAMPLE)
@options_of(ReviewSettings)
def command(
    *,
    run: Path,
    sample: SampleKind,
    of: SampleKind | None,
    name: str,
    labels: tuple[Path, ...],
    labels_chosen_by: LabelDeclaration | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Make a page for labelling outputs of the run RUN, or add its labels.

    The page is one file that needs no network and no server: answers stay in the browser until they are downloaded. With --add they become
    labels of the run; rerun the run's command to correct its rates with them. Decisions (--of) are kept apart; `calibrate`, `run` and
    `audit run` print adjudicated numbers beside the others.
    """
    from ..api.reviewing import add_labels, review

    if labels:
        require_untyped(_PAGE_OPTIONS, "is for making a page; --add only adds labels")
    else:
        require_untyped(["labels_chosen_by"], "goes with --add; labels of a page say how they were drawn")
    if of is not None:
        require_untyped(["sample"], "is not used with --of; drop one of them")
    if of not in {"disagreements", "survivors"}:
        require_untyped(["agreements"], "goes with --of disagreements or survivors")
    result = (
        add_labels(run, labels, labels_chosen_by=labels_chosen_by)
        if labels
        else review(run, of or sample, name=name.strip(), **options)
    )
    emit(result, "-" if as_json else None, wrapped=False)
