"""Cases and outputs: surveyed once before any work, then streamed as pairs when needed."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..errors import InputError, RecordError, as_named
from ..records import (
    Case,
    CaseFiles,
    CaseIndex,
    Closing,
    InputPath,
    ItemKey,
    Kind,
    MemoryFile,
    Output,
    decode_record,
    lines_of,
    read_lines,
    read_numbered,
)
from ..records.disk_files import require_no_device
from .cases_asked import cases_asked, logged_cases

if TYPE_CHECKING:
    from ..deterministic.options import CheckOptions

_PIECE_BYTES = 256 * 1024
"""Bytes of outputs in one piece of a worker's work, which takes about a tenth of a second."""


def _place_of(key: ItemKey, path: InputPath) -> str:
    lines = (line for line, output in read_numbered(path, Output, validated=True) if output.key == key)
    return f"{path}:{next(lines)}"


def _reference_check(options: CheckOptions) -> Callable[[Case], None]:
    from ..deterministic.checkers import validate_reference  # noqa: PLC0415 - judging alone needs no checkers

    return lambda case: validate_reference(case, options)


class InputFile(msgspec.Struct, frozen=True, kw_only=True):
    """Input file: its name as given, the hash of its bytes, and its number of records."""

    name: str
    sha256: str
    rows: int


class Survey(msgspec.Struct, frozen=True):
    """Results of a first pass over the inputs.

    Attributes:
        files: The cases files, then the outputs files.
        answered: Number of cases with at least one output, by system in order of first appearance.
        cases_asked: Number of cases that each system was asked.
        kinds: Number of outputs by kind of case, in order of first appearance.
        recorded: Number of outputs that record their steps, by system and kind.
        missing_cases: Smallest id of the cases that a system was asked and has no output for, by system.
        uneven: Systems whose cases, apart from those without an output, have unequal numbers of outputs.
    """

    files: list[InputFile]
    cases: int
    outputs: int
    answered: dict[str, int]
    kinds: dict[Kind, int]
    cases_asked: dict[str, int]
    recorded: dict[str, dict[Kind, int]] = {}
    missing_cases: dict[str, str] = {}
    uneven: frozenset[str] = frozenset()

    @property
    def missing(self) -> dict[str, int]:
        """Number of cases that each system was asked and has no output for."""
        return {system: self.cases_asked[system] - count for system, count in self.answered.items()}


class EvaluationInputs(Closing):
    """The cases and outputs of an evaluation.

    The constructor reads every file once and refuses unusable input, so that a run does not fail half-way because of it.
    It keeps a number for each output and an offset for each case in memory.

    Args:
        check_options: Options of the checkers, to refuse references that no output can meet; None for a run without checkers.
        sharded: Whether the files are a set of shards, whose row order has no meaning. Systems are then sorted by name.

    Raises:
        InputError: A file cannot be read or is empty.
        RecordError: A line is not a record, names an unknown case, or repeats an output; or a reference cannot be met.
    """

    def __init__(
        self,
        cases: CaseFiles,
        outputs: Sequence[InputPath],
        *,
        check_options: CheckOptions | None = None,
        sharded: bool = False,
    ) -> None:
        self.cases = CaseIndex(cases, _reference_check(check_options) if check_options is not None else None)
        self.output_files = tuple(outputs)
        self.sharded = sharded
        try:
            self.survey = self._take_survey()
        except BaseException:  # nobody else can close what the constructor has opened
            self.close()
            raise

    def outputs(self) -> Iterator[Output]:
        """Yield every output, in the order of the files.

        A workspace is resolved from the folder of its file (in memory: from the working folder).
        """
        for path in self.output_files:
            yield from read_outputs(path)

    @cached_property
    def pieces(self) -> list[FileSlice]:
        """The outputs files cut into pieces of about equal size; see `outputs_in`."""
        return [piece for path in self.output_files for piece in _pieces_of(path)]

    def pairs(self) -> Iterator[tuple[Case, Output]]:
        """Yield every output with its case, in the order of the files."""
        for output in self.outputs():
            yield self.cases[output.case_id], output

    def close(self) -> None:
        """Close the cases file."""
        self.cases.close()

    def _take_survey(self) -> Survey:
        counts = _OutputCounts()
        rows_by_file = Counter(self.cases.facts(case_id).file for case_id in self.cases)
        row_counts = [rows_by_file[number] for number in range(len(self.cases.files))]
        row_counts += [
            self._count_outputs(number, path, counts) for number, path in enumerate(self.output_files)
        ]
        paths = (*self.cases.files, *self.output_files)
        answered = counts.answered(by_name=self.sharded)
        logged = logged_cases(self.cases, answered, counts.systems_sharing_a_file)
        asked_cases = cases_asked(answered, len(self.cases), logged)
        return Survey(
            files=[
                InputFile(name=as_named(path), sha256=file_sha256(path), rows=row_count)
                for path, row_count in zip(paths, row_counts, strict=True)
            ],
            cases=len(self.cases),
            outputs=counts.kinds.total(),
            answered={system: len(positions) for system, positions in answered.items()},
            kinds=dict(counts.kinds),
            cases_asked=asked_cases.counts,
            recorded=counts.recorded,
            missing_cases=asked_cases.missing_cases(answered, self.cases),
            uneven=frozenset(counts.uneven()),
        )

    def _count_outputs(self, number: int, path: InputPath, counts: _OutputCounts) -> int:
        """Add an outputs file, by its number, to the counts; return its number of outputs."""
        systems = Counter[str]()
        for line, output in read_numbered(path, Output):
            self._require_usable(output, path, line)
            facts = self.cases.facts(output.case_id)
            # Number of the outputs file by the position of the case.
            files = counts.files.setdefault((output.system, output.trial), {})
            if facts.position in files:
                first = _place_of(output.key, self.output_files[files[facts.position]])
                message = (
                    f"repeats {first} (case {output.case_id}, system {output.system}, trial {output.trial})"
                )
                raise RecordError(message, path=path, line=line)
            files[facts.position] = number
            systems[output.system] += 1
            counts.kinds[facts.kind] += 1
            if output.turns is not None and output.error is None:
                recorded_by_kind = counts.recorded.setdefault(output.system, {})
                recorded_by_kind[facts.kind] = recorded_by_kind.get(facts.kind, 0) + 1
        if len(systems) > 1:
            counts.systems_sharing_a_file.update(systems)
        return systems.total()

    def _require_usable(self, output: Output, path: InputPath, line: int) -> None:
        if output.case_id not in self.cases:
            message = f"no case has the id {output.case_id!r} in {self.cases.path}"
            raise RecordError(message, path=path, line=line, field="case_id")
        if output.workspace is None:
            return
        # Outputs may be another person's file, which must not read files elsewhere.
        if not _stays_inside(output.workspace):
            message = f"expected a path inside the folder of this file, got {output.workspace!r}"
            raise RecordError(message, path=path, line=line, field="workspace")
        from ..records.objects import fetched_alone  # noqa: PLC0415 - few outputs have a workspace

        if path in fetched_alone:
            message = "a workspace is not fetched with a file; name the folder (its address) that holds both"
            raise RecordError(message, path=path, line=line, field="workspace")


class _OutputCounts:
    """Counts of a first pass over the outputs.

    Attributes:
        files: System and trial to the number of the file of each output, by the position of its case.
        systems_sharing_a_file: Systems that share a file, as the models of a log do.
    """

    def __init__(self) -> None:
        self.files: dict[tuple[str, int], dict[int, int]] = {}
        self.kinds = Counter[Kind]()
        self.recorded: dict[str, dict[Kind, int]] = {}
        self.systems_sharing_a_file = set[str]()

    def answered(self, *, by_name: bool) -> dict[str, set[int]]:
        """Return the positions of the cases that each system answered, by system in their order."""
        answered: dict[str, set[int]] = {}
        for (system, _), files in sorted(self.files.items()) if by_name else self.files.items():
            answered.setdefault(system, set()).update(files)
        return answered

    def uneven(self) -> Iterator[str]:
        """Yield the systems whose cases have unequal numbers of outputs."""
        trials = Counter(system for system, _ in self.files)
        for name in (name for name, count in trials.items() if count > 1):  # with one trial all are even
            outputs = Counter[int]()
            for (system, _), files in self.files.items():
                outputs.update(files.keys() if system == name else ())
            if len(set(outputs.values())) > 1:
                yield name


class FileSlice(NamedTuple):
    """A part of a file: the lines that begin from ``start`` on and before ``end``."""

    path: InputPath
    start: int
    end: int


def _pieces_of(path: InputPath) -> Iterator[FileSlice]:
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
    return (FileSlice(path, start, start + _PIECE_BYTES) for start in range(0, size, _PIECE_BYTES))


def outputs_in(piece: FileSlice) -> Iterator[Output]:
    """Yield the outputs of a piece of a file that was read before; see `read_outputs`."""
    begin = max(0, piece.start - 1)  # includes the newline before a line that begins at the start
    with piece.path.open("rb") as file:
        file.seek(begin)
        if begin:  # skip the rest of a line that belongs to the piece before
            begin += len(file.readline())
        lines = lines_of(file, piece.path)  # each with its number and its offset from `begin`
        raws = (raw for _, _, raw in takewhile(lambda numbered: begin + numbered[1] < piece.end, lines))
        records = (decode_record(raw, Output, path=piece.path, validated=True) for raw in raws)
        yield from _with_workspaces(records, piece.path)


def read_outputs(path: InputPath) -> Iterator[Output]:
    """Yield the outputs of a file, with workspaces resolved from its folder."""
    return _with_workspaces((output for _, output in read_numbered(path, Output, validated=True)), path)


class _Key(msgspec.Struct, frozen=True):
    """Key of an output, parsed without its other fields."""

    case_id: str
    system: str
    trial: int = 0


def keyed_lines(path: InputPath) -> Iterator[tuple[ItemKey, int, int, bytes]]:
    """Yield key, line number, offset and line of each output of a file.

    The file was read before, so that other fields need no check.
    """
    for line, offset, raw in read_lines(path):
        key = decode_record(raw, _Key, path=path, line=line)
        yield ItemKey(key.case_id, key.system, key.trial), line, offset, raw


def _with_workspaces(outputs: Iterable[Output], path: InputPath) -> Iterator[Output]:
    folder = Path.cwd() if isinstance(path, MemoryFile) else path.parent.absolute()
    for output in outputs:
        if output.workspace is None:
            yield output
        else:
            yield msgspec.structs.replace(output, workspace=str(folder / output.workspace))


def _stays_inside(workspace: str) -> bool:
    path = PurePath(workspace)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in workspace


def file_sha256(path: InputPath) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        InputError: It is a device or a pipe, which a forged manifest may name.
    """
    if isinstance(path, Path):
        require_no_device(path)
        if path.is_fifo():
            raise InputError("is a pipe; expected a file", path=path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
