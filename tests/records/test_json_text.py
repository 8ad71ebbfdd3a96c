"""Duplicate keys in a JSON object are reported at any depth; plain reading stays fast."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import RecordError
from fiducial.records import MAX_LINE_BYTES, Case, CaseIndex, Output, Verdict, read_records, write_records
from fiducial.records.json_text import (
    DuplicateKeyDetector,
    encode_indented_json,
    encode_json,
    require_unique_keys,
)

pytestmark = pytest.mark.attack("replies of systems")

LARGE = Output(case_id="c", system="s", text="\0" * (MAX_LINE_BYTES // 6 + 1))
"""A text whose escapes are too long for a line, which the text itself is not."""


def test_a_file_that_could_not_be_read_again_is_not_written(tmp_path: Path):
    with pytest.raises(RecordError, match="longer than 32 MiB"):
        write_records(tmp_path / "outputs.jsonl", [LARGE])
    assert not (tmp_path / "outputs.jsonl").exists()


OUTPUT = '{"case_id": "c", "system": "s"'


class Pairs(list[Any]):
    """An object, with its keys as they come."""


texts = st.text(st.sampled_from('a:"\\{ä\u2028'), max_size=4)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(texts, inner), max_size=3).map(Pairs),
    max_leaves=12,
)


def written(value: Any, *, ascii_only: bool, between: str) -> str:
    if isinstance(value, Pairs):
        pairs = (
            f"{written(key, ascii_only=ascii_only, between=between)}{between}"
            f"{written(each, ascii_only=ascii_only, between=between)}"
            for key, each in value
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return f"[{','.join(written(item, ascii_only=ascii_only, between=between) for item in items)}]"
    return json.dumps(value, ensure_ascii=ascii_only)


@given(values, st.booleans(), st.sampled_from([":", ": ", " : ", "\t:"]))
def test_no_key_that_stands_twice_is_passed_over(value: Any, ascii_only: bool, between: str):
    line = written(value, ascii_only=ascii_only, between=between).encode()
    twice = False
    try:
        require_unique_keys(line)
    except ValueError:
        twice = True
    assert DuplicateKeyDetector().suspects([line], [msgspec.json.decode(line)]) or not twice


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1, "b": {"a": 2}}',
        b'{"a": "b:", "b": [{"a": 1}, {"a": 1}]}',
        b'{"a": "\xc3\xa4", "b": "\\n"}',
        b'{"a" : 1e5, "b":1.0}',
    ],
)
def test_what_has_no_such_key_is_not_read_key_by_key(line: bytes):
    assert not DuplicateKeyDetector().suspects([line], [msgspec.json.decode(line)])


def test_a_colon_that_is_an_escape_hides_no_key():
    line = b'{"a": 1, "a": "\\u003a"}'
    assert DuplicateKeyDetector().suspects([line], [msgspec.json.decode(line)])


def test_fields_that_are_given_as_they_would_be_anyway_are_no_keys_that_stand_twice():
    line = b'{"case_id": "c", "system": "s", "trial": 0, "text": null}'
    keys = DuplicateKeyDetector()
    for _ in range(2):
        assert not keys.suspects([line], [msgspec.json.decode(line, type=Output)])


@each_row(
    ("kind", "line", "key"),
    [
        (Output, OUTPUT + ', "text": "a", "text": "b"}', "text"),
        (Output, OUTPUT + ', "tool_calls": [{"name": "f", "arguments": {"a": 1, "a": 2}}]}', "a"),
        (Output, '{"case_id": "c", "system": "s", "trial": 0, "text": "a", "text": null}', "text"),
        (Case, '{"id": "c", "kind": "open_answer", "reference": {"criterion": "x", "criterion": "y"}}', "criterion"),
        (Case, '{"id": "c", "kind": "no_call", "tools": [], "messages": [{"role": "user", "role": "user"}]}', "role"),
        (
            Verdict,
            '{"case_id": "c", "system": "s", "by": "me", "source": "human", "outcome": "graded", "score": 0, "score": 1}',
            "score",
        ),
    ],
)  # fmt: skip
@pytest.mark.attack("inputs of others")
def test_records_say_which_key_in_which_line(tmp_path: Path, kind: type[Any], line: str, key: str):
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join([OUTPUT + "}", line]) if kind is Output else line)
    with pytest.raises(RecordError, match=f"the key '{key}' stands twice in one object") as told:
        list(read_records(path, kind))
    assert (told.value.path, told.value.line) == (path, 2 if kind is Output else 1)


def test_every_line_is_looked_at_however_many_there_are(tmp_path: Path):
    path = tmp_path / "outputs.jsonl"
    good = [f'{{"case_id": "{number}", "system": "s", "text": "{"x" * 50}"}}' for number in range(1000)]
    for place in (0, 500, 999):
        lines = [*good[:place], OUTPUT + ', "text": "a", "text": "b"}', *good[place + 1 :]]
        path.write_text("\n".join(lines))
        with pytest.raises(RecordError) as told:
            list(read_records(path, Output))
        assert told.value.line == place + 1


def test_of_two_faults_the_first_is_said(tmp_path: Path):
    path = tmp_path / "outputs.jsonl"
    path.write_text("\n".join([OUTPUT + "}", OUTPUT + ', "text": "", "text": "b"}', "{"]))
    with pytest.raises(RecordError, match="stands twice"):
        list(read_records(path, Output))


@pytest.mark.attack("inputs of others")
def test_an_index_of_cases_refuses_them_too(tmp_path: Path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "c", "kind": "no_call", "tags": {"a": 1, "a": 2}}')
    with pytest.raises(RecordError, match="the key 'a' stands twice"):
        CaseIndex(path)


@pytest.mark.parametrize("encode", [encode_json, encode_indented_json])
def test_what_is_no_number_is_null_beside_a_lone_surrogate_too(encode: Callable[[object], bytes]):
    value = {"share": math.nan, "bound": math.inf, "text": "\ud800"}
    assert json.loads(encode(value)) == {"share": None, "bound": None, "text": "\ud800"}
