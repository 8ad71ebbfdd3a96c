"""Options of an import, and what was read so far.

`Options` carries both to every format: what the user chose, and what later rows depend on, such as repeated ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal

from ..records import ItemKey, Verdict
from ..records.scale import UNDECLARED_SCALE, Scale
from ..tables.alike_grades import AlikeGrades
from ..tables.column_guesses import TableColumns
from ..tables.header import UNSAID, HeaderChoice
from ..tables.standing_labels import majority_verdict
from .batch_lines import BatchLines
from .conversation_turns import Unit
from .example import Example
from .imported_records import LOGGED, FilePosition
from .imported_scores import ScoreConverter
from .seen_cases import SeenCases
from .seen_outputs import SeenOutputs


class SeenKeys:
    """Hashes of the cases, outputs and verdicts read so far.

    Attributes:
        cases: The cases.
        outputs: The outputs.
    """

    def __init__(self) -> None:
        self.cases = SeenCases()
        self.outputs = SeenOutputs()
        self._graded, self._ungraded = set[int](), set[int]()
        self._labels: dict[ItemKey, dict[str, float]] = {}
        self._files: dict[Path, int] = {}

    def new_id(self, prefix: str, path: Path, number: int) -> str:
        """Return an id for a row that has none, unused by any earlier case.

        It includes the number of its file, except for the first file.
        """
        file = self._files.setdefault(path, len(self._files) + 1)
        name = f"{prefix}-{number:06d}" if file == 1 else f"{prefix}-{file}-{number:06d}"
        if hash(name) not in self.cases.known:
            return name
        numbered = (f"{name}-{number}" for number in count(2))
        return next(name for name in numbered if hash(name) not in self.cases.known)

    def note_label(self, verdict: Verdict) -> None:
        """Note a person's label, for the majority of several people."""
        if verdict.source == "human" and verdict.score is not None:
            self._labels.setdefault(verdict.key, {}).setdefault(verdict.by, verdict.score)

    def majorities(self) -> Iterator[Verdict]:
        """Yield the majority on each output that several people graded in rows of their own."""
        for key, grades in self._labels.items():
            if len(grades) > 1:
                yield majority_verdict(key, grades)

    def is_repeated(self, verdict: Verdict) -> bool:
        """Return whether the same judge already judged this output in the same repetition.

        A grade may follow a verdict without a grade.
        """
        key = hash((verdict.key, verdict.by, verdict.repeat))
        is_repeated = key in self._graded or (not verdict.graded and key in self._ungraded)
        (self._graded if verdict.graded else self._ungraded).add(key)
        return is_repeated


class DeferredLines:
    """Lines that are read at the end: lines of batches and sessions, and failed calls."""

    def __init__(self) -> None:
        self.batches = BatchLines()
        self.sessions: dict[str, list[tuple[bytes, FilePosition, str, int]]] = {}
        self.failures: list[tuple[Example, FilePosition]] = []
        self.systems = set[str]()

    def __bool__(self) -> bool:
        """Return whether any line is deferred."""
        return bool(self.batches or self.sessions or self.failures)


def _nothing(_example: Example) -> None:
    """Add nothing to an example."""


@dataclass(frozen=True)
class Options:
    """Import options from the user, and the state of reading.

    Attributes:
        columns: Columns of a table as the user paired them with fields, in either order (``answer=response``).
        criterion: Criterion of a good answer, for cases without any reference.
        system: System of answers, if the file names none.
        joined: System of all answers, whatever the files say.
        unit: Unit of a conversation that becomes a case.
        answers: ``accepted`` grades by accepted answers, if any; ``open`` prefers a context, and else a criterion.
        complete: Function that adds a joined table's references to an example.
        joined_columns: Columns of the joined table, which ``columns`` may name, too.
        seen: Records read so far.
        deferred: Lines that can be read only after all others.
        grades: Scale of people's grades in tables.
        converter: Converter of scores by their scales.
        recognized: The columns of tables read so far.
        alike: Check that mapped words do not make all grades the same.
        header: What the user said about the header of CSV.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    criterion: str | None = None
    system: str = LOGGED
    joined: str | None = None
    unit: Unit = "session"
    answers: Literal["accepted", "open"] = "accepted"
    complete: Callable[[Example], None] = _nothing
    joined_columns: frozenset[str] = frozenset()
    seen: SeenKeys = field(default_factory=SeenKeys)
    deferred: DeferredLines = field(default_factory=DeferredLines)
    grades: Scale = UNDECLARED_SCALE
    converter: ScoreConverter = field(default_factory=ScoreConverter)
    recognized: TableColumns = field(default_factory=TableColumns)
    alike: AlikeGrades = field(default_factory=AlikeGrades)
    header: HeaderChoice = UNSAID
