"""Turn stored BFCL results into findings.

Results are not converted to an `Output` first, since that would change malformed ones, which BFCL grades as they are.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ..errors import DecodingError
from ..records import Case, kind_spec
from .decoding.replies import asked_form, decode_native, decode_native_strictly
from .decoding.text_replies import decode_prompt
from .decoding.wrapping import PLAIN, AskedForm
from .finding import Finding
from .options import CheckOptions

CallMode: TypeAlias = Literal["prompt", "fc"]
"""``prompt``: calls as text; ``fc``: native function calls."""


def check_result(case: Case, result: Any, *, mode: CallMode, options: CheckOptions | None = None) -> Finding:
    """Check a stored result as BFCL does.

    Args:
        case: A case of kind ``tool_call``, ``no_call``, ``any_call``, ``memory_answer`` or ``web_search_answer``.
        result: The value of ``result`` in a line of a result file, of any type.
        mode: Form in which the system called.
        options: Rule set, and form in which names were offered, or None for BFCL's rules.
    """
    options = options or CheckOptions(rules="bfcl")
    spec = kind_spec(case.kind)
    if spec.family == "answer":
        from .answers import check_steps  # noqa: PLC0415 - loaded on first use

        return check_steps(case, result, mode=mode, options=options)
    if spec.compared:
        return _check_calls(case, result, mode, options)
    from .relevance import check_reply  # noqa: PLC0415 - loaded on first use

    return check_reply(case, lambda: decode_result(result, mode=mode), result, options)


def decode_result(result: Any, *, mode: CallMode, form: AskedForm = PLAIN, strictly: bool = False) -> Any:
    """Read the calls of a stored single-turn result of any type.

    See `decode_prompt` and `decode_native`.

    Raises:
        DecodingError: The result cannot be read.
    """
    if mode == "fc":
        return decode_native_strictly(result) if strictly else decode_native(result)
    if not isinstance(result, str):
        raise DecodingError(f"expected text, got {type(result).__name__}")
    return decode_prompt(result, form, strictly=strictly)


def _check_calls(case: Case, result: Any, mode: CallMode, options: CheckOptions) -> Finding:
    from .ast.tool_calls import check_case, decoding_fault  # noqa: PLC0415 - loaded on first use

    try:
        decoded = decode_result(result, mode=mode, form=asked_form(case), strictly=options.rules == "strict")
    except DecodingError as error:
        return decoding_fault(error, case, result)
    return check_case(case, decoded, options)
