"""Adjudications: decisions of people who review outputs a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ..errors import InputError
from ..records import InputPath, Verdict, read_numbered

REVIEW = "review"
"""Key, in a verdict's evidence, of why its output was reviewed."""

CHOSEN_BY = "chosen_by"
"""Key, in a label's evidence, of how its output was chosen for a label."""

ADDED = "added"
"""Key, in a label's evidence, of a label added to a finished run, which is in no input file of the run."""

FAULTS = {
    "reference_too_narrow": "reference too narrow",
    "reference_too_broad": "reference too broad",
    "reference_wrong": "reference wrong",
    "request_ambiguous": "request ambiguous",
    "format": "format",
    "judge_overlooked": "judge overlooked something",
    "judge_too_strict": "judge too strict",
    "other": "other",
}
"""Reasons why judge and label differ: stored name and display text."""

LabelDecision: TypeAlias = Literal["right", "wrong", "undecidable"]


class Decision(NamedTuple):
    """Decision of one person on one output.

    Attributes:
        by: Name of the person.
        found: The decision.
        fault: Why judge and label differ, one of `FAULTS`; empty if not given.
        reason: The person's own words.
        seed: Seed of the order in which outputs were shown.
        human: True for a person, False for a model that stands in for one.
        reference: Corrected reference of the case, as JSON text, if the person wrote one.
    """

    by: str
    found: LabelDecision
    fault: str = ""
    reason: str = ""
    seed: int = 0
    human: bool = True
    reference: str = ""


class Decisions(NamedTuple):
    """Decisions, and categories of items.

    Attributes:
        by_item: Decisions by item (``case_id|system|trial``).
        categories: Category of each item, if known.
    """

    by_item: Mapping[str, tuple[Decision, ...]] = {}
    categories: Mapping[str, str] = {}

    def __add__(self, other: Decisions) -> Decisions:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Combine decisions; a person's in ``other`` replace earlier ones on the same item."""
        combined = dict(self.by_item)
        for item, later in other.by_item.items():
            people = {decision.by for decision in later}
            kept = (decision for decision in combined.get(item, ()) if decision.by not in people)
            combined[item] = (*kept, *later)
        return Decisions(combined, {**self.categories, **other.categories})


def read_decisions(path: InputPath) -> Decisions:
    """Read decisions from verdicts (JSON Lines).

    Of several lines by one person on one item the last counts.

    Raises:
        InputError: The file cannot be read, or a line is not a verdict of 0, 1 or "undecidable".
    """
    return decisions_of(read_numbered(path, Verdict), path)


def decisions_of(verdicts: Iterable[tuple[int, Verdict]], path: InputPath) -> Decisions:
    """Return the decisions in verdicts already read, each with its line number."""
    by_item: dict[str, dict[str, Decision]] = {}
    for line, verdict in verdicts:
        try:
            by_item.setdefault(str(verdict.key), {})[verdict.by] = decision_of(verdict)
        except ValueError as error:
            raise InputError(str(error), path=path, line=line, field="score") from None
    return Decisions({item: tuple(by_person.values()) for item, by_person in by_item.items()})


def decision_of(verdict: Verdict) -> Decision:
    """Return the decision that a verdict records.

    Raises:
        ValueError: The verdict is not of a person or judge, or not right, wrong or undecidable.
    """
    if verdict.source not in {"human", "judge"}:
        raise ValueError(f"an adjudication is a person's, this one is a {verdict.source}'s")
    if verdict.outcome not in {"graded", "undecided"} or verdict.score not in {None, 0.0, 1.0}:
        raise ValueError(
            "an adjudication is 1 (right), 0 (wrong) or undecided, "
            f"this one is {verdict.outcome} {verdict.score}"
        )
    review = review_of(verdict)
    seed, fault, reference = (review.get(name) for name in ("seed", "fault", "reference"))
    return Decision(
        by=verdict.by,
        found="undecidable" if verdict.score is None else "right" if verdict.score else "wrong",
        fault=fault if isinstance(fault, str) and fault in FAULTS else "",
        reason=verdict.reason or "",
        seed=seed if isinstance(seed, int) else 0,
        human=verdict.source == "human",
        reference=reference if isinstance(reference, str) else "",
    )


def review_of(verdict: Verdict) -> Mapping[str, Any]:
    """Return a verdict's record of why its output was reviewed; empty if it has none."""
    review = verdict.evidence.get(REVIEW)
    return cast("Mapping[str, Any]", review) if isinstance(review, dict) else {}


def majority_decision(decisions: Iterable[Decision]) -> LabelDecision:
    """Return the decision of more than half of the people, or undecidable without one."""
    counts: Counter[LabelDecision] = Counter(decision.found for decision in decisions)
    commonest, count = counts.most_common(1)[0]
    return commonest if 2 * count > counts.total() else "undecidable"


def drawn_rank(item: str, seed: int) -> bytes:
    """Return an item's sort key in the random order of a seed."""
    text = f"{seed}|{item}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8, person=b"review").digest()
