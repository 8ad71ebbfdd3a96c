"""Interfaces of judges and of their access to models.

A `Judge` turns cases with outputs into verdicts. A `JudgeDescription` is the part of a judge that needs no model: its identity and
the kinds of case that it takes. A `ModelClient` opens the `Provider` that sends a judge's requests.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Iterable
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

from ..records import Author, Case, ItemKey, JudgeId, Kind, Output, Verdict

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from .transport import Provider

Work: TypeAlias = tuple[Case, Output, int]
"""One task for a judge: a case, one of its outputs, and the number of the repetition, from 0."""

RetryOf: TypeAlias = Callable[[ItemKey, Author, int], int]
"""Function that returns how many earlier commands got only unreadable replies for a verdict, given its output, judge and repetition."""


class ModelClient(Protocol):
    """Access to a model; opened by judges that ask one."""

    @property
    def concurrency(self) -> int:
        """Maximum number of calls in flight."""
        ...

    @property
    def retry_of(self) -> RetryOf | None:
        """Counts of earlier commands that got only unreadable replies, or None if there are none."""
        ...

    def open(self) -> AbstractAsyncContextManager[Provider]:
        """Open a provider that answers requests while the context is open."""
        ...


class JudgeDescription(Protocol):
    """Description of a judge, without the methods that ask it.

    Composites plan their questions with it, and stored replies are reread with it.
    """

    @property
    def id(self) -> JudgeId:
        """Identity of the judge; equal fingerprints mean comparable scores."""
        ...

    @property
    def by(self) -> str:
        """Author name on the judge's verdicts."""
        ...

    @property
    def kinds(self) -> Collection[Kind] | None:
        """The kinds of case it judges, or None for every kind."""
        ...


class Judge(JudgeDescription, Protocol):
    """Interface of judges that can be asked: case-output pairs in, verdicts out."""

    @property
    def pass_at(self) -> float | None:
        """Declared pass threshold in (0, 1], or None if it declares none."""
        ...

    def named(self, by: str) -> Self:
        """Return the judge with another author name."""
        ...

    async def verdict(self, case: Case, output: Output, client: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output; without a grade, the verdict has the reason."""
        ...

    def verdicts(self, work: Iterable[Work], client: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs, and yield each verdict as soon as it is done.

        Work is consumed no faster than the verdicts, so memory does not grow with its length.
        """
        ...
