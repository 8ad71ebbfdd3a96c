"""Settings are spelled as options on the command line and as arguments in Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from importlib import import_module

import pytest
from each_row import each_row
from source_tree import ROOT, parsed, product_files

import fiducial as fd
from fiducial.cli.spelled_options import option_of
from fiducial.errors import FiducialError
from fiducial.settings.setting import DeclaredSettings, declared
from fiducial.spelling import (
    command,
    either,
    flag,
    names_a_setting,
    setting,
    spelled_as_options,
    spelled_pairs,
    spelled_scale,
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
    assert command("plan", "TABLE", next=50) == "fiducial plan TABLE --next 50"
    assert (
        command("run", cost=["a=1", "b=2"], again=True, out=None)
        == "fiducial run --cost a=1 --cost b=2 --again"
    )


@pytest.mark.parametrize("name", ["--max-cost Ltd", "a `--out` b", "tool --next kind"])
def test_what_a_user_named_is_never_respelled(name: str):
    with pytest.raises(FiducialError) as raised:
        fd.check(
            fd.Case(id="c", kind=name, messages=[{"role": "user", "content": "?"}]),
            fd.Output(case_id="c", system="s", text=""),
        )
    assert name in str(raised.value)


CORE = ("calibration", "deterministic", "evaluation", "formats", "judges", "records", "tables")


def options_declared() -> set[str]:
    names: set[str] = set()
    for path in sorted((ROOT / "settings" / "verbs").glob("[a-z]*.py")):
        module = import_module(f"fiducial.settings.verbs.{path.stem}")
        for verb in vars(module).values():
            if isinstance(verb, type) and issubclass(verb, DeclaredSettings):
                names |= {each.option for each in declared(verb)}
    return names


def test_the_core_writes_no_option():
    options = options_declared()
    found: list[str] = []
    for path in product_files():
        if path.relative_to(ROOT).parts[0] not in {*CORE, "errors.py", "plugins.py"}:
            continue
        if "--" not in path.read_text(encoding="utf-8"):
            continue
        tree = parsed(path)
        prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                named = {*re.findall(r"(?<![\w-])--[a-z][a-z-]*", node.value)} & options
                named |= {"--..."} if re.search(r"(?<![\w-])--$", node.value) else set()  # f"--{name}"
                found += [f"{path.relative_to(ROOT)}:{node.lineno}: {name}" for name in sorted(named)]
    assert found == []
