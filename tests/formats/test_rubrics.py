"""Rubrics in HealthBench's form, and as tables of criteria."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import fiducial

import fiducial as fd
from fiducial.records import Case, read_records

EXAMPLE: dict[str, Any] = {
    "example_tags": ["theme:hedging", "physician_agreed_category:any-reducible-uncertainty"],
    "ideal_completions_data": {
        "ideal_completion": "Ask a pharmacist.",
        "ideal_completions_group": None,
        "ideal_completions_ref_completions": [],
    },
    "prompt": [
        {"role": "user", "content": "How much may I take?"},
        {"role": "assistant", "content": "Of what?"},
        {"role": "user", "content": "Ibuprofen."},
    ],
    "prompt_id": "f5fc6a0e",
    "rubrics": [
        {
            "criterion": "Names the highest dose for a day.",
            "points": 7,
            "tags": ["level:example", "axis:accuracy"],
        },
        {
            "criterion": "Gives a dose above the permitted one.",
            "points": -8,
            "tags": ["level:example", "axis:accuracy"],
        },
    ],
    "canary": "healthbench:0000",
}
TABLE = """item,criterion,points,tags,question
dose-1,Names the highest dose for a day.,5,axis:accuracy; level:example,How much may I take?
dose-1,Gives a dose above the permitted one.,-6,,
dose-2,Says why.,1.5,axis:depth,Why?
"""


def imported(path: Path, expected: str) -> list[Case]:
    told = fiducial("import", path, "--out", "shop")
    assert told.code == 0, told.err
    assert expected in told.out + told.err
    return list(read_records(Path("shop/cases.jsonl"), Case))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_healthbenchs_examples_are_recognised_with_points_tags_and_answer():
    Path("oss_eval.jsonl").write_text(json.dumps(EXAMPLE) + "\n")
    (case,) = imported(Path("oss_eval.jsonl"), "healthbench")
    assert (case.id, case.kind, len(case.messages)) == ("f5fc6a0e", "open_answer", 3)
    assert [(each["text"], each["points"]) for each in case.reference["criteria"]] == [
        ("Names the highest dose for a day.", 7),
        ("Gives a dose above the permitted one.", -8),
    ]
    assert case.reference["criteria"][0]["tags"] == ["level:example", "axis:accuracy"]
    assert case.reference["answer"] == "Ask a pharmacist."
    assert case.tags == {"theme": "hedging", "physician_agreed_category": "any-reducible-uncertainty"}


def test_tags_of_one_group_are_joined():
    tags = ["theme:hedging", "theme:emergency", "plain"]
    Path("oss_eval.jsonl").write_text(json.dumps(EXAMPLE | {"example_tags": tags}) + "\n")
    (case,) = imported(Path("oss_eval.jsonl"), "healthbench")
    assert case.tags == {"theme": "hedging, emergency", "example_tag_3": "plain"}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_a_table_of_criteria_becomes_a_case_for_each_item(suffix: str):
    path = Path(f"criteria.{suffix}")
    rows = [line.split(",") for line in TABLE.splitlines()]
    if suffix == "jsonl":
        named = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
        path.write_text("".join(json.dumps({k: v or None for k, v in row.items()}) + "\n" for row in named))
    else:
        path.write_text(TABLE if suffix == "csv" else TABLE.replace(",", "\t"))
    first, second = imported(path, "rubric")
    assert (first.id, second.id) == ("dose-1", "dose-2")
    assert [each["points"] for each in first.reference["criteria"]] == [5, -6]
    assert first.reference["criteria"][0]["tags"] == ["axis:accuracy", "level:example"]
    assert first.messages == [{"role": "user", "content": "How much may I take?"}]


def test_points_default_to_one_and_what_is_no_number_is_listed():
    Path("c.csv").write_text("item,criterion,points\na,One.,\na,Two.,many\nb,,3\n")
    found = fd.read("c.csv")
    (case,) = found.cases
    assert [each.get("points", 1) for each in case.reference["criteria"]] == [1]
    assert [(skipped.line, skipped.field) for skipped in found.skipped] == [(3, "points"), (4, "criterion")]


def test_an_item_with_two_questions_is_listed():
    Path("c.csv").write_text("item,criterion,points,question\na,One.,1,Why?\na,Two.,1,How?\n")
    found = fd.read("c.csv")
    assert len(found.cases) == 1
    assert "another question" in found.skipped[0].reason


def test_an_example_whose_points_are_no_number_is_listed():
    wrong = EXAMPLE | {"rubrics": [{"criterion": "x", "points": "many"}]}
    Path("h.jsonl").write_text(json.dumps(EXAMPLE) + "\n" + json.dumps(wrong) + "\n")
    found = fd.read("h.jsonl")
    assert len(found.cases) == 1
    assert found.skipped[0].line == 2
    assert "points" in (found.skipped[0].field or "")
