"""Decode calls in texts, by the language and form that the system was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...records import Language
from .json_calls import decode_json_calls, decode_json_calls_strictly, read_json_reply
from .python_calls import decode_python_calls, decode_python_calls_strictly
from .wrapping import PLAIN, AskedForm, untag, wrap
from .xml_calls import decode_concise_xml_calls, decode_verbose_xml_calls


def decode_prompt(text: str, form: AskedForm = PLAIN, *, strictly: bool = False) -> Any:
    """Read the calls in a text reply, as BFCL does or strictly.

    Strict reading differs for Python, JSON and Java. If the case states no form, it also accepts calls written as JSON.

    Returns:
        A list of ``{name: {argument: value}}``. BFCL reads some malformed replies as other values, so the checker tests the type.

    Raises:
        DecodingError: The reply is not in the requested form.
    """
    code = untag(wrap(text)) if form.tagged else wrap(text)
    decoders = _DECODERS.get(form.form)
    if decoders is None and form.language != "python":
        return _decode_other_language(code[1:-1], form.language, strictly=strictly)
    if strictly and decoders is None and not form.stated and (calls := read_json_reply(text)) is not None:
        return calls
    decode_as_bfcl, decode_strictly = decoders or _PYTHON_DECODERS
    return decode_strictly(code) if strictly else decode_as_bfcl(code)


def _decode_other_language(code: str, language: Language, *, strictly: bool) -> Any:
    if language == "javascript":
        from .javascript_calls import decode_javascript_call  # noqa: PLC0415 - tree-sitter is an extra

        return decode_javascript_call(code)
    from .java_calls import decode_java_call  # noqa: PLC0415 - tree-sitter is an extra

    return decode_java_call(code, strictly=strictly)


_PYTHON_DECODERS = decode_python_calls, decode_python_calls_strictly
_DECODERS: dict[str, tuple[Callable[[str], Any], Callable[[str], Any]]] = {
    "json": (decode_json_calls, decode_json_calls_strictly),
    "verbose_xml": (decode_verbose_xml_calls, decode_verbose_xml_calls),
    "concise_xml": (decode_concise_xml_calls, decode_concise_xml_calls),
}
"""Decoders by form: the first as BFCL does, the second strictly."""
