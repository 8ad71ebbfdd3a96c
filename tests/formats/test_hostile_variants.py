"""Further forms of hostile files: each is read, listed or refused, in one line."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from each_row import each_row

import fiducial as fd
from fiducial.errors import FiducialError
from fiducial.formats import zipped

pytestmark = pytest.mark.attack("imports")

GOOD = {"question": "a", "answer": "b"}
DIGITS = "9" * 5000


def read(path: Path) -> tuple[int, int, str]:
    """Return how many outputs an import has, how much it skipped, and its error."""
    try:
        found = fd.read(path)
    except FiducialError as error:
        return 0, 0, str(error)
    assert len({output.key for output in found.outputs}) == len(found.outputs)
    return len(found.outputs), len(found.skipped), ""


def lines(*rows: Any) -> bytes:
    return b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)


def deep(levels: int, inner: str = "1") -> str:
    return '{"k":' * levels + inner + "}" * levels


JSON_ROWS: dict[str, tuple[bytes, int, int]] = {
    "a key twice, once escaped": (b'{"question":"a","answer":"b","score":0,"\\u0073core":1}\n', 0, 1),
    "a key twice, both escaped": (b'{"question":"a","answer":"b","\\u0073core":0,"\\u0073core":1}\n', 0, 1),
    "a key twice beside a colon in a text": (b'{"question":"a:","answer":"b\\u003a","score":0,"score":1}\n', 0, 1),
    "a key twice 500 deep": (lines() + b'{"question":"a","answer":"b","about":' + deep(500, '{"x":1,"x":2}').encode() + b"}\n", 0, 1),
    "an empty key twice": (b'{"question":"a","answer":"b","":0,"":1}\n', 0, 1),
    "a key twice in an item of a list": (b'{"question":"a","answer":"b","about":[1,[2,[{"x":1,"x":1}]]]}\n', 0, 1),
    "a key twice in arguments": (b'{"question":"a","answer":"b","tool_calls":[{"name":"f","arguments":{"x":1,"x":2}}]}\n', 0, 1),
    "a key twice that is no ASCII": ('{"question":"a","answer":"b","é":0,"\\u00e9":1}\n'.encode(), 0, 1),
    "keys that differ in their composition": ('{"question":"a","answer":"b","e\u0301":0,"é":1}\n'.encode(), 1, 0),
    "100,000 brackets": (b'{"question":"a","answer":"b","about":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", 0, 1),
    "100,000 objects in each other": (b'{"question":"a","answer":"b","about":' + deep(100_000).encode() + b"}\n", 0, 1),
    "brackets that never close": (b"[" * 100_000 + b"\n", 0, 1),
    "a number of 5,000 digits in a list": (f'{{"question":"a","answer":"b","about":[[{DIGITS}]]}}\n'.encode(), 0, 1),
    "a number of 5,000 digits below 0": (f'{{"question":"a","answer":"b","trial":-{DIGITS}}}\n'.encode(), 0, 1),
    "an exponent without end": (b'{"question":"a","answer":"b","trial":1e999999}\n', 0, 1),
    "a score beyond every number": (b'{"question":"a","answer":"b","score":1e400}\n', 1, 1),
    "no number as a score": (b'{"question":"a","answer":"b","score":NaN}\n', 1, 0),
    "a trial below 0": (b'{"question":"a","answer":"b","trial":-1}\n', 0, 1),
    "half a trial": (b'{"question":"a","answer":"b","trial":0.5}\n', 0, 1),
    "true as a trial": (b'{"question":"a","answer":"b","trial":true}\n', 0, 1),
    "a lone surrogate": (b'{"question":"a\\ud800","answer":"b"}\n', 1, 0),
    "UTF-16": ('{"question":"a","answer":"b"}'.encode("utf-16") + b"\n", 0, 1),
    "UTF-8 with a mark": (b'\xef\xbb\xbf{"question":"a","answer":"b"}\n', 1, 0),
    "Latin-1": ('{"question":"é","answer":"b"}\n'.encode("latin-1"), 0, 1),
    "an overlong letter": (b'{"question":"\xc0\xaf","answer":"b"}\n', 0, 1),
    "a null byte between rows": (b"\0\n", 0, 1),
    "a comment": (b'{"question":"a","answer":"b"} // yes\n', 0, 1),
    "two values in a line": (b'{"question":"a","answer":"b"}{"question":"c","answer":"d"}\n', 0, 1),
    "single quotes": (b"{'question':'a','answer':'b'}\n", 0, 1),
    "a list as a line": (b'["a","b"]\n', 0, 1),
    "calls that are a number": (b'{"question":"a","answer":"b","tool_calls":7}\n', 0, 1),
    "a call without a name": (b'{"question":"a","answer":"b","tool_calls":[{}]}\n', 0, 1),
    "an object as an id": (b'{"id":{"a":1},"question":"a","answer":"b"}\n', 0, 1),
    "an object as a system": (b'{"question":"a","answer":"b","system":{}}\n', 0, 1),
}  # fmt: skip
"""A line between two good ones: how many outputs and skipped rows it adds."""


@pytest.mark.parametrize("name", JSON_ROWS)
def test_a_line_of_json_is_read_or_listed(name: str, tmp_path: Path):
    bad, outputs, skipped = JSON_ROWS[name]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(lines(GOOD) + bad + lines({"question": "c", "answer": "d"}))
    assert read(path) == (2 + outputs, skipped, "")


def rows_with_type(odd: Any) -> list[dict[str, Any]]:
    asked = [{"role": "user", "content": "a"}]
    return [
        {"messages": [{"role": odd, "content": "a"}]},
        {"messages": [*asked, {"type": odd, "content": "b"}]},
        {"messages": [*asked, {"type": odd, "source": "b"}]},
        {"messages": [{"kind": odd, "parts": [{"part_kind": "text", "content": "a"}]}]},
        {"messages": [{"kind": "request", "parts": [{"part_kind": "tool-return", "outcome": odd}]}]},
        {"input": "a", "output": [{"type": odd, "content": "b"}]},
        {"input": "a", "output": [{"type": odd}, {"type": "message_start"}]},
        {"messages": asked, "object": odd},
        {"messages": asked, "response": {"type": odd, "data": {}}},
        {"messages": asked, "response": {"type": "constructor", "kwargs": {"type": odd}}},
    ]


@each_row("odd", [["text"], {"a": 1}])
@each_row("form", [None, "openai"])
def test_a_type_that_is_no_text_is_read_or_told_in_one_line(odd: Any, form: str | None, tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    for row, other in zip(rows_with_type(odd), rows_with_type("other"), strict=True):
        for written in ([row], [other, row]):
            path.write_bytes(lines(*written))
            try:
                told = [skipped.reason for skipped in fd.read(path, as_=form).skipped]
            except FiducialError as error:
                told = [str(error)]
            assert not any("\n" in line for line in told)


TABLES: dict[str, tuple[str, Callable[[tuple[int, int, str]], bool]]] = {
    "a column twice": ("question,answer,score,score\na,b,0,1\n", lambda found: "twice" in found[2]),
    "a column twice, behind a mark": ("\ufeffquestion,answer,question\na,b,c\n", lambda found: "twice" in found[2]),
    "a row too long": ("question,answer\na,b,c\nd,e\n", lambda found: found[:2] == (1, 1)),
    "a quote that never closes": ('question,answer\na,"b\nc,d\n', lambda found: "not CSV" in found[2]),
    "digits of another script as a trial": ("question,answer,trial\na,b,\u0661\na,c,\u0662\n", lambda found: found[:2] == (2, 0)),
    "digits raised as a trial": ("question,answer,trial\na,b,\u00b2\nc,d,0\n", lambda found: found[:2] == (1, 1)),
    "digits in circles as a trial": ("question,answer,trial\na,b,\u2460\nc,d,0\n", lambda found: found[:2] == (1, 1)),
    "a trial with a line below": ("question,answer,trial\na,b,1_0\nc,d,0\n", lambda found: found[:2] == (1, 1)),
    "5,000 digits of another script": (f"question,answer,trial\na,b,{chr(0x661) * 5000}\nc,d,0\n", lambda found: found[:2] == (1, 1)),
    "an id that is made up elsewhere": ("id,question,answer\n,a,b\nrow-000001,c,d\n,e,f\n", lambda found: sum(found[:2]) == 3),
    "an id that is made up later": ("id,question,answer\nrow-000002,a,b\n,c,d\n", lambda found: found[:2] == (2, 0)),
    "an id that is made up later, and its twin": ("id,question,answer\nrow-000003,a,b\nrow-000003-2,c,d\n,e,f\n", lambda found: found[:2] == (3, 0)),
    "an id twice": ("id,question,answer\nx,a,b\nx,c,d\n", lambda found: "repeat with another question" in found[2]),
    "an id twice, with a space": ("id,question,answer\nx,a,b\nx ,c,d\n", lambda found: found[:2] == (2, 0)),
    "a header alone of 20,000 columns": (",".join(f"c{n}" for n in range(20_000)) + "\n", lambda found: found[0] == 0),
    "calls in a cell, a key twice": ('question,answer,tool_calls\na,b,"[{""name"":""f"",""arguments"":{""x"":1,""x"":2}}]"\nc,d,\n', lambda found: found[0] == 1),
    "a cell of brackets": ("question,answer,tool_calls\na,b," + "[" * 50_000 + "\nc,d,\n", lambda found: found[:2] == (1, 1)),
    "null bytes": ("question,answer\na\0,b\0\n", lambda found: found[0] == 1 or bool(found[2])),
    "line ends of Unicode in a cell": ("question,answer\na\u2028b,c\x85d\n", lambda found: found[:2] == (1, 0)),
    "old line ends": ("question,answer\ra,b\rc,d\r", lambda found: found[:2] == (2, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read_listed_or_refused(name: str, tmp_path: Path):
    text, holds = TABLES[name]
    path = tmp_path / "rows.csv"
    path.write_bytes(text.encode())
    found = read(path)
    assert holds(found), found
    assert "\n" not in found[2]


YAML: dict[str, str] = {
    "an object of Python": "cases: [!!python/object/apply:os.system ['touch pwned']]",
    "a name of Python": "cases: [!!python/name:os.system ]",
    "a module of Python": "cases: [!!python/module:os ]",
    "merges of merges": "a0: &a0 {x: 1}\n"
    + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 12))
    + "cases: [*a11]\n",
    "a merge of itself": "cases: [&a {<<: *a}]\n",
    "a merge of a number": "cases: [{<<: 5}]\n",
    "many documents": "---\ncases: []\n" * 20_000,
    "a number of 5,000 digits": f"cases: [{{name: a, inputs: {DIGITS}}}]\n",
    "a number of base 60": "cases: [{name: a, inputs: " + ":".join(["59"] * 2000) + "}]\n",
    "a number of 5,000 signs of base 16": "cases: [{name: a, inputs: 0x" + "f" * 5000 + "}]\n",
    "an infinite number": "cases: [{name: a, inputs: .inf, expected_output: .nan}]\n",
    "a key twice": "cases: [{name: a, name: b, inputs: x}]\n",
    "a key twice, once quoted": "cases: [{name: a, 'name': b, inputs: x}]\n",
    "a set": "cases: !!set {a, b}\n",
    "bytes": "cases: [{name: a, inputs: !!binary '////'}]\n",
    "pairs": "cases: [{name: a, inputs: !!pairs [a: 1, a: 2], more: !!omap [b: 1]}]\n",
    "an unknown tag": "cases: [!mine {name: a}]\n",
    "a directive of the future": "%YAML 9.9\n---\ncases: []\n",
    "a directive of tags": "%TAG ! tag:yaml.org,2002:python/\n---\ncases: [!object:os.system {}]\n",
    "tabs": "cases:\n\t- name: a\n",
    "an unknown anchor": "cases: [*nobody]\n",
    "a year beyond bounds": "cases: [{name: a, inputs: 99999-01-01}]\n",
    "a time beyond bounds": "cases: [{name: a, inputs: 2001-01-01 25:61:61}]\n",
    "a zone beyond bounds": "cases: [{name: a, inputs: 2001-01-01 00:00:00 +99:99}]\n",
    "a list in a list as a key": "cases: [{[[1], {a: b}]: c}]\n",
    "a null byte": "cases: [{name: a\0}]\n",
    "a mapping as the only value": "? {a: b}\n: cases\n",
    "folded text of spaces": "cases: [{name: a, inputs: >\n" + " \n" * 50_000 + "}]\n",
    "anchors alone": "cases: [" + ", ".join(f"&a{n} x" for n in range(1000)) + "]\n",
    "20,000 anchors": "cases: [" + ", ".join(f"&a{n} x" for n in range(20_000)) + "]\n",
}
SUFFIXES = [
    *(pytest.param(name, ".yaml", marks=[pytest.mark.slow] * name[0].isdigit()) for name in YAML),
    ("an object of Python", ".yml"),
    ("merges of merges", ".yml"),
]
"""Which reader reads a file of either name is seen from two."""


@pytest.mark.parametrize(("name", "suffix"), SUFFIXES)
def test_a_yaml_file_is_read_or_refused(
    name: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"dataset{suffix}"
    path.write_text(YAML[name], "utf-8")
    _, _, error = read(path)
    assert path.name in error or not error
    assert "\n" not in error
    assert not (tmp_path / "pwned").exists()


SAMPLE: dict[str, Any] = {"id": "a", "epoch": 1, "input": "?", "target": "", "messages": [], "output": {"completion": "b"}, "scores": {}}  # fmt: skip


def packed(
    path: Path, *members: tuple[str | zipfile.ZipInfo, bytes], how: int = zipfile.ZIP_DEFLATED
) -> None:
    with zipfile.ZipFile(path, "w", how) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m"}}))
        for name, content in members:
            archive.writestr(name, content)


def sample(**fields: Any) -> bytes:
    return json.dumps({**SAMPLE, **fields}).encode()


def _linked(path: Path) -> None:
    link = zipfile.ZipInfo("samples/link.json")
    link.external_attr = 0o120777 << 16
    packed(path, (link, b"/etc/passwd"), ("samples/b.json", sample()))


def _spoilt(path: Path, find: bytes, change: bytes) -> None:
    packed(path, ("samples/b.json", sample()))
    path.write_bytes(path.read_bytes().replace(find, change))


MOST = 1 << 20
BOMB = b" " * 2 * MOST
"""More than a small file may unpack to in these tests; tests of gzip have what it may unpack to."""

LOGS: dict[str, tuple[Callable[[Path], object], int | None]] = {
    "a member above the folder": (lambda path: packed(path, ("samples/../../../tmp/x.json", sample()), ("samples/b.json", sample(id="b"))), None),
    "a member of an absolute path": (lambda path: packed(path, ("/etc/x.json", sample()), ("samples/b.json", sample(id="b"))), None),
    "a member that is a link": (_linked, None),
    "a member twice": (lambda path: packed(path, ("samples/b.json", sample()), ("samples/b.json", sample())), None),
    "a bomb of LZMA": (lambda path: packed(path, ("samples/b.json", BOMB), how=zipfile.ZIP_LZMA), 0),
    "a bomb of bzip2": (lambda path: packed(path, ("samples/b.json", BOMB), how=zipfile.ZIP_BZIP2), 0),
    "an encrypted member": (lambda path: _spoilt(path, b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00"), 0),
    "a member packed in no known way": (lambda path: _spoilt(path, b"\x08\x00", b"\x5d\x00"), 0),
    "a member with a wrong check sum": (lambda path: _spoilt(path, b"PK\x01\x02", b"PK\x01\x03"), 0),
    "half a file": (lambda path: (packed(path, ("samples/b.json", sample())), path.write_bytes(path.read_bytes()[:-40])), 0),
    "garbage in front": (lambda path: (packed(path, ("samples/b.json", sample())), path.write_bytes(b"x" * 1000 + path.read_bytes())), None),
    "no member at all": (lambda path: zipfile.ZipFile(path, "w").close(), 0),
    "a key twice in a member": (lambda path: packed(path, ("samples/a.json", sample()[:-1] + b', "id": "z"}'), ("samples/b.json", sample(id="b"))), 1),
    "a key twice deep in a member": (lambda path: packed(path, ("samples/a.json", sample(metadata={"q": 1}).replace(b'{"q": 1}', b'{"q": [{"x": {"y": 1, "y": 2}}]}')), ("samples/b.json", sample(id="b"))), 1),
    "50,000 brackets in a member": (lambda path: packed(path, ("samples/a.json", b'{"id": "a", "input": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"), ("samples/b.json", sample(id="b"))), 1),
    "UTF-16 in a member": (lambda path: packed(path, ("samples/a.json", sample().decode().encode("utf-16")), ("samples/b.json", sample(id="b"))), 1),
    "an attachment that names itself": (lambda path: packed(path, ("samples/a.json", sample(input="attachment://x", attachments={"x": "attachment://x"}))), None),
    "attachments that name each other": (lambda path: packed(path, ("samples/a.json", sample(input="attachment://x", attachments={"x": "attachment://y", "y": "attachment://x"}))), None),
    "an attachment that is a number": (lambda path: packed(path, ("samples/a.json", sample(input="attachment://x", attachments={"x": 5}))), None),
    "half an epoch": (lambda path: packed(path, ("samples/a.json", sample(epoch=1.5)), ("samples/b.json", sample(id="b"))), 1),
    "an object as an id": (lambda path: packed(path, ("samples/a.json", sample(id={"x": 1})), ("samples/b.json", sample(id="b"))), 1),
    "a list as scores": (lambda path: packed(path, ("samples/a.json", sample(scores=[1])), ("samples/b.json", sample(id="b"))), None),
    "a score that is an object": (lambda path: packed(path, ("samples/a.json", sample(scores={"s": {"value": {"x": {"y": 1}}}})), ("samples/b.json", sample(id="b"))), None),
    "a name of 60,000 letters": (lambda path: packed(path, (f"samples/{'x' * 60_000}.json", sample())), None),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_read_listed_or_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(zipped, "MIN_UNPACKED", MOST)
    make, outputs = LOGS[name]
    path = tmp_path / "log.eval"
    make(path)
    found, _, error = read(path)
    assert outputs is None or found == outputs, (found, error)
    assert path.name in error or not error
    assert "bomb" not in name or " unpacks to more than " in error
    assert [file.name for file in tmp_path.iterdir()] == ["log.eval"]


def _frames() -> dict[str, Callable[[Any], Any]]:
    return {
        "a struct in a list in a map": lambda a: a.array([[("k", [{"x": 1}])], None], a.map_(a.string(), a.list_(a.struct({"x": a.int8()})))),
        "a key twice in a map": lambda a: a.array([[("k", 1), ("k", 2)], []], a.map_(a.string(), a.int8())),
        "numbers as keys of a map": lambda a: a.array([[(1, 1)], []], a.map_(a.int8(), a.int8())),
        "a field twice in a struct": lambda a: a.StructArray.from_arrays([a.array([1, 2]), a.array([3, 4])], ["x", "x"]),
        "lists 60 deep": lambda a: _nested(a, 60),
        "decimals of 76 digits": lambda a: a.array([None, None], a.decimal256(76, 10)),
        "numbers of half precision": lambda a: a.array([float("nan"), float("inf")], a.float32()),
        "a time of nanoseconds": lambda a: a.array([0, 2**63 - 1], a.timestamp("ns")),
        "a time before all years": lambda a: a.array([0, -(2**62)], a.timestamp("us", "UTC")),
        "a time of day beyond bounds": lambda a: a.array([0, 2**62], a.time64("ns")),
        "months and days": lambda a: a.array([(1, 2, 3), None], a.month_day_nano_interval()),
        "bytes": lambda a: a.array([b"\xff", None], a.binary()),
        "large bytes": lambda a: a.array([b"\xff", None], a.large_binary()),
        "bytes of one length": lambda a: a.array([b"\xff\xfe", None], a.binary(2)),
        "lists of one length": lambda a: a.array([[1, 2], None], a.list_(a.int8(), 2)),
        "a dictionary of lists": lambda a: a.DictionaryArray.from_arrays(a.array([0, 0]), a.array(["x"])),
        "nothing": lambda a: a.nulls(2),
        "lists of nothing": lambda a: a.array([[None] * 100_000, None], a.list_(a.null())),
    }  # fmt: skip


def _nested(arrow: Any, levels: int) -> Any:
    kind, value = arrow.int8(), 1
    for _ in range(levels):
        kind, value = arrow.list_(kind), [value]
    return arrow.array([value, None], kind)


@pytest.mark.parametrize("name", _frames())
def test_a_column_of_any_type_is_read_or_listed(name: str, tmp_path: Path):
    arrow = pytest.importorskip("pyarrow")
    tables: Any = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    columns = {"question": ["a", "b"], "answer": ["c", "d"], "more": _frames()[name](arrow)}
    try:
        tables.write_table(arrow.table(columns), path)
    except (arrow.ArrowNotImplementedError, arrow.ArrowInvalid) as error:
        pytest.skip(f"pyarrow writes no such column: {error}")
    found, skipped, error = read(path)
    assert found + skipped >= 2 or path.name in error


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "=1+1", "", "\u202e", "x" * 60_000, "score\0"])
def test_a_column_of_any_name_is_read(name: str, tmp_path: Path):
    arrow = pytest.importorskip("pyarrow")
    tables: Any = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    tables.write_table(arrow.table({"question": ["a"], "answer": ["b"], name: ["c"]}), path)
    assert read(path)[0] == 1


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(
    "suffix", [".jsonl", ".gz", ".csv", ".csv.zst", ".parquet", ".eval", ".yaml.gz", ".json"]
)
def test_a_packed_file_of_any_name_is_refused_unread(
    pack: Callable[[bytes], bytes], suffix: str, tmp_path: Path
):
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(pack(lines(GOOD) * 1000))
    found, _, error = read(path)
    assert (found, path.name in error) == (0, True)


def test_a_folder_of_links_is_read_once(tmp_path: Path):
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "dataset_info.json").write_text("{}")
    (folder / "state.json").write_text('{"_data_files": [{"filename": "../../etc/passwd"}]}')
    (folder / "rows.jsonl").write_bytes(lines(GOOD))
    (folder / "again").symlink_to(folder)
    assert read(folder)[0] == 1
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "random.csv").symlink_to("/dev/urandom")
    os.mkfifo(folder / "pipe.jsonl")
    assert read(folder)[0] == 1


def test_values_of_yaml_that_json_has_none_for_are_read_as_text(tmp_path: Path):
    path = tmp_path / "dataset.yaml"
    path.write_text(
        "cases:\n- {name: a, inputs: 2001-01-01, expected_output: !!set {x, y}, metadata: {1: 2001-01-01 10:00:00}}\n"
        "- {name: b, inputs: {q: !!binary aGk=}}\n"
    )
    found = fd.read(path)
    asked = [case.turns[0][0]["content"] for case in found.cases]
    assert asked == ["2001-01-01", "[2 bytes]"]
    assert found.cases[0].tags == {"1": "2001-01-01T10:00:00"}
    path.write_text("cases: [{name: a, inputs: {1: x, '1': y}}]\n")
    assert "stands twice" in read(path)[2]
