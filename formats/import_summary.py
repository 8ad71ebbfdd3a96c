"""Summary of an import: its records are counted as they pass, or from the files of a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from ..errors import InputError
from ..records import Case, Kind, Output, Source, Step, Verdict, read_records
from ..records.folder_files import CASES, LABELS, OUTPUTS, VERDICTS
from ..tables.standing_labels import is_tie
from .example_records import DEFAULT_CRITERION, EMPTY
from .imported_records import Skipped
from .skipped_kinds import SkippedKinds, SkippedPart


class ImportSummary(msgspec.Struct, kw_only=True):
    """Summary of an import.

    Attributes:
        format: Format of the files.
        folder: Folder of the records.
        kinds: Number of cases by kind.
        outputs: Number of outputs by system.
        answered: Number of outputs that did not fail, by kind of case.
        transcripts: Number of answered outputs with recorded steps, by kind of case.
        verdicts: Number of verdicts by author and outcome.
        sources: Source of each author: a judge, a checker, a person.
        sessions: Number of cases that are conversations of several turns.
        earlier_calls: Number of conversations with calls before the last turn.
        failed: Number of outputs that are an error instead of an answer.
        empty: Number of empty outputs.
        shared: Number of cases that several systems answered.
        labels: Number of people's verdicts, which are in ``labels.jsonl``, too.
        scored: Whether any verdict is a judge's score.
        columns: The columns of a table's fields.
        tags: Columns of a table that are not fields.
        guesses: Fields without a column, each with a tag that may hold it.
        raters: Tags that may be labels by their values, if there are several.
        asked: Tags named after a fault that may be labels, each with the options that ask which value is good.
        ratings: Tags that may be ratings, each with its likely scale: ``1:5``.
        pairing: The column whose equal values pair rows of several systems, if no column is known to be the id.
        unread: Columns of logged calls that look like grades, each with a file that has it.
        unread_ids: The column of the cases' ids in each of those files that has one.
        own_folders: Number of folders that fiducial made, which were not read.
        cut_off: Number of logged answers that ended at the token limit.
        attempts: Number of answers to a question that was answered before, where no column tells them apart.
        file_systems: The systems that are named after their files.
        default_criterion: Number of cases graded by the default criterion, for lack of another.
        skipped: Number of skipped records.
        first_skipped: The first skipped record.
        skipped_parts: Skipped records by kind of problem, the most frequent first, with the first of each.
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
    own_folders: int = 0
    cut_off: int = 0
    attempts: int = 0
    file_systems: list[str] = []
    default_criterion: int = 0
    skipped: int = 0
    first_skipped: Skipped | None = None
    skipped_parts: list[SkippedPart] = []
    columns: dict[str, str] = {}
    tags: list[str] = []
    guesses: dict[str, str] = {}
    raters: list[str] = []
    asked: dict[str, str] = {}
    ratings: dict[str, str] = {}
    pairing: str | None = None
    unread: dict[str, str] = {}
    unread_ids: dict[str, str] = {}

    @property
    def judges(self) -> list[str]:
        """The judges that graded something."""
        return [
            by
            for by, outcomes in self.verdicts.items()
            if self.sources.get(by) == "judge" and outcomes.get("graded")
        ]


_RECORD_TYPES: Mapping[str, type[Case | Output | Verdict]] = {CASES: Case, OUTPUTS: Output, VERDICTS: Verdict}


class ImportCounts:
    """Counts of an import's records.

    Call `add` for each record, then `complete`, and then `imported`.
    """

    def __init__(self) -> None:
        self.kinds = Counter[Kind]()
        self.verdicts: dict[str, Counter[str]] = {}
        self.sources: dict[str, Source] = {}
        self.clusters: dict[str, str] = {}
        self.first_skipped: Skipped | None = None
        self._skipped = SkippedKinds()
        self._kind_of: dict[str, Kind] = {}
        self._outputs, self._tallies = Counter[str](), Counter[str]()
        self._graded = Counter[tuple[str, Source]]()
        self._answered, self._transcripts = Counter[Kind](), Counter[Kind]()
        self._answers_before_case: list[tuple[str, bool]] = []
        self._shared = _SharedCases()

    def add(self, record: Case | Output | Verdict | Skipped) -> None:
        """Count a record."""
        if isinstance(record, Case):
            self.kinds[record.kind] += 1
            self._tallies["default_criterion"] += record.reference.get("criterion") == DEFAULT_CRITERION
            self._kind_of[record.id] = record.kind
            if len(record.messages) > 1:
                self._tallies["sessions"] += len(record.turns) > 1
            if record.cluster is not None:
                self.clusters[record.id] = record.cluster
        elif isinstance(record, Output):
            self._outputs[record.system] += 1
            if record.error is None:
                self._count_answer(record.case_id, has_steps=record.turns is not None)
            else:
                self._tallies["empty" if record.error == EMPTY else "failed"] += 1
            if record.turns is not None:
                self._tallies["earlier_calls"] += _has_earlier_calls(record.turns)
            self._shared.add(record)
        elif isinstance(record, Verdict):
            self.verdicts.setdefault(record.by, Counter())[record.outcome] += 1
            self.sources.setdefault(record.by, record.source)
            self._graded[record.by, record.source] += record.graded
        else:
            self._tallies["skipped"] += 1
            self.first_skipped = self.first_skipped or record
            self._skipped.add(record)

    def add_files(self, folder: Path, *names: str) -> None:
        """Count the records of files, and complete the counts."""
        for name in names:
            if (folder / name).exists():
                for record in read_records(folder / name, _RECORD_TYPES[name]):
                    self.add(record)
        self.complete(folder / OUTPUTS)

    def count_kinds(self, folder: Path) -> None:
        """Count cases and answers by kind again, from the files with revised cases."""
        counts = ImportCounts()
        counts.add_files(folder, CASES, OUTPUTS)
        self.kinds, self._answered, self._transcripts = counts.kinds, counts._answered, counts._transcripts
        self._tallies["default_criterion"] = counts._tallies["default_criterion"]

    @property
    def graded(self) -> Mapping[str, int]:
        """Number of graded verdicts by author."""
        return {by: outcomes["graded"] for by, outcomes in self.verdicts.items() if outcomes["graded"]}

    def withdraw(self, authors: Collection[str]) -> None:
        """Remove the graded verdicts of some authors from the counts."""
        for key in [key for key in self._graded if key[0] in authors]:
            del self._graded[key]
        for by in authors:
            del self.verdicts[by]["graded"]
            if not self.verdicts[by]:
                del self.verdicts[by]

    def _count_answer(self, case_id: str, *, has_steps: bool) -> None:
        kind = self._kind_of.get(case_id)
        if kind is None:
            self._answers_before_case.append((case_id, has_steps))
            return
        self._answered[kind] += 1
        self._transcripts[kind] += has_steps

    def complete(self, source: object) -> None:
        """Count the answers that came before their cases, whose kinds are known by now.

        Raises:
            InputError: An output has no case.
        """
        for case_id, has_steps in self._answers_before_case:
            if case_id not in self._kind_of:
                raise InputError(f"an output answers the case {case_id!r}, which is not there", path=source)
            self._count_answer(case_id, has_steps=has_steps)

    def imported(self, name: str, folder: Path) -> ImportSummary:
        """Return the summary of the counts."""
        graded = Counter[Source]()
        for (_, author_type), count in self._graded.items():
            graded[author_type] += count
        return ImportSummary(
            format=name,
            folder=str(folder),
            kinds=dict(self.kinds),
            outputs=dict(self._outputs),
            answered=dict(self._answered),
            transcripts=dict(self._transcripts),
            labels=graded["human"] + graded["construction"],
            scored=graded["judge"] > 0,
            verdicts={by: dict(outcomes) for by, outcomes in self.verdicts.items()},
            sources=self.sources,
            shared=self._shared.shared,
            first_skipped=self.first_skipped,
            skipped_parts=self._skipped.parts,
            sessions=self._tallies["sessions"],
            earlier_calls=self._tallies["earlier_calls"],
            failed=self._tallies["failed"],
            empty=self._tallies["empty"],
            skipped=self._tallies["skipped"],
            default_criterion=self._tallies["default_criterion"],
        )


class _SharedCases:
    """Counter of cases that several systems answered, by hashes of their ids."""

    def __init__(self) -> None:
        self._first: dict[int, str] = {}
        self._shared = set[int]()

    def add(self, output: Output) -> None:
        key = hash(output.case_id)
        if self._first.setdefault(key, output.system) != output.system:
            self._shared.add(key)

    @property
    def shared(self) -> int:
        """Number of cases that several systems answered."""
        return len(self._shared)


def _has_earlier_calls(turns: list[list[Step]]) -> bool:
    return any(isinstance(step, list) and step for turn in turns[:-1] for step in turn)


def import_summary(folder: Path) -> ImportSummary:
    """Return the summary of an import by its files, with labels that were added since.

    Raises:
        InputError: A file cannot be read.
    """
    counts = ImportCounts()
    counts.add_files(folder, CASES, OUTPUTS, VERDICTS)
    path = folder / LABELS
    verdicts = read_records(path, Verdict) if path.exists() else ()
    labels = sum(is_label(verdict) and verdict.graded for verdict in verdicts)
    return msgspec.structs.replace(counts.imported("", folder), labels=labels)


def is_label(verdict: Verdict) -> bool:
    """Return whether a verdict is a label of people or by construction, or a tie between people."""
    return is_tie(verdict) or (verdict.graded and verdict.source in {"human", "construction"})
