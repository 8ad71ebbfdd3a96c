"""Displays of results: functions of `report`, bound to the types that they show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from ..calibration.statistic import Statistic
from ..errors import as_named
from ..records import Verdict
from ..records.result import Displayed, Framed, Result, ResultOnPage, bind_display
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
    "Displayed",
    "Document",
    "Framed",
    "Presentation",
    "Result",
    "ResultOnPage",
    "as_lines",
    "bind_display",
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


R = TypeVar("R")
F = TypeVar("F")


@dataclass(frozen=True, kw_only=True)
class Presentation(Generic[R]):
    """Functions that display the results of a type.

    Args:
        make_document: The document with tables.
        make_screen: The document of which one screen is shown; the whole one if not given.
        make_page: The HTML page.
        make_frame: The data frame.
        make_values: The JSON-compatible values; the fields if not given.
        writers: Functions that write further forms to a path, by name.
    """

    make_document: Callable[..., Document] | None = None
    make_screen: Callable[..., Document] | None = None
    make_page: Callable[[R], ResultPage] | None = None
    make_frame: Callable[[R], pd.DataFrame] | None = None
    make_values: Callable[[R], dict[str, Any]] | None = None
    writers: Mapping[str, Callable[[R, Path], Any]] = field(default_factory=dict[str, Any])

    def document(self, result: R, **choices: Any) -> Document:
        """Return the result as a document with tables."""
        return _require_maker(self.make_document, "document")(result, **choices)

    def screen(self, result: Any, room: int | None, **choices: Any) -> Document:
        """Return the first screen of the result."""
        from ..report.text.one_screen import one_screen  # noqa: PLC0415 - most commands print the whole document

        make = result.document if self.make_screen is None else partial(self.make_screen, result)
        return one_screen(make(**choices), room)

    def text(self, result: Any) -> str:
        """Return the document as printed on a terminal."""
        return inert("\n".join(as_lines(result.document())))

    def markdown(self, result: Any) -> str:
        """Return the document as GitHub Markdown."""
        return inert("\n".join(as_markdown(result.document())))

    def sentence(self, result: Any) -> str:
        """Return the type and the first sentence of the screen, for `repr`."""
        pieces = result.screen(10 * SCREEN)
        sentences = (piece for piece in pieces if isinstance(piece, str) and piece.strip())
        return inert(as_named(f"<{type(result).__name__}: {visible(next(sentences, 'no result'))}>"))

    def cell(self, result: Any) -> str:
        """Return HTML for a cell of a notebook: the page, if it has one, or the document."""
        from ..report.page import notebook_cell, page_cell  # noqa: PLC0415 - for a notebook alone

        if self.make_page is None:
            return notebook_cell(result.document())
        return page_cell(self.make_page(result))

    def values(self, result: R) -> dict[str, Any]:
        """Return JSON-compatible values."""
        return msgspec.to_builtins(result) if self.make_values is None else self.make_values(result)

    def frame(self, result: R) -> pd.DataFrame:
        """Return a data frame."""
        return _require_maker(self.make_frame, "data frame")(result)

    def page(self, result: R, path: FilePath) -> Path:
        """Write the page, and return its path; raise an InputError if it cannot be written."""
        from ..report.page import document_page  # noqa: PLC0415 - loaded only to write pages

        return document_page(written_path(path), _require_maker(self.make_page, "page")(result))

    def write(self, result: R, form: str, path: FilePath) -> Any:
        """Write a further form of the result."""
        return self.writers[form](result, written_path(path))


def _require_maker(function: F | None, what: str) -> F:
    if function is None:
        raise TypeError(f"this result has no {what}")
    return function


bind_display(Displayed, Presentation[Any]())


def statistics_frame(rows: Iterator[tuple[Mapping[str, Any], Statistic]]) -> pd.DataFrame:
    """Return a data frame with one row per statistic, in columns after its names."""
    return data_frame([{**names, **msgspec.structs.asdict(statistic)} for names, statistic in rows])


def verdicts_frame(verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Return a data frame with one row per verdict.

    ``score`` is NaN if there is none; ``outcome`` says why.
    """
    rows = [[getattr(verdict, name) for name in _VERDICT_COLUMNS] for verdict in verdicts]
    return data_frame(rows, columns=_VERDICT_COLUMNS).astype({"score": "float64"})
