from __future__ import annotations

import pytest

from fiducial.deterministic.multi_turn.original_execution import BLOCKED, address_methods, original_executor
from fiducial.deterministic.multi_turn.worlds import World

OWNERS = {"find": "model_Files", "sort": "model_Files"}


class Files:
    def find(self, name: str = "") -> str:
        return f"found {name}"

    def sort(self, name: str = "") -> str:
        return f"sorted {name}"


class OtherFiles:
    def find(self, name: str = "") -> str:
        return f"found elsewhere {name}"


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
    assert original_executor({"Files": Files()}, "model")(text) == result


def test_of_two_worlds_with_the_same_method_the_later_one_has_it():
    worlds: dict[str, World] = {"Files": Files(), "OtherFiles": OtherFiles()}
    run = original_executor(worlds, "model")
    assert run("find(name='a')") == "found elsewhere a"
    assert run("sort(name='a')") == "sorted a"


@pytest.mark.parametrize("name", sorted(BLOCKED))
@pytest.mark.parametrize("form", ["{}()", "{} ()", "{}", "x.{}(1)", "x.{}.y(1)"])
def test_blocked_names_are_refused_by_name(name: str, form: str):
    run = original_executor({"Files": Files()}, "model")
    assert run(form.format(name)) == f"Error during execution: Function call {name} is not allowed."


def test_a_text_that_mentions_a_method_is_different_on_either_side():
    text = "sort('find (x)')"
    assert original_executor({"Files": Files()}, "model")(text) != original_executor(
        {"Files": Files()}, "reference"
    )(text)
