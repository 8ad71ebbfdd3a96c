"""The examples of docs/judges.md in Python: run as they stand there, but for the address."""

from __future__ import annotations

import asyncio
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from judge_items import make_case, make_output
from provider_server import ProviderServer

PAGE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")


def test_the_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    jury, called, awaited = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    case, output = make_case(kind="grounded_answer", reference={}), make_output()
    names: dict[str, Any] = {"case": case, "output": output, "pairs": [(case, output)]}
    with ProviderServer() as server:
        address = "http://127.0.0.1:8000/v1"
        assert address in called
        exec(jury, names)
        exec(called.replace(address, server.base_url), names)
        exec(f"async def example():\n{textwrap.indent(awaited, '    ')}    return verdict\n", names)
        verdict = asyncio.run(names["example"]())
        names["judge"].close()
    assert capsys.readouterr().out.startswith("graded 1.0 ")
    assert verdict.score == 1.0
