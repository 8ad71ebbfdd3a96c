"""What all results have in common: they can be looked at, on a terminal and in a notebook, and given to a machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from ..calibration.statistic import Statistic
from ..records import Verdict
from ..records.frames import data_frame
from ..report.document import Document, as_html, as_lines, as_markdown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Document", "Shown", "as_lines", "statistics_frame", "verdicts_frame"]

_OF_VERDICTS = [
    "case_id",
    "system",
    "trial",
    "by",
    "source",
    "outcome",
    "score",
    "error_type",
    "reason",
    "repeat",
]


class InWords:
    """What shows itself on a terminal, in a notebook and in a pull request."""

    __slots__ = ()

    _words: ClassVar[staticmethod[[Any], Document]]

    def document(self) -> Document:
        """It in words and tables."""
        return self._words(self)

    def __str__(self) -> str:
        return "\n".join(as_lines(self.document()))

    def to_markdown(self) -> str:
        """It in GitHub's Markdown, as a summary of a pull request shows it."""
        return "\n".join(as_markdown(self.document()))

    def _repr_html_(self) -> str:
        return str(as_html(self.document()))


class Shown(msgspec.Struct, InWords, frozen=True):
    """A result that shows itself: ``print(found)``, the value of a notebook's cell, ``to_dict``, ``to_frame``."""

    @classmethod
    def of(cls, numbers: Any) -> Self:
        """The result that shows these numbers."""
        return cls(**{name: getattr(numbers, name) for name in numbers.__struct_fields__})

    def to_dict(self) -> dict[str, Any]:
        """It as JSON has it."""
        return msgspec.to_builtins(self)


def statistics_frame(rows: Iterator[tuple[Mapping[str, Any], Statistic]]) -> pd.DataFrame:
    """Statistics, a row each, behind what each is of; None where one is undefined."""
    return data_frame([{**named, **msgspec.structs.asdict(each)} for named, each in rows])


def verdicts_frame(verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Verdicts, a row each; ``score`` is NaN where there is none, which ``outcome`` says."""
    rows = [[getattr(verdict, name) for name in _OF_VERDICTS] for verdict in verdicts]
    return data_frame(rows, columns=_OF_VERDICTS).astype({"score": "float64"})
