"""Did the system call, where it should, or refrain, where it should not?"""

from __future__ import annotations

from typing import Any

from ..errors import DecodingError
from ..records import Case, Output
from .ast.calls import is_call_list
from .checkers import CheckOptions
from .decoding import decode_output
from .evidence import plain
from .finding import PASSED, Finding, fault


def find(case: Case, output: Output, options: CheckOptions) -> Finding:
    """Decide whether an output calls, or refrains, as its case asks.

    Args:
        case: A case of kind ``no_call`` or ``any_call``.
        output: Its native calls count where it has that field, else its text.
        options: Rule set.

    Returns:
        What was found.
    """
    del options
    try:
        decoded = decode_output(output)
    except DecodingError as error:
        return judge_decoded(case, None, str(error))
    return judge_decoded(case, decoded)


def judge_decoded(case: Case, decoded: Any, failure: str | None = None) -> Finding:
    """BFCL's rules: what can be read as a call is one, whatever it names; what cannot be read is none.

    Args:
        case: A case of kind ``no_call`` or ``any_call``.
        decoded: What a decoder made of the reply.
        failure: Why it could not be decoded, when it could not.

    Returns:
        What was found.
    """
    called = failure is None and is_call_list(decoded) and decoded != []
    if case.kind == "any_call":
        if called:
            return PASSED
        reason = f"expected a call, found none: {failure}" if failure else "expected a call, found none"
        return fault("relevance_error:decoder_failed", reason)
    if not called:
        return PASSED
    names = ", ".join(str(name) for call in decoded[:5] for name in call)
    return fault("irrelevance_error:decoder_success", f"expected no call, got {names}", calls=plain(decoded))
