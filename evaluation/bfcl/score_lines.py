"""The lines of score files, in JSON text as BFCL writes it."""

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


class Failed(msgspec.Struct, frozen=True):
    """Invalid answer: question, answer, errors, and how it was decoded."""

    suite_entry: SuiteEntry
    line: ResultLine
    finding: Finding
    system: str
    mode: CallMode


def score_line(failed: Failed) -> dict[str, Any]:
    """Return the line of the score file, with BFCL's keys.

    ``valid`` is null for an answer that the rules leave undecided.
    """
    head = {
        "id": failed.suite_entry.entry.id,
        "model_name": failed.system,
        "test_category": failed.suite_entry.entry.category.name,
        "valid": False if failed.finding.outcome == "graded" else None,
    }
    return head | _BODIES[failed.suite_entry.entry.category.family](failed)


def _ast(failed: Failed) -> dict[str, Any]:
    finding = failed.finding
    decoded = decoded_calls(failed.suite_entry.case, failed.line.result, failed.mode)
    body = {
        "error": [finding.reason, *_sub_errors(finding, decoded)],
        "error_type": finding.error_type,
        "prompt": failed.suite_entry.entry.raw,
        "model_result_raw": failed.line.result,
    }
    if finding.error_type == "ast_decoder:decoder_wrong_output_format":
        body |= {"model_result_raw": str(failed.line.result), "model_result_decoded": str(decoded)}
    elif finding.error_type != "ast_decoder:decoder_failed":
        body["model_result_decoded"] = decoded
    return body | {"possible_answer": failed.suite_entry.entry.ground_truth}


def _sub_errors(finding: Finding, decoded: Any) -> list[dict[str, Any]]:
    """Return for each call of a parallel answer why it does not match the missing call."""
    return [
        {
            "sub_error": [_sentence(tried)],
            "sub_error_type": tried["error_type"],
            "model_output_item": decoded[tried["call"]],
            "possible_answer_item": finding.evidence.get("expected"),
        }
        for tried in finding.evidence.get("sub_errors", [])
    ]


def _sentence(tried: dict[str, Any]) -> str:
    where = f"argument {tried['argument']}: " if "argument" in tried else ""
    return f"{where}expected {tried['expected']!r}, got {tried['got']!r}"


def _relevance(failed: Failed) -> dict[str, Any]:
    return {
        "prompt": failed.suite_entry.entry.raw,
        "model_result": failed.line.result,
        "decoded_result": decoded_calls(failed.suite_entry.case, failed.line.result, failed.mode),
        "error": [failed.finding.reason],
        "error_type": failed.finding.error_type,
    }


def _multi_turn(failed: Failed) -> dict[str, Any]:
    prompt = {key: value for key, value in failed.suite_entry.entry.raw.items() if key != "function"}
    body: dict[str, Any] = {"error": _error(failed.finding), "prompt": prompt}
    if failed.finding.error_type == "multi_turn:inference_error":
        body["model_result"] = failed.line.result
    else:
        body["model_result_raw"] = failed.line.result
        body["model_result_decoded"] = decoded_turns(failed.line.result, failed.mode)
    return body | _closing(failed)


def _agentic(failed: Failed) -> dict[str, Any]:
    return {
        "error": _error(failed.finding),
        "prompt": failed.suite_entry.entry.raw["question"],
        "model_result_raw": failed.line.result,
        "last_non_fc_message": last_message(failed.line.result, failed.mode),
    } | _closing(failed)


def _error(finding: Finding) -> dict[str, Any]:
    head = {"error_message": finding.reason, "error_type": finding.error_type}
    return head | {key: value for key, value in finding.evidence.items() if key not in head}


def _closing(failed: Failed) -> dict[str, Any]:
    return {
        "possible_answer": failed.suite_entry.entry.ground_truth,
        "inference_log": failed.line.fields.get("inference_log", ""),
    }


_BODIES: dict[str, Callable[[Failed], dict[str, Any]]] = {
    "ast": _ast,
    "format_sensitivity": _ast,
    "relevance": _relevance,
    "multi_turn": _multi_turn,
    "agentic": _agentic,
}


_DEEPEST = 200
"""Levels of nesting that are written; hostile answers nest deeper than the interpreter's stack."""

_MAX_BITS = 4096
"""Larger integers are written in hexadecimal: Python refuses to write their decimal digits."""


def encoded_line(value: Any) -> bytes:
    """Write one line of a score file.

    Args:
        value: Anything; what JSON has no form for becomes its ``str``.

    Returns:
        UTF-8 with its newline; characters beyond ASCII stay as they are, unless UTF-8 cannot carry them.
    """
    value = _writable(value, _DEEPEST)
    try:
        return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, default=str).encode("ascii") + b"\n"


def _writable(value: Any, levels: int) -> Any:
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return hex(value)
    if not isinstance(value, dict | list | tuple):
        return value
    if not levels:
        return "... nested too deeply to be written"
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {_key(key): _writable(item, levels - 1) for key, item in items}
    return [_writable(item, levels - 1) for item in cast("list[Any]", value)]


def _key(key: Any) -> Any:
    return key if isinstance(key, str | float | bool | None) else str(_writable(key, 0))
