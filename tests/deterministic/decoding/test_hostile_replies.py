"""Replies made to exhaust, crash or run something come back as a finding."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from each_row import each_row
from tool_calls import calling, tool

from fiducial.deterministic import CheckOptions, check, check_result
from fiducial.errors import MissingExtraError
from fiducial.records import Case, Output, encode_record

pytestmark = pytest.mark.attack("replies of systems")

DEEP = 10_000
HOSTILE = {
    "nested lists": "f(a=" + "[" * DEEP + "]" * DEEP + ")",
    "nested calls": "f(a=" * DEEP + ")" * DEEP,
    "nested dicts": "f(a=" + "{1:" * DEEP + "1" + "}" * DEEP + ")",
    "signs": "f(a=" + "-" * DEEP + "1)",
    "nots": "f(a=" + "not " * DEEP + "1)",
    "a long sum": "f(a=1" + "+1" * DEEP + ")",
    "a long name": "a" + ".b" * DEEP + "(c=1)",
    "a long subscript": "f(a=x" + "[0]" * DEEP + ")",
    "a megabyte": "f(a='" + "x" * 1_000_000 + "')",
    "prose of a megabyte": "x " * 500_000,
    "NUL": "f(a='\0')",
    "a lone surrogate": "door.open(door='\ud800')",
    "a surrogate as a name": "\ud800(a=1)",
    "digits": "f(a=" + "9" * 5_000 + ")",
    "hex digits": "door.open(door='front', force=0x" + "f" * 40_000 + ")",
    "infinity": "door.open(door=1e999)",
    "power": "f(a=10**10**10)",
    "repetition": "f(a='x'*10**10)",
    "code": "f(a=__import__('os').system('true'))",
    "duplicates": "door.open(door='front', door='back')",
    "an unknown escape": r"door.open(door='\d')",
    "a byte-order mark": "\ufeff[f(a=1)]",
    "bytes": "door.open(door=b'front')",
    "a set of everything": "door.open(door=[(1, 2j), {'k': ...}, None])",
}


@each_row("name", HOSTILE)
@each_row("rules", ["bfcl", "strict"])
def test_a_hostile_reply_is_graded_and_its_verdict_can_be_written(
    make_case: Callable[..., Case], rules: Any, name: str
):
    case = make_case([{"door.open": {"door": ["front"]}}])
    verdict = check(case, Output(case_id="door-1", system="s", text=HOSTILE[name]), CheckOptions(rules=rules))
    assert (verdict.outcome, verdict.score) == ("graded", 0.0)
    assert verdict.error_type
    assert verdict.reason
    assert len(encode_record(verdict)) < 20_000


@pytest.mark.parametrize("rules", ["bfcl", "strict"])
def test_hostile_native_arguments_are_graded_too(make_case: Callable[..., Case], rules: Any):
    case = make_case([{"door.open": {"door": ["front"]}}])
    for arguments in (
        "[" * 100_000,
        '{"door": NaN}',
        '{"door": ' + "9" * 5_000 + "}",
        '{"door": 1e999}',
        "{" * 10,
        '{"door": "\\ud800"}',
    ):
        verdict = check(case, calling("door-1", ("door.open", arguments)), CheckOptions(rules=rules))
        assert verdict.score == 0.0
        assert encode_record(verdict)


def test_code_over_fifty_kilobytes_is_too_large(make_case: Callable[..., Case]):
    case = make_case([{"door.open": {"door": ["front"]}}])
    finding = check_result(case, f"door.open(door='{'x' * 50_000}')", mode="prompt")
    assert finding.error_type == "ast_decoder:decoder_failed"
    assert "too large" in (finding.reason or "")


@each_row("language", ["java", "javascript"])
@each_row(
    "text", ["(" * 10_000, "A.f(a=" + "-" * 5_000 + "1, b=2)", "x" * 1_000_000, "\ud800", "\0", "${" * 3_000]
)
def test_hostile_java_and_javascript_is_graded(make_case: Callable[..., Case], language: str, text: str):
    case = make_case([{"door.open": {"door": ["front"]}}])
    tools = [tool("door.open", {"door": {"type": "String"}})]
    case = msgspec.structs.replace(case, reference={**case.reference, "language": language}, tools=tools)
    assert check_result(case, text, mode="prompt").score == 0.0


def test_without_tree_sitter_the_error_names_the_extra(
    make_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch
):
    from fiducial.deterministic.decoding.syntax_trees import load_parser

    load_parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_java", None)
    from fiducial.deterministic.decoding.text_replies import decode_prompt
    from fiducial.deterministic.decoding.wrapping import AskedForm

    with pytest.raises(MissingExtraError, match=r"fiducial-eval\[languages\]"):
        decode_prompt("A.f(a=1, b=2)", AskedForm("java"))
    load_parser.cache_clear()
