"""Lines of score files, in the JSON that BFCL writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import msgspec

from ...deterministic.finding import Finding
from ...deterministic.stored_results import CallMode
from ...formats.bfcl import ResultLine
from .stored_answers import decoded_calls, decoded_turns, last_message
from .suite import SuiteEntry


class FailedAnswer(msgspec.Struct, frozen=True):
    """An answer that is not valid, with its question and finding, and how it was decoded."""

    suite_entry: SuiteEntry
    line: ResultLine
    finding: Finding
    system: str
    mode: CallMode


def score_line(answer: FailedAnswer) -> dict[str, Any]:
    """Return the line of the score file, with BFCL's keys.

    ``valid`` is null for an answer that the rules leave undecided.
    """
    head = {
        "id": answer.suite_entry.entry.id,
        "model_name": answer.system,
        "test_category": answer.suite_entry.entry.category.name,
        "valid": False if answer.finding.outcome == "graded" else None,
    }
    return head | _FIELDS_BY_FAMILY[answer.suite_entry.entry.category.family](answer)


def _ast_fields(answer: FailedAnswer) -> dict[str, Any]:
    finding = answer.finding
    decoded = decoded_calls(answer.suite_entry.case, answer.line.result, answer.mode)
    body = {
        "error": [finding.reason, *_sub_errors(finding, decoded)],
        "error_type": finding.error_type,
        "prompt": answer.suite_entry.entry.raw,
        "model_result_raw": answer.line.result,
    }
    if finding.error_type == "ast_decoder:decoder_wrong_output_format":
        body |= {"model_result_raw": str(answer.line.result), "model_result_decoded": str(decoded)}
    elif finding.error_type != "ast_decoder:decoder_failed":
        body["model_result_decoded"] = decoded
    return body | {"possible_answer": answer.suite_entry.entry.ground_truth}


def _sub_errors(finding: Finding, decoded: Any) -> list[dict[str, Any]]:
    """Return why each call of a parallel answer differs from the expected call that is missing."""
    return [
        {
            "sub_error": [_mismatch_sentence(mismatch)],
            "sub_error_type": mismatch["error_type"],
            "model_output_item": decoded[mismatch["call"]],
            "possible_answer_item": finding.evidence.get("expected"),
        }
        for mismatch in finding.evidence.get("sub_errors", [])
    ]


def _mismatch_sentence(mismatch: dict[str, Any]) -> str:
    prefix = f"argument {mismatch['argument']}: " if "argument" in mismatch else ""
    return f"{prefix}expected {mismatch['expected']!r}, got {mismatch['got']!r}"


def _relevance_fields(answer: FailedAnswer) -> dict[str, Any]:
    return {
        "prompt": answer.suite_entry.entry.raw,
        "model_result": answer.line.result,
        "decoded_result": decoded_calls(answer.suite_entry.case, answer.line.result, answer.mode),
        "error": [answer.finding.reason],
        "error_type": answer.finding.error_type,
    }


def _multi_turn_fields(answer: FailedAnswer) -> dict[str, Any]:
    prompt = {key: value for key, value in answer.suite_entry.entry.raw.items() if key != "function"}
    body: dict[str, Any] = {"error": _error_fields(answer.finding), "prompt": prompt}
    if answer.finding.error_type == "multi_turn:inference_error":
        body["model_result"] = answer.line.result
    else:
        body["model_result_raw"] = answer.line.result
        body["model_result_decoded"] = decoded_turns(answer.line.result, answer.mode)
    return body | _answer_and_log(answer)


def _agentic_fields(answer: FailedAnswer) -> dict[str, Any]:
    return {
        "error": _error_fields(answer.finding),
        "prompt": answer.suite_entry.entry.raw["question"],
        "model_result_raw": answer.line.result,
        "last_non_fc_message": last_message(answer.line.result, answer.mode),
    } | _answer_and_log(answer)


def _error_fields(finding: Finding) -> dict[str, Any]:
    head = {"error_message": finding.reason, "error_type": finding.error_type}
    return head | {key: value for key, value in finding.evidence.items() if key not in head}


def _answer_and_log(answer: FailedAnswer) -> dict[str, Any]:
    return {
        "possible_answer": answer.suite_entry.entry.ground_truth,
        "inference_log": answer.line.fields.get("inference_log", ""),
    }


_FIELDS_BY_FAMILY: dict[str, Callable[[FailedAnswer], dict[str, Any]]] = {
    "ast": _ast_fields,
    "format_sensitivity": _ast_fields,
    "relevance": _relevance_fields,
    "multi_turn": _multi_turn_fields,
    "agentic": _agentic_fields,
}


_MAX_NESTING = 200
"""Levels of nesting that are written, because hostile answers may nest deeper than the interpreter's stack."""

_MAX_BITS = 4096
"""Larger integers are written in hexadecimal, because Python limits conversions to decimal digits."""


def encoded_line(value: Any) -> bytes:
    """Encode one line of a score file.

    Args:
        value: Any value; those that JSON cannot express become their ``str``.

    Returns:
        UTF-8 with its newline. Characters beyond ASCII are not escaped, unless UTF-8 cannot encode them.
    """
    value = _to_writable(value, _MAX_NESTING)
    try:
        return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, default=str).encode("ascii") + b"\n"


def _to_writable(value: Any, levels: int) -> Any:
    """Replace numbers and nesting that cannot be written; ``levels`` of nesting are left."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return hex(value)
    if not isinstance(value, dict | list | tuple):
        return value
    if not levels:
        return "... nested too deeply to be written"
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {_writable_key(key): _to_writable(item, levels - 1) for key, item in items}
    return [_to_writable(item, levels - 1) for item in cast("list[Any]", value)]


def _writable_key(key: Any) -> Any:
    """Return a key of JSON: an integer becomes text, and a tuple the note on deep nesting."""
    return key if isinstance(key, str | float | bool | None) else str(_to_writable(key, 0))
