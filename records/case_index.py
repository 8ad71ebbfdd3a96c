"""Cases by id without holding them all: the index keeps one offset a case and reads a case when it is asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import InputError, RecordError
from .case import Case
from .jsonl import decode_record, read_lines

_KEEP = 512
"""How many decoded cases are kept: outputs mostly come in the order of the cases, or one system after another."""


class CaseIndex:
    """The cases of a JSON Lines file, by id.

    Making the index reads and checks every line once, so that a bad case is found before any work is done.

    Args:
        path: The cases file.

    Raises:
        InputError: The file cannot be read or is empty.
        RecordError: A line is not a case, or its id was there before.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._recent: OrderedDict[str, Case] = OrderedDict()
        for line, offset, raw in read_lines(path):
            case = decode_record(raw, Case, path=path, line=line)
            if case.id in self._places:
                first = self._places[case.id][1]
                raise RecordError(
                    f"the id {case.id!r} is already on line {first}; ids are unique",
                    path=path,
                    line=line,
                    field="id",
                )
            self._places[case.id] = (offset, line)
        if not self._places:
            raise InputError("the file is empty; expected one case a line", path=path)
        self._file = path.open("rb")

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._places

    def __iter__(self) -> Iterator[str]:
        """The ids, in the order of the file."""
        return iter(self._places)

    def __getitem__(self, case_id: str) -> Case:
        """The case of this id.

        Raises:
            KeyError: There is none.
        """
        case = self._recent.get(case_id)
        if case is None:
            case = self._read(case_id)
            self._recent[case_id] = case
            if len(self._recent) > _KEEP:
                self._recent.popitem(last=False)
        return case

    def _read(self, case_id: str) -> Case:
        offset, line = self._places[case_id]
        self._file.seek(offset)
        return decode_record(self._file.readline(), Case, path=self.path, line=line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
