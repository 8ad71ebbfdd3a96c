"""Code blocks on pages are run, parsed, or listed here with the reason."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple, cast

import click
import msgspec
from each_row import each_row
from played_page import ROOT, blocks, typed
from ruamel.yaml import YAML

from fiducial.cli.main import cli
from fiducial.evaluation.labelling.corrections import Correction
from fiducial.records import Case, Output, Verdict, decode_record

PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
]

RUN_ELSEWHERE = {
    "docs/calibration.md": "test_played_pages.py",
    "docs/extending.md": "../examples/test_own_things.py",
    "docs/formats.md": "test_formats_page.py",
    "docs/generate.md": "test_python_blocks.py",
    "docs/first-steps.md": "test_played_pages.py",
    "docs/judges.md": "test_python_blocks.py",
    "docs/preference.md": "test_python_blocks.py",
    "docs/promptflow.md": "test_python_blocks.py",
    "docs/python.md": "test_python_blocks.py",
    "docs/scale.md": "../engines/test_dask.py",
    "docs/testing.md": "test_python_blocks.py",
    "README.md": "test_readme.py",
}
"""Pages whose Python needs something around it: where it is run, or compared with files that are."""

EXCERPTS = {"docs/own-worlds.md"}
"""Pages whose Python cannot run: an outline whose bodies are `...`; the whole file is tests/examples/calendar_world.py."""


class Found(NamedTuple):
    """A block, with the page and its number there."""

    page: str
    number: int
    text: str

    @property
    def name(self) -> str:
        return f"{Path(self.page).name}-{self.number}"


def found(*languages: str) -> list[Found]:
    return [
        Found(page, number, block.text)
        for page in PAGES
        for number, block in enumerate(blocks((ROOT / page).read_text("utf-8")), start=1)
        if block.language in languages
    ]


def test_no_block_is_of_a_language_that_nothing_here_tries():
    known = {"python", "json", "sh", "console", "toml", "yaml", "text"}
    assert {block.language for page in PAGES for block in blocks((ROOT / page).read_text("utf-8"))} <= known


def pages_of_python() -> list[str]:
    return sorted({block.page for block in found("python")} - EXCERPTS)


@each_row("page", pages_of_python())
def test_python_runs(page: str, tmp_path: Path):
    """By itself, one block after another in a fresh process, unless a test of its own does it."""
    if page in RUN_ELSEWHERE:
        assert (Path(__file__).parent / RUN_ELSEWHERE[page]).is_file()
        return
    script = "\n".join(
        block.text for block in blocks((ROOT / page).read_text("utf-8")) if block.language == "python"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr


RECORDS: tuple[tuple[frozenset[str], type[msgspec.Struct]], ...] = (
    (frozenset({"kind"}), Case),
    (frozenset({"source", "outcome"}), Verdict),
    (frozenset({"was"}), Correction),
    (frozenset({"case_id"}), Output),
)
"""The keys that tell a record, in the order in which they are looked for."""

OTHER_JSON = {"mcp.md-2": "settings of an assistant"}
"""Blocks of JSON that show no record, and what they show."""


@each_row("block", lambda: found("json"))
def test_json_is_read_as_the_records_that_it_shows(block: Found):
    values = list(_values(block.text))
    assert values
    shown = [next((kind for keys, kind in RECORDS if keys <= value.keys()), None) for value in values]
    assert (None in shown) == (block.name in OTHER_JSON)
    for value, kind in zip(values, shown, strict=True):
        if kind is not None:
            assert isinstance(decode_record(json.dumps(value).encode(), kind), kind)


def _values(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    while text.strip():
        value, end = decoder.raw_decode(text.lstrip())
        yield value
        text = text.lstrip()[end:]


@each_row("block", lambda: found("sh", "console"))
def test_commands_have_the_options_that_they_are_shown_with(block: Found):
    text = block.text
    if re.search(r"^\$ ", text, re.MULTILINE):
        text = "".join(f"{each.command}\n" for each in typed(text))
    commands = [words for line in re.sub(r"\\\n", " ", text).splitlines() for words in _commands(line)]
    assert commands
    assert {words[0] for words in commands} <= {"fiducial", *OTHER_PROGRAMS}
    for program, *words in commands:
        if program == "fiducial":
            _parse(words)


OTHER_PROGRAMS = frozenset(
    [
        ".",
        "cd",
        "cp",
        "cut",
        "echo",
        "grep",
        "head",
        "inspect",
        "make",
        "nice",
        "openssl",
        "pf",
        "pip",
        "pipx",
        "pytest",
        "python",
        "python3",
        "sparrow-decider",
        "ssh-keygen",
        "tail",
        "vllm",
    ]
)
"""Programs of others that pages show, whose options are not looked at."""

_ASSIGNMENT = re.compile(r"[A-Z_]+=")


def _commands(line: str) -> Iterator[list[str]]:
    """Yield the words of each command in a line of shell, the settings before it left out."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words: list[str] = []
    is_file = False
    for word in [*lexer, ";"]:
        if set(word) <= set("|&;<>"):
            if words:
                yield words
            words, is_file = [], word.startswith((">", "<"))
        elif is_file:
            is_file = False
        elif words or not _ASSIGNMENT.match(word):
            words.append(word)


def _parse(words: list[str]) -> None:
    """Parse a command and its options as the command line would; placeholders match any word."""
    command = cast("click.Command", cli)
    context = click.Context(cli, info_name="fiducial")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        if "--plugin" in words:  # which brings what it is called with
            return
        chosen = command.get_command(context, words[0])
        assert chosen is not None, words
        command, words = cast("click.Command", chosen), words[1:]
        context = click.Context(command, parent=context, info_name=command.name)
    if words not in (["--help"], ["..."]):
        command.make_parser(context).parse_args([word for word in words if word != "..."])


@each_row("block", lambda: found("toml", "yaml"))
def test_settings_are_read(block: Found):
    try:
        assert tomllib.loads(block.text)
    except tomllib.TOMLDecodeError:
        assert YAML(typ="safe").load(StringIO(block.text))  # pyright: ignore[reportUnknownMemberType] - ruamel.yaml has no types
