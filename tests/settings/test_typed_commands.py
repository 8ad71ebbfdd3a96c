"""Typed commands are read by the declarations of their settings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import click
import pytest
from each_row import each_row
from hypothesis import given
from hypothesis import strategies as st
from source_tree import parsed, product_files

from fiducial.cli.main import LazyGroup
from fiducial.proposed_steps import Option
from fiducial.settings.setting import verb_settings
from fiducial.settings.typed_commands import option_of_verb, proposed, settings_of, typed_command

NAMES = ("command", "proposed", "options_named")
"""Functions that take a verb and names of its settings."""


def every_command(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[str]:
    with click.Context(group) as context:
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            if isinstance(found, click.Group):
                yield from every_command(found, (*words, name))
            else:
                yield " ".join((*words, name))


def test_every_command_has_settings_that_are_found_by_its_name():
    assert [verb for verb in every_command(LazyGroup("fiducial")) if settings_of(verb) is None] == []


@pytest.mark.parametrize("verb", ["", "unknown", "run away", "setting", "../run", "import_", "run_settings"])
def test_nothing_else_has_settings(verb: str):
    assert settings_of(verb) is None


@each_row(
    ("text", "arguments", "options"),
    [
        (
            "fiducial run c.jsonl --outputs a b --out 'my run'",
            ("c.jsonl",),
            [("outputs", "a", "b"), ("out", "my run")],
        ),
        ("fiducial run --outputs a c.jsonl --out r", ("c.jsonl",), [("outputs", "a"), ("out", "r")]),
        (
            "fiducial run c --judge=a b --model=m --again",
            ("c",),
            [("judges", "a", "b"), ("model", "m"), ("again",)],
        ),
        ("fiducial run c --out r d", ("c", "d"), [("out", "r")]),
        (
            "fiducial run c --pass-at j=1 0.5 --unsure -1",
            ("c",),
            [("pass_at", "j=1", "0.5"), ("unsure", "-1")],
        ),
        ("fiducial run c --json --out r", ("c",), [("json_file",), ("out", "r")]),
        ("fiducial run c --json - --plugin p.py", ("c",), [("json_file", "-"), ("plugin", "p.py")]),
        ("fiducial run --out r -- -c --out", ("-c", "--out"), [("out", "r")]),
        ("fiducial run c --gone-since=1 --out r", ("c",), [("gone_since", "1"), ("out", "r")]),
        ("fiducial run c --out", ("c",), [("out",)]),
        ("fiducial labels add run file --by ann", ("run", "file"), [("by", "ann")]),
    ],
)
def test_words_are_arguments_and_options_by_setting(
    text: str, arguments: tuple[str, ...], options: list[tuple[str, ...]]
):
    typed = typed_command(text)
    assert typed is not None
    assert typed.arguments == arguments
    assert [(option.name, *option.values) for option in typed.options] == options
    assert str(typed) == text


@pytest.mark.parametrize(
    "text", ["", "fiducial", "fiducial.evaluate", "fiducial run 'c", "rm -r run", "fiducial gone c"]
)
def test_what_is_no_command_is_none(text: str):
    assert typed_command(text) is None


WORDS = st.text(st.characters(exclude_characters="-\0", exclude_categories=("Cs",)), max_size=9)


@given(st.lists(WORDS, min_size=1, max_size=3), WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_a_proposed_command_is_read_as_it_was_made(cases: list[str], out: str, judges: list[str]):
    made = proposed("run", *cases, judges=tuple(judges), out=out, again=True)
    assert typed_command(str(made)) == made._replace(typed=str(made))


def test_a_setting_is_written_as_its_verb_declares_it():
    assert str(proposed("plan", "TABLE", draw=50)) == "fiducial plan TABLE --next 50"
    assert proposed("audit certify", judge="j").options == (Option("judge", "--by", ("j",)),)
    assert option_of_verb("run", "endpoints") == "--endpoint"
    with pytest.raises(KeyError):
        proposed("review", "RUN", pass_at=1)


def test_every_command_in_a_text_has_the_settings_that_it_names():
    wrong: list[str] = []
    for path in product_files():
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in NAMES
                and node.args
            ):
                verb = node.args[0]
                if isinstance(verb, ast.Constant) and isinstance(verb.value, str):
                    settings = settings_of(verb.value)
                    known = set[str]()
                    for each in () if settings is None else verb_settings(settings):
                        known |= {each.name, each.option.removeprefix("--").replace("-", "_")}
                    given_ = {keyword.arg for keyword in node.keywords if keyword.arg is not None}
                    wrong += [f"{path.name}:{node.lineno}: {verb.value} {name}" for name in given_ - known]
                    wrong += [] if settings else [f"{path.name}:{node.lineno}: {verb.value}"]
    assert wrong == []
