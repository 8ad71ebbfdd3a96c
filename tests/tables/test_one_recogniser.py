"""Import, `fd.read` and `calibrate` take the same columns of a table for the same things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.calibration.tables.table_files import table_from_rows
from fiducial.errors import ChoiceNeeded
from fiducial.tables.layout import TableForm
from fiducial.tables.recognition import layout_of

LABELS = [
    "human_label",
    "HumanJudgement",
    "human_judgment",
    "humanlabel",
    "expert",
    "gold_label",
    "annotator_1",
    "grade",
    "annotation",
    "thumbs",
    "human",
    "correct",
    "is_correct",
    "truth",
    "expert_says",
    "ratedByHuman",
    "consensus_label",
    "Manual-Grade",
    "avg_human_score",
    "label",
    "user_rating",
    "feedback",
    "ok",
    "liked",
]
SCORES = [
    "score",
    "JudgeVerdict",
    "llm_judge",
    "GPT-4",
    "verdict",
    "passed",
    "auto_score",
    "claude_says",
    "LLMScore",
    "Llama3-8B",
    "EM",
]
NEITHER = [
    "price_per_example",
    "time_s",
    "tokens_used",
    "dataset",
    "seed",
    "idx",
    "length",
    "confidence",
    "comment",
    "annotator",
    "agreement",
    "human_time",
    "judge_cost",
    "gpt4_latency",
    "num_turns",
    "category",
    "created_at",
]

N = range(12)


def _rows(**columns: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {
            "id": n,
            "question": f"Why is it {n}?",
            "answer": f"So {n} is.",
            **{name: values[n] for name, values in columns.items()},
        }
        for n in N
    ]


def _by_calibrate(rows: list[dict[str, Any]]) -> tuple[object, ...]:
    try:
        layout = layout_of(rows, {}, form=TableForm())
        table_from_rows(rows)
    except ChoiceNeeded as asked:
        return ("asked", asked.arguments)
    names = {name: name for name in rows[0]} | dict(layout.columns)
    return (names.get("label"), sorted(layout.scores.values()) or [names["score"]])


def _by_read(rows: list[dict[str, Any]]) -> tuple[object, ...]:
    try:
        verdicts = fd.read(rows).verdicts
    except ChoiceNeeded as asked:
        return ("asked", asked.arguments)
    people = sorted({verdict.by for verdict in verdicts if verdict.source == "human"})
    return (
        people[0] if people else None,
        sorted({verdict.by for verdict in verdicts if verdict.source == "judge"}),
    )


@pytest.mark.parametrize("values", [(0, 1), ("yes", "no"), ("hallucinated", "faithful")])
def test_a_header_means_the_same_by_import_and_by_calibrate(values: tuple[Any, Any]) -> None:
    for name in LABELS:
        rows = _rows(judge_score=[n // 2 % 2 for n in N], **{name: [values[n % 2] for n in N]})
        assert _by_calibrate(rows) == _by_read(rows) == (name, ["judge_score"]), name
    for name in SCORES:
        rows = _rows(human_label=[n // 2 % 2 for n in N], **{name: [values[n % 2] for n in N]})
        assert _by_calibrate(rows) == _by_read(rows) == ("human_label", [name]), name
    for name in NEITHER:
        rows = _rows(
            human_label=[n // 2 % 2 for n in N],
            judge_score=[n % 2 for n in N],
            **{name: [values[n % 2] for n in N]},
        )
        assert _by_calibrate(rows) == ("human_label", ["judge_score"]), name
        assert _by_read(rows)[1] == ["judge_score"], name


@each_row(
    ("columns", "arguments"),
    [
        (("human_label", "expert_label"), {"map": {"label": "?"}}),
        (("label", "human_label"), {"map": {"label": "?"}}),
        (("grade", "annotation"), {"map": {"label": "?"}}),
        (("human_fluency", "human_coherence"), {"map": {"label": "?"}}),
        (("is_toxic_human",), {"label_scale": ("?", "?")}),
    ],
)
def test_what_is_contested_or_names_a_fault_is_asked_by_all(
    columns: tuple[str, ...], arguments: dict[str, Any]
) -> None:
    named = {name: [n // (at + 1) % 2 for n in N] for at, name in enumerate(columns)}
    rows = _rows(judge_score=[n % 2 for n in N], **named)
    assert _by_calibrate(rows) == _by_read(rows) == ("asked", arguments)


def test_a_weak_name_does_not_contest_a_column_named_after_people() -> None:
    rows = _rows(
        human_label=[n % 2 for n in N], correct=[n // 2 % 2 for n in N], judge_score=[n // 3 % 2 for n in N]
    )
    assert _by_calibrate(rows) == _by_read(rows) == ("human_label", ["judge_score"])


@each_row("name", ["is_correct", "correct"])
def test_whether_a_judge_chose_rightly_is_no_label(name: str) -> None:
    right, chosen = "ABBA" * 3, "ABAB" * 3
    rows = _rows(
        correct_choice=[right[n] for n in N],
        judge_choice=[chosen[n] for n in N],
        **{name: [right[n] == chosen[n] for n in N]},
    )
    with pytest.raises(ChoiceNeeded) as asked:
        fd.calibrate(rows)
    assert asked.value.arguments == {"map": {"label": "correct_choice"}, "map_label": {"A": "?", "B": "?"}}
    numbers = fd.calibrate(rows, map={"label": "correct_choice"}, map_label={"A": 1, "B": 0})
    assert numbers["judge_choice"].accuracy.value == 0.5
    other = _rows(
        gold=[right[n] for n in N],
        judge_says=[chosen[n] for n in N],
        **{name: [right[n] == chosen[n] for n in N]},
    )
    with pytest.raises(ChoiceNeeded) as asked:
        fd.calibrate(other)
    assert (
        "label" not in asked.value.arguments.get("map", {}) or asked.value.arguments["map"]["label"] == "gold"
    )


def test_people_beside_many_models_are_the_label_of_each() -> None:
    judges = ["Mistral-7B", "Llama-70B", "GPT-4", "EM", "Contains", "JudgeLM"]
    rows = _rows(
        HumanJudgement=[str(n % 2 == 0) for n in N],
        **{name: [str(n % (at + 2) == 0) for n in N] for at, name in enumerate(judges)},
    )
    assert _by_calibrate(rows) == _by_read(rows) == ("HumanJudgement", sorted(judges))


def test_scores_known_by_their_values_alone_are_asked() -> None:
    rows = _rows(human_label=[n % 2 for n in N], PASS=[n // 2 % 2 for n in N])
    assert _by_calibrate(rows) == ("asked", {"map": {"score": "PASS"}})
    found = fd.read(rows)
    assert ({verdict.source for verdict in found.verdicts}, found.tags) == ({"human"}, ["PASS"])
    assert "'score': 'PASS'" in repr(found)
    several = _rows(
        human_label=[n % 2 for n in N], PASS=[n // 2 % 2 for n in N], Ready=[n // 3 % 2 for n in N]
    )
    assert _by_calibrate(several) == ("asked", {"map": {"score": "?"}})


def test_a_persons_column_is_proposed_as_a_judge_only_if_nothing_else_could_be() -> None:
    rows = _rows(
        annotator_1=[n % 2 for n in N], human_label=[n // 2 % 2 for n in N], PASS=[n // 3 % 2 for n in N]
    )
    assert _by_calibrate(rows) == ("asked", {"map": {"score": "PASS"}})
    people = _rows(crowd_label=[n % 2 for n in N], human_label=[n // 2 % 2 for n in N])
    with pytest.raises(ChoiceNeeded) as asked:
        fd.calibrate(people, map={"label": "human_label"})
    assert asked.value.arguments == {"map": {"score": "crowd_label"}}
