from __future__ import annotations

import pickle

import pytest

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


def test_an_alias_replaces_its_path_and_what_is_in_it_but_no_longer_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(errors, "_aliases", {})
    errors.register_alias("/tmp/copy-1", "s3://runs/1")
    errors.register_alias("/tmp/copy-1/rows.csv", r"C:\\rows.csv")
    assert errors.as_named("/tmp/copy-1/a.jsonl:3, /tmp/copy-12") == "s3://runs/1/a.jsonl:3, /tmp/copy-12"
    assert errors.as_named("/tmp/copy-1/rows.csv: bad") == r"C:\\rows.csv: bad"
