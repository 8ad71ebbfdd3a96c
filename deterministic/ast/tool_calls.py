"""The checker of cases that ask for tool calls: decode, then compare, under either rule set."""

from __future__ import annotations

from typing import Any

from ...errors import DecodingError, InputError
from ...records import Case, Output, ToolCallReference
from ..asked_form import asked_form
from ..checkers import CheckOptions, Names
from ..decoding import decode_output, decode_output_strictly
from ..finding import Finding, fault, undecided
from .calls import check_decoded, check_decoded_strictly
from .expectation import compile_expectation
from .expectation_cache import expectation_of


def find(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Decide whether an output makes the calls that its case asks for.

    Args:
        case: A case of kind ``tool_call``.
        output: Its native calls count where it has that field, else its text.
        options: Rule set, and how names were offered.

    Returns:
        What was found.
    """
    decode = decode_output_strictly if options.rules == "strict" else decode_output
    asked = asked_form(case)
    try:
        decoded = decode(output, language=asked.language, form=asked.form, tagged=asked.tagged)
    except DecodingError as error:
        return decoder_failed(error)
    return check_case(case, decoded, options)


def check_case(case: Case, decoded: Any, options: CheckOptions) -> Finding:
    """Decide whether decoded calls are what a case asks for.

    Args:
        case: A case of kind ``tool_call``.
        decoded: What a decoder made of the reply.
        options: Rule set, and how names were offered.

    Returns:
        What was found; undecided where the case itself cannot be used (the original fails there).
    """
    try:
        expectation = expectation_of(case, options.names)
    except InputError as error:
        return undecided(f"the case cannot be checked: {error}")
    return (
        check_decoded_strictly(decoded, expectation)
        if options.rules == "strict"
        else check_decoded(decoded, expectation)
    )


def check_calls(
    decoded: Any, *, reference: ToolCallReference, tools: list[dict[str, Any]], names: Names = "dotted"
) -> Finding:
    """Compare decoded calls with a reference, under BFCL's rules.

    Args:
        decoded: What a decoder made of a reply.
        reference: The acceptable calls.
        tools: Function documents in OpenAI's outer shape.
        names: How documented names with dots were offered to the system.

    Returns:
        What was found.

    Raises:
        InputError: The reference names a function or a type that is not known.
    """
    return check_decoded(decoded, compile_expectation(reference, tools, names))


def decoder_failed(error: DecodingError) -> Finding:
    """The finding when a reply cannot be read as calls.

    Args:
        error: Why not.

    Returns:
        Graded 0: the system failed at it.
    """
    return fault("ast_decoder:decoder_failed", f"the reply cannot be read as calls: {error}")
