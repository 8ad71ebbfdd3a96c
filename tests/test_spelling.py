"""Settings are spelled as options on the command line and as arguments in Python."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable
from importlib import import_module

import pytest
from each_row import each_row
from source_tree import ROOT, parsed, product_files

import fiducial as fd
from fiducial.cli.spelled_options import option_of
from fiducial.errors import FiducialError
from fiducial.proposed_steps import Command, Option, PythonCall, read_by
from fiducial.settings.setting import DeclaredSettings, verb_settings
from fiducial.spelling import (
    command,
    either,
    flag,
    names_a_setting,
    setting,
    spelled_as_options,
    spelled_pairs,
    spelled_scale,
    spelled_word,
    together,
    without,
)


@each_row(
    ("spelled", "python", "options"),
    [
        (lambda: setting("pass_at"), "pass_at=", "--pass-at"),
        (lambda: setting("price", "IN/OUT"), "price=IN/OUT", "--price IN/OUT"),
        (lambda: setting("endpoints", "http://h/v1"), "endpoints=http://h/v1", "--endpoint http://h/v1"),
        (lambda: setting("costs", "label"), "costs=label", "--cost label"),
        (lambda: spelled_word("engine", "ray"), "engine='ray'", "--engine ray"),
        (lambda: spelled_word("by", "my tag"), "by='my tag'", "--by 'my tag'"),
        (lambda: flag("keep_crashes"), "keep_crashes=True", "--keep-crashes"),
        (lambda: without("cache"), "cache=False", "--no-cache"),
        (lambda: spelled_pairs("map", {"score": "a b"}), "map={'score': 'a b'}", "--map 'score=a b'"),
        (
            lambda: spelled_pairs("map", [("score", "a"), ("score", "b")]),
            "map={'score': 'a', 'b': 'score'}",
            "--map score=a --map score=b",
        ),
        (
            lambda: spelled_pairs("map_label", {"late": None, "fine": 1, "no": "?"}),
            "map_label={'late': None, 'fine': 1, 'no': '?'}",
            "--map-label late= --map-label fine=1 --map-label 'no=?'",
        ),
        (lambda: spelled_scale("label_scale", "1:5"), "label_scale=(1, 5)", "--label-scale 1:5"),
        (
            lambda: spelled_scale("score_scale", "?:?", "a b"),
            "score_scale={'a b': ('?', '?')}",
            "--score-scale 'a b=?:?'",
        ),
        (
            lambda: together(setting("map", "a"), "", setting("seed", 1)),
            "map=a, seed=1",
            "--map a --seed 1",
        ),
        (lambda: either("typed", "called"), "called", "typed"),
    ],
)
def test_each_surface_writes_settings_its_own_way(spelled: Callable[[], str], python: str, options: str):
    assert spelled() == python
    with spelled_as_options(option_of):
        assert spelled() == options


def test_a_text_that_says_what_to_set_is_known_on_each_surface():
    for spelled in (
        lambda: spelled_scale("score_scale", "1:5", "a b"),
        lambda: spelled_pairs("map", {"label": "x"}),
        lambda: setting("seed", 1),
    ):
        assert names_a_setting(f"not all from 0 to 1: {spelled()}")
        with spelled_as_options(option_of):
            assert names_a_setting(f"not all from 0 to 1: {spelled()}")
    assert not names_a_setting("not JSON: it ends at column 7, a = b")


def test_a_command_is_one_that_can_be_typed():
    assert str(command("plan", "TABLE", next=50)) == "fiducial plan TABLE --next 50"
    repeated = command("run", cost=["a=1", "b=2"], again=True, out=None)
    assert str(repeated) == "fiducial run --cost a=1 --cost b=2 --again"
    quoted = command("run", "a b.jsonl", judge=("it's", "k"), out="~/$x")
    assert shlex.split(str(quoted)) == [
        "fiducial",
        "run",
        "a b.jsonl",
        "--judge",
        "it's",
        "k",
        "--out",
        "~/$x",
    ]
    assert f"`{command('review', 'a;b')}`" == "`fiducial review 'a;b'`"


def test_a_command_on_what_was_read_names_it():
    read = Command("plan", ("a b.csv",), (Option("columns", "--map", ("label=x y",)),))
    proposed = command("plan", "TABLE", next=50), command("plan", "other", next=1), command("review", "TABLE")
    with read_by({"plan": read}):
        assert [str(each) for each in proposed] == [
            "fiducial plan 'a b.csv' --map 'label=x y' --next 50",
            "fiducial plan other --next 1",
            "fiducial review TABLE",
        ]
    assert str(proposed[0]) == "fiducial plan TABLE --next 50"


def test_what_was_typed_is_shown_as_it_stands_until_it_is_changed():
    judges = Option("judges", "--judge", ("a", "b@old"))
    typed = Command(
        "run", ("c",), (judges, Option("out", "--out", ("r",))), "fiducial run c --judge=a b@old --out r"
    )
    assert str(typed.also(Option("model", "--model", ("m",)))) == f"{typed.typed} --model m"
    assert str(typed.without("out")) == "fiducial run c --judge a b@old"
    newer = typed.with_values("judges", lambda judge: judge.replace("old", "new"))
    assert str(newer) == "fiducial run c --judge a b@new --out r"
    assert typed.given("out", "judges", "model") == typed.options[::-1]


def test_a_call_in_python_writes_its_arguments():
    call = PythonCall("evaluate", {"judges": [..., 'a "b"'], "pass_at": {"j": 0.75}, "repeats": 2})
    assert str(call) == 'fd.evaluate(..., judges=[*judges, "a \\"b\\""], pass_at={"j": 0.75}, repeats=2)'


@pytest.mark.parametrize("name", ["--max-cost Ltd", "a `--out` b", "tool --next kind"])
def test_what_a_user_named_is_never_respelled(name: str):
    with pytest.raises(FiducialError) as raised:
        fd.check(
            fd.Case(id="c", kind=name, messages=[{"role": "user", "content": "?"}]),
            fd.Output(case_id="c", system="s", text=""),
        )
    assert name in str(raised.value)


SPELLED = (
    "api",
    "calibration",
    "deterministic",
    "evaluation",
    "formats",
    "judges",
    "records",
    "report",
    "tables",
)
"""Rooms whose texts name settings by `spelling`."""

EXCEPTIONS = {
    "api/audits.py: --model": "an option of Inspect's command",
    "report/document_parts.py: --...": "`:--` aligns a column of a table in Markdown",
}
"""Texts that look like options, each with the reason why it stays."""


def options_declared() -> set[str]:
    names: set[str] = set()
    for path in sorted((ROOT / "settings" / "verbs").glob("[a-z]*.py")):
        module = import_module(f"fiducial.settings.verbs.{path.stem}")
        for verb in vars(module).values():
            if isinstance(verb, type) and issubclass(verb, DeclaredSettings):
                names |= {each.option for each in verb_settings(verb)}
    return names


def test_only_the_command_line_writes_options():
    options = options_declared()
    found: list[str] = []
    for path in product_files():
        if path.relative_to(ROOT).parts[0] not in {*SPELLED, "errors.py", "plugins.py"}:
            continue
        if "--" not in path.read_text(encoding="utf-8"):
            continue
        tree = parsed(path)
        prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                named = {*re.findall(r"(?<![\w-])--[a-z][a-z-]*", node.value)} & options
                named |= {"--..."} if re.search(r"(?<![\w-])--$", node.value) else set()  # f"--{name}"
                found += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(named)]
    assert {*found} == {*EXCEPTIONS}
