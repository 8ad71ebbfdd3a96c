from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import fiducial
from installed_plugins import Install

import fiducial as fd
from fiducial.data import demo_path
from fiducial.errors import ConfigurationError
from fiducial.plugins import AGENTS, CHECKERS, FUNCTIONS, OPERATORS, WORLDS, Plugin, load_module, look_up

Write = Callable[[str, str], Path]

DECORATED = """
from fiducial.plugins import CHECKERS

@CHECKERS.registering("sql")
def same_rows(case, output):
    return True
"""


def first(case: object, output: object) -> bool:
    return True


def second(case: object, output: object) -> bool:
    return False


def test_what_a_decorator_stands_on_is_found_by_its_name_and_stays_what_it_is(install: Install):
    assert CHECKERS.registering("sql")(first) is first
    assert CHECKERS["sql"] is first
    assert (list(CHECKERS), "sql" in CHECKERS, "soap" in CHECKERS, CHECKERS.get("soap")) == (
        ["sql"],
        True,
        False,
        None,
    )


def test_an_entry_point_is_imported_when_its_name_is_asked_for_and_not_before(
    install: Install, own_module: Write
):
    own_module("sql_rows", "def same_rows(case, output): return True")
    install("checkers", "sql", "sql_rows:same_rows")
    assert ("sql" in CHECKERS, list(CHECKERS), "sql_rows" in sys.modules) == (True, ["sql"], False)
    assert CHECKERS["sql"].__name__ == "same_rows"


def test_an_entry_point_may_name_a_module_whose_decorators_give_the_names(
    install: Install, own_module: Write
):
    own_module("sql_rows", DECORATED)
    install("checkers", "sql", "sql_rows")
    assert CHECKERS["sql"].__name__ == "same_rows"
    assert CHECKERS.load_all() == [Plugin("checkers", "sql", "sql_rows")]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("no_such_module:check", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("sql_rows:no_such_name", "AttributeError: module 'sql_rows' has no attribute 'no_such_name'"),
        ("sql_rows:NUMBER", "expected a function of a case and an output, got 5"),
        ("sql_rows", "expected a function of a case and an output, got <module 'sql_rows'"),
        ("broken_rows:check", "RuntimeError: not today, nor tomorrow"),
        ("leaving_rows:check", "SystemExit: 3"),
        ("not a reference", "AttributeError"),
    ],
)
def test_what_cannot_be_used_is_one_line_for_who_asks_for_it_and_for_the_list(
    value: str, why: str, install: Install, own_module: Write
):
    own_module("sql_rows", "NUMBER = 5")
    own_module("broken_rows", "raise RuntimeError('not today,\\nnor tomorrow')")
    own_module("leaving_rows", "raise SystemExit(3)")
    install("checkers", "sql", value)
    with pytest.raises(ConfigurationError) as told:
        _ = CHECKERS["sql"]
    assert str(told.value).startswith(f"'sql' of fiducial.checkers ({value}) cannot be used: {why}")
    assert "\n" not in str(told.value)
    ((_, _, _, problem),) = CHECKERS.load_all()
    assert problem is not None
    assert problem.startswith(why)


def test_one_that_is_broken_is_in_nobodys_way(install: Install):
    install("checkers", "sql", "no_such_module:check")
    CHECKERS.register("soap", first)
    assert CHECKERS["soap"] is first
    usable, unusable = CHECKERS.loaded()
    assert (usable, [plugin.name for plugin in unusable]) == ({"soap": first}, ["sql"])


def test_a_decorator_is_usable_beside_a_broken_entry_point_of_its_name(install: Install):
    install("checkers", "sql", "no_such_module:check")
    CHECKERS.register("sql", first)
    assert CHECKERS.loaded() == ({"sql": first}, [])


@pytest.mark.parametrize("spec", ["no_such_module", "no_such_module:check"])
def test_a_module_that_is_missing_is_named_as_the_option_was_given(spec: str):
    with pytest.raises(ConfigurationError) as error:
        look_up("functions", spec, None)
    assert str(error.value).startswith(f"functions={spec}: cannot import 'no_such_module': ")


def test_a_name_that_two_packages_give_is_neither_of_them(install: Install):
    install("checkers", "sql", "one:check")
    install("checkers", "sql", "other:check")
    with pytest.raises(
        ConfigurationError, match=r"one:check, other:check\) cannot be used: several packages"
    ):
        _ = CHECKERS["sql"]


def test_a_definition_that_is_run_again_replaces_itself_but_nothing_else(install: Install):
    def cell() -> Callable[[object, object], bool]:
        def mine(case: object, output: object) -> bool:
            return True

        return mine

    CHECKERS.register("sql", cell())
    again = cell()
    CHECKERS.register("sql", again)
    assert CHECKERS["sql"] is again
    with pytest.raises(ConfigurationError, match=r"the name 'sql' is taken by .*mine, and .*second uses it"):
        CHECKERS.register("sql", second)


@pytest.mark.usefixtures("install")
def test_an_operator_is_where_its_function_is_and_gives_its_name_to_no_other():
    def named(mutate: Callable[..., Iterator[Any]]) -> None:
        fd.operator("shouted", family="answer", plants="twin", about="in capitals")(mutate)

    def one(*_: object) -> Iterator[Any]:
        yield from ()

    def other(*_: object) -> Iterator[Any]:
        yield from ()

    named(one)
    assert next(plugin.source for plugin in OPERATORS.load_all() if plugin.name == "shouted").endswith("one")
    with pytest.raises(ConfigurationError, match=r"'shouted' is taken by .*one, and .*other uses"):
        named(other)


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(ConfigurationError, match="checkers: 3 is not a name"):
        CHECKERS.register(3, first)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("decorator", [fd.statistic, fd.judge_function, fd.checker])
def test_a_decorator_without_a_name_is_refused(decorator: Any):
    with pytest.raises(ConfigurationError, match=r'the decorator needs a name in brackets: \("first"\)'):
        decorator(first)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "a@b", "_a", "-a", "a\n"])
def test_a_name_that_would_be_read_as_something_else_is_refused(name: str, install: Install):
    with pytest.raises(ConfigurationError, match="is not a name"):
        AGENTS.register(name, first)


def test_each_group_takes_what_it_holds(install: Install):
    with pytest.raises(ConfigurationError, match=r"worlds: 'Garden': expected a class with a method load"):
        WORLDS.register("Garden", first)
    with pytest.raises(ConfigurationError, match="agents: 'me': expected a function of a case, got 5"):
        AGENTS.register("me", 5)
    FUNCTIONS.register("tools", {"dig": first})


def test_a_file_is_loaded_once_under_a_name_of_its_own_and_finds_its_neighbours(
    install: Install, tmp_path: Path
):
    (tmp_path / "neighbour_of_json.py").write_text("CITY = 'Rome'", encoding="utf-8")
    (tmp_path / "json.py").write_text(f"import neighbour_of_json\n{DECORATED}", encoding="utf-8")
    before = list(sys.path)
    module = load_module(str(tmp_path / "json.py"))
    assert load_module(str(tmp_path / "json.py")) is module
    assert (CHECKERS["sql"], module.neighbour_of_json.CITY) == (module.same_rows, "Rome")
    assert (sys.path, sys.modules["json"].__name__) == (before, "json")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "no such file"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def", "SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named_in_one_line(text: str | None, why: str, tmp_path: Path):
    path = tmp_path / "mine.py"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=rf"mine\.py: (cannot be loaded: )?{why}"):
        load_module(str(path))
    assert [name for name in sys.modules if name.startswith("mine_")] == []


def test_nothing_is_looked_for_when_the_package_is_imported():
    code = "import sys, fiducial, fiducial.plugins; print('importlib.metadata' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "False\n"


OURS = [
    ("checkers", "tool_call"),
    ("checkers", "memory_answer"),
    ("judges", "groundedness"),
    ("judges", "rubric"),
    ("formats", "csv"),
    ("formats", "inspect"),
    ("operators", "swapped_enum"),
    ("worlds", "GorillaFileSystem"),
]


@pytest.mark.attack("settings")
def test_an_installed_package_takes_the_place_of_nothing_that_comes_along(
    install: Install, own_module: Write, tmp_path: Path
):
    own_module("taking_over", "raise SystemExit('somebody else is at work')")
    for group, name in OURS:
        install(group, name, "taking_over:anything")
    run = ("run", demo_path("cases.jsonl"), "--outputs", demo_path("outputs.jsonl"), "--judge-on", "all")
    judges = ("--judge", "groundedness@baseline", "rubric@baseline")
    assert fiducial(*run, *judges, "--out", tmp_path / "run").code == 0
    (tmp_path / "rows.csv").write_text("question,answer\na,b\n")
    assert fiducial("import", "csv", tmp_path / "rows.csv", "--out", tmp_path / "rows").code == 0
    assert "taking_over" not in sys.modules


@pytest.mark.attack("settings")
def test_a_statistic_under_the_name_of_ours_is_refused(install: Install, own_module: Write, tmp_path: Path):
    own_module("taking_over", "def accuracy(labels, scores, weights): return 1.0")
    install("statistics", "accuracy", "taking_over:accuracy")
    row = '{"item_id": "a", "judge": "j", "score": 0, "label": 1}\n'
    (tmp_path / "table.jsonl").write_text(row)
    result = fiducial("calibrate", tmp_path / "table.jsonl")
    assert (result.code, "'accuracy' is the name of a statistic that comes with fiducial" in result.err) == (
        2,
        True,
    )
