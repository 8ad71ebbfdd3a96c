"""Labels and references that arrive after an import or a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiducial.api.labels import LabelsJoined, join_labels
from fiducial.api.reading import import_files
from fiducial.errors import ColumnsError, InputError, UsageError
from fiducial.records import Case, Verdict, read_records

LOGS = Path(__file__).parent.parent / "examples" / "real_logs"


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """An import of four sessions without references."""
    import_files([LOGS / "thanks.jsonl"], tmp_path / "shop")
    return tmp_path / "shop"


def kinds(folder: Path) -> dict[str, str]:
    return {case.id: case.kind for case in read_records(folder / "cases.jsonl", Case)}


def counts(joined: LabelsJoined) -> tuple[int, int, int]:
    assert joined.references is not None
    return joined.references.added, joined.references.replaced, joined.references.unchanged


def test_references_that_arrive_later_make_the_cases_that_a_join_at_import_makes(shop: Path):
    counted = join_labels(shop, LOGS / "thanks_expected.csv")
    import_files([LOGS / "thanks.jsonl"], shop.parent / "joined", join=LOGS / "thanks_expected.csv")
    assert counts(counted) == (4, 0, 0)
    later, at_once = ((folder / "cases.jsonl").read_bytes() for folder in (shop, shop.parent / "joined"))
    assert later == at_once
    again = join_labels(shop, LOGS / "thanks_expected.csv")
    assert counts(again) == (0, 0, 4)
    assert "references: none is new (4 already there)" in str(again)


def test_a_corrected_table_replaces_the_references_of_an_earlier_one(shop: Path):
    join_labels(shop, LOGS / "thanks_expected.csv")
    call = {"name": "find_parcel", "arguments": {"number": "4431"}}
    rows = lines(shop.parent / "again.jsonl", [{"id": "p-103", "expected_calls": [call]}])
    assert counts(join_labels(shop, rows)) == (0, 1, 0)


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"expected": "Rome"}, "memory_answer"),
        ({"expected": "Rome", "context": "Rome is old."}, "web_search_answer"),
        ({"criterion": "It is polite."}, "open_answer"),
        ({"context": ["Parcel 4414 is lost."]}, "grounded_answer"),
    ],
)
def test_every_reference_of_a_table_makes_the_kind_that_it_makes_in_an_import(
    shop: Path, told: dict[str, Any], kind: str
):
    joined = join_labels(shop, lines(shop.parent / "told.jsonl", [{"session_id": "p-104", **told}]))
    assert counts(joined) == (1, 0, 0)
    assert kinds(shop)["p-104"] == kind


def test_a_table_may_hold_labels_and_references(shop: Path):
    rows = [{"id": "p-104", "criterion": "It is polite.", "grade": "good", "comment": "fine"}]
    joined = join_labels(shop, lines(shop.parent / "both.jsonl", rows))
    assert (joined.added, counts(joined)) == (1, (1, 0, 0))
    assert "--labels" in joined.commands[0]
    assert "comment" not in next(
        case.tags for case in read_records(shop / "cases.jsonl", Case) if case.id == "p-104"
    )


@pytest.mark.parametrize(("values", "is_label"), [(["pass", "fail"], True), (["Rome", "fail"], False)])
def test_a_column_called_ground_truth_is_told_by_what_stands_in_it(
    shop: Path, values: list[str], *, is_label: bool
):
    rows = [
        {"id": name, "ground_truth": value} for name, value in zip(("p-103", "p-104"), values, strict=True)
    ]
    joined = join_labels(shop, lines(shop.parent / "truth.jsonl", rows))
    assert (joined.references is None, joined.added) == (is_label, 2 * is_label)


def test_rows_of_no_case_are_listed_and_a_table_of_none_is_refused(shop: Path):
    rows = [{"id": "p-104", "criterion": "It is polite."}, {"id": "p-999", "criterion": "It is short."}]
    joined = join_labels(shop, lines(shop.parent / "rows.jsonl", rows))
    assert "skipped: 1 row, the first:" in str(joined)
    before = (shop / "cases.jsonl").read_bytes()
    with pytest.raises(InputError, match="no id in it is that of a case: 'p-999'; the first case is 'p-101'"):
        join_labels(shop, lines(shop.parent / "rows.jsonl", rows[1:]))
    assert (shop / "cases.jsonl").read_bytes() == before


def test_a_reference_that_cannot_be_read_is_listed_and_not_counted_as_there(shop: Path):
    rows = [{"id": "p-103", "expected_calls": "book("}, {"id": "p-101", "label": 1}]
    joined = join_labels(shop, lines(shop.parent / "told.jsonl", rows))
    assert counts(joined) == (0, 0, 0)
    assert "skipped: 1 row, the first: " in str(joined)
    assert "told.jsonl:1: expected_calls: cannot be read as calls" in str(joined)


def test_a_table_that_says_neither_names_what_it_could_be(shop: Path):
    table = lines(shop.parent / "odd.jsonl", [{"id": "p-104", "wanted": "x"}])
    with pytest.raises(
        ColumnsError, match=r"map=\{'label': 'wanted'\} or map=\{'expected_calls': 'wanted'\}"
    ):
        join_labels(shop, table)
    assert counts(join_labels(shop, table, map={"criterion": "wanted"})) == (1, 0, 0)


def test_rows_in_memory_are_joined_like_a_file(shop: Path):
    rows = [{"id": "p-104", "criterion": "It is polite.", "grade": "good"}]
    joined = join_labels(shop, rows)
    assert (joined.added, counts(joined)) == (1, (1, 0, 0))


def graded(shop: Path, grade: str) -> Path:
    return lines(shop.parent / "grades.jsonl", [{"id": "p-104", "grade": grade}])


def test_a_second_persons_labels_replace_none_where_the_person_is_named(shop: Path):
    assert join_labels(shop, graded(shop, "good"), by="ann").added == 1
    joined = join_labels(shop, graded(shop, "bad"), by="bob")
    assert (joined.added, joined.replaced, joined.unchanged) == (1, 0, 0)
    labels = read_records(shop / "labels.jsonl", Verdict)
    assert [(label.by, label.score) for label in labels if label.by in {"ann", "bob"}] == [
        ("ann", 1.0),
        ("bob", 0.0),
    ]


def test_labels_that_replace_others_are_counted_and_the_option_is_named(shop: Path):
    join_labels(shop, graded(shop, "good"))
    joined = join_labels(shop, graded(shop, "bad"))
    assert (joined.added, joined.replaced, joined.unchanged) == (1, 1, 0)
    assert "(0 added, 1 replaced, 0 already there)" in str(joined)
    assert "with by=NAME" in str(joined)


def test_labels_of_two_people_are_counted_without_their_majority(shop: Path):
    rows = [{"id": "p-104", "annotator_1": 1, "annotator_2": 0}]
    joined = join_labels(shop, rows)
    assert (joined.added, joined.superseded, joined.ties) == (2, 0, 1)
    assert "1 output without a label: people disagree, half and half" in str(joined)
    assert "superseded" not in str(joined)
    swapped = join_labels(shop, [{"id": "p-104", "annotator_1": 1, "annotator_2": 1}])
    assert (swapped.added, swapped.replaced, swapped.unchanged, swapped.ties) == (1, 1, 1, 0)


def test_verdicts_name_their_person_themselves(shop: Path):
    join_labels(shop, graded(shop, "good"))
    with pytest.raises(UsageError, match="verdicts name their person in `by`"):
        join_labels(shop, shop / "labels.jsonl", by="bob")


@pytest.mark.parametrize("indent", [None, 1])
def test_rows_under_a_key_and_ids_with_blanks_are_joined(tmp_path: Path, indent: int | None):
    answers = lines(
        tmp_path / "answers.jsonl", [{"id": f"c{n}", "query": "?", "response": "x"} for n in (1, 2)]
    )
    rows = [
        {"id": "c1 ", "criterion": "It is 1.", "label": 1},
        {"id": " c2", "criterion": "It is 2.", "label": 0},
    ]
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"version": 2, "results": rows}, indent=indent))
    import_files([answers], tmp_path / "joined", join=table)
    criteria = [
        case.reference["criterion"] for case in read_records(tmp_path / "joined" / "cases.jsonl", Case)
    ]
    assert criteria == ["It is 1.", "It is 2."]
    import_files([answers], tmp_path / "later")
    joined = join_labels(tmp_path / "later", table)
    assert (counts(joined), joined.added) == ((2, 0, 0), 2)
