from __future__ import annotations

from typing import Any

import pytest
from each_row import each_row
from judge_ids import judge_id

from fiducial.errors import UsageError
from fiducial.judges.jury import Jury, JuryMember, is_unsure, jury_verdict
from fiducial.records import ItemKey, Outcome, Verdict

ITEM = ItemKey("case", "agent", 2)


def member(name: str) -> JuryMember:
    return JuryMember(judge_id(name), name)


def jury(rule: Any = "majority", members: str = "abc", **fields: Any) -> Jury:
    fields.setdefault("weights", (1.0,) * len(members))
    return Jury(rule=rule, members=tuple(map(member, members)), **fields)


def says(member: str, said: float | Outcome, probability: float | None = None) -> Verdict:
    told: dict[str, Any] = {"outcome": said} if isinstance(said, str) else {"score": said}
    evidence = {} if probability is None else {"probability": probability}
    return Verdict.on(ITEM, by=member, source="judge", judge=judge_id(member), evidence=evidence, **told)


def counted(given: Jury, *said: float | Outcome) -> tuple[Outcome, float | None]:
    """The jury's verdict when its members, in order, say this."""
    members = given.members * (len(said) // len(given.members))
    verdict = jury_verdict(
        given, ITEM, [says(member.by, one) for member, one in zip(members, said, strict=True)]
    )
    return verdict.outcome, verdict.score


@each_row(
    ("said", "verdict"),
    [
        ((1.0, 1.0, 0.0), ("graded", 1.0)),
        ((1.0, 0.0, 0.0), ("graded", 0.0)),
        ((0.9, 0.5, 0.0), ("graded", 1.0)),
        ((1.0, 1.0, "unparsable"), ("graded", 1.0)),
        ((1.0, 0.0, "unparsable"), ("undecided", None)),
        ((1.0, "unparsable", "unparsable"), ("unparsable", None)),
        ((1.0, "refused", "unparsable"), ("unparsable", None)),
        (("refused", "refused", "unparsable"), ("refused", None)),
        (("not_applicable",) * 3, ("not_applicable", None)),
        ((1.0, 1.0, "failed"), ("failed", None)),
    ],
)
def test_a_majority_counts_what_was_graded_and_needs_more_than_half_of_its_members(
    said: tuple[Any, ...], verdict: tuple[Outcome, float | None]
):
    assert counted(jury(), *said) == verdict


@pytest.mark.parametrize(
    ("weights", "said", "score"),
    [
        ((1, 1, 1), (1.0, 0.5, 0.0), 0.5),
        ((2, 1, 1), (1.0, 0.5, 0.5), 0.75),
        ((2, 1, 1), (1.0, 0.5, "unparsable"), 2.5 / 3),
        ((2, 1, 1), ("unparsable", 0.5, 0.5), None),
    ],
)
def test_a_mean_is_weighted_over_what_was_graded(
    weights: tuple[float, ...], said: tuple[Any, ...], score: float | None
):
    assert counted(jury("mean", weights=weights), *said)[1] == pytest.approx(score)


@pytest.mark.parametrize("of", [3, 10, 100])
def test_equal_opinions_have_their_own_value_as_mean(of: int):
    for score in (part / of for part in range(of + 1)):
        for repeats in range(2, 8):
            assert counted(jury("mean", "a", repeats=repeats), *[score] * repeats) == ("graded", score)
            assert counted(jury("mean", "ab", weights=(0.1, 0.7)), score, score) == ("graded", score)


def test_a_mean_of_opinions_that_is_a_threshold_passes_there():
    assert counted(jury("mean"), 0.6, 0.7, 0.8) == ("graded", 0.7)
    assert counted(jury("mean"), 1.0, 0.0, 0.0) == ("graded", 1 / 3)
    assert counted(jury("mean", weights=(0.1, 0.1, 0.1)), 0.7, 0.6, 0.8) == ("graded", 0.7)


def test_weights_can_turn_a_majority():
    assert counted(jury(weights=(3.0, 1.0, 1.0)), 1.0, 0.0, 0.0) == ("graded", 1.0)


def test_a_tie_is_undecided_and_not_a_pass():
    assert counted(jury(members="ab"), 1.0, 0.0) == ("undecided", None)


@pytest.mark.parametrize("said", [(0.0, 1.0, 1.0), (1.0, 0.0, 0.0)])
def test_weights_that_are_no_binary_fractions_tie_too(said: tuple[float, ...]):
    # 0.3 + 0.2 + 0.1 is a bit less than twice 0.3 when added in this order.
    assert counted(jury(weights=(0.3, 0.2, 0.1)), *said) == ("undecided", None)
    assert counted(jury(weights=(0.3, 0.2, 0.1)), 1.0, "refused", "refused") == ("refused", None)


@each_row(
    ("given", "said", "reason"),
    [
        (jury(members="ab"), ("unparsable", "unparsable"), "neither judge gave a readable score"),
        (jury(members="ab"), ("refused", "refused"), "neither judge gave a score"),
        (jury(members="abc"), ("refused", "refused", "unparsable"), "no judge gave a readable score"),
        (jury(members="a", repeats=2), ("unparsable", "unparsable"), "no repeat gave a readable score"),
        (jury(members="abc"), ("refused", "refused", 1.0), "only 1 of 3 opinions has a score"),
        (jury(members="abc"), ("failed", "failed", 1.0), "2 of 3 calls failed"),
        (jury("escalate", members="ab"), ("failed",), "the call failed"),
    ],
)
def test_a_jury_without_a_score_says_in_words_why(given: Jury, said: tuple[Any, ...], reason: str):
    members = given.members * given.repeats
    opinions = [says(member.by, one) for member, one in zip(members, said, strict=False)]
    assert jury_verdict(given, ITEM, opinions).reason == reason


def test_repeats_are_opinions():
    assert counted(jury(members="a", repeats=3), 1.0, 0.0, 1.0) == ("graded", 1.0)


def test_the_verdict_says_whose_it_is_and_who_said_what():
    verdict = jury_verdict(jury(members="ab"), ITEM, [says("a", 1.0), says("b", 1.0)])
    assert (verdict.by, verdict.source, verdict.key, verdict.usage) == (
        "jury/majority@a+b",
        "judge",
        ITEM,
        None,
    )
    assert verdict.evidence["opinions"] == [
        {"by": "a", "outcome": "graded", "score": 1.0},
        {"by": "b", "outcome": "graded", "score": 1.0},
    ]
    assert verdict.reason == "2 of 2 for a pass; 2 of 2 opinions have a score"


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (jury(), "jury/majority@a+b+c"),
        (jury("mean", "ab", weights=(2.0, 0.5)), "jury/mean@2*a+0.5*b"),
        (jury(members="a", repeats=5), "jury/majority-of-5@a"),
        (jury("escalate", "ab"), "jury/escalate@a+b"),
    ],
)
def test_names_tell_juries_apart(given: Jury, name: str):
    assert given.by == name


@each_row(
    ("opinions", "unsure"),
    [
        ([says("a", 1.0)], False),
        ([says("a", 0.0)], False),
        ([says("a", 0.5)], True),
        ([says("a", 0.2)], True),
        ([says("a", 1.0, probability=0.79)], True),
        ([says("a", 1.0, probability=0.99)], False),
        ([says("a", "unparsable")], True),
        ([says("a", "refused")], True),
        ([says("a", "failed")], False),
        ([says("a", "not_applicable")], False),
        ([says("a", 1.0), says("a", 0.0)], True),
        ([says("a", 1.0), says("a", 0.9)], False),
    ],
)
def test_the_dear_judge_is_asked_where_the_cheap_one_is_not_sure(opinions: list[Verdict], unsure: bool):
    assert is_unsure(jury("escalate", "ab", repeats=len(opinions)), opinions) is unsure


def escalated(*opinions: Verdict) -> Verdict:
    return jury_verdict(jury("escalate", "ab"), ITEM, opinions)


def test_the_dear_judges_verdict_counts_where_it_was_asked_and_the_cheap_ones_elsewhere():
    asked = escalated(says("a", 0.5), says("b", 0.0))
    spared = escalated(says("a", 1.0))
    assert (asked.score, asked.evidence["escalated"]) == (0.0, True)
    assert (spared.score, spared.evidence["escalated"]) == (1.0, False)


def test_a_dear_judge_that_gives_no_score_leaves_none():
    assert escalated(says("a", "unparsable"), says("b", "refused")).outcome == "refused"
    assert escalated(says("a", "unparsable"), says("b", "failed")).outcome == "failed"
    assert escalated(says("a", "unparsable")).outcome == "unparsable"  # b judges no such cases


@each_row(
    ("rule", "members", "fields"),
    [
        ("majority", "a", {}),
        ("majority", "aa", {}),
        ("mean", "ab", {"weights": (1.0,)}),
        ("mean", "ab", {"weights": (1.0, 0.0)}),
        ("mean", "ab", {"weights": (1.0, -1.0)}),
        ("mean", "ab", {"weights": (1.0, float("nan"))}),
        ("mean", "ab", {"weights": (1.0, float("inf"))}),
        ("mean", "ab", {"weights": (1e308, 1e308)}),
        ("escalate", "abc", {}),
        ("escalate", "ab", {"weights": (2.0, 1.0)}),
        ("escalate", "a", {"repeats": 2}),
    ],
)
def test_what_makes_no_jury_is_refused(rule: str, members: str, fields: dict[str, Any]):
    with pytest.raises(UsageError):
        jury(rule, members, **fields)


def test_a_case_that_no_member_judges_is_not_applicable():
    verdict = jury_verdict(jury(), ITEM, [])
    assert (verdict.outcome, verdict.reason) == ("not_applicable", "no member judges such a case")


def test_missing_weights_are_counted_with_their_noun():
    with pytest.raises(UsageError, match="expected 1 number above 0, one per judge"):
        jury("majority", "a", weights=(1.0, 2.0), repeats=3)
