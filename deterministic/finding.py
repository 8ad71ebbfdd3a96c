"""Finding of a checker, not yet tied to a case; shortened values; error types in words."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable
from typing import Any, cast

import msgspec

from ..records import DIFFERS_IN_FORM, Outcome

_MAX_SHORT_LENGTH = 120
"""Length limit of a text in a sentence, in characters."""

_MAX_TEXT_LENGTH = 2_000
"""Length limit of a text in evidence, in characters."""

_MAX_ITEMS = 100
_MAX_DEPTH = 6
"""Evidence keeps this many items of a list or object, and this many levels of nesting."""

_MAX_INTEGER = 2**63
"""JSON readers refuse or round integers that do not fit into 64 bits."""


class _Shortener(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = _MAX_SHORT_LENGTH
        # A sentence shows less than evidence does: four levels of nesting, eight items.
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxdict = 8

    def repr_int(self, x: int, level: int) -> str:
        # A digit takes about 4 bits. Python refuses to print integers of more than 4,300 digits.
        return (
            super().repr_int(x, level)
            if x.bit_length() < 4 * _MAX_SHORT_LENGTH
            else f"an integer of {x.bit_length()} bits"
        )


_shortener = _Shortener()


def shorten(value: Any) -> str:
    """Return the ``repr`` of a value for use in a sentence, cut if long."""
    kind: type = type(cast("object", value))
    # The common values go past reprlib, which is slow.
    if kind is float or kind is bool or (kind is str and len(value) < _MAX_SHORT_LENGTH):
        return repr(value)
    return _shortener.repr(value)


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value in a form for a verdict's evidence.

    Small JSON values are unchanged. A tuple or set becomes a list; NaN, bytes and complex numbers become text; long texts are cut.
    """
    make_plain = _PLAIN_BY_TYPE.get(type(cast("object", value)))
    if make_plain is not None:
        return make_plain(value)
    if depth == _MAX_DEPTH:
        return shorten(value)
    if isinstance(value, set | frozenset):  # their order differs between processes
        value = sorted(cast("Iterable[Any]", value), key=shorten)
    if isinstance(value, list | tuple):
        items = list(cast("Iterable[Any]", value))[:_MAX_ITEMS]
        return [plain(item, depth + 1) for item in items]
    if isinstance(value, dict):
        pairs = list(cast("dict[Any, Any]", value).items())[:_MAX_ITEMS]
        return {key if type(key) is str else shorten(key): plain(item, depth + 1) for key, item in pairs}
    return shorten(value)


_PLAIN_BY_TYPE: dict[type, Callable[[Any], Any]] = {
    str: lambda value: value if len(value) <= _MAX_TEXT_LENGTH else value[:_MAX_TEXT_LENGTH] + "...",
    int: lambda value: value if -_MAX_INTEGER <= value < _MAX_INTEGER else shorten(value),
    float: lambda value: value if math.isfinite(value) else repr(value),
    bool: lambda value: value,
    type(None): lambda value: value,
}


class Finding(msgspec.Struct, frozen=True):
    """Finding of a checker.

    Attributes:
        outcome: ``graded``, or why the checker cannot grade the output.
        score: In [0, 1] if graded.
        error_type: The kind of fault, by BFCL's name if it has one.
        reason: One sentence: where, what was expected, what came.
        evidence: Machine-readable details.
    """

    outcome: Outcome
    score: float | None = None
    error_type: str | None = None
    reason: str | None = None
    evidence: dict[str, Any] = {}

    @property
    def valid(self) -> bool:
        """True if the output passes with the full score."""
        return self.score == 1.0


PASSED = Finding("graded", 1.0)
"""Finding of an output without a fault: graded 1."""


def fault(error_type: str, reason: str, **evidence: Any) -> Finding:
    """Return the finding for a fault of the system: graded 0."""
    return Finding("graded", 0.0, error_type, reason, evidence)


def undecided(reason: str, **evidence: Any) -> Finding:
    """Return the finding for an output that the checker cannot decide and leaves to a judge."""
    return Finding("undecided", None, None, reason, evidence)


def differing(reason: str, **evidence: Any) -> Finding:
    """Return the finding for a text that differs only in form: undecided."""
    return Finding("undecided", None, DIFFERS_IN_FORM, reason, evidence)


WORDS: dict[str, str] = {
    DIFFERS_IN_FORM: "a text differs only in form",
    # Replies without calls.
    "ast_decoder:decoder_failed": "no readable call",
    "ast_decoder:decoder_wrong_output_format": "the reply is not a list of calls",
    "executable_decoder:decoder_failed": "no readable call to execute",
    "executable_decoder:wrong_output_format": "the reply holds no call",
    "system_error": "empty answer or error",
    # Calls that are not the accepted ones.
    "simple_function_checker:wrong_func_name": "wrong function called",
    "simple_function_checker:wrong_count": "not exactly one call",
    "simple_function_checker:missing_required": "missing required argument",
    "simple_function_checker:missing_optional": "missing optional argument",
    "simple_function_checker:unexpected_param": "unexpected argument",
    "multiple_function_checker:wrong_count": "not exactly one call, of several functions",
    "parallel_function_checker_no_order:wrong_count": "wrong number of calls",
    "parallel_function_checker_no_order:cannot_find_match": "no call matches the reference",
    "call_order:wrong_order": "right calls in the wrong order",
    "type_error:simple": "wrong type of a value",
    "type_error:nested": "wrong type of an item in a list",
    "type_error:java": "a value is not written as Java source text",
    "type_error:js": "a value is not written as JavaScript source text",
    "value_error:string": "wrong text value",
    "value_error:list/tuple": "wrong list value",
    "value_error:dict_key": "extra or missing key in an object",
    "value_error:dict_value": "wrong value in an object",
    "value_error:list_dict_count": "a list has more or fewer objects than accepted",
    "value_error:others": "wrong value",
    "dict_checker:not_a_dict": "not an object",
    "dict_checker:unclear": "wrong object",
    "list_dict_checker:unclear": "wrong list of objects",
    # Whether to call at all.
    "irrelevance_error:decoder_success": "call where none fits",
    "irrelevance_error:broken_call": "unreadable call where none fits",
    "relevance_error:decoder_failed": "no call where one fits",
    "relevance_error:unknown_function": "called a function that was not offered",
    "relevance_error:missing_required": "a required argument is missing",
    "relevance_error:value_not_in_enum": "a value is not among those that the function takes",
    # Calls that are executed.
    "simple_exec_checker:wrong_count": "not exactly one call to execute",
    "value_error:exec_result_count": "wrong number of calls to execute",
    "executable_checker:execution_error": "a call fails when it is executed",
    "executable_checker:cannot_find_match": "no call gives one of the expected results",
    "executable_checker:wrong_result": "a call gives another result than expected",
    "executable_checker:wrong_result_real_time": "a call gives a result too far from the expected one",
    "executable_checker:wrong_result_type": "a call gives a result of another type or form than expected",
    # Conversations.
    "multi_turn:inference_error": "the conversation is not in a form that can be checked",
    "multi_turn:limit_exceeded": "executing the calls took more than is allowed",
    "multi_turn:force_terminated": "the conversation broke off, or did not stop calling",
    "multi_turn:empty_turn_model_response": "no call in a turn that needs one",
    "multi_turn:instance_state_mismatch": "wrong state after the calls",
    "multi_turn:execution_response_mismatch": "expected result never returned",
    "multi_turn:irrelevance_error:decoder_success": "changed state in a turn that should change nothing",
    # Answers.
    "agentic:answer_not_found": "no accepted answer in the reply",
    "agentic:no_last_message": "there is no final answer",
    "agentic:inference_error": "the reply is not in a form that can be checked",
    # Workspaces.
    "no_output": "there is no workspace",
    "outside_workspace": "a file leads out of the workspace",
    "workspace_too_large": "the workspace holds too many files",
    "missing_file": "a file that is asked for is missing",
    "unreadable_file": "a file cannot be read",
    "not_a_file": "a name that should be a file is something else",
    "not_utf8": "a file is not text in UTF-8",
    "file_too_large": "a file is too large",
    "missing_word": "a text lacks a word that it should have",
    "forbidden_word": "a text has a word that it must not have",
    "script_failed": "the code fails when it is run",
    "code_not_allowed": "the code was not run, since that was not allowed",
    "unusable_challenge": "the challenge itself cannot be used",
    # Between cases.
    "dependency_failed": "a case that this one builds on failed",
}
"""Meaning of each error type of the built-in checkers."""

_CUSTOM = {"wrong": "the checker finds it wrong", "partly_wrong": "the checker finds it partly wrong"}
"""Findings of custom checkers that return a boolean or a score."""


def in_words(error_type: str) -> str:
    """Return an error type in plain words.

    If it is not a built-in checker's (but a custom checker's, a label's or BFCL's), return its last part.
    """
    kind = error_type.rpartition(":")[2]
    return WORDS.get(error_type) or _CUSTOM.get(kind) or kind.replace("_", " ")
