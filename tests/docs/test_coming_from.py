"""docs/coming-from.md covers every tool that people come from, and names only what exists."""

from __future__ import annotations

import re

import click
from each_row import each_row
from played_page import ROOT

import fiducial as fd
from fiducial.cli.main import cli

PAGE = (ROOT / "docs" / "coming-from.md").read_text("utf-8")
HEADINGS = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
TOOLS = [
    "BFCL",
    "agbenchmark",
    "promptflow",
    "Azure",
    "Inspect",
    "promptfoo",
    "DeepEval",
    "ragas",
    "LangSmith",
]
OURS = [row.rsplit(" | ", 1)[1] for row in re.findall(r"^\| (?!theirs)(.* \| .*) \|$", PAGE, re.MULTILINE)]
SPANS = [span for cell in OURS for span in re.findall(r"`([^`]+)`", cell)]
EXAMPLES = "\n".join(re.findall(r"^fiducial (?:.*)$", PAGE, re.MULTILINE)).splitlines()
COMMANDS = sorted({each for each in (*SPANS, *EXAMPLES) if each.startswith("fiducial ")})


THEIRS = {
    "BFCL": ["possible_answer", "real_time_match", "_result.json", "_score.json", "ground_truth"],
    "agbenchmark": ["mock_func", "artifacts_out", "--test=TestExample", "report.json"],
    "promptflow": ["pf flow test", "flow.dag.yaml", "tool_calls", "tool_definitions", ".prompty"],
}


@each_row("tool", THEIRS)
def test_names_that_people_look_for_are_in_a_section(tool: str):
    section = next(part for part in PAGE.split("\n## ") if tool in part.partition("\n")[0])
    theirs = "\n".join(row.rsplit(" | ", 1)[0] for row in section.splitlines() if row.startswith("| "))
    assert [name for name in THEIRS[tool] if name not in theirs] == []


@each_row("tool", TOOLS)
def test_a_tool_has_a_section_with_a_table(tool: str):
    (heading,) = [each for each in HEADINGS if re.search(rf"\b{tool}\b", each)]
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    assert re.search(r"^\| .* \| fiducial \|$", section, re.MULTILINE)


@each_row("command", COMMANDS)
def test_a_command_that_is_named_exists(command: str):
    found: click.Command = cli
    context = click.Context(found)
    for word in command.split()[1:]:
        if not isinstance(found, click.Group) or word.startswith("-"):
            break
        chosen = found.get_command(context, word)
        assert chosen is not None, f"no command {word!r} in {command!r}"
        found = chosen
        context = click.Context(found, parent=context)
    options = {name for parameter in found.params for name in parameter.opts}
    assert set(re.findall(r"(?<=\s)--[a-z-]+", command)) - options == set()


def test_every_name_of_the_python_api_exists():
    named = set(re.findall(r"\bfd\.(\w+)", PAGE))
    assert named
    assert sorted(name for name in named if not hasattr(fd, name)) == []


def test_every_option_named_by_itself_exists_somewhere():
    def options(command: click.Command) -> set[str]:
        own = {name for parameter in command.params for name in parameter.opts}
        if not isinstance(command, click.Group):
            return own
        context = click.Context(command)
        below = [command.get_command(context, name) for name in command.list_commands(context)]
        return own.union(*(options(each) for each in below if each is not None))

    alone = {span.split()[0] for span in SPANS if span.startswith("--")}
    assert alone
    assert alone - options(cli) == set()
