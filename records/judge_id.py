"""Who judged: a typed id, which says whose a verdict is whatever the name it is shown under."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from .case import Record

JudgeKind: TypeAlias = Literal["shipped", "own", "callable", "baseline", "jury", "share", "split"]
"""What sort of judge: a prompt that comes with fiducial, a prompt file of the user's own, a function of the user's own, the lexical
baseline, several judges counted together, a judge asked statement by statement, and who splits answers into statements."""


class JudgeId(Record, frozen=True, kw_only=True):
    """What makes a judge this one and no other. Names are for people; two judges are the same when their ids are equal.

    Attributes:
        kind: What sort of judge.
        name: The judge's; a prompt file's stem; how a jury counts.
        variant: Of the prompt; ``custom`` for a prompt file of the user's own.
        model: The model that is asked; empty where several are, or none.
        fingerprint: Hash of everything that is asked and read: prompt, model, decoding parameters, how inputs are shown, how replies
            are parsed; of a jury its rule and members, of a judge asked by statement judge and splitter.
    """

    kind: JudgeKind
    name: str
    fingerprint: str
    variant: str = ""
    model: str = ""

    @property
    def plain(self) -> str:
        """The name under which it is shown as long as no other would be shown alike: ``judge/variant@model``, or ``judge/variant``."""
        return f"{self.name}/{self.variant}@{self.model}".removesuffix("@")


Author: TypeAlias = JudgeId | str
"""Whose a verdict is: the judge, or the name of a checker, a person, or of a judge of which nothing but the name was written down."""


class ShownNames:
    """Names of judges that may come from several places: each judge has one, and no two share one."""

    def __init__(self) -> None:
        self.judges: dict[str, JudgeId] = {}
        self._names: dict[Author, str] = {}
        self._taken: set[str] = set()

    def of(self, author: Author, by: str) -> str:
        """The name of a judge; when another signs verdicts like this already, the beginning of the fingerprint is put behind."""
        known = self._names.get(author)
        if known is not None:
            return known
        name = next(candidate for candidate in _candidates(author, by) if candidate not in self._taken)
        self._names[author] = name
        self._taken.add(name)
        if isinstance(author, JudgeId):
            self.judges[name] = author
        return name


_SHORTEST = 6


def _candidates(author: Author, by: str) -> Iterator[str]:
    yield by
    if isinstance(author, JudgeId):
        yield from (marked(by, author, length) for length in range(_SHORTEST, len(author.fingerprint) + 1))
    number = 2
    while True:
        yield f"{by}#{number}"
        number += 1


def marked(name: str, judge: JudgeId, length: int = _SHORTEST) -> str:
    """A judge's name with the beginning of its fingerprint."""
    return f"{name}#{judge.fingerprint[:length]}"
