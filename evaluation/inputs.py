"""Cases and outputs: surveyed once before any work, then streamed as pairs when needed."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from ..records.disk_files import refuse_device

if TYPE_CHECKING:
    from ..deterministic.options import CheckOptions

_PIECE = 256 * 1024
"""Bytes of outputs that a worker checks before it hands its verdicts on: a tenth of a second of work."""


def _examination(options: CheckOptions) -> Callable[[Case], None]:
    from ..deterministic.checkers import validate_reference  # noqa: PLC0415 - judging alone needs no checkers

    return lambda case: validate_reference(case, options)


class InputFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was read: as it was named, the hash of its bytes, how many records it holds."""

    name: str
    sha256: str
    rows: int


class Survey(msgspec.Struct, frozen=True):
    """Results of a first pass over the inputs.

    Attributes:
        files: The cases files, then the outputs files.
        answered: System to the number of cases it has at least one output for; in order of first appearance.
        owed: System to the number of cases it was asked.
        kinds: How many outputs answer cases of each kind; in order of first appearance.
        recorded: How many of them record their steps, by system and kind.
    """

    files: list[InputFile]
    cases: int
    outputs: int
    answered: dict[str, int]
    kinds: dict[Kind, int]
    owed: dict[str, int]
    recorded: dict[str, dict[Kind, int]] = {}

    @property
    def missing(self) -> dict[str, int]:
        """Return system to the number of cases that it was asked and has no output for."""
        return {system: self.owed[system] - count for system, count in self.answered.items()}


class EvaluationInputs(Closing):
    """The cases and outputs of an evaluation.

    Making it reads every file once and refuses what cannot be evaluated, so that nothing fails half-way for a reason
    that could have been known at the start. What is kept in memory is a number an output and one offset a case.

    Args:
        checked: Options of the checkers, by which references that no output can meet are refused; None without checking.
        sharded: Whether the files are a set of shards, so that the order of their rows means nothing: systems come by name then.

    Raises:
        InputError: A file cannot be read or is empty.
        RecordError: A line is not a record, names an unknown case, or repeats an output; or a reference cannot be met.
    """

    def __init__(
        self,
        cases: CaseFiles,
        outputs: Sequence[InputPath],
        *,
        checked: CheckOptions | None = None,
        sharded: bool = False,
    ) -> None:
        self.cases = CaseIndex(cases, _examination(checked) if checked is not None else None)
        self.output_files = tuple(outputs)
        self.sharded = sharded
        try:
            self.survey = self._take_survey()
        except BaseException:
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
        """The outputs files cut into pieces of about one size; `outputs_in` has what is in them."""
        return [piece for path in self.output_files for piece in _pieces_of(path)]

    def pairs(self) -> Iterator[tuple[Case, Output]]:
        """Yield every output with its case, in the order of the files."""
        for output in self.outputs():
            yield self.cases[output.case_id], output

    def close(self) -> None:
        """Close the cases file."""
        self.cases.close()

    def _take_survey(self) -> Survey:
        lines_by_system: dict[
            tuple[str, int], dict[int, int]
        ] = {}  # system and trial: number of the case to that of the file
        answered: dict[str, set[int]] = {}
        kinds = Counter[Kind]()
        recorded: dict[str, dict[Kind, int]] = {}
        mixed = set[str]()  # systems that share a file, as the models of a log do
        rows = Counter(self.cases.facts(case_id).file for case_id in self.cases)
        files = [
            InputFile(name=as_named(path), sha256=file_sha256(path), rows=rows[number])
            for number, path in enumerate(self.cases.files)
        ]
        for number, path in enumerate(self.output_files):
            count, systems_here = 0, set[str]()
            for line, output in read_numbered(path, Output):
                self._refuse_unusable(output, path, line)
                facts = self.cases.facts(output.case_id)
                files_of = lines_by_system.setdefault((output.system, output.trial), {})
                if facts.position in files_of:
                    first = self.output_files[files_of[facts.position]]
                    message = f"case, system and trial ({output.key}) come twice; the first is in {first}"
                    raise RecordError(message, path=path, line=line, field="case_id")
                files_of[facts.position] = number
                answered.setdefault(output.system, set()).add(facts.position)
                systems_here.add(output.system)
                kinds[facts.kind] += 1
                if output.turns is not None and output.error is None:
                    steps = recorded.setdefault(output.system, {})
                    steps[facts.kind] = steps.get(facts.kind, 0) + 1
                count += 1
            if len(systems_here) > 1:
                mixed |= systems_here
            files.append(InputFile(name=as_named(path), sha256=file_sha256(path), rows=count))
        systems = sorted(answered) if self.sharded else answered
        counts = {system: len(answered[system]) for system in systems}
        facts_of = map(self.cases.facts, self.cases)
        logged = {facts.position for facts in facts_of if facts.logged} if mixed else set[int]()
        apart = {system: answered[system] & logged for system in mixed}
        owed = _owed({system: answered[system] for system in systems}, len(self.cases), apart)
        return Survey(
            files,
            len(self.cases),
            sum(map(len, lines_by_system.values())),
            counts,
            dict(kinds),
            owed,
            recorded,
        )

    def _refuse_unusable(self, output: Output, path: InputPath, line: int) -> None:
        if output.case_id not in self.cases:
            message = f"no case has the id {output.case_id!r} in {self.cases.path}"
            raise RecordError(message, path=path, line=line, field="case_id")
        if output.workspace is None:
            return
        if not _stays_inside(output.workspace):
            message = f"expected a path inside the folder of this file, got {output.workspace!r}"
            raise RecordError(message, path=path, line=line, field="workspace")
        from ..records.objects import fetched_alone  # noqa: PLC0415 - few outputs have a workspace

        if path in fetched_alone:
            message = "a workspace is not fetched with a file; name the folder (its address) that holds both"
            raise RecordError(message, path=path, line=line, field="workspace")


def _owed(answered: Mapping[str, set[int]], cases: int, logged: Mapping[str, set[int]]) -> dict[str, int]:
    """Return how many cases each system was asked.

    The models of a log were asked what they answered there. Of other cases, systems that have answered one in common were asked the same,
    and a system that shares none with another was asked what it answered. A case without any answer was asked of all.
    """
    groups: list[tuple[list[str], set[int]]] = []
    for system, every in answered.items():
        numbers = every - logged.get(system, set())
        apart = [group for group in groups if numbers.isdisjoint(group[1])]
        together = [group for group in groups if not numbers.isdisjoint(group[1])]
        names = [name for group, _ in together for name in group]
        groups = [*apart, ([*names, system], numbers.union(*(others for _, others in together)))]
    unanswered = cases - len(set[int]().union(*answered.values()))
    asked = {name: len(numbers) for names, numbers in groups for name in names}
    return {name: asked[name] + len(logged.get(name, ())) + unanswered for name in answered}


class FileSlice(NamedTuple):
    """A part of a file: the lines that begin from ``start`` on and before ``end``."""

    path: InputPath
    start: int
    end: int


def _pieces_of(path: InputPath) -> Iterator[FileSlice]:
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
    return (FileSlice(path, start, start + _PIECE) for start in range(0, size, _PIECE))


def outputs_in(piece: FileSlice) -> Iterator[Output]:
    """Yield the outputs of a piece that was read before; see `read_outputs`."""
    begin = max(0, piece.start - 1)  # a line that begins at the start has the end of another before it
    with piece.path.open("rb") as file:
        file.seek(begin)
        if begin:
            begin += len(file.readline())
        lines = lines_of(file, piece.path)
        raws = (raw for _, _, raw in takewhile(lambda line: begin + line[1] < piece.end, lines))
        records = (decode_record(raw, Output, path=piece.path, validated=True) for raw in raws)
        yield from _placed(records, piece.path)


def read_outputs(path: InputPath) -> Iterator[Output]:
    """Yield the outputs of a file, with workspaces resolved from its folder."""
    return _placed((output for _, output in read_numbered(path, Output, validated=True)), path)


class _Key(msgspec.Struct, frozen=True):
    """A line of outputs without what only a whole output needs."""

    case_id: str
    system: str
    trial: int = 0


def keyed_lines(path: InputPath) -> Iterator[tuple[ItemKey, int, int, bytes]]:
    """Yield key, line number, offset and line of each output in a file that was read before."""
    for line, offset, raw in read_lines(path):
        key = decode_record(raw, _Key, path=path, line=line)
        yield ItemKey(key.case_id, key.system, key.trial), line, offset, raw


def _placed(outputs: Iterable[Output], path: InputPath) -> Iterator[Output]:
    folder = Path.cwd() if isinstance(path, MemoryFile) else path.parent.absolute()
    for output in outputs:
        place = None if output.workspace is None else str(folder / output.workspace)
        yield output if place is None else msgspec.structs.replace(output, workspace=place)


def _stays_inside(workspace: str) -> bool:
    path = PurePath(workspace)
    return not path.is_absolute() and ".." not in path.parts and "\0" not in workspace


def file_sha256(path: InputPath) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        InputError: It is a device or a pipe, which a forged manifest may name.
    """
    if isinstance(path, Path):
        refuse_device(path)
        if path.is_fifo():
            raise InputError("is a pipe; expected a file", path=path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
