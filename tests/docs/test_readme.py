"""The README is what a new user types: its examples run, and what it shows is what is printed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from command import fiducial
from provider_server import Answer, ProviderServer, Response, Seen, in_the_form_asked_for

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


CASES, OUTPUTS = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
FIRST = re.findall(r"```sh\nexport [^\n]*\n(fiducial run.*?)```", README, re.DOTALL)[0]
COMMANDS = re.findall(r"```sh\n(fiducial check cases.*?)```", README, re.DOTALL)[0]


def typed(block: str) -> list[list[str]]:
    """The commands of a block, as a shell splits them."""
    joined = re.sub(r"\\\n", " ", block)
    return [shlex.split(line, comments=True)[1:] for line in joined.splitlines()]


def written(folder: Path, cases: str = CASES, outputs: str = OUTPUTS) -> None:
    (folder / "cases.jsonl").write_text(cases)
    (folder / "outputs.jsonl").write_text(outputs)


def scores(folder: Path) -> list[float]:
    return [json.loads(line)["score"] for line in (folder / "verdicts.jsonl").read_text().splitlines()]


def test_the_example_works_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    check, run = typed(COMMANDS)
    checked = fiducial(*check)
    assert (checked.code, scores(tmp_path)) == (0, [1.0, 0.0]), checked.err
    with ProviderServer(script=in_the_form_asked_for(lambda seen: int("Milan" not in seen.text))) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        ran = fiducial(*run)
    assert ran.code == 0, ran.err
    assert "No significant difference" in ran.out
    (planned,) = [line for line in ran.out.splitlines() if line.startswith("  fiducial plan ")]
    assert fiducial(*shlex.split(planned)[1:]).code == 0
    told = fiducial(*run, "-v").out
    assert "my-agent\n  checker decided: 1.00 [0.21, 1.00] on 1 of 1\n" in told
    assert "tp 1, fp 0, fn 0, tn 1" in told
    assert (tmp_path / "run" / "report.html").exists()


def test_the_first_example_goes_from_cases_and_a_model_to_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cases.jsonl").write_text(CASES)
    judged = in_the_form_asked_for()

    def both(seen: Seen) -> Response:
        if seen.body["model"] == "my-model":
            return Answer(None, calls=[("book", '{"city": "Roma", "nights": 2}')])
        return judged(seen)

    with ProviderServer(script=both) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        (command,) = typed(FIRST)
        ran = fiducial(*command)
    assert ran.code == 0, ran.err
    assert "my-model: 1 of 1 outputs, 1 generated now" in ran.out
    assert "my-model: 1.00 [0.21, 1.00] of 1" in ran.out
    assert (tmp_path / "run" / "report.html").exists()


@pytest.mark.parametrize("rules", ["strict", "bfcl"])
def test_the_order_of_the_tools_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str):
    monkeypatch.chdir(tmp_path)
    case = json.loads(CASES)
    assert [tool["name"] for tool in case["tools"]] == ["get_weather", "book"]
    check, _ = typed(COMMANDS)
    for tools in (case["tools"], case["tools"][::-1]):
        written(tmp_path, json.dumps({**case, "tools": tools}))
        assert fiducial(*check, "--rules", rules).code == 0
        assert scores(tmp_path) == [1.0, 0.0]


def test_the_demo_output_shown_is_what_the_demo_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (shown,) = re.findall(r"<!-- demo -->\n```text\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    printed = fiducial("demo").out
    for piece in re.split(r"^ *\[\.\.\.\]\n", shown, flags=re.MULTILINE):
        assert piece.strip("\n") in printed
        printed = printed.partition(piece.strip("\n"))[2]
    assert printed.strip() == ""


def test_every_page_of_the_documentation_is_linked():
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert pages
    assert pages - set(re.findall(r"\]\(([^)#]+)", README)) == set()


def test_every_command_named_exists():
    for name in set(re.findall(r"`fiducial ([a-z]+)", README)):
        assert fiducial(name, "--help").code == 0, name
