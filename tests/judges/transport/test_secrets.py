"""A key that a server echoes is not kept."""

from __future__ import annotations

import base64
from pathlib import Path
from urllib.parse import quote

import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st
from judge_items import Judging, make_case, make_output
from provider_server import Answer, ProviderServer

from fiducial.judges import Endpoint, connect
from fiducial.judges.transport.endpoint import redactor

pytestmark = pytest.mark.attack("keys and transport")

_KEY = "sk-proj-a/b+c=d?Öffnung".replace("Ö", "O")


@given(before=st.binary(max_size=7), after=st.binary(max_size=7), urlsafe=st.booleans())
def test_a_key_within_base64_is_taken_out(before: bytes, after: bytes, urlsafe: bool):
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    shown = redactor(_KEY)(encode(before + _KEY.encode() + after).decode())
    left = shown.replace("***", "")
    assert "***" in shown
    assert len(left) <= len(encode(before + after)) + 8


@pytest.mark.parametrize("form", [_KEY, quote(_KEY, safe=""), f"Bearer {_KEY}", f'"{_KEY}"'])
def test_a_key_as_it_is_or_url_encoded_is_taken_out(form: str):
    assert _KEY not in redactor(_KEY)(form)
    assert "***" in redactor(_KEY)(form)


@each_row(
    "form",
    [
        quote(_KEY, safe="")
        .replace("%2F", "%2f")
        .replace("%2B", "%2b")
        .replace("%3D", "%3d")
        .replace("%3F", "%3f"),
        "".join(f"%{ord(letter):02X}" for letter in _KEY),
        _KEY.encode().hex(),
        _KEY.encode().hex().upper(),
        "".join(f"\\u{ord(letter):04x}" for letter in _KEY),
        "".join(f"&#{ord(letter)};" for letter in _KEY),
    ],
)
def test_a_key_in_digits_is_taken_out(form: str):
    assert redactor(_KEY)(f"a {form} b") == "a *** b"


@pytest.mark.parametrize(
    ("shown", "left"),
    [
        (f"Incorrect API key: {_KEY[:12]}", "Incorrect API key: ***"),
        (f"{_KEY[:15]}****{_KEY[-2:]}, {_KEY[:13]}", f"******{_KEY[-2:]}, ***"),
        (f"{_KEY[:11]}...", f"{_KEY[:11]}..."),
    ],
)
def test_the_beginning_of_a_key_is_taken_out(shown: str, left: str):
    assert redactor(_KEY)(shown) == left.replace("******", "*******")


@pytest.mark.parametrize("key", [None, "", "none", "EMPTY"])
def test_a_placeholder_is_a_word_like_others(key: str | None):
    assert redactor(key)("none is EMPTY") == "none is EMPTY"


@pytest.mark.parametrize("key", ["given", "of the library"])
def test_a_reply_that_echoes_the_key_is_kept_without_it(
    server: ProviderServer, judging: Judging, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
):
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    server.script = lambda seen: Answer(
        f"<S1>{_KEY} {base64.b64encode(_KEY.encode()).decode()}</S1><S2>1</S2>"
    )
    provider = connect(
        Endpoint(server.base_url, _KEY if key == "given" else None),
        record=tmp_path / "record.jsonl",
        cache=tmp_path / "cache.sqlite",
    )
    (verdict,) = judging([(make_case(), make_output())], provider=provider)
    assert verdict.graded
    written = [verdict.raw or "", str(verdict.reason)] + [
        path.read_bytes().decode("latin-1") for path in tmp_path.iterdir()
    ]
    assert not [text for text in written if _KEY in text or base64.b64encode(_KEY.encode()).decode() in text]
