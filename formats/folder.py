"""Imported records as a folder: cases, outputs, verdicts, and what was skipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

from ..errors import InputError, UsageError
from ..records import Case, Kind, Output, Source, Step, Verdict, atomic_write, read_records
from ..records.json_text import encode_json, encode_line
from .example_records import EMPTY
from .imported_records import ImportedRecord, Skipped

CASES, OUTPUTS, VERDICTS, SKIPPED, CLUSTERS, LABELS = (
    "cases.jsonl",
    "outputs.jsonl",
    "verdicts.jsonl",
    "skipped.jsonl",
    "clusters.json",
    "labels.jsonl",
)
"""The files of the folder; verdicts, clusters and labels only where there are some. Labels are what people say, which verdicts hold, too."""


class ImportSummary(msgspec.Struct, kw_only=True):
    """Summary of an import.

    Attributes:
        format: What the files were read as.
        folder: Where the records are.
        kinds: Cases by kind.
        outputs: Outputs by system.
        answered: Outputs that did not fail, by the kind of their case.
        transcripts: Those of them that record their steps.
        verdicts: Verdicts by who says so, and by outcome.
        sources: Of each of those who say so, what it is: a judge, a checker, a person.
        sessions: Conversations of several turns, each one case.
        earlier_calls: Those of them with calls before their last turn.
        failed: Outputs that are an error in place of an answer.
        empty: Outputs in which nothing stands.
        shared: Cases that more than one system answered.
        labels: Verdicts of people, which are in ``labels.jsonl`` as well.
        scored: Whether a judge's score is among the verdicts.
        columns: The columns of a table's fields.
        tags: Columns of a table that are no field.
        guesses: Fields without a column, and a tag that may hold each.
        skipped: How much is listed as skipped.
        first_skipped: The first of that.
    """

    format: str
    folder: str
    kinds: dict[Kind, int] = {}
    outputs: dict[str, int] = {}
    answered: dict[Kind, int] = {}
    transcripts: dict[Kind, int] = {}
    verdicts: dict[str, dict[str, int]] = {}
    sources: dict[str, Source] = {}
    sessions: int = 0
    earlier_calls: int = 0
    failed: int = 0
    empty: int = 0
    shared: int = 0
    labels: int = 0
    scored: bool = False
    skipped: int = 0
    first_skipped: Skipped | None = None
    columns: dict[str, str] = {}
    tags: list[str] = []
    guesses: dict[str, str] = {}


def write_folder(
    found: Iterable[ImportedRecord], folder: Path, name: str, *, source: object = None
) -> ImportSummary:
    """Write imported records in the place of an earlier import, all or nothing.

    Errors name the source.

    Raises:
        InputError: Nothing could be read, or the folder cannot be written.
        UsageError: The folder holds a run.
    """
    if (folder / "run.json").exists():
        raise UsageError(f"{folder} holds a run; name another folder")
    seen = _Summary()
    with ExitStack() as stack:
        if not folder.exists():
            stack.callback(_remove_if_empty, folder)
        to_cases, to_outputs, to_verdicts, to_skipped, to_labels = (
            stack.enter_context(atomic_write(folder / each)).write
            for each in (CASES, OUTPUTS, VERDICTS, SKIPPED, LABELS)
        )
        for each in found:
            line = encode_line(each, folder)
            seen.add(each)
            if isinstance(each, Case):
                to_cases(line)
            elif isinstance(each, Output):
                to_outputs(line)
            elif isinstance(each, Verdict):
                to_verdicts(line)
                if is_label(each):
                    to_labels(line)
            else:
                to_skipped(line)
        if not seen.kinds and not seen.verdicts:
            _refuse_nothing(seen.first_skipped, name, source)
    _remove_empty(folder, VERDICTS, LABELS)
    _write_clusters(folder / CLUSTERS, seen.clusters)
    return seen.imported(name, folder)


def summary_of(folder: Path) -> ImportSummary:
    """Return the summary of an import from its files, with the labels that were added since.

    Raises:
        InputError: They cannot be read.
    """
    seen = _Summary()
    for name, record in ((CASES, Case), (OUTPUTS, Output), (VERDICTS, Verdict)):
        if (folder / name).exists():
            for each in read_records(folder / name, record):
                seen.add(each)
    path = folder / LABELS
    labels = sum(map(is_label, read_records(path, Verdict))) if path.exists() else 0
    return msgspec.structs.replace(seen.imported("", folder), labels=labels)


class _Summary:
    """Counts of an import's records."""

    def __init__(self) -> None:
        self.kinds = Counter[Kind]()
        self.verdicts: dict[str, Counter[str]] = {}
        self.sources: dict[str, Source] = {}
        self.clusters: dict[str, str] = {}
        self.first_skipped: Skipped | None = None
        self._kind_of: dict[str, Kind] = {}
        self._outputs, self._told, self._graded = Counter[str](), Counter[str](), Counter[Source]()
        self._answered, self._transcripts = Counter[Kind](), Counter[Kind]()
        self._shared = _Answered()

    def add(self, each: ImportedRecord) -> None:
        """Count a record."""
        if isinstance(each, Case):
            self.kinds[each.kind] += 1
            self._kind_of[each.id] = each.kind
            if len(each.messages) > 1:
                self._told["sessions"] += len(each.turns) > 1
            if each.cluster is not None:
                self.clusters[each.id] = each.cluster
        elif isinstance(each, Output):
            self._outputs[each.system] += 1
            if each.error is None:
                kind = self._kind_of[each.case_id]
                self._answered[kind] += 1
                self._transcripts[kind] += each.turns is not None
            else:
                self._told["empty" if each.error == EMPTY else "failed"] += 1
            if each.turns is not None:
                self._told["earlier_calls"] += _calls_earlier(each.turns)
            self._shared.add(each)
        elif isinstance(each, Verdict):
            self.verdicts.setdefault(each.by, Counter())[each.outcome] += 1
            self.sources.setdefault(each.by, each.source)
            self._graded[each.source] += each.graded
        else:
            self._told["skipped"] += 1
            self.first_skipped = self.first_skipped or each

    def imported(self, name: str, folder: Path) -> ImportSummary:
        """Return the summary."""
        return ImportSummary(
            format=name,
            folder=str(folder),
            kinds=dict(self.kinds),
            outputs=dict(self._outputs),
            answered=dict(self._answered),
            transcripts=dict(self._transcripts),
            labels=self._graded["human"] + self._graded["construction"],
            scored=self._graded["judge"] > 0,
            verdicts={by: dict(said) for by, said in self.verdicts.items()},
            sources=self.sources,
            shared=self._shared.shared,
            first_skipped=self.first_skipped,
            sessions=self._told["sessions"],
            earlier_calls=self._told["earlier_calls"],
            failed=self._told["failed"],
            empty=self._told["empty"],
            skipped=self._told["skipped"],
        )


class _Answered:
    """Counts the cases that several systems answered, by hashes of their ids."""

    def __init__(self) -> None:
        self._first: dict[int, str] = {}
        self._shared = set[int]()

    def add(self, output: Output) -> None:
        """Count an output."""
        key = hash(output.case_id)
        if self._first.setdefault(key, output.system) != output.system:
            self._shared.add(key)

    @property
    def shared(self) -> int:
        """Number of cases that several systems answered."""
        return len(self._shared)


def _calls_earlier(turns: list[list[Step]]) -> bool:
    """Return whether calls were made before the last turn of a conversation."""
    return any(isinstance(step, list) and step for turn in turns[:-1] for step in turn)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _remove_empty(folder: Path, *names: str) -> None:
    for name in names:
        if not (folder / name).stat().st_size:
            (folder / name).unlink()


def is_label(verdict: Verdict) -> bool:
    """Return whether a person says it, or most of several do."""
    return verdict.graded and verdict.source in {"human", "construction"}


def _write_clusters(path: Path, clusters: dict[str, str]) -> None:
    if not clusters:
        path.unlink(missing_ok=True)
        return
    with atomic_write(path) as file:
        file.write(encode_json(clusters))


def _refuse_nothing(first: Skipped | None, name: str, source: object) -> None:
    if first is None:
        raise InputError(f"there is nothing in it to be read as {name}", path=source)
    reason = f"nothing in it can be read as {name}: {first.reason}"
    raise InputError(reason, path=first.file, line=first.line, field=first.field)
