"""Tables from any tool: what is read, what is refused, and where the error says it is."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from each_row import each_row
from judge_ids import judge_id

import fiducial as fd
from fiducial.calibration import Table, read_table, table_from_frame, table_from_rows
from fiducial.calibration.tables.builder import TableBuilder
from fiducial.calibration.tables.columns import Column
from fiducial.calibration.tables.table_labels import labels_from_verdicts
from fiducial.errors import DuplicateRowError, InputError, MissingExtraError
from fiducial.records import ItemKey, Verdict, write_records
from fiducial.tables.standing_labels import majority_verdict

ROWS: list[dict[str, Any]] = [
    {"item_id": "a", "judge": "j", "score": 1, "label": 1.0, "cluster": "one", "system": "x"},
    {"item_id": "b", "judge": "j", "score": 0.25, "label": 0, "cluster": "one", "system": "y"},
    {"item_id": "c", "judge": "j", "score": None, "label": 1, "cluster": None, "system": "x"},
    {"item_id": "d", "judge": "k", "score": True, "label": None, "cluster": "two", "system": None},
]


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    write_records(path, rows)
    return path


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    import pandas as pd

    pd.DataFrame(rows).assign(score=[1, 0.25, np.nan, 1]).to_csv(path, index=False)
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    import pandas as pd

    pd.DataFrame(rows).assign(score=[1, 0.25, np.nan, 1]).to_parquet(path)
    return path


def texts(column: Column) -> list[str | None]:
    """The value of each row."""
    names = dict(enumerate(column.values))
    return [names.get(code) for code in column.codes]


def content(table: Table) -> dict[str, Any]:
    """Return a table's content in a form that compares."""
    return {
        "item": texts(table.item),
        "judge": texts(table.judge),
        "score": [None if np.isnan(each) else each for each in table.score],
        "label": [None if np.isnan(each) else each for each in table.label],
        "cluster": table.cluster.tolist(),
        "system": texts(table.columns["system"]),
    }


EXPECTED = {
    "item": ["a", "b", "c", "d"],
    "judge": ["j", "j", "j", "k"],
    "score": [1.0, 0.25, None, 1.0],
    "label": [1.0, 0.0, 1.0, None],
    "cluster": [0, 0, 1, 2],
    "system": ["x", "y", "x", None],
}


@pytest.mark.parametrize(
    ("name", "write"), [("t.jsonl", write_jsonl), ("t.csv", write_csv), ("t.parquet", write_parquet)]
)
def test_every_format_gives_the_same_table(tmp_path: Path, name: str, write: Any) -> None:
    assert content(read_table([write(tmp_path / name, ROWS)])) == EXPECTED


def test_rows_and_a_data_frame_give_the_same_table() -> None:
    import pandas as pd

    assert content(table_from_rows(ROWS)) == EXPECTED
    assert content(table_from_frame(pd.DataFrame(ROWS))) == EXPECTED


def test_several_files_are_one_table(tmp_path: Path) -> None:
    first, second = (
        write_jsonl(tmp_path / f"{n}.jsonl", part) for n, part in enumerate((ROWS[:2], ROWS[2:]))
    )
    assert content(read_table([first, second])) == EXPECTED


def test_files_without_ids_share_no_item(tmp_path: Path) -> None:
    """The second has a column for each of two judges."""
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text("gold,score\n1,1\n0,0\n1,0\n")
    second.write_text("gold,a_score,b_score\n0,0,1\n1,1,1\n")
    items = read_table([first, second]).item
    assert items.values == ["1", "2", "3", "4", "5"]  # noqa: PD011 - of a column, not of a data frame


def test_a_tie_after_a_checkers_label_leaves_no_label_of_a_checker() -> None:
    key = ItemKey(case_id="c", system="s", trial=0)
    checked = Verdict.on(key, by="ast", source="checker", score=1.0)
    labels = labels_from_verdicts([checked, majority_verdict(key, {"Ann": 1.0, "Bob": 0.0})])
    assert (labels.scores, labels.checkers) == ({}, {})


def test_columns_of_other_names_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,model,score,gold,label\na,j,1,1,not a label\n")
    table = read_table([path], columns={"item_id": "id", "judge": "model", "label": "gold"})
    assert (table.label.tolist(), table.score.tolist()) == ([1.0], [1.0])


UNIT = "expected a number in [0, 1] or null, got"
SCORE = "score: missing (null or an empty cell where there is no verdict)"
ROW = "item_id='z', judge='j'"
SCALE = (
    "for another scale say its worst and best grade, 1:5 if 5 is best, 5:1 if 1 is: score_scale=('?', '?')"
)
OTHER_SCALE = (
    SCALE.replace("1:5", "-1:1")
    .replace("5:1", "1:-1")
    .replace("5 is", "1 is", 1)
    .replace("if 1 is: score_", "if -1 is: label_")
)
OTHER = "replace these values with numbers, or with words such as pass and fail"
WORD = (
    "correct these cells, or say what each word means, 1 for pass, 0 for fail, None for no grade: "
    "map_label={'meh': '?'}"
)
REPEATS = (
    "if these are repeats, name the column that numbers them: map={'repeat': 'COLUMN'} (map={'repeat': '#'} numbers "
    "them in order), if outputs of several trials, map={'trial': 'COLUMN'}; otherwise delete one"
)


@each_row(
    ("bad", "message"),
    [
        ({"score": 1.5}, f"score: {UNIT} 1.5; rows: score=1.5, {ROW}; {SCALE}"),
        ({"label": -1}, f"label: {UNIT} -1; rows: label=-1, {ROW}, score=1; {OTHER_SCALE}"),
        (
            {"score": "meh"},
            f"score: {UNIT} 'meh'; rows: score='meh', {ROW}; {WORD}",
        ),
        ({"score": [1]}, f"score: {UNIT} [1]; {OTHER}"),
        ({"score": ...}, f"{SCORE}; the columns are 'item_id', 'judge'"),
        ({"judge": ...}, "judge: missing; the columns are 'item_id', 'score'"),
        ({"item_id": ...}, "item_id: missing; the columns are 'judge', 'score'"),
        ({"item_id": None}, "item_id: expected a name, got None"),
        ({"cluster": ["t"]}, "cluster: expected a name, got ['t']"),
        ({"cluster": {}}, "cluster: expected a name, got {}"),
        ({"item_id": {"n": 1}}, "item_id: expected a name, got {'n': 1}"),
        ({"system": ["x"]}, "system: expected a text or a number, got ['x']"),
        ({"repeat": {}}, "repeat: expected a text or a number, got {}"),
        (
            {"item_id": "a", "system": "x"},
            f"item_id: a second row of item_id 'a', judge 'j', system 'x'; {REPEATS}",
        ),
    ],
)
def test_a_bad_row_is_named_by_file_line_and_field(tmp_path: Path, bad: dict[str, Any], message: str) -> None:
    row = {"item_id": "z", "judge": "j", "score": 1} | bad
    present = {name: value for name, value in row.items() if value is not ...}
    path = write_jsonl(tmp_path / "t.jsonl", [*ROWS, present])
    with pytest.raises(InputError) as caught:
        read_table([path])
    assert str(caught.value) == f"{path}:5: {message}"


def test_an_error_names_the_column_as_the_file_does(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,judge,score\na,j,7\n")
    with pytest.raises(InputError, match=r"t\.csv:2: score: expected"):
        read_table([path], columns={"item_id": "id"})
    with pytest.raises(InputError, match=r"t\.csv:2: points: missing"):
        read_table([path], columns={"item_id": "id", "score": "points"})


@each_row(
    ("name", "text", "message"),
    [
        ("t.jsonl", b"", "there is no row"),
        ("t.jsonl", b"[1]\n", "t.jsonl:1: expected an object, got a list"),
        ("t.jsonl", b"{\n", "not JSON"),
        (
            "t.csv",
            b"item_id,judge,score\na,j,1,2\n",
            "t.csv:2: wrong number of fields: 4, but the header has 3",
        ),
        ("t.csv", b"item_id,judge,score\na,j\n", "t.csv:2: wrong number of fields: 2, but the header has 3"),
        ("t.csv", b"item_id,judge,score,score\na,j,1,0\n", "score: the header names this column twice"),
        ("t.csv", b"item_id,judge,score\n\xff,j,1\n", "not UTF-8: byte 0xff"),
        ("t.csv", b'item_id,judge,score\n"a,j,1\n', "t.csv:2: not CSV"),
        ("t.csv", b"item_id,judge,team\na,j,x\n", "t.csv: score: no column is known to be the judge's score"),
        ("t.json", b"[1]", "t.json: [0]: expected an object, got a number"),
        ("t.parquet", b"no", "cannot be read as Parquet"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_one_line(
    tmp_path: Path, name: str, text: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(text)
    with pytest.raises(InputError) as caught:
        read_table([path])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parquet_without_pyarrow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_parquet(tmp_path / "t.parquet", ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"fiducial-eval\[parquet\]"):
        read_table([path])


def test_repeats_and_orders_tell_rows_apart_and_texts_are_no_slices() -> None:
    row = {"item_id": "a", "judge": "j", "score": 1}
    rows = [row | {"repeat": n, "raw": f"reply {n}", "note": f"text {n}"} for n in range(50)]
    assert set(table_from_rows(rows).columns) == {"repeat"}


def test_a_column_that_comes_and_goes_has_no_value_elsewhere() -> None:
    rows: list[dict[str, Any]] = [
        {"item_id": "a", "judge": "j", "score": 1, "early": "yes"},
        {"item_id": "b", "judge": "j", "score": 1, "late": 2.0},
        {"item_id": "c", "judge": "j", "score": 1},
        {"item_id": "d", "judge": "j", "score": 1, "late": 3, "early": None},
    ]
    columns = table_from_rows(rows).columns
    assert texts(columns["early"]) == ["yes", None, None, None]
    assert texts(columns["late"]) == [None, "2", None, "3"]


def test_booleans_are_0_and_1_as_data_frames_write_them_into_csv(tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / "t.csv"
    pd.DataFrame(
        {"item_id": ["a", "b"], "judge": "j", "score": [True, False], "label": [False, True]}
    ).to_csv(path, index=False)
    table = read_table([path])
    assert (table.score.tolist(), table.label.tolist()) == ([1.0, 0.0], [0.0, 1.0])


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_a_table(tmp_path: Path) -> None:
    for name, text in (
        ("t.csv", "item_id,judge,score\r\na,j,0.5\r\n"),
        ("t.jsonl", '{"item_id": "a", "judge": "j", "score": 0.5}\r\n'),
    ):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert read_table([tmp_path / name]).score.tolist() == [0.5]


def test_columns_named_for_some_rows_are_not_those_of_the_next() -> None:
    builder = TableBuilder({"judge": "by"})
    own, declared = {"judge": "grader"}, {"item_id": "b", "by": "j", "score": 0}
    builder.extend([(1, {"item_id": "a", "grader": "j", "score": 1})], columns=own)
    builder.extend([(2, declared)])
    assert list(builder.build().judge.values) == ["j"]


def test_a_column_that_is_named_and_not_there_is_refused(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "t.jsonl", ROWS)
    with pytest.raises(InputError, match=r"label: no row has the column 'gold' of map=\{'label': 'gold'\}"):
        read_table([path], columns={"label": "gold"})


@pytest.mark.parametrize("label", ["label", "gold"])
def test_a_column_that_is_named_may_be_of_the_labels_alone(tmp_path: Path, label: str) -> None:
    rows = [{"item_id": "a", "judge": "j", "score": 1.0, "label": 0.0}]
    labels = tmp_path / "labels.csv"
    labels.write_text(f"Task,{label},Ann\na,0,1\n")
    read = fd.calibrate(rows, labels=labels, map={"label": "Ann", "id": "Task"})["j"]
    assert (read.n, read.statistics["accuracy"].value) == (1, 1.0)
    read = fd.calibrate(rows, labels=labels, map={"Ann": "label", "Task": "id"})["j"]
    assert (read.n, read.statistics["accuracy"].value) == (1, 1.0)


def test_a_draw_without_a_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "draw.jsonl").write_text("")
    with pytest.raises(InputError, match="expected rows with item_id and label_probability"):
        read_table([write_jsonl(tmp_path / "t.jsonl", ROWS)], draw=[tmp_path / "draw.jsonl"])


def test_a_draw_has_a_chance_for_every_item_or_for_none(tmp_path: Path) -> None:
    table, draw = write_jsonl(tmp_path / "t.jsonl", ROWS), tmp_path / "draw.jsonl"
    write_jsonl(draw, [{"item_id": "a", "label_probability": 0.5}, {"item_id": "b"}])
    with pytest.raises(InputError, match=r"draw\.jsonl:2: label_probability: give each item"):
        read_table([table], draw=[draw])
    write_jsonl(draw, [{"item_id": "a"}, {"item_id": "b"}])
    read = read_table([table], draw=[draw])
    assert np.isnan(read.numbers["label_probability"]).all()
    assert read.numbers["label_round"].tolist()[:2] == [1.0, 1.0]


def test_a_draw_of_other_items_is_refused(tmp_path: Path) -> None:
    draw = write_jsonl(tmp_path / "draw.jsonl", [{"item_id": "elsewhere", "label_probability": 0.5}])
    with pytest.raises(
        InputError,
        match=r"draw\.jsonl: no draw belongs to an item in the table: the first is for 'elsewhere'",
    ):
        read_table([write_jsonl(tmp_path / "t.jsonl", ROWS)], draw=[draw])


def plain(number: int, **fields: Any) -> dict[str, Any]:
    """A row like any other."""
    return {"item_id": f"q{number}", "judge": "j", "score": number % 2, **fields}


MANY = 1_500
"""More rows than are read together."""


def test_an_error_far_into_a_file_names_its_own_line(tmp_path: Path) -> None:
    rows = [plain(number) for number in range(MANY)]
    path = write_jsonl(tmp_path / "t.jsonl", [*rows, plain(MANY, label="maybe"), plain(MANY + 1, label="no")])
    with pytest.raises(InputError, match=rf"t\.jsonl:{MANY + 1}: label: expected .*'maybe'"):
        read_table([path])


def test_a_cluster_that_comes_late_may_be_an_earlier_item() -> None:
    rows = [plain(number) for number in range(MANY)]
    table = table_from_rows(
        [*rows, plain(MANY, cluster="q7"), plain(MANY + 1), plain(MANY + 2, cluster="new")]
    )
    assert table.cluster.tolist() == [*range(MANY), 7, MANY, MANY + 1]


def test_a_column_is_a_slice_until_its_values_are_too_many() -> None:
    rows = [plain(number, few=number % 32, many=number // 40, long=[number]) for number in range(MANY)]
    columns = table_from_rows(rows).columns
    assert set(columns) == {"few"}
    assert texts(columns["few"]) == [str(number % 32) for number in range(MANY)]


def test_a_column_is_no_slice_of_the_rows_before_a_value_that_is_no_text() -> None:
    rows = [plain(number, kind="a" if number % 2 else "b") for number in range(MANY)]
    assert set(table_from_rows(rows).columns) == {"kind"}
    assert not table_from_rows([*rows, plain(MANY, kind=["a"]), plain(MANY + 1, kind="a")]).columns


@pytest.mark.parametrize("value", ["long", "inf", -math.inf])
def test_a_covariate_that_is_no_number_is_refused(value: object) -> None:
    rows = [
        row | {"covariate:length": length} for row, length in zip(ROWS, [1, None, value, 2.5], strict=True)
    ]
    table = table_from_rows([row for row in rows if row["covariate:length"] != value])
    assert np.isnan(table.numbers["covariate:length"]).tolist() == [False, True, False]
    with pytest.raises(InputError, match="covariate:length: expected a number or null, got"):
        table_from_rows(rows)


@pytest.mark.parametrize(
    "field",
    [
        "checker_score",
        "covariate:length",
        "baseline:words",
        "label_probability",
        "label_round",
        "label_added",
        "prompt_tokens",
    ],
)
def test_a_whole_number_too_large_for_a_float_is_refused(field: str) -> None:
    rows = [row | {field: None} for row in ROWS]
    rows[2][field] = 10**400
    with pytest.raises(InputError, match=rf"{field}: expected a .*null, got 1000"):
        table_from_rows(rows)


def test_a_value_of_a_slice_is_told_by_its_text_whatever_its_type() -> None:
    values = [1, True, 1.0, "1", 1.5, "true", None, " "]
    rows = [plain(number, kind=value) for number, value in enumerate(values)]
    assert texts(table_from_rows(rows).columns["kind"]) == ["1", "true", "1", "1", "1.5", "true", None, None]


def test_items_of_several_judges_meet_across_blocks() -> None:
    rows = [{**plain(number), "judge": judge} for judge in ("j", "k") for number in range(MANY)]
    table = table_from_rows(rows)
    assert table.item.codes.tolist() == [*range(MANY), *range(MANY)]
    assert texts(table.judge) == ["j"] * MANY + ["k"] * MANY


def test_whole_numbers_are_names_though_a_frame_writes_them_as_floats() -> None:
    import pandas as pd

    frame = pd.DataFrame({"item_id": [1.0, 2.0, 3.0], "judge": "j", "score": 1, "cluster": [7, None, 7]})
    table = table_from_frame(frame)
    assert table.item.values == ["1", "2", "3"]  # noqa: PD011 - of a column, not of a data frame
    assert table.cluster.tolist() == [0, 1, 0]
    frame.loc[1, "item_id"] = 2.5
    with pytest.raises(InputError, match=r"frame:2: item_id: expected a name, got 2\.5"):
        table_from_frame(frame)


@pytest.mark.parametrize("named", ["", "words"])
def test_no_declaration_makes_probabilities_of_a_baselines_words(named: str):
    rows = [{"item_id": "a", "judge": judge, "score": 0.5, "label": 1.0} for judge in ("words", "model")]
    judges = {"words": judge_id("words", kind="baseline"), "model": judge_id("model")}
    table = replace(table_from_rows(rows), judges=judges)
    declared = table.with_score_kinds({named: "probabilities"})
    assert declared.score_kinds == ({"model": "probabilities"} if not named else {})
    (warning,) = declared.warnings
    assert "ignored for words" in warning
    assert table.with_score_kinds({named: "grades"}).warnings == ()


def test_a_mapped_trial_is_not_proposed_again():
    rows = [{"item_id": "a", "trial": 1, "judge": "j", "score": score, "label": 1} for score in (1, 0)]
    with pytest.raises(DuplicateRowError) as refused:
        table_from_rows(rows)
    assert "'repeat'" in str(refused.value)
    assert "map={'trial'" not in str(refused.value)
