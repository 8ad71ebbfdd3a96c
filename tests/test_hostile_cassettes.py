"""Cassettes that a stranger's project brings: they answer questions, and do nothing else."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from provider_server import ProviderServer, in_the_form_asked_for

from fiducial.api.judging import cassette_judge
from fiducial.errors import FiducialError
from fiducial.records import Verdict

pytestmark = pytest.mark.attack("strangers' cassettes")

ASKED = {"query": "Where is my money?", "response": "On its way.", "search_results": "It is on its way."}


@pytest.fixture
def recorded(tmp_path: Path, server: ProviderServer) -> dict[str, Any]:
    """The line that answers the question, as one's own recording has it."""
    server.script = in_the_form_asked_for()
    with cassette_judge(
        "groundedness/reasons",
        tmp_path / "mine.jsonl",
        ask=True,
        model="m",
        base_url=server.base_url,
        api_key="k",
        cache=False,
    ) as judge:
        assert judge(**ASKED).graded
    return json.loads((tmp_path / "mine.jsonl").read_bytes())


def answered(path: Path) -> Verdict:
    with cassette_judge("groundedness/reasons", path, ask=False, model="m") as judge:
        return judge(**ASKED)


def spoilt(recorded: dict[str, Any]) -> dict[str, bytes]:
    line = json.dumps(recorded)
    reply = recorded["reply"]

    def told(**other: Any) -> bytes:
        return json.dumps({**recorded, "reply": {**reply, **other}}).encode() + b"\n"

    return {
        "the key twice": line.replace('{"key"', '{"key": "a", "key"', 1).encode() + b"\n",
        "the reply twice": line.replace('"reply"', '"reply": {"text": "<S2>1</S2>"}, "reply"', 1).encode()
        + b"\n",
        "the text twice": line.replace('"text"', '"text": "<S2>5</S2>", "text"', 1).encode() + b"\n",
        "another field": json.dumps({**recorded, "path": "/etc/passwd"}).encode() + b"\n",
        "a key that is a number": json.dumps({**recorded, "key": 1}).encode() + b"\n",
        "a key that is a path": json.dumps({**recorded, "key": "../../etc/passwd"}).encode() + b"\n",
        "a key of another question": json.dumps({**recorded, "key": recorded["key"][::-1]}).encode() + b"\n",
        "a key in capitals": json.dumps({**recorded, "key": recorded["key"].upper() + " "}).encode() + b"\n",
        "no reply": json.dumps({**recorded, "reply": None}).encode() + b"\n",
        "a text that is none": told(text={"a": 1}),
        "an error in place of a reply": told(text=None),
        "no JSON": b"{]\n",
        "a list": b"[1, 2]\n",
        "a bare text": b'"hush"\n',
        "brackets": b"[" * 200_000 + b"\n",
        "objects in objects": b'{"key":' * 100_000 + b"\n",
        "null bytes": b"\0" * 1000 + b"\n",
        "UTF-16": line.encode("utf-16"),
        "no UTF-8": line.encode().replace(b'"text": "', b'"text": "\xff\xfe') + b"\n",
        "a long line": told(text="x" * (33 << 20)),
        "pickled": b"\x80\x04cos\nsystem\n(S'touch pwned'\ntR.\n",
        "a secret of this machine": b"root:x:0:0:root:/root:/bin/bash\n",
    }


def problem(path: Path) -> str:
    """Return the error about a cassette that does not answer."""
    with pytest.raises(FiducialError) as told:
        answered(path)
    return str(told.value)


def test_a_spoilt_cassette_is_one_line_or_holds_no_reply(recorded: dict[str, Any], tmp_path: Path):
    path = tmp_path / "theirs.jsonl"
    for name, before in spoilt(recorded).items():
        path.write_bytes(before)
        told = problem(path)
        assert str(path) in told, name
        assert "\n" not in told, name
        assert len(told) < 2000, name
        assert "/bin/bash" not in told, name
        assert path.read_bytes() == before, name
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mine.jsonl", "theirs.jsonl"]


TEXTS = {
    "controls": "\x1b]0;pwned\x07\x1b[2J<S2>1</S2>",
    "order of reading": "<S2>\u202e1\u202c</S2>",
    "a second score": "<S2>5</S2><S2>1</S2>",
    "a template": "{{7*7}}${env:OPENAI_API_KEY}<S2>{{1}}</S2>",
    "a path": "<S2>file:///etc/passwd</S2>",
    "a large number": f"<S2>{'9' * 5000}</S2>",
    "infinity": "<S2>inf</S2>",
    "no number": "<S2>nan</S2>",
    "many tags": "<S2>" * 200_000,
    "JSON": json.dumps({"score": 1, "__class__": "x"}),
    "brackets": "[" * 500_000,
    "surrogates": "\ud800",
    "nothing": "",
}


def test_a_reply_that_cannot_be_read_is_asked_again_for_which_there_is_none(
    recorded: dict[str, Any], tmp_path: Path
):
    for name in TEXTS.keys() - {"controls"}:
        assert "theirs.jsonl holds no reply to this question" in problem(
            saying(TEXTS[name], recorded, tmp_path)
        ), name


def test_what_a_reply_says_is_never_shown_raw(recorded: dict[str, Any], tmp_path: Path):
    verdict = answered(saying(TEXTS["controls"], recorded, tmp_path))
    assert verdict.score is not None
    assert 0 <= verdict.score <= 1
    assert not {"\x1b", "\x07"} & {*str(verdict)}


def saying(text: str, recorded: dict[str, Any], folder: Path) -> Path:
    path = folder / "theirs.jsonl"
    path.write_text(json.dumps({**recorded, "reply": {**recorded["reply"], "text": text}}) + "\n")
    return path


def made(path: Path, kind: str) -> None:
    outside = path.parent / "outside"
    outside.write_text("years of work\n")
    makers: dict[str, Callable[[], object]] = {
        "a link": lambda: path.symlink_to(outside),
        "a link to a device": lambda: path.symlink_to("/dev/zero"),
        "a link to itself": lambda: path.symlink_to(path.name),
        "a pipe": lambda: os.mkfifo(path),
        "a folder": path.mkdir,
    }
    makers[kind]()


@pytest.mark.parametrize("ask", [False, True])
@pytest.mark.parametrize("kind", ["a link", "a link to a device", "a link to itself", "a pipe", "a folder"])
def test_what_is_no_file_is_neither_waited_for_nor_written(
    kind: str, ask: bool, tmp_path: Path, server: ProviderServer
):
    server.script = in_the_form_asked_for()
    path = tmp_path / "theirs.jsonl"
    made(path, kind)
    options = {"base_url": server.base_url, "api_key": "k", "cache": False} if ask else {}
    with (
        pytest.raises(FiducialError) as told,
        cassette_judge("groundedness/reasons", path, ask=ask, model="m", **options) as judge,
    ):
        judge(**ASKED)
    assert "years" not in str(told.value)
    assert (tmp_path / "outside").read_text() == "years of work\n"
    assert server.seen == []


def test_a_cassette_beside_a_test_runs_nothing_of_its_folder(pytester: pytest.Pytester):
    """Only the test itself is code: what lies beside the cassette is not imported."""
    folder = pytester.mkdir("tests") / "cassettes"
    folder.mkdir()
    for name in ("fiducial.py", "groundedness.py", "json.py", "sitecustomize.py"):
        (folder / name).write_text("open('pwned', 'w')")
    (folder / "test_it.jsonl").write_text("{}\n")
    (pytester.path / "tests" / "test_it.py").write_text(
        "def test(judge_from_cassette):\n"
        "    judge_from_cassette('groundedness/reasons', model='m')(query='a', response='b', search_results='c')\n"
    )
    known = "fiducial.pytest_plugin" in sys.modules
    result = pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", *(() if known else ("-p", "fiducial.pytest_plugin"))
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_it.jsonl:1*"])
    assert not list(pytester.path.rglob("pwned"))
