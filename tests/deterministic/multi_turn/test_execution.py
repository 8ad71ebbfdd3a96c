from __future__ import annotations

from typing import Any

import pytest

from fiducial.deterministic.multi_turn.execution import direct_executor, result_text


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

    def recurse(self) -> None:
        self.recurse()

    def _hidden(self) -> str:
        return "hidden"

    @property
    def reading(self) -> str:
        return "read"


def run(text: str) -> str:
    return direct_executor({"Tools": Tools()}, "model")(text)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
        ("1/0", "Error during execution: division by zero"),
        ("give(value=5)(1)", "Error during execution: 'int' object is not callable"),
    ],
)
def test_a_call_gives_its_result_or_its_error(text: str, result: str):
    assert run(text) == result


@pytest.mark.parametrize(
    "name", ["load", "state", "_hidden", "secret", "reading", "__init__", "print", "eval", "open"]
)
def test_only_public_methods_can_be_called(name: str):
    assert run(f"{name}({{}})") == f"Error during execution: name {name!r} is not defined"


@pytest.mark.parametrize(
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
