"""fiducial scores what AI agents produce.

Whatever a machine can decide exactly, a checker decides; what resists exact matching goes to a judge (a language
model with a prompt template); and because checkers supply trusted labels, every judge is calibrated against them.

Importing this package loads nothing heavy: names are resolved when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import FiducialError
    from .records import Case, Output, Verdict, read_records, write_records

__version__ = "0.1.0"

_HOME = {
    "Case": "records",
    "FiducialError": "errors",
    "Output": "records",
    "Verdict": "records",
    "read_records": "records",
    "write_records": "records",
}

__all__ = ["Case", "FiducialError", "Output", "Verdict", "__version__", "read_records", "write_records"]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
