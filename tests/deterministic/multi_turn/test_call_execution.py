from __future__ import annotations

from typing import Any

from each_row import each_row

from fiducial.deterministic.multi_turn.call_execution import (
    BLOCKED_NAMES,
    address_methods,
    bfcl_executor,
    direct_executor,
    result_text,
)
from fiducial.deterministic.multi_turn.worlds import AnyWorld


class Tools:
    def __init__(self) -> None:
        self.secret = "secret"
        self._private = "private"

    def load(self, config: dict[str, Any]) -> None:
        self.secret = "loaded"

    def state(self) -> dict[str, Any]:
        return {}

    def give(self, value: Any = None) -> Any:
        return value

    def fail(self) -> None:
        raise KeyError("key")

    def leave(self) -> None:
        raise SystemExit("gone")

    def recurse(self) -> None:
        self.recurse()

    def _hidden(self) -> str:
        return "hidden"

    @property
    def reading(self) -> str:
        return "read"


def run(text: str) -> str:
    return direct_executor({"Tools": Tools()}, "model")(text)


@each_row(
    ("value", "text"),
    [
        ("text", "text"),
        (None, "None"),
        (True, "True"),
        ([1, "a"], "[1, 'a']"),
        ({"a": True, "b": "é"}, '{"a": true, "b": "\\u00e9"}'),
        ({"a": {1}}, "{'a': {1}}"),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        ({1: 2}, '{"1": 2}'),
    ],
)
def test_results_become_text_as_an_agent_is_shown_them(value: Any, text: str):
    assert result_text(value) == text


@each_row(
    ("text", "result"),
    [
        ("give(value='see chart (draft)')", "see chart (draft)"),
        ("give('x')", "x"),
        ("give(give([1, 2])[0])", "1"),
        (
            "give(value=1, value=2)",
            "Error during execution: keyword argument repeated: value (<string>, line 1)",
        ),
        ("give(other=1)", "Error during execution: Tools.give() got an unexpected keyword argument 'other'"),
        ("fail()", "Error during execution: 'key'"),
        ("leave()", "Error during execution: gone"),
        ("1/0", "Error during execution: division by zero"),
        ("give(value=5)(1)", "Error during execution: 'int' object is not callable"),
    ],
)
def test_a_call_gives_its_result_or_its_error(text: str, result: str):
    assert run(text) == result


@each_row("name", ["load", "state", "_hidden", "secret", "reading", "__init__", "print", "eval", "open"])
def test_only_public_methods_can_be_called(name: str):
    assert run(f"{name}({{}})") == f"Error during execution: name {name!r} is not defined"


@each_row(
    "text",
    [
        "give.__self__.secret",
        "give(give).secret",
        "().__class__.__base__.__subclasses__()",
        "__import__('os').system('true')",
        "give(value=__builtins__)",
        "(lambda: give())()",
        "[give() for x in [1]]",
    ],
)
def test_nothing_else_can_be_reached(text: str):
    assert run(text).startswith("Error during execution: ")


def test_an_endless_recursion_is_an_error_like_any_other():
    assert "recursion" in run("recurse()")


OWNERS = {"find": "model_Files", "sort": "model_Files"}


class Files:
    def find(self, name: str = "") -> str:
        return f"found {name}"

    def sort(self, name: str = "") -> str:
        return f"sorted {name}"


class OtherFiles:
    def find(self, name: str = "") -> str:
        return f"found elsewhere {name}"


@each_row(
    ("text", "addressed"),
    [
        ("find(name='a')", "model_Files.find(name='a')"),
        ("find (name='a')", "model_Files.find(name='a')"),
        ("look(name='a')", "look(name='a')"),
        ("find(name='see chart (draft)')", "model_Files.find(name='see chart(draft)')"),
        ("look(name='then sort (x)')", "look(name='then model_Files.sort(x)')"),
        # In the source text the escape's letter belongs to the word.
        ("look(name='\\nsort (x)')", "look(name='\\nsort(x)')"),
        ("look(name='5 (x)')", "look(name='5 (x)')"),
        ("x.find(1)", "x.model_Files.find(1)"),
        ("find(find (1))", "model_Files.find(model_Files.find(1))"),
    ],
)
def test_instances_are_inserted_before_every_method_name_and_parenthesis(text: str, addressed: str):
    assert address_methods(text, OWNERS) == addressed


@each_row(
    ("text", "result"),
    [
        ("find(name='a')", "found a"),
        ("find('a')", "found a"),
        ("find(sort('a'))", "found sorted a"),
        ("sort('see chart (draft)')", "sorted see chart(draft)"),
        ("sort('find (x)')", "sorted model_Files.find(x)"),
        ("look()", "Error during execution: name 'look' is not defined"),
        ("find", "Error during execution: name 'find' is not defined"),
        ("(find)('a')", "Error during execution: name 'find' is not defined"),
        ("Files.find('a')", "Error during execution: name 'Files' is not defined"),
        ("model_Files.find('a')", "Error during execution: name 'model_Files' is not defined"),
    ],
)
def test_a_call_is_executed_after_the_surgery(text: str, result: str):
    assert bfcl_executor({"Files": Files()}, "model")(text) == result


def test_of_two_worlds_with_the_same_method_the_later_one_has_it():
    worlds: dict[str, AnyWorld] = {"Files": Files(), "OtherFiles": OtherFiles()}
    run = bfcl_executor(worlds, "model")
    assert run("find(name='a')") == "found elsewhere a"
    assert run("sort(name='a')") == "sorted a"


@each_row("name", sorted(BLOCKED_NAMES))
@each_row("form", ["{}()", "{} ()", "{}", "x.{}(1)", "x.{}.y(1)"])
def test_blocked_names_are_refused_by_name(name: str, form: str):
    run = bfcl_executor({"Files": Files()}, "model")
    assert run(form.format(name)) == f"Error during execution: Function call {name} is not allowed."


def test_a_text_that_mentions_a_method_is_different_on_either_side():
    text = "sort('find (x)')"
    assert bfcl_executor({"Files": Files()}, "model")(text) != bfcl_executor({"Files": Files()}, "reference")(
        text
    )
