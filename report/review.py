"""Review page: one offline file on which a person labels the outputs of a sample.

It loads nothing and runs nothing from the data. `review_view` builds the items, the page's script keeps the answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup

from ..calibration.decisions import FAULTS, REVIEW
from ..errors import RecordError
from ..evaluation.inputs import read_outputs
from ..evaluation.judging.asking import as_judged
from ..evaluation.labelling.disputes import opinions_on
from ..evaluation.labelling.review_sample import TO_DECIDE, ReviewSample
from ..evaluation.store.run_store import RunStore
from ..records import Case, ItemKey, read_records
from .from_run import edit_warnings
from .page import rendered, write_page
from .review_view import ReviewItem, review_item

_SAMPLE_USES = {
    "open": "A random sample of undecided outputs. Label as many as you like, in this order. The labels correct the run's rates.",
    "decided": "A random sample of checked outputs, to audit the checker. It corrects no rate.",
    "doubt": "Drawn by the judge's doubt, with known chances. Label all of them; only with these chances may they correct a rate.",
    "disagreements": "Outputs on which a label and a judge differ, and some on which they agree, in random order. Decide which are right: rates are compared with your decisions, which can also correct the data set.",
    "survivors": "Planted faults that every judge but the baseline missed, and some that were caught, in random order. Decide which outputs are right: if a planted fault is harmless, the probe is wrong, not the judge.",
    "suspects": "Outputs whose label most judges contradict, the most doubtful first. Decide which are right.",
    "suspected": "Chosen because judges contradict their labels. They are not a random sample: use the answers to fix cases, not to correct rates.",
}
"""What labels of a sample are for, by kind of sample."""


def write_review(
    path: Path, store: RunStore, sample: ReviewSample, keys: Collection[ItemKey], name: str
) -> None:
    """Write the review page of a sample's outputs that are still to label; see `render_review`.

    Raises:
        InputError: The file cannot be written.
        RunFolderError: The run's inputs were moved.
    """
    page = render_review(
        sample,
        list(review_items(store, sample, keys)),
        name,
        subject=_subject(store),
        warnings=list(edit_warnings(store)),
        left_out=len(sample.keys) - len(keys),
    )
    write_page(path, page)


def _subject(store: RunStore) -> list[str]:
    """Return the hashes of the inputs of a run or an audit."""
    identity = store.manifest.identity
    return list(identity.get("inputs", identity.get("audit_of", {}).values()))


def review_items(store: RunStore, sample: ReviewSample, keys: Collection[ItemKey]) -> Iterator[ReviewItem]:
    """Yield the items of a review page in the order of ``keys``.

    Inputs are streamed, and only these outputs are kept in memory.

    Raises:
        RunFolderError: The run's inputs were moved or changed.
    """
    inputs = store.inputs
    selected, ids = set(keys), {key.case_id for key in keys}
    cases = {case.id: case for path in inputs.cases for case in read_records(path, Case) if case.id in ids}
    # Paths of workspaces are relative to the file of outputs.
    outputs = {
        output.key: output
        for file in inputs.outputs
        for output in read_outputs(file)
        if output.key in selected
    }
    opinions = opinions_on(store, sample) if sample.kind in TO_DECIDE else {}
    for key in keys:
        if key not in outputs or key.case_id not in cases:
            row = store.verdicts.standing.rows_of(key)[0]
            raise RecordError(
                f"the run has no output {key}",
                path=store.verdicts.path,
                line=store.verdicts.line_number(row),
            )
        case, verdicts = cases[key.case_id], store.verdicts.verdicts_on(key)
        output = as_judged(case, outputs[key])
        yield review_item(case, output, verdicts, _label_origin(sample, key), opinions.get(key))


def render_review(
    sample: ReviewSample,
    items: list[ReviewItem],
    name: str,
    *,
    subject: Sequence[str] = (),
    warnings: Sequence[str] = (),
    left_out: int = 0,
) -> str:
    """Return a review page.

    Args:
        sample: The sample that the outputs are of.
        items: The outputs.
        name: Name of the labeller; empty to ask on the page.
        warnings: Warnings at the top of the page.
        left_out: Number of outputs of the sample that are already labelled and not shown.
        subject: Hashes of what is labelled, by which a new page finds the answers that a browser kept.

    Returns:
        The page; texts from the data are ASCII.
    """
    # Answers are kept in the browser under this id.
    identity = json.dumps([sample.kind, name, *subject]).encode("ascii")
    data: dict[str, Any] = {
        "id": hashlib.sha256(identity).hexdigest()[:32],
        "sample": sample.kind,
        "name": name,
        "decide": sample.kind in TO_DECIDE,
        "fair": sample.kind in {"open", "decided"},
        "items": msgspec.to_builtins(items),
    }
    return rendered(
        "review.html.j2",
        ["report.css", "review.css"],
        ["review_labels.js", "review.js"],
        use=_SAMPLE_USES[sample.kind],
        warnings=warnings,
        corrects_rates=sample.kind == "open",
        faults=FAULTS if sample.kind in TO_DECIDE else {},
        count=len(items),
        left_out=left_out,
        data=_inert(json.dumps(data)),
    )


def _label_origin(sample: ReviewSample, key: ItemKey) -> dict[str, Any]:
    chance = sample.chances.get(key)
    return {REVIEW: sample.provenance | ({} if chance is None else {"label_probability": chance})}


def _inert(text: str) -> Markup:
    r"""Make ASCII JSON safe inside a script element: without ``<``, which could end the element."""
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - nothing in it is markup any more
