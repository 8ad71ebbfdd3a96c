from __future__ import annotations

import pickle

import pytest
from each_row import each_row

from fiducial import errors


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (errors.InputError("bad", path="f.jsonl", line=3, field="id"), "f.jsonl:3: id: bad"),
        (errors.InputError("bad", path="f.jsonl"), "f.jsonl: bad"),
        (errors.InputError("bad"), "bad"),
        (
            errors.MissingExtraError("parquet", "Parquet"),
            "Parquet needs an optional dependency: pip install 'fiducial-eval[parquet]'",
        ),
    ],
)
def test_messages_fit_on_one_line_and_survive_a_trip_to_another_process(
    error: errors.FiducialError, text: str
):
    copy = pickle.loads(pickle.dumps(error))
    assert (str(error), str(copy), type(copy)) == (text, text, type(error))


def test_the_tree_in_the_docstring_names_every_error():
    names = [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and value.__module__ == errors.__name__
    ]
    assert names
    assert [name for name in names if name not in (errors.__doc__ or "")] == []


def test_messages_name_arguments_and_on_the_command_line_options():
    error = errors.UsageError(
        "choose another --out, or --no-cache; add --price IN/OUT (`fiducial run --help`)"
    )
    assert str(error) == "choose another out=, or cache=False; add price=IN/OUT (`fiducial run --help`)"
    with errors.on_command_line():
        assert str(error) == error.args[0]


@each_row(
    ("message", "text"),
    [
        ("--statistic kapa: no statistic is called 'kapa'", "statistic=kapa: no statistic is called 'kapa'"),
        ("--threshold-for kapa: none", "threshold_for=kapa: none"),
        ("--endpoint http://h/v1: named twice", "endpoints=http://h/v1: named twice"),
        ("--judge rubric/direct@m compares", "judge=rubric/direct@m compares"),
        ("--by 'a b' is no judge", "by='a b' is no judge"),
        ("--timeout expects a number: 5", "timeout= expects a number: 5"),
        ("give --out: it is missing", "give out=: it is missing"),
        ("grade them 0 with --keep-crashes", "grade them 0 with keep_crashes=True"),
    ],
)
def test_a_value_follows_the_name_of_its_argument_without_a_blank(message: str, text: str):
    assert str(errors.UsageError(message)) == text


def test_options_that_name_columns_are_a_mapping_outside_the_command_line():
    error = errors.UsageError(
        "name it with --map 'score=a b' --map label=c, or --map-label meh=1; try --map-label 'n a='"
    )
    assert str(error) == (
        "name it with map={'score': 'a b', 'label': 'c'}, or map_label={'meh': 1}; try map_label={'n a': None}"
    )
    with errors.on_command_line():
        assert str(error) == error.args[0]


def test_a_choice_that_is_open_is_a_text_outside_the_command_line():
    error = errors.UsageError(
        "--map label=toxic --map-label 'no=?'; --label-scale '?:?' or --score-scale 'a b=?:?'"
    )
    assert str(error) == (
        "map={'label': 'toxic'}, map_label={'no': '?'}; label_scale=('?', '?') or score_scale={'a b': ('?', '?')}"
    )


def test_an_input_error_keeps_its_place_however_it_is_spelled():
    error = pickle.loads(pickle.dumps(errors.InputError("choose another --out", path="run", line=3)))
    assert str(error) == "run:3: choose another out="
    with errors.on_command_line():
        assert str(error) == "run:3: choose another --out"


def test_an_alias_replaces_its_path_and_what_is_in_it_but_no_longer_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(errors, "_aliases", {})
    errors.register_alias("/tmp/copy-1", "s3://runs/1")
    errors.register_alias("/tmp/copy-1/rows.csv", r"C:\\rows.csv")
    assert errors.as_named("/tmp/copy-1/a.jsonl:3, /tmp/copy-12") == "s3://runs/1/a.jsonl:3, /tmp/copy-12"
    assert errors.as_named("/tmp/copy-1/rows.csv: bad") == r"C:\\rows.csv: bad"
