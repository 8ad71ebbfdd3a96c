"""Stored BFCL results to findings, without an Output between, so that odd results keep their meaning."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ..errors import DecodingError
from ..records import Case, Language
from .checkers import CheckOptions, Rules
from .decoding import (
    Form,
    asked_form,
    decode_native,
    decode_native_strictly,
    decode_prompt,
    decode_prompt_strictly,
)
from .finding import Finding

Mode: TypeAlias = Literal["prompt", "fc"]
"""Calls as text, or native function calls."""


def check_result(
    case: Case,
    result: Any,
    *,
    mode: Mode,
    options: CheckOptions | None = None,
    form: Form = "python",
    tagged: bool = False,
) -> Finding:
    """Decide on a stored result as BFCL does.

    Args:
        case: A case of kind ``tool_call``, ``no_call``, ``any_call``, ``memory_answer`` or ``web_search_answer``.
        result: The value of ``result`` in a line of a result file, of any type.
        mode: How the system called.
        options: Rule set, and how names were offered; BFCL's rules when left out.
        form: How calls were to be written (format sensitivity).
        tagged: Whether they were to stand between tags (format sensitivity).
    """
    options = options or CheckOptions(rules="bfcl")
    if case.kind in ("memory_answer", "web_search_answer"):
        return _check_answer(case, result, mode, options)
    if case.kind == "tool_call":
        return _check_calls(case, result, mode, options, form, tagged=tagged)
    return _check_relevance(case, result, mode, options)


def decode_result(
    result: Any,
    *,
    mode: Mode,
    rules: Rules = "bfcl",
    language: Language = "python",
    form: Form = "python",
    tagged: bool = False,
) -> Any:
    """Read the calls of a stored single-turn result of any type, as `decode_prompt` or `decode_native` do.

    Raises:
        DecodingError: It cannot be read.
    """
    if mode == "fc":
        return decode_native_strictly(result) if rules == "strict" else decode_native(result)
    if not isinstance(result, str):
        raise DecodingError(f"expected text, got {type(result).__name__}")
    decode = decode_prompt_strictly if rules == "strict" else decode_prompt
    return decode(result, language=language, form=form, tagged=tagged)


def _check_calls(
    case: Case, result: Any, mode: Mode, options: CheckOptions, form: Form, *, tagged: bool
) -> Finding:
    from .ast.tool_calls import (  # noqa: PLC0415
        check_case,
        decoder_failed,
    )

    language = asked_form(case).language
    try:
        decoded = decode_result(
            result, mode=mode, rules=options.rules, language=language, form=form, tagged=tagged
        )
    except DecodingError as error:
        return decoder_failed(error)
    return check_case(case, decoded, options)


def _check_relevance(case: Case, result: Any, mode: Mode, options: CheckOptions) -> Finding:
    from .relevance import check_reply  # noqa: PLC0415 - loaded when the first case comes

    def decode() -> Any:
        return decode_result(result, mode=mode)

    return check_reply(case, decode, result, options)


def _check_answer(case: Case, result: Any, mode: Mode, options: CheckOptions) -> Finding:
    from .answers import check_steps  # noqa: PLC0415 - loaded when the first case comes

    return check_steps(case, result, mode=mode, options=options)
