"""Values under evaluation, fit to be quoted and stored; words for every error type."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from fiducial.deterministic.finding import WORDS, in_words, plain, shorten
from fiducial.records import DIFFERS_IN_FORM

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
)
KEYS = st.none() | st.integers() | st.text() | st.binary()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_any_value_becomes_json(value: object):
    msgspec.json.encode(plain(value))
    assert len(shorten(value)) < 5_000


def test_small_json_stays_as_it_is():
    value = {"a": [1, 2.5, "x", None, True]}
    assert plain(value) == value


def test_what_json_lacks_becomes_what_comes_near():
    assert plain((1, {2}, b"x", float("nan"), 2**70, ...)) == [1, [2], "b'x'", "nan", str(2**70), "Ellipsis"]


def test_size_and_depth_are_bounded():
    deep: list[object] = []
    for _ in range(500):
        deep = [deep]
    assert len(msgspec.json.encode(plain(deep))) < 100
    assert len(plain("x" * 100_000)) < 3_000
    assert len(plain(list(range(100_000)))) == 100
    assert shorten(10**5_000) == f"an integer of {(10**5_000).bit_length()} bits"


CHECKERS = Path(__file__).parents[2] / "deterministic"
STAGES = Path(__file__).parents[2] / "evaluation" / "checking"
NO_CHECKER = {"mutation", "environments", "sandbox", "finding.py"}
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
        elif isinstance(node, ast.Assign):
            name = getattr(node.targets[0], "id", "")
            match node.value:
                case ast.Constant(value=str(value)) if name.endswith("_ERROR"):
                    yield value
                case ast.Tuple(elts=[ast.Constant(value=str(value)), _]) if name == "problem":
                    yield value
                case _:
                    pass
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\A[a-z_]+_(?:checker|error|decoder|order)[a-z_]*:[a-z_/]+\Z|\Aagentic:[a-z_]+\Z|\Acall_order:[a-z_]+\Z", node.value)  # fmt: skip


def every_error_type() -> set[str]:
    """Every error type that stands in the checkers' code."""
    files = [
        path for path in CHECKERS.rglob("*.py") if not NO_CHECKER & set(path.relative_to(CHECKERS).parts)
    ]
    found = {
        type_
        for path in (*files, *STAGES.glob("*.py"))
        for type_ in _types(ast.parse(path.read_text("utf-8")), in_turns=path.name == "turn_checks.py")
    }
    return found | {"type_error:java", "type_error:js", DIFFERS_IN_FORM}


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


def test_every_error_type_that_is_no_word_itself_is_put_into_words_and_no_other():
    assert every_error_type() - {"timeout"} == WORDS.keys()


def test_two_error_types_never_read_the_same():
    told = Counter(WORDS.values())
    assert [words for words, count in told.items() if count > 1] == []


def test_what_the_user_named_is_shown_with_blanks():
    assert in_words("sql:wrong_rows") == "wrong rows"
    assert in_words("sql:partly_wrong") == "the checker finds it partly wrong"
    assert in_words("wrong_value") == "wrong value"
    assert in_words("") == ""


def test_a_set_stands_in_evidence_in_one_order():
    names = {f"name {number}" for number in range(9)}
    assert plain(names) == plain(frozenset(names)) == sorted(names)
    assert plain(({"b", "a"}, {2, "1", None})) == [["a", "b"], ["1", 2, None]]
