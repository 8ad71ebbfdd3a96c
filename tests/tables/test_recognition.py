"""Columns of foreign tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

import fiducial as fd
from fiducial.calibration.tables.table_files import read_table, table_from_rows
from fiducial.errors import ColumnsError, InputError, UsageError
from fiducial.records.scale import Scale
from fiducial.tables.column_names import TABLE_FIELDS
from fiducial.tables.layout import TableForm

PAIRS = [(1, 1), (0, 0), (1, 0), (0, 1)]


def rows(score: str, label: str) -> list[dict[str, Any]]:
    return [{score: a, label: b} for a, b in PAIRS]


@each_row(
    ("score", "label"),
    [
        ("judge_passed", "human_passed"),
        ("score", "label"),
        ("Judge Score", "Human Grade"),
        ("llm_verdict", "gold"),
        ("gpt4", "human"),
        ("judge_correctness", "expert_says"),
    ],
)
def test_score_and_label_are_known_by_name(score: str, label: str) -> None:
    table = table_from_rows(rows(score, label))
    assert table.score.tolist() == [a for a, _ in PAIRS]
    assert table.label.tolist() == [b for _, b in PAIRS]


def test_without_ids_the_row_number_is_the_item_and_one_judge_needs_no_column() -> None:
    table = table_from_rows(rows("judge_passed", "human_passed"))
    assert table.item.values == ["1", "2", "3", "4"]
    assert table.judge.values == ["judge_passed"]
    (note,) = table.notes or ("",)
    assert note == "" or "item_id is the row number" in note


def test_several_score_columns_are_several_judges(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("id,gpt_judge,small_judge,human\na,1,0,1\nb,0,0,0\n")
    table = read_table([path])
    assert [table.judge.values[code] for code in table.judge.codes] == ["gpt_judge", "small_judge"] * 2
    assert table.score.tolist() == [1, 0, 0, 0]
    assert table.notes == (
        f"{path}: columns: item_id is 'id'; label is 'human'; judges are 'gpt_judge', 'small_judge'",
    )


def test_the_majority_of_several_people_is_the_label_and_each_is_a_person() -> None:
    votes = [("yes", "yes", "no"), ("no", "no", ""), ("yes", "no", "")]
    table = table_from_rows(
        [{"judge_says": 1, "annotator_1": a, "annotator_2": b, "annotator_3": c} for a, b, c in votes]
    )
    assert table.label.tolist()[:2] == [1.0, 0.0]
    assert np.isnan(table.label[2])
    assert set(table.numbers) == {"person:annotator_1", "person:annotator_2", "person:annotator_3"}


def test_columns_are_named_in_either_order(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,0\n0,1\n")
    table = read_table([path], columns={"score": "x", "y": "label"})
    assert (table.score.tolist(), table.label.tolist()) == ([1, 0], [0, 1])
    with pytest.raises(UsageError, match="z=w: neither is a field"):
        read_table([path], columns={"z": "w"})


@pytest.mark.usefixtures("typed_options")
def test_what_is_missing_is_told_with_what_each_column_could_be(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "question,a_says,b_says,team\nWhere is it?,1,0,x1\nWho is it?,0,0,x2\nWhat is it?,0,1,x1\n"
    )
    with pytest.raises(ColumnsError) as caught:
        read_table([path])
    assert caught.value.options == "--map 'score=?' --map 'label=?'"
    assert "'question' (could be item_id), 'a_says' (could be score or label)" in str(caught.value)


def test_a_column_that_could_be_a_label_is_only_suggested() -> None:
    table = table_from_rows([{"item_id": n, "judge_passed": n % 2, "is_english": 1} for n in range(4)])
    assert np.isnan(table.label).all()


def test_unknown_grades_are_listed_with_what_to_add(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,judge_passed,human_grade\na,1,fine\nb,0,meh\nc,1,fine\nd,0,bad\n")
    with pytest.raises(InputError) as caught:
        read_table([path])
    assert "t.csv:2: human_grade: expected a number in [0, 1] or null, got 'fine' (2 times), 'meh'" in str(
        caught.value
    )
    assert "None for no grade: map_label={'fine': '?', 'meh': '?'}" in str(caught.value)
    form = TableForm(labels=Scale.from_ends(words={"fine": 1.0, "meh": 0.0}))
    assert read_table([path], form=form).label.tolist() == [1, 0, 1, 0]


def test_files_of_a_judge_each_are_told_apart_where_that_is_asked_for(tmp_path: Path) -> None:
    for name in ("strict", "kind"):
        (tmp_path / f"{name}.csv").write_text("id,score,label\na,1,1\nb,0,1\n")
    paths = [tmp_path / "strict.csv", tmp_path / "kind.csv"]
    assert read_table(paths, form=TableForm(apart=True)).judge.values == ["strict", "kind"]
    with pytest.raises(InputError, match="a second row of item_id 'a'"):
        read_table(paths)


@given(st.permutations(["item_id", "score", "label"]), st.data())
def test_any_usual_name_in_any_order_reads_as_the_contract_does(
    order: list[str], data: st.DataObject
) -> None:
    names = {ours: data.draw(st.sampled_from(TABLE_FIELDS[ours])) for ours in order}
    if len(set(names.values())) < len(names):
        return
    given_rows: list[dict[str, Any]] = [
        {"item_id": "a", "score": 1, "label": 0},
        {"item_id": "b", "score": 0, "label": 1},
    ]
    table = table_from_rows([{names[ours]: row[ours] for ours in order} for row in given_rows])
    assert (table.item.values, table.score.tolist(), table.label.tolist()) == (["a", "b"], [1, 0], [0, 1])


@pytest.mark.parametrize(
    ("ends", "noted"),
    [
        ((1.0, 5.0), "; scores 1 is 0, 2 is 0.25, 3 is 0.5, 4 is 0.75, 5 is 1"),
        ((5.0, 0.0), "; scores 5 is 0, 4 is 0.2, 3 is 0.4, 2 is 0.6, 1 is 0.8, 0 is 1"),
        ((0.5, 5.0), "; score is 'gpt_score'"),
    ],
)
def test_the_scores_of_a_short_scale_are_noted(ends: tuple[float, float], noted: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("".join(["human_ok,gpt_score\n", *(f"{n % 2},{1 + n % 5}\n" for n in range(10))]))
    (note,) = read_table([path], form=TableForm(scores={"": Scale.from_ends(ends=ends)})).notes
    assert noted in note


TWO_IDS = {"id": "Ticket", "Nr": "id", "label": "grade"}


@pytest.mark.parametrize("columns", [TWO_IDS, {"id": "Nr", "Ticket": "id", "label": "grade"}])
def test_a_table_and_its_labels_may_each_have_an_id_of_another_name(columns: dict[str, str]) -> None:
    judged = [{"Ticket": f"t{n}", "score": n % 2} for n in range(4)]
    labels = [{"Nr": f"t{n}", "grade": n % 2} for n in range(4)]
    result = fd.calibrate(judged, labels=labels, map=columns)
    assert result["judge"].statistics["accuracy"].value == 1.0


@pytest.mark.parametrize("field", ["id", "item_id"])
def test_two_ids_of_one_table_are_refused(field: str) -> None:
    with pytest.raises(UsageError, match=r"item_id is 'Ticket' already; name one column"):
        fd.calibrate([{"Ticket": "a", "Nr": "b", "score": 1}], map={field: "Ticket", "Nr": field})


def test_words_are_proposed_as_grades_only_where_they_look_like_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "tickets.csv"
    rows = [
        f"T{n},{'alpha' if n < 8 else 'beta'},{'Malmö' if n % 2 else '2 years'},{n % 2}" for n in range(10)
    ]
    path.write_text("\n".join(["Ticket,Model Used,Reference,OK?", *rows]) + "\n")
    with pytest.raises(ColumnsError) as unknown:
        read_table([path])
    assert "'Model Used' (could be system or judge)" in str(unknown.value)
    assert unknown.value.options == "map={'score': 'COLUMN'}"
    with pytest.raises(InputError) as unsuitable:
        read_table([path], columns={"score": "Reference"})
    assert (
        "'Reference' does not look like a judge's score. Name the score column: map={'score': 'COLUMN'}"
        in str(unsuitable.value)
    )
    assert "map_label" not in str(unsuitable.value)


def test_words_that_look_like_verdicts_are_still_proposed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "id,gpt_says,human\na,mostly right,1\nb,hallucinated,0\nc,mostly right,1\nd,mostly right,0\n"
    )
    with pytest.raises(InputError, match=r"map_label=\{'mostly right': '\?'\}$"):
        read_table([path])


def test_a_word_among_numbers_is_not_proposed_as_a_pass(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,score,label\na,1,1\nb,abc,0\nc,0,0\n")
    with pytest.raises(InputError, match=r"correct these cells, or say .*: map_label=\{'abc': '\?'\}"):
        read_table([path])


def _wide(tmp_path: Path, second: str = "2") -> Path:
    path = tmp_path / "wide.csv"
    rows = [f"{n},{1 + n % 5},{second if n % 2 else 1},{n % 2}" for n in range(10)]
    path.write_text("\n".join(["id,gpt score,claude score,human", *rows]) + "\n")
    return path


def test_one_scale_is_proposed_if_it_fits_all_judges(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"1:5 if 5 is best, .*: score_scale=\('\?', '\?'\)$"):
        read_table([_wide(tmp_path)])


@pytest.mark.usefixtures("typed_options")
def test_a_judge_column_that_is_not_used_is_named_with_the_option_that_reads_it(tmp_path: Path) -> None:
    form = TableForm(scores={"gpt score": Scale.from_ends(ends=(1, 5))})
    (note,) = read_table([_wide(tmp_path)], form=form).notes
    assert note.endswith("not used as scores: 'claude score' (--score-scale 'claude score=?:?' reads it)")


def test_repeats_are_numbered_in_order_on_request(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,judge,score,label\na,j,1,1\na,j,0,1\na,k,1,1\nb,j,0,0\n")
    table = read_table([path], columns={"repeat": "#"})
    assert [table.value("repeat", row) for row in range(4)] == ["1", "2", "1", "1"]


@pytest.mark.parametrize(
    ("ann", "label_scale"), [((0, 1), ""), ((1, 5), " --label-scale '?:?'")], ids=["pass or fail", "grades"]
)
@pytest.mark.usefixtures("typed_options")
def test_judges_beside_known_labels_are_all_proposed_as_scores_with_the_scales(
    ann: tuple[int, int], label_scale: str
) -> None:
    rows = [
        {
            "id": f"q{n}",
            "gpt": n % 5 + 1,
            "claude": (n + 1) % 5 + 1,
            "annotator_1": ann[n % 2],
            "annotator_2": ann[n // 2 % 2],
        }
        for n in range(20)
    ]
    with pytest.raises(ColumnsError) as refused:
        table_from_rows(rows)
    assert refused.value.options == f"--map score=gpt --map score=claude --score-scale '?:?'{label_scale}"


@pytest.mark.parametrize(
    ("scale", "labels"),
    [
        (Scale.from_ends(ends=(1.0, 5.0)), [0.875, 0.125]),
        (Scale.from_ends(ends=(1.0, 5.0), pass_at=4.0), [1.0, 0.0]),
        (Scale.from_ends(pass_at=4.0), [1.0, 0.0]),
    ],
)
def test_the_majority_of_grades_is_not_read_on_their_scale_again(
    tmp_path: Path, scale: Scale, labels: list[float]
) -> None:
    (tmp_path / "t.csv").write_text("item_id,score,annotator_1,annotator_2\na,1,5,4\nb,0,1,2\n")
    table = read_table([tmp_path / "t.csv"], form=TableForm(labels=scale))
    np.testing.assert_array_equal(table.label, labels)


@each_row("words", [("pass", "fail"), ("1", "0"), ("Correct", "Incorrect")])
def test_a_column_judge_of_grades_is_a_score(words: tuple[str, str], tmp_path: Path) -> None:
    pairs = [(words[1 - judge], words[1 - human]) for judge, human in PAIRS]
    made = [
        {"id": f"q{n}", "question": f"Why {n}?", "answer": "So.", "judge": judge, "human": human}
        for n, (judge, human) in enumerate(pairs)
    ]
    table = table_from_rows(made)
    assert (table.score.tolist(), table.label.tolist()) == ([1, 0, 1, 0], [1, 0, 0, 1])
    assert table.judge.values == ["judge"]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join([",".join(made[0]), *(",".join(map(str, row.values())) for row in made)]))
    verdicts = fd.read(path).verdicts
    assert [verdict.score for verdict in verdicts if verdict.by == "judge"] == [1, 0, 1, 0]
    assert read_table([path]).score.tolist() == [1, 0, 1, 0]


def test_a_column_judge_of_names_stays_one_beside_verdicts() -> None:
    made = [
        {"id": "q", "judge": judge, "verdict": verdict} for judge, verdict in (("a", "pass"), ("b", "fail"))
    ]
    table = table_from_rows(made)
    assert (table.judge.values, table.score.tolist()) == (["a", "b"], [1, 0])


def test_words_of_judge_and_label_are_asked_together() -> None:
    made = [
        {"id": f"q{n}", "judge": ("ja", "nein")[n % 2], "label": ("ja", "nein")[n % 3 > 0]} for n in range(6)
    ]
    with pytest.raises(fd.ChoiceNeeded) as caught:
        table_from_rows(made)
    assert caught.value.arguments == {"map_label": {"ja": "?", "nein": "?"}}


@each_row("name", ["attempt", "epoch", "Attempt"])
def test_a_column_of_attempts_numbers_trials(name: str) -> None:
    made = [
        {"id": f"q{n // 2}", name: n % 2, "passed": n % 2, "question": f"Why {n // 2}?"} for n in range(8)
    ]
    table = table_from_rows(made)
    assert table.score.tolist() == [0, 1] * 4
    assert "question" not in "".join(table.notes)


def test_no_column_of_labels_is_read_if_the_user_says_so(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,score,label\n" + "".join(f"q{n},{n % 2},topic {n}\n" for n in range(8)))
    assert np.isnan(read_table([path], form=TableForm(columns={"label": ""})).label).all()
    with pytest.raises(UsageError):
        read_table([path], form=TableForm(columns={"score": ""}))


def test_answers_without_a_score_are_told_what_reads_them() -> None:
    with pytest.raises(ColumnsError, match="import"):
        table_from_rows([{"question": "Why?", "answer": "So.", "label": "pass"}] * 2)
