"""Adjudicated numbers: by hand, with bounds, corrected for outputs nobody looked at.

Also who decided, and how far people agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from known_numbers import printed, value_of

import fiducial as fd
from fiducial.calibration import Settings, Table, calibrate, table_from_rows
from fiducial.calibration.agreement.adjudication import adjudicate
from fiducial.calibration.agreement.adjudication_results import AdjudicatedJudge
from fiducial.calibration.decisions import (
    Decision,
    Decisions,
    LabelDecision,
    drawn_rank,
    majority_decision,
    read_decisions,
)
from fiducial.errors import InputError
from fiducial.records import Verdict, read_records
from fiducial.report.document import as_html

RECORDED = Path(fd.__file__).parent / "benchmarks" / "recorded" / "adjudications.jsonl"
SETTINGS = Settings(replicates=100)


def rows(tn: int, fp: int, fn: int, tp: int, *, category: str = "") -> list[dict[str, Any]]:
    """Rows of a judge; items are named by what label and judge say and a number."""
    cells = [("tn", tn, 0, 0), ("fp", fp, 0, 1), ("fn", fn, 1, 0), ("tp", tp, 1, 1)]
    return [
        {"item_id": f"{category}{name}{number}", "judge": "j", "label": float(label), "score": float(score)}
        | ({"category": category} if category else {})
        for name, times, label, score in cells
        for number in range(times)
    ]


def table(tn: int, fp: int, fn: int, tp: int) -> Table:
    return table_from_rows(rows(tn, fp, fn, tp))


def said(**found: LabelDecision) -> dict[str, tuple[Decision, ...]]:
    return {item: (Decision("ann", each),) for item, each in found.items()}


def judged(given: Table, by_item: Mapping[str, tuple[Decision, ...]]) -> AdjudicatedJudge:
    return adjudicate(given, Decisions(by_item), SETTINGS).judges["j"]


def values(judge: AdjudicatedJudge, way: str) -> tuple[float, ...]:
    found = getattr(judge, way)
    return tuple(value_of(found[name]) for name in ("accuracy", "true_positive_rate", "true_negative_rate"))


# 10 rows: the label passes 5, the judge 5; they differ on 4.
# fp0 is found right (the judge is right), fp1 wrong (the label is), fn0 undecidable, fn1 wrong (the judge is right).
DECIDED = said(fp0="right", fp1="wrong", fn0="undecidable", fn1="wrong")


def test_adjudicated_numbers_equal_a_hand_calculation() -> None:
    found = judged(table(tn=3, fp=2, fn=2, tp=3), DECIDED)
    # As labelled: 3 + 3 of 10 right; 3 of the 5 that pass; 3 of the 5 that fail.
    assert values(found, "as_labelled") == (6 / 10, 3 / 5, 3 / 5)
    # fn0 is left out. Right are tp0..2 and fp0, all passed by the judge; wrong are tn0..2, fn1 (failed), fp1 (passed).
    assert values(found, "adjudicated") == (8 / 9, 4 / 4, 4 / 5)
    # fn0, which the judge fails, counts as right in the first and as wrong in the second.
    assert values(found, "lowest") == (8 / 10, 4 / 5, 4 / 5)
    assert values(found, "highest") == (9 / 10, 4 / 4, 5 / 6)
    apart = found.disagreements
    assert (apart.rows, apart.judge_right, apart.judge_wrong, apart.undecidable, apart.left) == (
        4,
        2,
        1,
        1,
        0,
    )
    # Wrong labels that were found: fp0 and fn1.
    errors = found.label_errors["all"]
    assert (value_of(errors.found), errors.found.n, errors.undecidable) == (2 / 10, 10, 1)


def test_kappa_and_balanced_accuracy_are_lowest_and_highest_among_all_ways_to_decide() -> None:
    given = table(tn=30, fp=4, fn=5, tp=25)
    open_ = [f"fp{number}" for number in range(4)] + [f"fn{number}" for number in range(5)]
    found = judged(given, {item: (Decision("ann", "undecidable"),) for item in open_})
    ways: list[AdjudicatedJudge] = []
    for passed in range(5):
        for failed in range(6):
            sides: dict[str, LabelDecision] = {f"fp{n}": "right" if n < passed else "wrong" for n in range(4)}
            sides |= {f"fn{n}": "right" if n < failed else "wrong" for n in range(5)}
            ways.append(judged(given, said(**sides)))
    for name in found.lowest:
        of_ways = [value_of(way.adjudicated[name]) for way in ways]
        assert value_of(found.lowest[name]) == pytest.approx(min(of_ways))
        assert value_of(found.highest[name]) == pytest.approx(max(of_ways))


def test_what_nobody_looked_at_is_corrected_by_a_random_sample_of_agreements() -> None:
    given = table(tn=40, fp=10, fn=10, tp=40)
    decided: dict[str, LabelDecision] = {f"fp{n}": "right" if n < 6 else "wrong" for n in range(10)}
    decided |= {f"fn{n}": "right" if n < 2 else "wrong" for n in range(10)}
    for cell, usual in (("tp", "right"), ("tn", "wrong")):
        drawn = sorted((f"{cell}{n}" for n in range(40)), key=lambda item: drawn_rank(item, 0))[:10]
        decided |= dict.fromkeys(drawn, "right" if usual == "right" else "wrong")
        decided[drawn[0]] = "wrong" if usual == "right" else "right"
    found = judged(given, said(**decided)).corrected
    # A tenth of both agreements is otherwise. Right: 36 + 4 + 6 + 2 of 100, of which the judge passes 36 + 6.
    assert value_of(found["prevalence"]) == pytest.approx(48 / 100)
    assert value_of(found["true_positive_rate"]) == pytest.approx(42 / 48)
    assert value_of(found["true_negative_rate"]) == pytest.approx((36 + 8) / 52)
    assert value_of(found["accuracy"]) == pytest.approx((42 + 44) / 100)
    assert value_of(found["label_sensitivity"]) == pytest.approx((36 + 2) / 48)
    assert value_of(found["label_specificity"]) == pytest.approx((36 + 4) / 52)


def test_when_everything_was_looked_at_the_corrected_rates_are_the_adjudicated_ones() -> None:
    decided = DECIDED | said(tp0="right", tp1="right", tp2="right", tn0="wrong", tn1="wrong", tn2="wrong")
    found = judged(table(tn=3, fp=2, fn=2, tp=3), decided)
    assert tuple(
        value_of(found.corrected[name]) for name in ("accuracy", "true_positive_rate", "true_negative_rate")
    ) == pytest.approx(values(found, "adjudicated"))


def test_without_a_sample_of_agreements_nothing_is_corrected_and_it_is_said_why() -> None:
    found = judged(table(tn=3, fp=2, fn=2, tp=3), DECIDED)
    why = found.corrected["accuracy"].undefined
    assert (
        why
        == "nobody decided a random sample of the 3 that label and judge fail or of the 3 that label and judge pass"
    )
    assert found.label_errors["all"].corrected.undefined == why


def test_agreements_that_were_chosen_and_not_drawn_do_not_stand_for_the_others() -> None:
    order = sorted((f"tp{n}" for n in range(30)), key=lambda item: drawn_rank(item, 0))
    given = table(tn=0, fp=0, fn=0, tp=30)
    chosen = judged(given, dict.fromkeys(order[-5:], (Decision("ann", "wrong"),)))
    assert chosen.corrected["accuracy"].value is None
    drawn = judged(given, dict.fromkeys([*order[:4], order[-1]], (Decision("ann", "wrong"),)))
    assert drawn.label_errors["all"].corrected.value == 1.0
    assert drawn.agreements.judge_wrong == 5


def test_the_corrected_rates_are_right_on_average_where_label_and_judge_share_errors() -> None:
    rng, estimates = np.random.default_rng(1), list[tuple[float, float]]()
    for _ in range(60):
        truth = rng.random(400) < 0.6
        label = np.where(rng.random(400) < 0.1, ~truth, truth)
        shared = rng.random(400) < 0.3
        score = np.where(rng.random(400) < 0.08, ~truth, np.where(shared, label, truth))
        given = [
            {"item_id": f"i{n}", "judge": "j", "label": float(label[n]), "score": float(score[n])}
            for n in range(400)
        ]
        agree = sorted((n for n in range(400) if label[n] == score[n]), key=lambda n: drawn_rank(f"i{n}", 0))
        looked = [*(n for n in range(400) if label[n] != score[n]), *agree[:80]]
        decided = {f"i{n}": (Decision("ann", "right" if truth[n] else "wrong"),) for n in looked}
        found = judged(table_from_rows(given), decided)
        true_rate = float(score[truth].mean())
        estimates.append(
            (
                value_of(found.corrected["true_positive_rate"]) - true_rate,
                value_of(found.adjudicated["true_positive_rate"]) - true_rate,
            )
        )
    corrected, naive = np.mean(estimates, axis=0).tolist()
    assert abs(corrected) < 0.006
    assert naive > 0.015


def test_errors_of_labels_are_told_by_category() -> None:
    given = table_from_rows(rows(2, 1, 0, 1, category="a") + rows(2, 0, 0, 2, category="b"))
    found = judged(given, said(afp0="right")).label_errors
    assert list(found) == ["all", "a", "b"]
    assert [(value_of(errors.found), errors.found.n) for errors in found.values()] == [
        (1 / 8, 8),
        (1 / 4, 4),
        (0.0, 4),
    ]


def test_two_people_are_both_kept_and_their_agreement_is_stated() -> None:
    given = table(tn=3, fp=4, fn=0, tp=3)
    both = {
        "fp0": (Decision("ann", "right"), Decision("bob", "right")),
        "fp1": (Decision("ann", "right"), Decision("bob", "undecidable")),
        "fp2": (Decision("ann", "wrong"), Decision("bob", "wrong")),
        "fp3": (Decision("ann", "right"),),
    }
    found = adjudicate(given, Decisions(both), SETTINGS)
    by = found.by
    assert (by.people, by.items, by.twice, by.contested) == ({"ann": 4, "bob": 3}, 4, 3, 1)
    assert by.alike is not None
    assert (value_of(by.alike), by.alike.n) == (pytest.approx(2 / 3), 3)
    assert by.alike.low is not None
    # Where they differ nobody is believed: fp1 is undecidable.
    apart = found.judges["j"].disagreements
    assert (apart.judge_right, apart.judge_wrong, apart.undecidable) == (2, 1, 1)


def test_a_third_person_settles_what_two_decided_differently() -> None:
    three: list[LabelDecision] = ["right", "wrong", "right"]
    assert majority_decision(Decision(f"p{n}", each) for n, each in enumerate(three)) == "right"
    assert majority_decision(Decision(f"p{n}", each) for n, each in enumerate(three[:2])) == "undecidable"


DEFAULT_SETTINGS: dict[str, Any] = {
    "case_id": "c",
    "system": "s",
    "by": "ann",
    "source": "human",
    "outcome": "graded",
    "score": 1.0,
}


def verdict(**given: Any) -> Verdict:
    return Verdict(**(DEFAULT_SETTINGS | given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"score": 0.5}, "an adjudication is 1 (right), 0 (wrong) or undecided, this one is graded 0.5"),
        ({"outcome": "failed", "score": None}, "this one is failed None"),
        ({"source": "checker"}, "an adjudication is a person's, this one is a checker's"),
    ],
)
def test_what_decides_nothing_is_refused_with_its_line(
    given: dict[str, Any], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    fd.write_records(file, [verdict(), verdict(**given)])
    with pytest.raises(InputError) as error:
        read_decisions(file)
    assert str(error.value).startswith(f"{file}:2: score: ")
    assert message in str(error.value)


def test_a_person_who_decides_again_has_said_the_later_thing(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    fd.write_records(file, [verdict(), verdict(score=0.0), verdict(by="bob")])
    (decisions,) = read_decisions(file).by_item.values()
    assert [(decision.by, decision.found) for decision in decisions] == [("ann", "wrong"), ("bob", "right")]


def test_the_recorded_decisions_side_with_the_judge_and_never_with_the_official_label() -> None:
    recorded = {
        (record.case_id, record.system): record.evidence["review"]
        for record in read_records(RECORDED, Verdict)
    }
    for judge, counts in (("tool_call_accuracy", (25, 0, 11)), ("task_completion", (9, 0, 0))):
        mine = {key: review for key, review in recorded.items() if review["judge"].startswith(judge)}
        given = [
            {
                "item_id": f"{case}|{system}|0",
                "judge": "j",
                "label": review["label"],
                "score": review["judge_score"],
            }
            for (case, system), review in mine.items()
        ]
        found = fd.calibrate(given, adjudications=RECORDED).adjudication
        assert found is not None
        apart = found.judges["j"].disagreements
        assert (apart.rows, apart.judge_right, apart.judge_wrong, apart.undecidable) == (sum(counts), *counts)
        assert found.elsewhere == 45 - sum(counts)
        assert not found.by.people


@pytest.mark.attack("terminal and report")
def test_hostile_names_and_reasons_stay_text() -> None:
    hostile = "\x1b[2J<script>alert(1)</script>\u202e\n"
    given = [
        verdict(
            case_id="fp0",
            by=hostile,
            reason=hostile,
            evidence={"review": {"fault": hostile, "seed": hostile}},
        )
    ]
    found = fd.calibrate(
        [row | {"item_id": f"{row['item_id']}|s|0"} for row in rows(3, 2, 2, 3)], adjudications=given
    )
    assert "\x1b" not in str(found)
    assert "\u202e" not in str(found)
    assert "<script>" not in as_html(found.document())
    assert found.adjudication is not None
    assert found.adjudication.faults == {}


def test_a_table_without_decisions_says_nothing_of_them() -> None:
    found = calibrate(table(3, 2, 2, 3))
    assert found.adjudication is None
    assert "djudicat" not in printed(found)
