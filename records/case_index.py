"""Cases by id, read from their file when needed; the index keeps one offset per case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple, Self, TypeAlias

from ..errors import InputError, RecordError
from .case import Case, Kind, is_logged
from .json_text import DuplicateKeyDetector
from .jsonl import decode_record, no_record_message, read_lines
from .memory_file import InputPath, MemoryFile

CaseFiles: TypeAlias = InputPath | Sequence[InputPath]
"""A file of cases, or several."""


class Closing:
    """Base of resources that ``with`` closes at the end of the block."""

    def close(self) -> None:
        """Close the resource."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_CACHE_BYTES = 4 * 1024 * 1024
"""Size of the lines whose cases are cached.

The first cases stay cached: outputs mostly come in the order of the cases, once per system, so a cache that drops its oldest case would
never have the next one.
"""


class CaseFacts(NamedTuple):
    """Facts about a case, known without reading it again.

    Attributes:
        kind: The case's kind.
        cluster: Its group of dependent cases; by default its own id.
        offset: Start of its line, in bytes.
        line_number: Number of its line, from 1.
        dotted: Whether the name of one of its tools has a dot.
        file: Position of its file among the files, from 0.
        position: Position among all cases, from 0.
        logged: Whether it was read from a log (`is_logged`).
        silent: Whether it is BFCL's and does not say how texts are compared.
    """

    kind: Kind
    cluster: str
    offset: int
    line_number: int
    dotted: bool
    file: int = 0
    position: int = 0
    logged: bool = False
    silent: bool = False


_BFCL_MATCH_MODES = ("simple", "multiple", "parallel")
"""Values of ``match`` in the references of BFCL's cases."""

_MAX_OPEN_FILES = 64
"""Limit on open files, below the system's own of often 256 or 1,024."""


class OpenFiles(Closing):
    """Files that stay open, so that single lines can be read fast."""

    def __init__(self) -> None:
        self._open: dict[InputPath, BinaryIO] = {}

    def read_line(self, path: InputPath, offset: int) -> bytes:
        """Return the line of a file that begins at an offset, verbatim."""
        file = self._open.get(path) or self._open_file(path)
        file.seek(offset)
        return file.readline()

    def _open_file(self, path: InputPath) -> BinaryIO:
        if len(self._open) == _MAX_OPEN_FILES:
            self._open.pop(next(iter(self._open))).close()
        file = self._open[path] = path.open("rb")
        return file

    def forget(self) -> None:
        """Drop the open files, so that a forked process does not share its parent's read position."""
        self._open = {}

    def close(self) -> None:
        """Close the files."""
        for file in self._open.values():
            file.close()
        self._open = {}


class CaseIndex(Closing):
    """The cases of one or more JSON Lines files, by id.

    Every line is read and checked when the index is made, so that a bad case is found before any work is done.

    Args:
        files: A cases file, on a disk or in memory, or several.
        examine: Function that is called with each case, and raises an `InputError` to refuse it.
        validated: Whether the files were validated earlier; then only the types of their records are checked.

    Attributes:
        files: The files.

    Raises:
        InputError: A file cannot be read or is empty.
        RecordError: A line is not a case, its id is a duplicate, or ``examine`` refuses it.
    """

    def __init__(
        self, files: CaseFiles, examine: Callable[[Case], object] | None = None, *, validated: bool = False
    ) -> None:
        self.files = case_files(files)
        self._facts: dict[str, CaseFacts] = {}
        self._cache: dict[str, Case] = {}
        self._cached_bytes = 0
        self._lines = OpenFiles()
        for file_number, path in enumerate(self.files):
            self._index(file_number, path, examine, validated=validated)

    def _index(
        self,
        file_number: int,
        path: InputPath,
        examine: Callable[[Case], object] | None,
        *,
        validated: bool,
    ) -> None:
        cases_before = len(self._facts)
        # Lines in memory were encoded by this program, so they have no duplicate keys.
        detector = None if validated or isinstance(path, MemoryFile) else DuplicateKeyDetector()
        for line_number, offset, raw in read_lines(path):
            case = decode_record(
                raw, Case, path=path, line=line_number, detector=detector, validated=validated
            )
            self._require_new_case(case.id, file_number, line_number)
            if examine is not None:
                _examine(case, examine, path, line_number)
            self._facts[case.id] = CaseFacts(
                kind=case.kind,
                cluster=case.cluster_id,
                offset=offset,
                line_number=line_number,
                dotted=any("." in tool["function"]["name"] for tool in case.tools),
                file=file_number,
                position=len(self._facts),
                logged=is_logged(case),
                silent=case.reference.get("match", "auto") in _BFCL_MATCH_MODES
                and "text" not in case.reference,
            )
        if len(self._facts) == cases_before:
            raise InputError(no_record_message(path, "case"), path=path)

    def _require_new_case(self, case_id: str, file_number: int, line_number: int) -> None:
        earlier = self._facts.get(case_id)
        if earlier is None:
            return
        earlier_file = "" if earlier.file == file_number else f" of {self.files[earlier.file]}"
        raise RecordError(
            f"the id {case_id!r} is already on line {earlier.line_number}{earlier_file}; ids are unique",
            path=self.files[file_number],
            line=line_number,
            field="id",
        )

    @property
    def path(self) -> InputPath | str:
        """Name of the files for messages."""
        return name_of_files(self.files)

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._facts

    def __iter__(self) -> Iterator[str]:
        """Yield the ids, in the order of the files."""
        return iter(self._facts)

    def __getitem__(self, case_id: str) -> Case:
        """Return the case of this id.

        Raises:
            KeyError: There is no such case.
        """
        case = self._cache.get(case_id)
        return self._read(case_id) if case is None else case

    def facts(self, case_id: str) -> CaseFacts:
        """Return the facts about a case, without reading it again.

        Raises:
            KeyError: There is no such case.
        """
        return self._facts[case_id]

    def cluster(self, case_id: str) -> str:
        """Return the cluster of a case; by default the case itself.

        Raises:
            KeyError: There is no such case.
        """
        return self._facts[case_id].cluster

    def raw_line(self, case_id: str) -> bytes:
        """Return the line of a case, verbatim from its file.

        Raises:
            KeyError: There is no such case.
        """
        facts = self._facts[case_id]
        return self._lines.read_line(self.files[facts.file], facts.offset)

    def _read(self, case_id: str) -> Case:
        facts, raw = self._facts[case_id], self.raw_line(case_id)
        case = decode_record(raw, Case, path=self.files[facts.file], line=facts.line_number, validated=True)
        if self._cached_bytes + len(raw) <= _CACHE_BYTES:
            self._cache[case_id] = case
            self._cached_bytes += len(raw)
        return case

    def open_again(self) -> None:
        """Reopen the files, so that a forked process does not share its parent's read position."""
        self._lines.forget()

    def close(self) -> None:
        """Close the files."""
        self._lines.close()


def name_of_files(files: Sequence[InputPath]) -> InputPath | str:
    """Return the name of the files for messages."""
    others = len(files) - 1
    return f"{files[0]} and {others} more" if others else files[0]


def case_files(files: CaseFiles) -> tuple[InputPath, ...]:
    """Return one file or several as a tuple."""
    return (files,) if isinstance(files, (Path, MemoryFile)) else tuple(files)


def _examine(case: Case, examine: Callable[[Case], object], path: InputPath, line_number: int) -> None:
    try:
        examine(case)
    except InputError as error:
        raise RecordError(error.message, path=path, line=line_number, field=error.field) from error
