"""Base of all results: display on a terminal and in a notebook, and export to JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from ..calibration.statistic import Statistic
from ..errors import as_named
from ..records import Verdict
from ..report.document import Document, as_lines, as_markdown
from ..report.text.safe_text import SCREEN, WIDTH, visible
from ..tables.frames import data_frame
from .inert_text import inert
from .paths import FilePath, written_path

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from ..report.page import ResultPage

__all__ = [
    "SCREEN",
    "WIDTH",
    "Document",
    "Shown",
    "ShownOnPage",
    "as_lines",
    "statistics_frame",
    "verdicts_frame",
]

_VERDICT_COLUMNS = [
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


class DisplayMixin:
    """Base of values that are displayed on a terminal, in a notebook and in a pull request."""

    __slots__ = ()

    _document: ClassVar[staticmethod[[Any], Document]]
    _screen: ClassVar[staticmethod[[Any], Document] | None] = None

    def document(self) -> Document:
        """Return the value as a document with tables."""
        return self._document(self)

    def screen(self, room: int = SCREEN - 1) -> Document:
        """Return a one-screen summary for a terminal, the answer first.

        Args:
            room: Number of lines.
        """
        from ..report.text.one_screen import one_screen  # noqa: PLC0415 - most commands print the whole document

        return one_screen(self.document() if self._screen is None else self._screen(self), room)

    def __str__(self) -> str:
        return inert("\n".join(as_lines(self.document())))

    def to_markdown(self) -> str:
        """Return GitHub Markdown for the summary of a pull request."""
        return inert("\n".join(as_markdown(self.document())))

    def _repr_html_(self) -> str:
        from ..report.page import notebook_cell  # noqa: PLC0415 - for a notebook alone

        return notebook_cell(self.document())


class Shown(msgspec.Struct, DisplayMixin, frozen=True):
    """Result with a display: ``print(result)``, a notebook cell, ``to_dict``, ``to_frame``."""

    @classmethod
    def of(cls, numbers: Any) -> Self:
        """Return the result that displays these numbers."""
        return cls(**{name: getattr(numbers, name) for name in numbers.__struct_fields__})

    def __repr__(self) -> str:
        """Return one sentence: the answer."""
        sentences = (piece for piece in self.screen(10 * SCREEN) if isinstance(piece, str) and piece.strip())
        return inert(as_named(f"<{type(self).__name__}: {visible(next(sentences, 'no result'))}>"))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-compatible values."""
        return msgspec.to_builtins(self)


class ShownOnPage(Shown, frozen=True):
    """Result that is also written as an HTML page."""

    def report(self, path: FilePath) -> Path:
        """Write the result as one HTML file that opens from the disk, and return its path.

        It raises an InputError if it cannot be written.
        """
        from ..report.page import document_page  # noqa: PLC0415 - numbers need no page

        return document_page(written_path(path), self._page())

    def _repr_html_(self) -> str:
        from ..report.page import page_cell  # noqa: PLC0415 - for a notebook alone

        return page_cell(self._page())

    def _page(self) -> ResultPage:
        raise NotImplementedError


def statistics_frame(rows: Iterator[tuple[Mapping[str, Any], Statistic]]) -> pd.DataFrame:
    """Return a data frame with one row per statistic, after its names; None if undefined."""
    return data_frame([{**named, **msgspec.structs.asdict(each)} for named, each in rows])


def verdicts_frame(verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Return a data frame with one row per verdict.

    ``score`` is NaN if there is none; ``outcome`` says why.
    """
    rows = [[getattr(verdict, name) for name in _VERDICT_COLUMNS] for verdict in verdicts]
    return data_frame(rows, columns=_VERDICT_COLUMNS).astype({"score": "float64"})
