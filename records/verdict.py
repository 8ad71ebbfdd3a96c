"""Verdict of one checker, judge or person on one output, and ids of their authors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self, TypeAlias

import msgspec

from .case import Record
from .output import ItemKey, TrialNumber
from .usage import Usage

JudgeKind: TypeAlias = Literal[
    "shipped", "own", "callable", "baseline", "jury", "share", "split", "criteria", "form"
]
"""Type of judge.

In this order: shipped prompt, custom prompt file, custom function, word overlap baseline, jury, judge asked statement by statement,
prompt that splits answers into statements, judge asked criterion by criterion, questions in another form.
"""

PART_KINDS: frozenset[JudgeKind] = frozenset({"share", "criteria"})
"""Judges that combine verdicts on the parts of an answer or a rubric."""

COMPOSITE_KINDS: frozenset[JudgeKind] = frozenset({*PART_KINDS, "jury"})
"""Judges that make no calls, but combine other verdicts."""


class JudgeId(Record, frozen=True, kw_only=True):
    """Identity of a judge; two judges are the same when their ids are equal.

    Attributes:
        kind: Type of judge.
        name: The judge's name: a prompt file's stem, or ``jury``.
        variant: Variant of the prompt, ``custom`` for a custom prompt file, or a jury's rule.
        model: The model that is asked; empty if several are, or none.
        fingerprint: Hash of everything that is asked and parsed: prompt, model, decoding parameters, layout of inputs, parsing of
            replies. For a jury: its rule and members. For a judge asked by statement: judge and splitter.
    """

    kind: JudgeKind
    name: str
    fingerprint: str
    variant: str = ""
    model: str = ""

    @property
    def on_criteria(self) -> JudgeId:
        """Id that signs verdicts on single criteria, read from replies on all criteria."""
        return msgspec.structs.replace(self, kind="criteria")

    @property
    def plain(self) -> str:
        """Display name without a fingerprint: ``judge/variant@model``, or ``judge/variant``."""
        return f"{self.name}/{self.variant}@{self.model}".removesuffix("@")

    def times_asked(self, repeats: int) -> int:
        """Return how often the judge is asked each question if judges are asked ``repeats`` times.

        The baseline is asked once, since its answer is always the same, and so is a jury, since it repeats its members itself.
        """
        return 1 if self.kind in {"baseline", "jury"} else repeats


Author: TypeAlias = JudgeId | str
"""Author of a verdict: the judge's id, or the name of a checker, a person, or a judge known only by name."""


class ShownNames:
    """Display names of judges from several sources, all different."""

    def __init__(self) -> None:
        self.judges: dict[str, JudgeId] = {}
        self._names: dict[tuple[Author, str], str] = {}
        self._taken: set[str] = set()

    def of(self, author: Author, by: str, version: str = "") -> str:
        """Return the display name of a judge, or of one version of its model.

        If another judge has that name, the beginning of the fingerprint is appended.
        """
        display_name = self._names.get((author, version))
        if display_name is not None:
            return display_name
        by = f"{by}[{version}]" if version else by
        name = next(candidate for candidate in _candidate_names(author, by) if candidate not in self._taken)
        self._names[author, version] = name
        self._taken.add(name)
        if isinstance(author, JudgeId):
            self.judges[name] = author
        return name


_MIN_FINGERPRINT_LENGTH = 6
"""A display name has at least this many characters of a fingerprint."""


def _candidate_names(author: Author, by: str) -> Iterator[str]:
    """Yield display names without end, the shortest first."""
    yield by
    if isinstance(author, JudgeId):
        yield from (
            name_with_fingerprint(by, author, length)
            for length in range(_MIN_FINGERPRINT_LENGTH, len(author.fingerprint) + 1)
        )
    # Judges known only by name have no fingerprint, and fingerprints may be equal.
    number = 2
    while True:
        yield f"{by}#{number}"
        number += 1


def name_with_fingerprint(name: str, judge: JudgeId, length: int = _MIN_FINGERPRINT_LENGTH) -> str:
    """Return a judge's name with the beginning of its fingerprint."""
    return f"{name}#{judge.fingerprint[:length]}"


DIFFERS_IN_FORM = "text:differs_in_form"
"""Error type of undecided outputs: a text differs from an accepted one only in form, and nothing says whether that counts."""

Source: TypeAlias = Literal["checker", "judge", "human", "construction"]

Outcome: TypeAlias = Literal["graded", "undecided", "not_applicable", "unparsable", "refused", "failed"]

UNGRADED: tuple[Outcome, ...] = ("undecided", "not_applicable", "unparsable", "refused", "failed")
"""Outcomes that mean "we could not grade this", in the order of printing. They carry no score."""


_AT_SCORE, _AT_JUDGE = " - at `$.score`", " - at `$.judge`"
"""Paths of fields for error messages, in msgspec's form."""


class Verdict(Record, frozen=True, kw_only=True):
    """Verdict of one checker, judge, person or construction on one output.

    Attributes:
        case_id: The case.
        system: The system's name.
        trial: Attempt number, from 0.
        by: A checker with its rules (``ast/bfcl``), ``judge/variant@model``, or a person's name.
        source: Author's type.
        outcome: ``graded``, or why it could not be graded.
        score: In [0, 1] if graded, else null.
        error_type: Type of the fault; BFCL's name if it has one.
        reason: One sentence: which argument, what was expected, what came.
        evidence: Machine-readable details.
        repeat: Repetition by the same judge.
        usage: Cost; null if free.
        raw: The judge's reply, verbatim.
        judge: Identity of the judge; null if only its name is known.
    """

    case_id: str
    system: str
    by: str
    source: Source
    outcome: Outcome
    trial: TrialNumber = 0
    score: float | None = None
    error_type: str | None = None
    reason: str | None = None
    evidence: dict[str, Any] = {}
    repeat: int = 0
    usage: Usage | None = None
    raw: str | None = None
    judge: JudgeId | None = None

    def __post_init__(self) -> None:
        if self.outcome == "graded":
            if not isinstance(self.score, int | float) or not 0.0 <= self.score <= 1.0:
                raise ValueError(f"a graded verdict needs a score in [0, 1], got {self.score!r}{_AT_SCORE}")
        elif self.score is not None:
            raise ValueError(
                f"only graded verdicts carry a score; this one is {self.outcome!r} with {self.score!r}{_AT_SCORE}"
            )
        if self.judge is not None and self.source != "judge":
            raise ValueError(
                f"only a judge's verdict names a judge; the source here is {self.source!r}{_AT_JUDGE}"
            )

    @classmethod
    def on(
        cls, item: ItemKey, *, by: str, source: Source, outcome: Outcome = "graded", **fields: Any
    ) -> Self:
        """Create a verdict on an output; further fields are passed on."""
        case_id, system, trial = item
        return cls(
            case_id=case_id, system=system, trial=trial, by=by, source=source, outcome=outcome, **fields
        )

    @property
    def key(self) -> ItemKey:
        """The output this is about."""
        return ItemKey(self.case_id, self.system, self.trial)

    @property
    def author(self) -> Author:
        """Author of the verdict."""
        return self.by if self.judge is None else self.judge

    @property
    def graded(self) -> bool:
        """True if there is a score."""
        return self.outcome == "graded"
