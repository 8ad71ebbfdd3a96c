"""`fiducial review`: make the labelling page, and add its labels to the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .param_types import FOLDER, INPUT_FILE, OUT_FILE, Whole
from .shared_options import SpreadCommand, compose, option
from .table_options import emit

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


@click.command("review", cls=SpreadCommand, epilog=_EXAMPLE)
@click.argument("run", type=FOLDER)
@compose(
    option("--sample", type=click.Choice(["open", "decided", "doubt", "suspected"]), default="open",
           help="open: at random from what no checker decided, which is what corrects rates; decided: at random from what one did, to audit it; "
                "doubt: open, likelier where the judge is in doubt; suspected: labels that judges contradict."),
    option("--of", type=click.Choice(["disagreements", "survivors", "suspects"]),
           help="In place of --sample, decide between label and judge, both shown unnamed: where they differ; faults that the judges of an audit "
                "missed; labels that most judges contradict."),
    option("--agreements", type=Whole(0, 1000), default=20,
           help="Outputs put between those of --of on which label and judges agree: without them nobody knows how often both err."),
    option("--n", "count", type=Whole(1, 1000), default=50, help="How many."),
    option("--seed", type=int, default=0, help="Of the draw; everybody gets the same."),
    option("--judge", metavar="NAME", help="Only outputs that this judge graded; whose doubt, with doubt."),
    option("--by", "name", metavar="NAME", show_default=False, default="", help="Who labels; what they have labelled is left out.  [default: what anybody has labelled is left out]"),
    option("--out", type=OUT_FILE, help="The page.  [default: in the run folder]"),
    option("--accept-edited", is_flag=True, help="Take a run that was changed by hand since it was written; the page says so."),
    option("--add", "labels", type=INPUT_FILE, multiple=True, metavar="FILE...", help="Take labels into the run."),
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

    found = add_labels(run, labels) if labels else review(run, of or sample, name=name.strip(), **options)
    emit(found, "-" if as_json else None, wrapped=False)
