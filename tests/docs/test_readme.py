"""README examples run, and print the output they show."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from command import fiducial, verdicts_in
from provider_server import Answer, ProviderServer, Response, Seen, in_the_form_asked_for

from fiducial.formats.readers import NAMES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


TABLE, *_ = re.findall(r"`answers.csv`.*?:\n\n```text\n(.*?)```", README, re.DOTALL)
(PYTHON,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
(COMMANDS,) = re.findall(r"```sh\n(fiducial import.*?)```", README, re.DOTALL)
GENERATE = (ROOT / "docs" / "generate.md").read_text(encoding="utf-8")
CASES, *_ = re.findall(r"```json\n(.*?)```", GENERATE, re.DOTALL)
FIRST, *_ = re.findall(r"```sh\n(fiducial run .*?)```", GENERATE, re.DOTALL)
CHECK = ["check", "cases.jsonl", "--outputs", "outputs.jsonl", "--out", "verdicts.jsonl"]
RUN = ["run", "cases.jsonl", "--outputs", "outputs.jsonl", "--out", "run"]
OUTPUTS = """\
{"case_id": "trip-1", "system": "my-agent", "tool_calls": [{"name": "book", "arguments": {"city": "Rome", "nights": 2}}]}
{"case_id": "trip-1", "system": "my-other-agent", "text": "[book(city='Milan', nights=2)]"}
"""


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
    (tmp_path / "answers.csv").write_text(TABLE)
    imported, run = typed(COMMANDS)
    read = fiducial(*imported)
    assert read.code == 0, read.err
    assert "thumbs: 3 graded" in read.out
    printed = shlex.split(read.out.partition("next: ")[2].splitlines()[0])
    assert printed[1:] == ["gpt-4.1-mini" if each == "baseline" else each for each in run]
    ran = fiducial(*run)
    assert ran.code == 0, ran.err
    assert re.findall(r"`([^`\n]* outputs pass)`", README) == re.findall(r": (.* outputs pass),", ran.out)
    verdicts = verdicts_in("shop/run", source="checker")
    assert [verdict.outcome for verdict in verdicts] == ["undecided", "graded", "undecided", "graded"]
    assert [verdict.score for verdict in verdicts if verdict.outcome == "graded"] == [1.0, 0.0]
    assert len(verdicts_in("shop/run", source="judge", outcome="graded")) >= 2
    assert (tmp_path / "shop" / "run" / "report.html").exists()


def test_python_comes_to_the_rate_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.csv").write_text(TABLE)
    imported, run = typed(COMMANDS)
    fiducial(*imported)
    rate, *_ = fiducial(*run).out.splitlines()
    capsys.readouterr()
    exec(PYTHON, {})
    assert rate.split(":")[1] == capsys.readouterr().out.splitlines()[0].split(":")[1]
    assert (tmp_path / "shop.html").exists()


def test_two_systems_are_compared_and_the_next_step_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    run = [*RUN, "--judge", "tool_call_accuracy", "--model", "gpt-4.1-mini"]
    with ProviderServer(script=in_the_form_asked_for(lambda seen: int("Milan" not in seen.text))) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        ran = fiducial(*run)
    assert ran.code == 0, ran.err
    assert "No significant difference" in ran.out
    (planned,) = [line for line in ran.out.splitlines() if line.startswith("  fiducial plan ")]
    assert fiducial(*shlex.split(planned)[1:]).code == 0
    told = fiducial(*run, "-v").out
    assert "my-agent\n  checked: 1.00 [0.21, 1.00], n 1 of 1\n" in told
    assert "tp 1, fp 0, fn 0, tn 1" in told
    assert (tmp_path / "run" / "report.html").exists()


def test_the_example_of_generating_goes_from_cases_and_a_model_to_a_report(
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
        command, *_ = typed(FIRST)
        ran = fiducial(*command)
    assert ran.code == 0, ran.err
    assert "my-model: 1 of 1 output, 1 generated now" in ran.out
    assert "my-model: 1.00 [0.21, 1.00] of 1" in ran.out
    assert (tmp_path / "run" / "report.html").exists()


@pytest.mark.parametrize("rules", ["strict", "bfcl"])
def test_the_order_of_the_tools_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str):
    monkeypatch.chdir(tmp_path)
    case = json.loads(CASES)
    assert [tool["name"] for tool in case["tools"]] == ["get_weather", "book"]
    for tools in (case["tools"], case["tools"][::-1]):
        written(tmp_path, json.dumps({**case, "tools": tools}))
        assert fiducial(*CHECK, "--rules", rules).code == 0
        assert scores(tmp_path) == [1.0, 0.0]


def test_as_many_formats_are_named_as_there_are_readers():
    told = re.findall(
        r"(\d+) formats", README + (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    )
    assert told == [str(len(NAMES))] * 2


BEFORE, _, MORE = README.partition("## More\n")


def test_the_readme_says_what_it_is_within_400_words_and_then_gives_ten_links():
    assert len(re.sub(r"\]\([^)]*\)", "]", BEFORE).split()) < 400
    assert len(re.findall(r"\]\(", MORE)) == 10


def test_a_fresh_machine_is_given_two_commands_before_anything_is_installed():
    first, *_ = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    commands = [line.partition("#")[0].strip() for line in first.splitlines()]
    assert commands == ["make demo", "make test"]
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert {command.split()[1] for command in commands} <= set(targets)
    assert README.index("pip install") > README.index("make test")


def test_the_table_has_six_questions():
    rows = re.findall(r"^\| (?!question|---).*\|$", BEFORE, re.MULTILINE)
    assert len(rows) == 6
    assert all("`fiducial " in row for row in rows)


INDEX = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_every_page_of_the_documentation_is_in_the_index():
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages
    assert pages - set(re.findall(r"\]\(([^)#]+)", INDEX.partition("## All pages")[2])) == set()


def test_the_sites_navigation_has_at_most_forty_entries():
    groups = re.findall(r"^\* \*[^*]+\*: (.*)$", INDEX, re.MULTILINE)
    above = [re.sub(r" \((?:\[[^\]]*\]\([^)]*\)(?:, )?)+\)", "", group) for group in groups]
    assert 20 < sum(group.count("](") for group in above) <= 40


def test_every_command_named_exists():
    names = set(re.findall(r"`fiducial ([a-z]+)", README))
    assert "run" in names
    for name in names:
        assert fiducial(name, "--help").code == 0, name
