"""Outputs read so far, to recognise repeated ones and to say where the first was."""

from __future__ import annotations

from array import array
from itertools import count
from pathlib import Path

import msgspec

from ..errors import RecordError, as_named
from ..records import Output
from ..records.json_text import encode_json
from ..spelling import spelled_word
from .imported_records import FilePosition


class SeenOutputs:
    """Hashes and places of the outputs read so far, as arrays, since a log may have millions."""

    def __init__(self) -> None:
        # Index of each output in the arrays, by the hash of its case, system and trial.
        self._numbers: dict[int, int] = {}
        self._contents, self._lines, self._files = array("q"), array("q"), array("q")
        self._graded = bytearray()
        self._paths: list[Path] = []

    def add(
        self, output: Output, position: FilePosition, *, graded: bool = False, in_table: bool = True
    ) -> None:
        """Note an output.

        Args:
            output: The output.
            position: Its place.
            graded: Whether its row has grades.
            in_table: Whether columns can tell repeated outputs apart.

        Raises:
            RecordError: The system answered this case in this trial before.
        """
        key, content = hash((output.case_id, output.system, output.trial)), hash(encode_json(output))
        number = self._numbers.setdefault(key, len(self._contents))
        if number < len(self._contents):
            place, is_same = self._place(number, position), self._contents[number] == content
            raise RecordError(_repeated(output, place, is_same=is_same, graded=graded, in_table=in_table))
        if not self._paths or self._paths[-1] is not position.path:
            self._paths.append(position.path)
        self._contents.append(content)
        self._lines.append(position.line or 0)
        self._files.append(len(self._paths) - 1)
        self._graded.append(graded)

    def free_trial(self, case_id: str, system: str, trial: int) -> int:
        """Return the first trial number, from `trial` on, that a system has not used at a case."""
        trials = count(trial)
        return next(trial for trial in trials if hash((case_id, system, trial)) not in self._numbers)

    def as_attempt(self, output: Output) -> Output:
        """Return an output with the trial of an equal earlier output, or with the first unused one."""
        attempts = (msgspec.structs.replace(output, trial=trial) for trial in count(output.trial))
        return next(attempt for attempt in attempts if not self._is_taken(attempt))

    def _is_taken(self, output: Output) -> bool:
        number = self._numbers.get(hash((output.case_id, output.system, output.trial)))
        return number is not None and self._contents[number] != hash(encode_json(output))

    def has_any(self, case_id: str, system: str) -> bool:
        """Return whether a system answered a case."""
        return hash((case_id, system, 0)) in self._numbers

    def has_same(self, output: Output) -> bool:
        """Return whether an equal output was added before."""
        number = self._numbers.get(hash((output.case_id, output.system, output.trial)))
        return number is not None and self._contents[number] == hash(encode_json(output))

    def adds_grade(self, output: Output) -> bool:
        """Return whether an output was added without a grade, and note that it now has one."""
        if not self.has_same(output):
            return False
        number = self._numbers[hash((output.case_id, output.system, output.trial))]
        is_first = not self._graded[number]
        self._graded[number] = True
        return is_first

    def _place(self, number: int, position: FilePosition) -> str:
        """Return where an output was, for a message at another place: ``in line 1``."""
        path, line = self._paths[self._files[number]], self._lines[number]
        if path == position.path:
            return f"in line {line}" if line else "in this file"
        return f"in {as_named(path)}" + (f", line {line}" if line else "")


def _repeated(output: Output, place: str, *, is_same: bool, graded: bool, in_table: bool) -> str:
    """Return the message about a repeated output: where the first is, and the remedy."""
    if is_same and not in_table:
        return f"repeated: {output.case_id} is already {place}; skipped"
    if is_same:
        person = "who graded it in a column `annotator`, or " if graded else ""
        return f"repeated: {output.case_id} is already {place}; name {person}the attempt in a column `trial`"
    option = f"as trials with {spelled_word('system', output.system)}"
    remedy = f"count repeated attempts {option}"
    if in_table:
        remedy = f"number repeated attempts in a column `trial`, or count them {option}"
    return f"{output.system!r} already answered {output.case_id!r}, trial {output.trial}, {place}; {remedy}"
