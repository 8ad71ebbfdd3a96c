"""The example of docs/preference.md in Python: run as it stands there, but for the address."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from choosing import choosing
from provider_server import ProviderServer

PAGE = (Path(__file__).parents[2] / "docs" / "preference.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000/v1"


def test_the_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert ADDRESS in example
    with ProviderServer() as server:
        server.script = choosing(lambda first, second: "first" if "scatters" in first else "second")
        exec(example.replace(ADDRESS, server.base_url), {})
    assert capsys.readouterr().out == "1 0.000 [0.000, 0.793] on 1\n0.0\n"
