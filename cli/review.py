"""`fiducial review`: make the labelling page, and add its labels to the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .option_sources import refuse_typed
from .param_types import EXISTING_FOLDER, INPUT_FILE, OUT_FILE, Whole
from .printing import emit
from .shared_options import MultiValueCommand, compose, option

if TYPE_CHECKING:
    from ..api.reviewing import SampleKind

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
@click.argument("run", type=EXISTING_FOLDER)
@compose(
    option("--sample", type=click.Choice(["open", "decided", "doubt", "suspected"]), default="open",
           help="open: random undecided outputs (no checker decided them), to correct rates; decided: random checked ones, to audit checkers; doubt: undecided ones, likelier if the judge is unsure; suspected: the outputs of --of suspects, to label anew."),
    option("--of", type=click.Choice(["disagreements", "survivors", "suspects"]),
           help="Instead of --sample: decide between label and judge, shown unnamed. disagreements: outputs on which they differ; survivors: faults that every judge of an audit but the baseline missed; suspects: outputs whose label most judges contradict."),
    option("--agreements", type=Whole(0, 1000), default=20,
           help="With --of: add outputs on which label and judges agree, to measure how often both err."),
    option("--n", "count", type=Whole(1, 1000), default=50, help="Number of outputs."),
    option("--seed", type=int, default=0, help="Seed of the draw."),
    option("--judge", metavar="NAME", help="Only outputs that this judge graded; with --sample doubt, the judge in doubt."),
    option("--by", "name", metavar="NAME", show_default=False, default="", help="Name of the person; outputs they have labelled are skipped.  [default: all labelled outputs are skipped]"),
    option("--out", type=OUT_FILE, help="The page.  [default: in the run folder]"),
    option("--accept-edited", is_flag=True, help="Accept a run that was edited by hand; the page says so."),
    option("--add", "labels", type=INPUT_FILE, multiple=True, metavar="FILE...", help="Import labels into the run."),
    option("--json", "as_json", is_flag=True, help="Print JSON."),
)  # fmt: skip
def command(
    *,
    run: Path,
    sample: SampleKind,
    of: SampleKind | None,
    name: str,
    labels: tuple[Path, ...],
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
        refuse_typed(_PAGE_OPTIONS, "is for making a page; --add only adds labels")
    if of is not None:
        refuse_typed(["sample"], "is not used with --of; drop one of them")
    if of not in {"disagreements", "survivors"}:
        refuse_typed(["agreements"], "goes with --of disagreements or survivors")
    result = add_labels(run, labels) if labels else review(run, of or sample, name=name.strip(), **options)
    emit(result, "-" if as_json else None, wrapped=False)
