"""Bases of all results: display on a terminal and in a notebook, and export to JSON.

The type of a result is defined where the result is computed, below `fiducial.report`. So how it is displayed is not a method but a
`Display`, which a module of `fiducial.api` binds to the type. That module is imported when a result is first displayed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import msgspec

if TYPE_CHECKING:
    import pandas as pd

DocumentPieces: TypeAlias = Iterable[Any]
"""A document of `fiducial.report`, which this layer only passes on."""


class Display(Protocol):
    """Functions that display the results of a type."""

    def document(self, result: Any, **choices: Any) -> DocumentPieces:
        """Return the result as a document with tables."""
        ...

    def screen(self, result: Any, room: int | None, **choices: Any) -> DocumentPieces:
        """Return a summary of at most ``room`` lines."""
        ...

    def text(self, result: Any) -> str:
        """Return the document as printed on a terminal."""
        ...

    def markdown(self, result: Any) -> str:
        """Return the document as GitHub Markdown."""
        ...

    def sentence(self, result: Any) -> str:
        """Return the answer in one sentence."""
        ...

    def cell(self, result: Any) -> str:
        """Return HTML for a cell of a notebook."""
        ...

    def values(self, result: Any) -> dict[str, Any]:
        """Return JSON-compatible values."""
        ...

    def frame(self, result: Any) -> pd.DataFrame:
        """Return a data frame."""
        ...

    def page(self, result: Any, path: str | os.PathLike[str]) -> Path:
        """Write the result as one HTML file, and return its path."""
        ...

    def write(self, result: Any, form: str, path: str | os.PathLike[str]) -> Any:
        """Write the result in one of the type's further forms, and return what was written."""
        ...


_DISPLAYS: dict[type, Display] = {}
"""Displays by type of result."""

BINDERS: dict[str, str] = {
    "AgentResults": "artifacts",
    "Audit": "audits",
    "AuditCard": "measured_judges",
    "AuditCards": "measured_judges",
    "Calibration": "table_results",
    "Certificate": "audits",
    "CertificateStatus": "audits",
    "Comparison": "table_results",
    "Difference": "differences",
    "Estimation": "table_results",
    "Gate": "gating",
    "History": "differences",
    "Improvement": "improving",
    "LabelsAdded": "reviewing",
    "Preferences": "preferring",
    "Rubrics": "rubrics",
    "SamplePlan": "table_results",
    "SandboxDiagnosis": "artifacts",
}
"""Modules of `fiducial.api` that bind displays, by the name of the type."""


def bind_display(kind: type, display: Display) -> None:
    """Bind a display to a type, and to subtypes that have no display of their own."""
    _DISPLAYS[kind] = display


def display_of(kind: type) -> Display:
    """Return the display of a type, or of the nearest of its bases.

    Raises:
        LookupError: No display is bound.
    """
    for base in kind.__mro__:
        if base not in _DISPLAYS and base.__name__ in BINDERS:
            # Nothing has imported the display of a result that was unpickled, or computed without `api`.
            import_module(f"..api.{BINDERS[base.__name__]}", __package__)
        if base in _DISPLAYS:
            return _DISPLAYS[base]
    raise LookupError(f"{kind.__name__} is displayed by fiducial.api, which is not imported")


class Displayed:
    """Base of values that are displayed on a terminal, in a notebook and in pull requests."""

    __slots__ = ()

    def document(self) -> DocumentPieces:
        """Return the value as a document with tables."""
        return display_of(type(self)).document(self)

    def screen(self, room: int | None = None) -> DocumentPieces:
        """Return a one-screen summary for a terminal, the answer first.

        Args:
            room: Number of lines; those of a terminal if not given.
        """
        return display_of(type(self)).screen(self, room)

    def __str__(self) -> str:
        return display_of(type(self)).text(self)

    def to_markdown(self) -> str:
        """Return GitHub Markdown for the summary of a pull request."""
        return display_of(type(self)).markdown(self)

    def _repr_html_(self) -> str:
        return display_of(type(self)).cell(self)


class Result(msgspec.Struct, Displayed, frozen=True):
    """Result of a computation: ``print(result)``, a notebook cell, ``to_dict``."""

    def __repr__(self) -> str:
        """Return one sentence: the answer."""
        return display_of(type(self)).sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-compatible values, as the command prints them with ``--json``."""
        return display_of(type(self)).values(self)


class Framed:
    """Base of results that are exported as a data frame."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame; the type says what a row is."""
        return display_of(type(self)).frame(self)


class ResultOnPage(Result, frozen=True):
    """Result that is also written as an HTML page."""

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the result as one HTML file that opens from the disk, and return its path.

        It raises an InputError if it cannot be written.
        """
        return display_of(type(self)).page(self, path)
