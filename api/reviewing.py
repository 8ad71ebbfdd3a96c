"""`fiducial.review`: make the labelling page, and add its labels to the run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..calibration.label_declarations import LabelDeclaration
from ..errors import UsageError
from ..evaluation.labelling.disputes import draw_disputes
from ..evaluation.labelling.review_sample import TO_DECIDE, ReviewSample, SampleKind, draw_rows, draw_sample
from ..evaluation.labelling.trusted_labels import LabelsAdded, decided_by, labelled_by
from ..evaluation.labelling.trusted_labels import add_labels as add_files
from ..evaluation.store.file_names import MANIFEST
from ..evaluation.store.run_store import RunStore
from ..records import ItemKey, write_records
from ..report.review import write_review
from ..report.text.caution_text import looks_of
from ..spelling import command, setting
from ..tables.label_table import is_verdicts
from .argument_checks import checked_arguments, require_choice, require_whole
from .display import Document, Presentation, Result, bind_display
from .joining import correction_commands
from .paths import FilePath, input_path, put_back, written_path
from .run import Run, disk_folder_of

__all__ = ["LabelsAdded", "ReviewPage", "SampleKind", "add_labels", "review"]

_SAMPLE_WORDS = {
    "open": "undecided outputs{graded}, drawn at random (seed {seed})",
    "decided": "checked outputs{graded}, drawn at random (seed {seed}); not for correcting rates",
    "doubt": "undecided outputs, drawn by doubt of {judge} (seed {seed}); rates need their draw probabilities",
    "disagreements": "disagreements of {by} and label, drawn at random (seed {seed})",
    "survivors": "planted faults that {missed_by} missed, drawn at random (seed {seed})",
    "suspects": "outputs whose label most judges contradict, the most doubtful first",
    "suspected": "outputs whose label most judges contradict, the most doubtful first; not a random sample, not for correcting rates",
}

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")


class ReviewPage(Result, frozen=True, kw_only=True):
    """Page for labelling outputs.

    Attributes:
        run: The run's folder.
        drawn: The drawn sample.
        keys: Outputs of the sample that are still to be labelled, in their order on the page.
        name: Name of the labeller; empty if the page asks.
        page: The file, or None if everything is labelled.
        table: Table with the draw probabilities, if outputs are drawn by doubt, else None.
    """

    run: Path
    drawn: ReviewSample
    keys: list[ItemKey]
    name: str
    page: Path | None
    table: Path | None

    def to_dict(self) -> dict[str, Any]:
        """Return the page as ``review --json`` prints it."""
        return {
            "page": self.page and str(self.page),
            "table": self.table and str(self.table),
            **self.drawn.provenance,
            "judge": self.drawn.judge,
            "by": self.name or None,
            "n": len(self.keys),
            **({"agreements": self.drawn.agreed} if self.drawn.kind in TO_DECIDE else {}),
            "labelled_before": len(self.drawn.keys) - len(self.keys),
            "items": [str(key) for key in self.keys],
        }

    def document(self) -> Document:
        """Return the page's details as a document."""
        review_sample = self.drawn
        graded_words = f" graded by {review_sample.judge}" if review_sample.judge else ""
        sample_words = _SAMPLE_WORDS[review_sample.kind].format(
            seed=review_sample.seed,
            judge=review_sample.judge,
            graded=graded_words,
            by=review_sample.judge or "a judge",
            missed_by=review_sample.judge or _missed_by(self.run),
        )
        lines = [f"{len(review_sample.keys) - review_sample.agreed:,} of {review_sample.of:,} {sample_words}"]
        if review_sample.agreements:
            lines.append(
                f"{review_sample.agreed:,} of {review_sample.agreements:,} outputs on which they agree, drawn the same way"
            )
        lines += self._labelled_lines()
        if self.page is None:
            return lines
        file = f"labels{_file_suffix(review_sample.kind, self.name or 'NAME')}.jsonl"
        action = "decide" if review_sample.kind in TO_DECIDE else "label"
        instruction = f"next: open it in a browser, {action}, download {file}; then"
        return [*lines, f"page: {self.page}", instruction, *self._next_lines(file)]

    def _labelled_lines(self) -> list[str]:
        """Return a line on how many drawn outputs are already labelled; nothing if none are."""
        done_word = "decided" if self.drawn.kind in TO_DECIDE else "labelled"
        if self.page is None and self.name:
            return [f"{self.name} has {done_word} all of them; a larger {setting('n')} adds more"]
        if self.page is None:
            return [
                f"all are {done_word}; {setting('by', 'NAME')} asks again, a larger {setting('n')} adds more"
            ]
        labelled_count = len(self.drawn.keys) - len(self.keys)
        if not labelled_count:
            return []
        labelled_sentence = (
            f"{self.name} has {done_word} {labelled_count:,} of them"
            if self.name
            else f"{labelled_count:,} of them are {done_word} already"
        )
        return [f"{labelled_sentence}; {len(self.keys):,} are left"]

    def _next_lines(self, file: str) -> list[str]:
        if not _run_exists(self.run):
            return []
        if self.drawn.kind == "open":
            return [
                f"  {command('review', self.run, add=file)}",
                *correction_commands(self.run),
            ]
        if self.drawn.kind in TO_DECIDE:
            return [
                f"  {command('review', self.run, add=file)}",
                *_adjudication_commands(self.run),
            ]
        if self.drawn.kind == "decided":
            # `calibrate` uses the audit to correct judges' rates, so it needs a judge.
            judges = RunStore(self.run).manifest.judges
            heading = [] if judges else ["once a judge was asked:"]
            return [*heading, f"  {command('calibrate', self.run, label_audit=file)}"]
        if self.drawn.kind == "doubt":
            return [
                "label every one, since each stands for others:",
                f"  {command('estimate', self.table, labels=file)}",
            ]
        return ["  correct the cases whose label is wrong, and run again"]


@checked_arguments
def review(
    run: Run | FilePath,
    sample: SampleKind = "open",
    *,
    count: int = 50,
    seed: int = 0,
    judge: str | None = None,
    name: str = "",
    agreements: int = 20,
    out: FilePath | None = None,
    accept_edited: bool = False,
) -> ReviewPage:
    """Make a page for labelling outputs of a run: one file without network or server.

    Args:
        run: A run kept in a folder, or that folder.
        sample: ``open``: at random from undecided outputs, which corrects rates; ``decided``: at random from checked ones,
            to audit the checker; ``doubt``: undecided, likelier if the judge is unsure; ``suspected``: labels that judges contradict. To decide between label and
            judge: ``disagreements``; ``survivors``, planted faults that every judge of an audit but the baseline missed; ``suspects``.
        count: Size of the sample.
        seed: Seed of the draw; the same for every labeller.
        judge: Judge whose outputs, doubt or disagreements count.
        agreements: Number of outputs on which label and judges agree, mixed among disagreements or survivors to show how often both err.
        name: Name of the labeller, whose labelled outputs are left out; without a name, all labelled outputs are.
        out: The page's file; by default in the run's folder.
        accept_edited: Whether to accept a run that was edited by hand; the page says so.

    Raises:
        RunFolderError: It is not a finished run, was changed by hand, or its inputs were moved or changed.
        InputError: There is nothing to draw from.
        UsageError: An argument cannot be used.
    """
    require_choice("sample", sample, SampleKind)
    require_whole("count", count)
    require_whole("agreements", agreements, 0)
    folder = disk_folder_of(run, "review")
    with put_back(folder), RunStore(folder) as store:
        is_decision = sample in TO_DECIDE
        if sample != "survivors":
            store.finished()
        if not accept_edited:
            store.require_unedited()
        review_sample = (
            draw_disputes(store, sample, count, agreements=agreements, seed=seed, judge=judge)
            if is_decision
            else draw_sample(store, sample, count, seed=seed, judge=judge)
        )
        finished_keys = decided_by(store, name) if is_decision else labelled_by(store, name)
        keys = [key for key in review_sample.keys if key not in finished_keys]
        page = (
            (written_path(out) if out else folder / f"review{_file_suffix(sample, name)}.html")
            if keys
            else None
        )
        table = page.with_suffix(".table.jsonl") if page and sample == "doubt" else None
        if page:
            write_review(page, store, review_sample, keys, name)
        if table:
            write_records(table, draw_rows(store, review_sample))
    return ReviewPage(run=folder, drawn=review_sample, keys=keys, name=name, page=page, table=table)


def _labels_added_values(added: LabelsAdded) -> dict[str, Any]:
    fields = msgspec.structs.asdict(added) | {"labels": str(added.labels)}
    del fields["run"]
    return fields


def _labels_added_document(added: LabelsAdded) -> Document:
    people = ", ".join(f"{name} {number:,}" for name, number in added.people.items())
    return [
        f"{'decisions' if added.decided else 'labels'}: {added.labels} ({added.added:,} added, {added.unchanged:,} already there; {people})",
        *_skipped_lines(added),
        *looks_of(added.rounds, added.run),
        *_next_commands(added),
    ]


def _next_commands(added: LabelsAdded) -> list[str]:
    """Return what to type next; nothing if the run's folder is gone."""
    if not _run_exists(added.run):
        return []
    if added.decided:
        return ["next: adjudicated numbers", *_adjudication_commands(added.run)]
    return ["next: rates, corrected by them", *correction_commands(added.run)]


def _skipped_lines(added: LabelsAdded) -> list[str]:
    if not added.skipped:
        return []
    reason = "cannot be decided" if added.decided else "without a label, since the labeller could not tell"
    return [f"{added.skipped:,} {reason}"]


bind_display(
    LabelsAdded, Presentation(make_document=_labels_added_document, make_values=_labels_added_values)
)


@checked_arguments
def add_labels(
    run: Run | FilePath, files: Sequence[FilePath], *, labels_chosen_by: LabelDeclaration | None = None
) -> LabelsAdded:
    """Add people's labels to a run; rerunning it corrects its rates by them.

    Args:
        run: A run kept in a folder, or that folder.
        files: Files of labels.
        labels_chosen_by: How outputs were chosen for labels, if no page of `review` drew them; as for `estimate`.

    Raises:
        UsageError: A file is a table of grades, which `join_labels` adds.
        InputError: A file cannot be used.
        RunFolderError: It is not a run folder.
    """
    if labels_chosen_by is not None:
        require_choice("labels_chosen_by", labels_chosen_by, LabelDeclaration)
    folder = disk_folder_of(run, "label")
    paths = [input_path(file) for file in files]
    for path in paths:
        if not is_verdicts(path):
            raise UsageError(
                f"{path} is a table, not labels of a review page: `{command('labels add', folder, path)}` adds it"
            )
    return add_files(folder, paths, chosen_by=labels_chosen_by)


def _file_suffix(kind: SampleKind, name: str) -> str:
    """Return a suffix that distinguishes files by sample and person.

    The page names its labels by the same suffix.
    """
    parts = ["" if kind == "open" else kind, _NOT_IN_FILE_NAMES.sub("-", name)[:60]]
    return "".join(f"-{part}" for part in parts if part)


def _run_exists(run: Path) -> bool:
    """Return whether a run's folder still exists: results are shown without it, too."""
    return (run / MANIFEST).exists()


def _adjudication_commands(run: Path) -> list[str]:
    """Return the commands that make adjudicated numbers and correct the data set."""
    manifest = RunStore(run).manifest
    if "audit_of" in manifest.identity:
        return [f"  {manifest.command}"]
    return [f"  {command('calibrate', run)}", "for the report:", f"  {manifest.command}"]


def _missed_by(run: Path) -> str:
    """Name the judges that all missed a surviving fault.

    The baseline counts only if it was the only judge.
    """
    if not _run_exists(run):
        return "judges"
    only_baseline = all(judge.id.kind == "baseline" for judge in RunStore(run).manifest.roster)
    return "the baseline" if only_baseline else "every judge but the baseline"
