"""Judge identity: a typed id that tells whose a verdict is, under any displayed name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from .case import Record

JudgeKind: TypeAlias = Literal["shipped", "own", "callable", "baseline", "jury", "share", "split", "criteria"]
"""What sort of judge: a prompt that comes with fiducial, a prompt file of the user's own, a function of the user's own, the lexical
baseline, several judges counted together, a judge asked statement by statement, who splits answers into statements, and a judge asked criterion by criterion."""


OF_PARTS: frozenset[JudgeKind] = frozenset({"share", "criteria"})
"""Judges whose verdicts follow from verdicts on parts of an answer or a rubric."""

COUNTED: frozenset[JudgeKind] = frozenset({*OF_PARTS, "jury"})
"""Judges that nobody is asked for: their verdicts are counted from those of others."""


class JudgeId(Record, frozen=True, kw_only=True):
    """Identity of a judge; two judges are the same when their ids are equal.

    Names are for people.

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
    def on_criteria(self) -> JudgeId:
        """Whose the verdicts on single criteria are that stand in replies about all of them."""
        return msgspec.structs.replace(self, kind="criteria")

    @property
    def plain(self) -> str:
        """Display name where it is unambiguous: ``judge/variant@model``, or ``judge/variant``."""
        return f"{self.name}/{self.variant}@{self.model}".removesuffix("@")


Author: TypeAlias = JudgeId | str
"""Whose a verdict is: the judge, or the name of a checker, a person, or of a judge of which nothing but the name was written down."""


class ShownNames:
    """Display names of judges from several sources, one per judge and all different."""

    def __init__(self) -> None:
        self.judges: dict[str, JudgeId] = {}
        self._names: dict[Author, str] = {}
        self._taken: set[str] = set()

    def of(self, author: Author, by: str) -> str:
        """Return the display name of a judge.

        If another judge has that name already, the beginning of the fingerprint is appended.
        """
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
    """Return a judge's name with the beginning of its fingerprint."""
    return f"{name}#{judge.fingerprint[:length]}"
