"""Interface of judges: case-output pairs in, verdicts out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Collection, Iterable
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

from ..records import Author, Case, ItemKey, JudgeId, Kind, Output, Verdict

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from .transport import Provider

Work: TypeAlias = tuple[Case, Output, int]
"""A case, an output of it, and the number of the repetition."""

RetryOf: TypeAlias = Callable[[ItemKey, Author, int], int]
"""Function from an output, a judge and a repetition to the number of the later command that asks again; 0 for the first."""


class ModelClient(Protocol):
    """Access to a model; opened by judges that ask one."""

    @property
    def concurrency(self) -> int:
        """Maximum number of calls in flight."""
        ...

    @property
    def retry_of(self) -> RetryOf | None:
        """Numbers of the retries of earlier commands' unreadable replies, or None if there are none."""
        ...

    def open(self) -> AbstractAsyncContextManager[Provider]:
        """Open a provider that answers requests while the context is open."""
        ...


class JudgeDescription(Protocol):
    """Description of a judge, which composites need to plan questions; nothing is asked.

    Rereading stored replies needs no more than this of a judge.
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
        """Return the judge with another name, which signs its verdicts."""
        ...

    async def verdict(self, case: Case, output: Output, client: ModelClient, repeat: int = 0) -> Verdict:
        """Judge one output: graded, or with the reason why not."""
        ...

    def verdicts(self, work: Iterable[Work], client: ModelClient) -> AsyncGenerator[Verdict]:
        """Judge repetitions of outputs; yield each verdict when it is done.

        Work is consumed only as fast as the verdicts are.
        """
        ...
