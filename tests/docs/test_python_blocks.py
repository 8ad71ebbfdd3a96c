"""Python on pages that needs an endpoint, a project or a tool: run with other addresses."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from choosing import choosing
from judge_items import make_case, make_output
from played_page import ROOT, blocks
from provider_server import ProviderServer, in_the_form_asked_for

ADDRESS = "http://127.0.0.1:8000/v1"


def python_of(page: str) -> list[str]:
    return [
        block.text
        for block in blocks((ROOT / "docs" / page).read_text("utf-8"))
        if block.language == "python"
    ]


@pytest.fixture(autouse=True)
def a_folder_of_ones_own(bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


def test_generating_with_an_agent_and_with_a_model(
    server: ProviderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (block,) = python_of("generate.md")
    assert ADDRESS in block
    page = (ROOT / "docs/generate.md").read_text("utf-8")
    case = next(each.text for each in blocks(page) if each.language == "json")
    (tmp_path / "cases.jsonl").write_text(case)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(block.replace(ADDRESS, server.base_url), names)
    assert [each.trial for each in names["outputs"]] == [0, 1, 2]
    assert names["run"].systems["my-model"].decided.n == 3


def test_a_judge_as_an_evaluator(server: ProviderServer):
    server.script = in_the_form_asked_for()
    block = python_of("promptflow.md")[1]
    assert "https://..." in block
    body = block.replace("https://...", server.base_url)
    names: dict[str, Any] = {}
    exec(f"async def example():\n{textwrap.indent(body, '    ')}", names)
    asyncio.run(names["example"]())
    assert server.seen


def test_a_judge_as_a_flex_flow(tmp_path: Path):
    exec(python_of("promptflow.md")[2], {})
    assert (tmp_path / "rubric_flow" / "flow.flex.yaml").is_file()


def test_a_prompt_file_in_promptflow(server: ProviderServer, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("promptflow.core", reason="make promptflow brings promptflow")
    server.script = in_the_form_asked_for()
    block = python_of("promptflow.md")[0].replace(
        "base_url=..., api_key=...", f"base_url={server.base_url!r}, api_key='k'"
    )
    exec(block.replace("prompts/", f"{ROOT}/prompts/"), {})
    assert server.seen


def test_a_judge_in_azures_evaluation(server: ProviderServer, tmp_path: Path):
    pytest.importorskip("azure.ai.evaluation", reason="make promptflow brings azure-ai-evaluation")
    server.script = in_the_form_asked_for()
    (tmp_path / "rows.jsonl").write_text(
        '{"query": "Which city?", "response": "Rome", "criterion": "It names a city."}\n'
    )
    settings = {"OPENAI_BASE_URL": server.base_url, "PF_HOME_DIRECTORY": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", python_of("promptflow.md")[3]], capture_output=True, text=True, env={**os.environ, **settings}, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert server.seen


@pytest.mark.slow
def test_a_test_that_rests_on_a_cassette(
    pytester: pytest.Pytester, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("CI", raising=False)
    server.script = in_the_form_asked_for()
    pytester.makeini("[pytest]\npythonpath = .")
    (pytester.path / "my_agent.py").write_text("def answer(question):\n    return 'On Monday.'\n")
    pytester.mkdir("tests")
    (pytester.path / "tests" / "test_refund.py").write_text(python_of("testing.md")[0])
    plain = ("-p", "no:cacheprovider")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    assert pytester.runpytest_subprocess(*plain, "--fiducial-record").ret == 0
    asked = len(server.seen)
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert pytester.runpytest_subprocess(*plain).ret == 0
    assert (asked, len(server.seen)) == (1, 1)


def test_judges_and_a_jury(server: ProviderServer, capsys: pytest.CaptureFixture[str]):
    jury, called, awaited = python_of("judges.md")
    assert ADDRESS in called
    case, output = make_case(kind="grounded_answer", reference={}), make_output()
    names: dict[str, Any] = {"case": case, "output": output, "pairs": [(case, output)]}
    exec(jury, names)
    exec(called.replace(ADDRESS, server.base_url), names)
    exec(f"async def example():\n{textwrap.indent(awaited, '    ')}    return verdict\n", names)
    verdict = asyncio.run(names["example"]())
    names["judge"].close()
    assert capsys.readouterr().out.startswith("graded 1.0 ")
    assert verdict.score == 1.0


def test_which_of_two_is_better(server: ProviderServer, capsys: pytest.CaptureFixture[str]):
    server.script = choosing(lambda first, second: "first" if "scatters" in first else "second")
    (example,) = python_of("preference.md")
    assert ADDRESS in example
    exec(example.replace(ADDRESS, server.base_url), {})
    assert capsys.readouterr().out == "1 0.000 [0.000, 0.793] (n 1)\n0.0\n"


def test_the_examples_of_python_run_in_order_and_write_nothing(tmp_path: Path):
    examples = python_of("python.md")
    assert len(examples) == 5
    command = [sys.executable, "-c", "\n".join(examples)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1.0\n1.000 [")
    assert list(tmp_path.iterdir()) == []
