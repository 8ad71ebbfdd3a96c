"""Check whether a system called a function where one fits, and none where none fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ..errors import DecodingError
from ..records import Case, Output, kind_spec
from ..records.output import calls_made
from .ast.schemas import as_mapping, documents_by_name, required_names
from .ast.tool_calls import is_call_list
from .decoding.call_attempts import attempts_call, is_json_call, possible_names
from .decoding.json_calls import read_json_reply
from .decoding.replies import decode_output
from .decoding.text_replies import decode_prompt
from .finding import PASSED, Finding, fault, plain, undecided
from .options import CheckOptions

_MAX_NAME_LENGTH, _MAX_CALLS_NAMED = 80, 5
"""A reason cuts longer names and values, in characters, and names this many unwanted calls."""


def find_refutation(
    calls: Sequence[Mapping[Any, Any]], tools: Sequence[Mapping[str, Any]], *, arguments_are_named: bool
) -> Finding | None:
    """Return the finding for the first call that the offered tools show to be wrong, or None.

    Without ``arguments_are_named`` only function names are checked: which parameter a positional argument is for is not known.
    """
    documents = documents_by_name([tool["function"] for tool in tools])
    if not documents:
        return None
    for call in calls:
        for name, arguments in call.items():
            document = documents.get(name)
            if document is None:
                message = f"called {str(name)[:_MAX_NAME_LENGTH]!r}, which was not offered"
                return fault("relevance_error:unknown_function", message, calls=plain(list(calls)))
            if arguments_are_named and isinstance(arguments, Mapping):
                parameters = as_mapping(document.get("parameters"))
                problem = next(_argument_problems(cast("Mapping[str, Any]", arguments), parameters), None)
                if problem is not None:
                    return fault(problem.error_type, f"{name}: {problem.message}", calls=plain(list(calls)))
    return None


class _ArgumentProblem(NamedTuple):
    """An argument that a function cannot take."""

    error_type: str
    message: str


def _argument_problems(
    arguments: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Iterator[_ArgumentProblem]:
    properties = as_mapping(parameters.get("properties"))
    for name in required_names(parameters):
        # Some documents require an argument and give it a default, with which it can be left out.
        if name not in arguments and "default" not in as_mapping(properties.get(name)):
            message = f"the required argument {name[:_MAX_NAME_LENGTH]!r} is missing"
            yield _ArgumentProblem("relevance_error:missing_required", message)
    for name, value in arguments.items():
        allowed = _listed_values(as_mapping(properties.get(name)))
        # An enum may be meant for the items of a list.
        for item in cast("list[Any]", value) if isinstance(value, list) else [value]:
            if allowed and isinstance(item, str | int | float) and not _is_listed(item, allowed):
                message = (
                    f"{name} is {str(item)[:_MAX_NAME_LENGTH]!r}, which is not among the values it takes"
                )
                yield _ArgumentProblem("relevance_error:value_not_in_enum", message)


def _listed_values(document: Mapping[str, Any]) -> list[Any]:
    values: Any = document.get("enum") or as_mapping(document.get("items")).get("enum")
    return cast("list[Any]", values) if isinstance(values, list) else []


def _is_listed(value: str | float, allowed: list[Any]) -> bool:
    return value in allowed or str(value) in map(str, allowed)


def is_call_or_attempt(calls: list[dict[Any, Any]], reply: Any, offered: list[str]) -> bool:
    """Return whether a reply, a text or native calls, makes or attempts a call.

    Native calls always do, readable or not. Calls in a text do, unless they are prose that happens to parse: ``Paris (France)`` has no
    brackets around it, no named argument, and no offered function. Unreadable text does if it has a call's tag or JSON, or a line that
    starts with a call.
    """
    if not isinstance(reply, str):
        return bool(reply)
    names = possible_names(offered)
    if calls:
        return reply.strip("`\n ").startswith("[") or not all(_may_be_prose(call, names) for call in calls)
    return attempts_call(reply, names)


def is_call_text(text: str, offered: list[str]) -> bool:
    """Return whether a text is a readable call rather than prose that happens to parse as one."""
    try:
        decoded = decode_prompt(text)
    except DecodingError:
        return False
    return bool(decoded) and is_call_or_attempt(decoded, text, offered)


def _may_be_prose(call: dict[Any, Any], names: set[str]) -> bool:
    name, arguments = next(iter(call.items()))
    return not arguments and name not in names


def check_relevance(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Check whether an output calls a function or refrains, as its case asks.

    Native calls are read if the output has that field, else its text.
    """
    native_calls = calls_made(output)
    reply = output.text if native_calls is None else native_calls
    return check_reply(case, lambda: _decode(output, options), reply, options)


def _decode(output: Output, options: CheckOptions) -> Any:
    """Decode an output's calls; if strict, refuse native calls whose arguments are no objects."""
    calls = decode_output(output)
    if options.rules == "strict" and calls_made(output) is not None and not is_call_list(calls):
        return decode_output(output, strictly=True)
    return calls


def check_reply(case: Case, decode: Callable[[], Any], reply: Any, options: CheckOptions) -> Finding:
    """Check a raw reply: a text, or native calls in any form. ``decode`` returns its calls."""
    decoded, failure = None, ""
    try:
        decoded = decode()
    except DecodingError as error:
        failure = f": {error}"
    calls = cast("list[dict[Any, Any]]", decoded) if is_call_list(decoded) else []
    if options.rules == "strict":
        return _strict_finding(case, _json_calls(case, reply) or calls, reply, failure)
    if kind_spec(case.kind).call == "any":
        return PASSED if calls else _no_call_finding(failure)
    return _unwanted_call_finding(calls) if calls else PASSED


def _json_calls(case: Case, reply: Any) -> list[dict[Any, Any]]:
    """Return the calls of a text that is all JSON, else an empty list.

    JSON counts as a call only if it names an offered function or uses one of the usual keys: other JSON is an answer.
    """
    calls = read_json_reply(reply) if isinstance(reply, str) else None
    if not calls:
        return []
    offered = {tool["function"]["name"] for tool in case.tools}
    any_offered = any(name in offered for call in calls for name in call)
    return calls if any_offered or is_json_call(str(reply)) else []


def _are_arguments_named(reply: Any) -> bool:
    """Return whether all arguments are named, as those of native calls always are."""
    if not isinstance(reply, str):
        return True
    try:
        decode_prompt(reply, strictly=True)
    except DecodingError:
        return False
    return True


def _strict_finding(case: Case, calls: list[dict[Any, Any]], reply: Any, failure: str) -> Finding:
    """Return the finding by strict rules.

    Prose that parses as a call does not count as one; a call that does not parse counts as an attempt.
    """
    # Under strict rules a broken call is a wrong call where none fits, not an abstention.
    attempted = is_call_or_attempt(calls, reply, [tool["function"]["name"] for tool in case.tools])
    if kind_spec(case.kind).call == "any":
        if calls and attempted:
            problem = find_refutation(calls, case.tools, arguments_are_named=_are_arguments_named(reply))
            return problem or undecided("a call was made; whether it is a right one is not in the reference")
        return _no_call_finding(failure)
    if not attempted:
        return PASSED
    if not calls:
        return fault("irrelevance_error:broken_call", f"expected no call, got a broken one{failure}")
    return _unwanted_call_finding(calls)


def _no_call_finding(failure: str) -> Finding:
    calls_found = f"none that can be read{failure}" if failure else "none"
    return fault("relevance_error:decoder_failed", f"expected a call, found {calls_found}")


def _unwanted_call_finding(calls: list[dict[Any, Any]]) -> Finding:
    names = ", ".join(str(name)[:_MAX_NAME_LENGTH] for call in calls[:_MAX_CALLS_NAMED] for name in call)
    return fault("irrelevance_error:decoder_success", f"expected no call, got {names}", calls=plain(calls))
