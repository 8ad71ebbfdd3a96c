"""Exceptions that fiducial raises on purpose.

::

    FiducialError
    ├── InputError            a file, line or field that cannot be used          (exit 2)
    │   ├── RecordError       ... a line of a JSON Lines file
    │   ├── ColumnsError      ... a table without a needed column
    │   │   └── ChoiceNeeded  ... of which only the user knows what a column or a word means (each an OpenChoice)
    │   ├── DuplicateRowError ... a table with two rows about one item
    │   └── UnknownFormatError ... a file of no known format
    ├── UsageError            an invalid option, or options that exclude each other (exit 2)
    ├── ConfigurationError    a missing setting: endpoint, key, extra              (exit 2)
    │   └── MissingExtraError an optional dependency is not installed
    ├── DecodingError         a reply that cannot be decoded                     (graded 0, or unparsable)
    ├── PromptError           a prompt file that cannot be loaded or rendered    (exit 2)
    ├── RunFolderError        a run folder that is in use or belongs to another run (exit 2)
    │   └── EditedRunError    ... or was changed by hand
    ├── WorkerError           a worker process that was killed                   (exit 2; the same command resumes)
    ├── AgentSetupError       an agent that cannot start, or fails on the first cases with one error (exit 3)
    ├── MissingReplyError     a question without a recorded reply in a test      (the test fails)
    └── ProviderError         a model call that failed after its retries         (outcome failed, exit 3)

Errors of other libraries are translated into these where their meaning is known, with ``raise ... from``.
A message says what was expected, what came, and what to do; it fits on one line. `spelling` writes the settings in it as the
surface that runs does: as options (``--pass-at``), or as arguments (``pass_at=``).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .spelling import flag

_aliases: dict[str, str] = {}
"""Names that the user gave, by the path of the local copy."""


def register_alias(path: object, name: str) -> None:
    """Register the address that messages show in place of a local copy.

    It replaces the path of a file or folder on this machine, and of everything in it.
    """
    _aliases[str(path)] = name


def as_named(text: object) -> str:
    """Return a text with the paths replaced by the names users gave; see `register_alias`."""
    result = str(text)
    for path in sorted(_aliases, key=len, reverse=True):
        if path in result:  # not as the beginning of another name: copy-1 in copy-12
            result = re.sub(rf"{re.escape(path)}(?![\w-])", _aliases[path].replace("\\", r"\\"), result)
    return result


class FiducialError(Exception):
    """Base class of the errors that fiducial raises on purpose."""

    def __str__(self) -> str:
        return as_named(self._message())

    def _message(self) -> str:
        return super().__str__()


class InputError(FiducialError):
    """A file, a line or a field of the input cannot be used.

    Args:
        message: What was expected and what came.
        path: The file, or another named source.
        line: 1-based line number, if known.
        field: The field, as a path such as ``messages[0].role``, if known.
    """

    def __init__(
        self,
        message: str,
        *,
        path: object | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        self.message = message
        self.path = path if path is None or isinstance(path, Path) else str(path)
        self.line = line
        self.field = field
        super().__init__(message)

    def _message(self) -> str:
        position = "" if self.path is None else str(self.path)
        if self.line is not None:
            position += f":{self.line}"
        parts = [position, self.field or "", self.message]
        return ": ".join(part for part in parts if part)

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive the default pickling, which worker processes need.
        return (_rebuild, (type(self), self.message, self.path, self.line, self.field))


def _rebuild(
    kind: type[InputError], message: str, path: Path | str | None, line: int | None, field: str | None
) -> InputError:
    return kind(message, path=path, line=line, field=field)


class ColumnsError(InputError):
    """Error for a table without a needed column.

    Attributes:
        options: Options that name the column, at the end of the message; empty if none helps.
    """

    options: str = ""


class UnknownFormatError(InputError):
    """Error for a file of no known format."""


@dataclass(frozen=True)
class OpenChoice:
    """One thing about a table that only the user knows.

    Attributes:
        setting: The argument that says it: ``map``, ``map_label``, ``label_scale``, ``score_scale``.
        key: The field, word or judge that has no value yet; empty for a scale of all.
        question: What is asked.
        candidates: Number of rows by candidate column, or by value.
        examples: Up to three rows of the table, with the columns that matter.
    """

    setting: str
    key: str
    question: str
    candidates: Mapping[str, int] = field(default_factory=dict[str, int])
    examples: tuple[Mapping[str, Any], ...] = ()


class ChoiceNeeded(ColumnsError):  # noqa: N818 - it names what is needed
    """Only the user knows which of several readings of a table is meant.

    Attributes:
        choices: What is asked.
        arguments: The arguments to add, in which the caller replaces each ``?``: ``{"map_label": {"A": "?"}}``.
    """

    choices: tuple[OpenChoice, ...] = ()
    arguments: Mapping[str, Any] = {}

    def __reduce__(self) -> tuple[object, ...]:
        build, arguments = super().__reduce__()
        return (
            build,
            arguments,
            {
                "choices": self.choices,
                "arguments": self.arguments,
                "options": self.options,
            },
        )


class DuplicateRowError(InputError):
    """Two rows of a table have the same item, judge, system and repeat."""


class RecordError(InputError):
    """A line of a JSON Lines file is not a valid record."""


@contextmanager
def readable(path: object, *, doing: str = "read") -> Generator[None]:
    """Translate an `OSError` into an `InputError`: ``cannot be read: No such file``."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be {doing}: {error.strerror or error}", path=path) from error


class UsageError(FiducialError):
    """An option is invalid, or options exclude each other."""


class ConfigurationError(FiducialError):
    """A setting is missing, or names something that cannot be loaded."""


class MissingExtraError(ConfigurationError):
    """An optional dependency is needed and not installed.

    Args:
        extra: Name of the extra that installs it.
        why: What needs it.
    """

    def __init__(self, extra: str, why: str) -> None:
        self.extra = extra
        self.why = why
        super().__init__(f"{why} needs an optional dependency: pip install 'fiducial-eval[{extra}]'")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.extra, self.why))


class DecodingError(FiducialError):
    """Error of a reply that cannot be decoded, such as calls in a checker."""


class PromptError(FiducialError):
    """A prompt file cannot be loaded, or its template cannot be rendered."""


class RunFolderError(FiducialError):
    """A run folder is in use by another process or was made by another run."""


class EditedRunError(RunFolderError):
    """Error of a run that was changed by hand since it was written; a command may accept that.

    Args:
        problem: What was changed.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}; to keep the edit, rerun the run's command with {flag('accept_edited')}")
        self._problem = problem

    @property
    def accepted_here(self) -> str:
        """The message for a command that has the option itself."""
        return as_named(f"{self._problem}; {flag('accept_edited')} accepts the edited file")


class WorkerError(FiducialError):
    """Error of a worker process that ended early; finished work is saved."""


class AgentSetupError(FiducialError):
    """Error of an agent that cannot start, or fails on the first cases with one error.

    None of its outputs can be graded.
    """


class MissingReplyError(FiducialError):
    """Error of a question without a recorded reply, while no model may be asked."""


class ProviderError(FiducialError):
    """A model call failed, after the retries it was allowed."""
