"""Naming in a report: addresses of items (after #), and error types in plain words.

Words are for readers who do not know the checkers' code.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

from ..text.safe_text import shortened

NAME_LIMIT = 200
"""Characters of an id, a name or an error type."""

UNGRADED = "ungraded"
"""The group of outputs that neither a checker nor a judge graded, as the rate of all outputs counts them."""

CELLS = ("passed good", "failed good", "passed bad", "failed bad")
"""What a judge did of an output with a label: the cells of its 2x2 table."""


_SHARE = re.compile(r"\s{0,8}<P>\s{0,8}([0-9.]{1,8})\s{0,8}</P>", re.IGNORECASE)
_SUPPORTED = {"1": "supported", "0": "not supported"}


def marks_in_words(reason: str) -> str:
    """Spell out the marks of a judge's reply: ``<P>1</P>`` is ``supported``."""
    return _SHARE.sub(lambda found: f": {_SUPPORTED.get(found[1], found[1] + ' supported')}", reason)


def group_of(judge: str, cell: str) -> str:
    """Return the name of the group of outputs in one cell of a judge's 2x2 table."""
    return f"{judge}: {cell}"


def items_at(**chosen: str) -> str:
    """Return the address of the items that a report's filters choose."""
    named = {name: _named(value) for name, value in chosen.items()}
    return f"#items?{urlencode(named, errors='replace')}"


def item_at(item_id: str) -> str:
    """Return the address of an item, ``case|system|trial``; the disagreements for another id."""
    parts = item_id.rsplit("|", 2)
    if len(parts) != 3:  # noqa: PLR2004 - case, system, trial
        return items_at(status="disagreement")
    return "#" + "/".join(quote(_named(part), safe="", errors="replace") for part in parts)


def _named(name: str) -> str:
    """Return a name as the list of items has it."""
    return shortened(name, NAME_LIMIT)


WORDS: dict[str, str] = {
    # Replies that are no calls.
    "ast_decoder:decoder_failed": "no readable call",
    "ast_decoder:decoder_wrong_output_format": "the reply is not a list of calls",
    "executable_decoder:decoder_failed": "no readable call",
    "executable_decoder:wrong_output_format": "the reply holds no call",
    "system_error": "the system ended with an error instead of an answer",
    # Calls that are not the accepted ones.
    "simple_function_checker:wrong_func_name": "wrong function called",
    "simple_function_checker:wrong_count": "wrong number of calls",
    "simple_function_checker:missing_required": "missing required argument",
    "simple_function_checker:missing_optional": "missing optional argument",
    "simple_function_checker:unexpected_param": "unexpected argument",
    "multiple_function_checker:wrong_count": "wrong number of calls",
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
    "simple_exec_checker:wrong_count": "wrong number of calls to execute",
    "value_error:exec_result_count": "wrong number of results",
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
"""What each error type of the checkers that come along means."""

_OWN = {"wrong": "the checker finds it wrong", "partly_wrong": "the checker finds it partly wrong"}
"""Findings of custom checkers that return a truth value or a score."""


def in_words(error_type: str) -> str:
    """Return an error type as a clause in plain words; its last part if none are defined.

    None are defined for error types of custom checkers, labels and BFCL.
    """
    kind = error_type.rpartition(":")[2]
    return WORDS.get(error_type) or _OWN.get(kind) or kind.replace("_", " ")
