"""`fiducial review`: the page on which a person labels outputs, and the way of the labels into the run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..api.text import visible
from .options import FOLDER, INPUT_FILE, SpreadCommand

if TYPE_CHECKING:
    from ..evaluation.labelling.review_sample import ReviewSample, SampleKind

_EXAMPLE = """\b
Examples:
  fiducial review run --by ann
  fiducial review run --add labels-ann.jsonl labels-bob.jsonl
  fiducial review run --by ann --sample decided --n 100
  fiducial review run --by ann --sample doubt --judge rubric/reasons@gpt-4.1-mini
"""

_PARTS = {
    "open": "outputs that no checker decided{graded}, drawn at random (seed {seed})",
    "decided": "outputs that a checker decided{graded}, drawn at random (seed {seed}); not for correcting rates",
    "doubt": "open outputs, drawn by doubt of {judge} (seed {seed}); correct no rate by them without their chances",
    "suspected": "outputs whose label most judges contradict, the most doubtful first; no random sample, not for correcting rates",
}


_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


@click.command("review", cls=SpreadCommand, epilog=_EXAMPLE)
@click.argument("run", type=FOLDER)
@click.option(
    "--sample",
    type=click.Choice(["open", "decided", "doubt", "suspected"]),
    default="open",
    show_default=True,
    help="open: at random from what no checker decided, which is what corrects rates; decided: at random from what one "
    "did, to audit it; doubt: open, likelier where the judge is in doubt; suspected: labels that judges contradict.",
)
@click.option("--n", "count", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draw; everybody gets the same.")
@click.option("--judge", metavar="NAME", help="Only outputs that this judge graded; whose doubt, with doubt.")
@click.option(
    "--by", "name", metavar="NAME", default="", help="Who labels; what they have labelled is left out."
)
@click.option("--out", type=INPUT_FILE, help="The page.  [default: in the run folder]")
@click.option(
    "--add", "labels", type=INPUT_FILE, multiple=True, metavar="FILE...", help="Take labels into the run."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    run: Path,
    sample: SampleKind,
    count: int,
    seed: int,
    judge: str | None,
    name: str,
    out: Path | None,
    labels: tuple[Path, ...],
    as_json: bool,  # noqa: FBT001 - a flag of the command line
) -> None:
    """Make a page on which a person labels outputs of the run folder RUN, or add the labels made on it.

    The page is one file that needs no network and no server: answers stay in the browser until they are downloaded. With
    --add they become labels of the run, and the command of the run, typed again, corrects its rates by them.
    """
    result, lines = _add(run, labels) if labels else _make(run, sample, count, seed, judge, name.strip(), out)
    click.echo(json.dumps(result, indent=2) if as_json else visible("\n".join(lines)))


def _make(
    run: Path,
    kind: SampleKind,
    count: int,
    seed: int,
    judge: str | None,
    name: str,
    out: Path | None,
) -> tuple[dict[str, Any], list[str]]:
    from ..evaluation.labelling.labels import labelled_by  # noqa: PLC0415 - slow to import
    from ..evaluation.labelling.review_sample import draw_rows, draw_sample  # noqa: PLC0415 - likewise
    from ..evaluation.store.run_store import RunStore  # noqa: PLC0415 - likewise
    from ..records import write_records  # noqa: PLC0415 - likewise
    from ..report.review import write_review  # noqa: PLC0415 - the template engine is slow to import

    with RunStore(run) as store:
        store.finished()
        drawn = draw_sample(store, kind, count, seed=seed, judge=judge)
        done = labelled_by(store, name)
        keys = [key for key in drawn.keys if key not in done]
        page = (out or run / f"review{_slug(kind, name)}.html") if keys else None
        table = page.with_suffix(".table.jsonl") if page and kind == "doubt" else None
        if page:
            write_review(page, store, drawn, keys, name)
        if table:
            write_records(table, draw_rows(store, drawn))
    result = {
        "page": page and str(page),
        "table": table and str(table),
        **drawn.provenance,
        "judge": drawn.judge,
        "by": name or None,
        "n": len(keys),
        "labelled_before": len(drawn.keys) - len(keys),
        "items": [str(key) for key in keys],
    }
    return result, _page_lines(run, drawn, keys, name, page, table)


def _slug(kind: SampleKind, name: str) -> str:
    """What tells files of samples and people apart; the page names its labels likewise."""
    parts = ["" if kind == "open" else kind, _NOT_IN_NAMES.sub("-", name)[:60]]
    return "".join(f"-{part}" for part in parts if part)


def _page_lines(
    run: Path, drawn: ReviewSample, keys: list[Any], name: str, page: Path | None, table: Path | None
) -> list[str]:
    graded = f" and {drawn.judge} graded" if drawn.judge else ""
    part = _PARTS[drawn.kind].format(seed=drawn.seed, judge=drawn.judge, graded=graded)
    lines = [f"{len(drawn.keys):,} of {drawn.of:,} {part}"]
    if page is None:
        return [*lines, f"{name} has labelled all of them; a larger --n goes on"]
    if len(keys) < len(drawn.keys):
        lines.append(f"{name} has labelled {len(drawn.keys) - len(keys):,} of them; {len(keys):,} are left")
    file = f"labels{_slug(drawn.kind, name or 'NAME')}.jsonl"
    return [
        *lines,
        f"page: {page}",
        f"next: open it in a browser, label, download {file}; then",
        *_next(run, drawn, file, table),
    ]


def _next(run: Path, drawn: ReviewSample, file: str, table: Path | None) -> list[str]:
    from ..evaluation.store.run_store import RunStore  # noqa: PLC0415 - slow to import

    if drawn.kind == "open":
        return [f"  fiducial review {run} --add {file}", *_corrected_by(run)]
    if drawn.kind == "decided":
        # What the audit corrects are judges' rates.
        asked = RunStore(run).manifest.judges
        return [
            f"  fiducial calibrate {run} --label-audit {file}"
            + ("" if asked else "   (once a judge was asked)")
        ]
    if drawn.kind == "doubt":
        return [f"  fiducial estimate {table} --labels {file}   (label every one: each stands for others)"]
    return ["  mend the cases whose label is wrong, and run again"]


def _corrected_by(run: Path) -> list[str]:
    """What makes corrected rates of labels of the open part."""
    from ..evaluation.store.run_store import RunStore  # noqa: PLC0415 - slow to import

    manifest = RunStore(run).manifest
    if "rules" in manifest.identity:
        return [f"  {manifest.command}"]
    # Without checkers nothing is decided: all labels are of one random sample, which estimate takes as it is.
    return [f"  fiducial estimate {run}   (--judge NAME where there are several)"]


def _add(run: Path, files: tuple[Path, ...]) -> tuple[dict[str, Any], list[str]]:
    import msgspec  # noqa: PLC0415 - only here

    from ..evaluation.labelling.labels import add_labels  # noqa: PLC0415 - slow to import

    added = add_labels(run, files)
    people = ", ".join(f"{name} {number:,}" for name, number in added.people.items())
    lines = [
        f"labels: {added.labels} ({added.added:,} added, {added.unchanged:,} already there; {people})",
        *([f"{added.skipped:,} could not be told: they label nothing"] if added.skipped else []),
        "next: rates, corrected by them",
        *_corrected_by(run),
    ]
    return msgspec.structs.asdict(added) | {"labels": str(added.labels)}, lines
