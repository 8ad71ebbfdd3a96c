"""A first row that may be data is asked about; titles above a header are no rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.api.choice_outcomes import choice_outcomes
from fiducial.api.tables import read_calibration_table
from fiducial.errors import ColumnsError, InputError, UsageError
from fiducial.tables.header import ANY_HEADER, HeaderChoice
from fiducial.tables.json_rows import TableRow
from fiducial.tables.table_rows import read_table_rows

TALK = "User: the lamp is dim\nAssistant: Turn the wheel on its left side."
OTHER = "User: it smokes\nAssistant: Trim the wick to half an inch."


def _rows(path: Path, choice: HeaderChoice | None = None) -> list[dict[str, Any]]:
    rows = read_table_rows(path, {}, choice or HeaderChoice())
    return [row.value for row in rows if isinstance(row, TableRow)]


def _file(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@each_row(
    "text",
    [
        f'"{TALK}",PASS\n"{OTHER}",FAIL\n"{TALK}!",PASS\n',
        "a-1,FAIL\na-2,PASS\na-3,PASS\n",
        "lamp,correct\nwick,incorrect\njar,correct\n",
        "Why is the lamp so dim,It has too little oil in it\nWhy does the wick smoke so,It was cut far too late today\n",
        "lamp,0.5\nwick,0.25\njar,1\n",
        "lamp,yes,3\nwick,no,4\n",
        "lamp\tTrue\nwick\tFalse\n",
        "shop;fail\nmarket;pass\nshop;pass\n",
    ],
)
def test_a_first_row_like_those_below_it_is_asked_about(tmp_path: Path, text: str):
    with pytest.raises(
        ColumnsError, match=r"the first row looks like data, not like a header: .* header=False"
    ):
        _rows(_file(tmp_path, text))


@each_row(
    "text",
    [
        "item_id,judge,score\na,j,1\nb,j,0\n",
        "question,answer\nWhy is the lamp so dim today,Too little oil is in it\n",
        "id,correct\na,correct\nb,incorrect\n",
        "case,pass\na,1\nb,0\n",
        "text,verdict\npass,pass\n",
        "lamp,is_good\na,1\nb,0\n",
        "0,1\nlamp,1\nwick,0\n",
        ",0,1\n0,lamp,1\n1,wick,0\n",
        "Timestamp,Was the answer of the bot right?\n2026-01-02 10:00,Yes\n2026-01-03 11:00,No\n",
        "Which lamp did you buy from us?,Did the answer help you at all?\nGlowpot,yes\nDripjar,no\n",
        "Lamp,Oil\na,b\n",
        "PASS,FAIL\n",
        "Unnamed: 0,PASS\n0,PASS\n1,FAIL\n",
        "Ticket No,Reply\nT1,Fill it.\nT2,Trim it.\n",
    ],
)
def test_a_header_is_taken_without_a_question(tmp_path: Path, text: str):
    header, *rows = [line for line in text.splitlines() if line]
    read = _rows(_file(tmp_path, text))
    assert len(read) == len(rows)
    assert all(",".join(row) == header for row in read)


def test_what_the_user_says_of_the_header_holds(tmp_path: Path):
    path = _file(tmp_path, "lamp,PASS\nwick,FAIL\njar,PASS\n")
    assert _rows(path, HeaderChoice(present=False))[0] == {"column_1": "lamp", "column_2": "PASS"}
    assert _rows(path, HeaderChoice(names=("part", "verdict")))[0] == {"part": "lamp", "verdict": "PASS"}
    assert _rows(path, HeaderChoice(present=True))[0] == {"lamp": "wick", "PASS": "FAIL"}
    renamed = HeaderChoice(present=True, names=("part", "verdict"))
    assert _rows(path, renamed)[0] == {"part": "wick", "verdict": "FAIL"}
    assert len(_rows(path, ANY_HEADER)) == 2
    with pytest.raises(
        InputError, match=r"t.csv:1: column_names=\['part'\]: 1 names, but the row has 2 cells"
    ):
        _rows(path, HeaderChoice(names=("part",)))


def test_python_functions_ask_and_take_the_answer(tmp_path: Path):
    path = _file(tmp_path, "lamp,0.5,PASS\nwick,0.25,FAIL\njar,1,PASS\n")
    for read in (fd.read, fd.calibrate, fd.estimate, fd.trials):
        with pytest.raises(fd.ChoiceNeeded, match="header=False") as asked:
            read(path)
        (choice,) = asked.value.choices
        assert (choice.setting, asked.value.arguments) == ("header", {"header": "?"})
        assert choice.examples[1] == {"column_1": "wick", "column_2": "0.25", "column_3": "FAIL"}
    calibration = fd.calibrate(path, column_names=["item_id", "score", "label"], label_pass_at=None)
    assert calibration.judges["judge"].n == 3
    with pytest.raises(UsageError, match="replace each"):
        fd.calibrate(path, column_names=["?", "?", "?"])
    with pytest.raises(UsageError, match="twice"):
        fd.read(path, column_names=["a", "a", "b"])
    with pytest.raises(UsageError, match="expects a list of texts"):
        fd.read(path, column_names="a,b,c")


def test_a_dry_run_shows_what_each_reading_of_the_first_row_gives(tmp_path: Path):
    path = _file(tmp_path, "lamp,0.5\nwick,0.25\njar,1\n")
    shown = list(
        choice_outcomes(
            lambda chosen: str(len(read_calibration_table(path, map={"score": "column_2"}, **chosen)))
        )
    )
    assert shown[1] == "header=False: 3"
    assert shown[0].startswith("header=True: refused: ")


@each_row(
    ("text", "first"),
    [
        ("Grades of May,,\nid,score,label\na,1,1\n", {"id": "a", "score": "1", "label": "1"}),
        ("Grades of May\nid,score,label\na,1,1\n", {"id": "a", "score": "1", "label": "1"}),
        ("Grades, all of May\n\nid,score,label\na,1,1\n", {"id": "a", "score": "1", "label": "1"}),
        ("Grades of May\nby Edda\n\nid\tscore\na\t1\n", {"id": "a", "score": "1"}),
        ("Grades, all of May\nid\tscore\na\t1\nb\t0\n", {"id": "a", "score": "1"}),
        ("Grades\nlamp,oil\na,b\nc,d\ne,f\n", {"lamp": "a", "oil": "b"}),
        ("id\na\nb\n", {"id": "a"}),
        ("question\nWhat is it\nWell, no\n", {"question": "What is it"}),
    ],
)
def test_titles_above_a_header_are_skipped_padded_or_not(tmp_path: Path, text: str, first: dict[str, str]):
    assert _rows(_file(tmp_path, text))[0] == first


QUOTED = (
    'id\tquestion\tanswer\n1\tq\t"Mercy" by Madonna\n2\t"a ""b"" c"\tx\n'
    '3\tsay "yes" now\t"over\ntwo lines" and more\n4\t""\t"x"y"z"\n5\t"tab\there"\tlast\n'
)


@pytest.mark.parametrize(("separator", "suffix"), [("\t", "tsv"), (",", "csv"), (";", "csv")])
def test_quotes_in_cells_are_read_as_pandas_reads_them(tmp_path: Path, separator: str, suffix: str):
    import pandas as pd

    path = _file(tmp_path, QUOTED.replace("\t", separator), f"t.{suffix}")
    frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    read = [{name: cell or "" for name, cell in row.items()} for row in _rows(path)]
    assert read == frame.to_dict("records")


def test_a_quote_that_is_closed_in_another_row_swallows_no_rows(tmp_path: Path):
    path = _file(tmp_path, 'id\tanswer\n1\t"over\ntwo lines"\n2\t"Mercy\n3\tx\n4\t"y" z\n', "t.tsv")
    with pytest.raises(InputError, match=r"t\.tsv:6: not CSV: a quote that opens in line 4 is closed within"):
        _rows(path)


def test_a_quote_that_is_never_closed_swallows_no_rows(tmp_path: Path):
    path = _file(tmp_path, 'id,answer\na,"Mercy\nb,x\nc,y\n')
    with pytest.raises(
        InputError, match=r"t\.csv:4: not CSV: unexpected end of data: a quote is never closed"
    ):
        _rows(path)
