"""The addresses of items, by the page's own functions, run by node where it is installed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from review_page import in_node

from fiducial.report.items.naming import WORDS, in_words, marks_in_words

NOTHING = {"q": "", "sort": "", "system": "", "status": "", "category": "", "fault": "", "group": ""}


def state_of(fragment: str) -> Any:
    return in_node("stateOf(fragment)", "report_address.js", fragment=fragment)


def test_an_item_is_named_by_case_system_and_trial():
    assert state_of("#trip-07/gpt-x") == {"item": ["trip-07", "gpt-x"], "chosen": NOTHING}
    assert state_of("#trip-07/gpt-x/2")["item"] == ["trip-07", "gpt-x", "2"]


def test_filters_order_and_search_are_in_the_address():
    chosen = {"status": "wrong", "fault": "value_error:string", "q": "a & b?", "sort": "case"}
    assert state_of("#items?status=wrong&fault=value_error%3Astring&q=a+%26+b%3F&sort=case") == {
        "item": None,
        "chosen": NOTHING | chosen,
    }


@pytest.mark.parametrize("fragment", ["", "#systems", "#calibration", "#%", "#%/x"])
def test_other_addresses_are_not_of_items(fragment: str):
    assert state_of(fragment) is None


@pytest.mark.attack("terminal and report")
@pytest.mark.parametrize(
    "item",
    [["a/b", "c"], ["#?&=", "%2F"], ["<script>", "x", "3"], ["é 🂡", "\n"], ["items", "y"], ["..", "."]],
)
def test_every_name_comes_back_from_its_address(item: list[str]):
    chosen = NOTHING | {"q": "#/?&=%", "system": item[1]}
    address = in_node("addressOf(item, chosen)", "report_address.js", item=item, chosen=chosen)
    assert state_of(address) == {"item": item, "chosen": chosen}


CHECKERS = Path(__file__).parents[3] / "deterministic"
STAGES = Path(__file__).parents[3] / "evaluation" / "checking"
NO_CHECKER = {"mutation", "environments", "sandbox"}
MAKERS = {"fault", "Problem", "WorkspaceFault", "CodeFault", "WordProblem", "_not_applicable", "Mismatch"}
"""Whose first argument is an error type."""


def _types(tree: ast.Module, *, in_turns: bool) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in MAKERS and isinstance(node.args[0].value, str):
                yield ("multi_turn:" if in_turns and isinstance(node.func, ast.Attribute) else "") + node.args[0].value  # fmt: skip
        elif isinstance(node, ast.keyword) and node.arg == "error_type" and isinstance(node.value, ast.Constant):  # fmt: skip
            yield str(node.value.value)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            yield from (
                [str(node.value.value)] if getattr(node.targets[0], "id", "").endswith("_ERROR") else []
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\A[a-z_]+_(?:checker|error|decoder|order)[a-z_]*:[a-z_/]+\Z|\Aagentic:[a-z_]+\Z|\Acall_order:[a-z_]+\Z", node.value)  # fmt: skip


def every_error_type() -> set[str]:
    """Every error type that stands in the checkers' code."""
    files = [
        path for path in CHECKERS.rglob("*.py") if not NO_CHECKER & set(path.relative_to(CHECKERS).parts)
    ]
    found = {
        each
        for path in (*files, *STAGES.glob("*.py"))
        for each in _types(ast.parse(path.read_text("utf-8")), in_turns=path.name == "turn_checks.py")
    }
    return found | {"type_error:java", "type_error:js"}


def test_the_code_of_checkers_is_read():
    some = {
        "value_error:string",
        "type_error:simple",
        "multi_turn:force_terminated",
        "missing_word",
        "system_error",
    }
    more = {
        "multi_turn:instance_state_mismatch",
        "value_error:list/tuple",
        "dependency_failed",
        "script_failed",
    }
    assert some | more <= every_error_type()
    assert len(every_error_type()) > 45


def test_every_error_type_that_a_checker_can_give_is_put_into_words_and_no_other():
    assert every_error_type() == WORDS.keys()


def test_what_the_user_named_is_shown_with_blanks():
    assert in_words("sql:wrong_rows") == "wrong rows"
    assert in_words("sql:partly_wrong") == "the checker finds it partly wrong"
    assert in_words("wrong_value") == "wrong value"
    assert in_words("") == ""


def test_marks_of_a_reply_are_words():
    assert marks_in_words("1. it is so, indexes [1] <P>1</P>") == "1. it is so, indexes [1]: supported"
    assert marks_in_words("no <P>0</P> half <P>0.5</P>") == "no: not supported half: 0.5 supported"
    assert marks_in_words("<P>x</P>") == "<P>x</P>"
