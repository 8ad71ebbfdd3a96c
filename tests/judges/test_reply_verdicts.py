"""Stored replies that are read again: the first that can be read counts."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
import pytest
from each_row import each_row

from fiducial.judges import load_judge, read_again
from fiducial.records import ItemKey, Outcome, Verdict

StoredReply: TypeAlias = str | dict[str, str]
JUDGE = load_judge("tool_call_accuracy", model="judge")
OLD = msgspec.structs.replace(JUDGE.id, fingerprint="0" * 64)
CUT_OFF = {"text": "<S2>1</S2>", "finish_reason": "length"}
READABLE, OTHER, REFUSAL = "<S2>1</S2>", "<S2>0</S2>", "I'm sorry, but I can't help with that."


def stored(
    outcome: Outcome = "unparsable",
    *,
    raw: str | None = None,
    unread: tuple[StoredReply, ...] = (),
    **evidence: Any,
) -> Verdict:
    """Return a verdict as an earlier version of the judge left it."""
    kept = (
        {"unread": [{"text": reply} if isinstance(reply, str) else reply for reply in unread]}
        if unread
        else {}
    )
    return Verdict.on(
        ItemKey("c", "s", 0),
        by=JUDGE.by,
        source="judge",
        outcome=outcome,
        score=0.0 if outcome == "graded" else None,
        raw=raw,
        judge=OLD,
        evidence={**kept, **evidence},
    )


@each_row(
    ("unread", "raw", "outcome", "score"),
    [
        ((READABLE,), OTHER, "graded", 1.0),
        (("?", READABLE), OTHER, "graded", 1.0),
        ((REFUSAL,), OTHER, "refused", None),
        ((CUT_OFF,), OTHER, "graded", 0.0),
        (("?",), OTHER, "graded", 0.0),
        (("?",), "?", "unparsable", None),
        ((), READABLE, "graded", 1.0),
        ((READABLE,), None, "graded", 1.0),
    ],
)
def test_the_first_reply_that_can_be_read_counts(
    unread: tuple[StoredReply, ...], raw: str | None, outcome: Outcome, score: float | None
):
    again = read_again(stored(raw=raw, unread=unread), JUDGE)
    assert (again.outcome, again.score, again.judge) == (outcome, score, JUDGE.id)


@pytest.mark.parametrize(
    ("unread", "raw", "kept"), [((), READABLE, True), ((), "?", False), ((READABLE,), OTHER, False)]
)
def test_a_probability_is_kept_of_the_reply_that_it_came_with_alone(
    unread: tuple[StoredReply, ...], raw: str, kept: bool
):
    again = read_again(stored("graded", raw=raw, unread=unread, probability=0.9, pieces=3), JUDGE)
    assert ("probability" in again.evidence) == kept
    assert "pieces" not in again.evidence


@pytest.mark.parametrize(
    "verdict", [stored("failed"), stored("not_applicable"), stored("graded"), stored(unread=("?",))]
)
def test_without_a_reply_that_can_be_read_only_the_judge_is_another(verdict: Verdict):
    assert read_again(verdict, JUDGE) == msgspec.structs.replace(verdict, judge=JUDGE.id)
