"""Which decoder reads a reply: by the language and the form that the system was asked to answer in."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ...records import Case, Language, Output
from .json_calls import decode_json_calls, decode_json_calls_strictly
from .native_calls import decode_tool_calls
from .python_calls import decode_python_calls, decode_python_calls_strictly
from .wrapping import untag, wrap
from .xml_calls import decode_concise_xml_calls, decode_verbose_xml_calls

Form: TypeAlias = Literal["python", "json", "verbose_xml", "concise_xml"]
"""How a system was asked to write its calls; ``python`` stands for source text of whatever the language is."""


def decode_prompt(
    text: str, *, language: Language = "python", form: Form = "python", tagged: bool = False
) -> Any:
    """Read the calls in a text reply, as BFCL does.

    Args:
        text: The reply.
        language: The language of the functions.
        form: How calls were to be written; anything but source text is for Python only.
        tagged: Whether they were to stand between ``<TOOLCALL>`` and ``</TOOLCALL>``.

    Returns:
        Mostly a list of ``{name: {argument: value}}``; whatever else the original makes of odd replies. Whether it is
        calls at all is for the checker to see.

    Raises:
        DecodingError: The reply is not in that form.
    """
    text = wrap(text)
    if tagged:
        text = untag(text)
    if form == "json":
        return decode_json_calls(text)
    if form == "verbose_xml":
        return decode_verbose_xml_calls(text)
    if form == "concise_xml":
        return decode_concise_xml_calls(text)
    if language == "java":
        from .java_calls import decode_java_call  # noqa: PLC0415 - tree-sitter is an extra

        return decode_java_call(text[1:-1])
    if language == "javascript":
        from .javascript_calls import decode_javascript_call  # noqa: PLC0415 - tree-sitter is an extra

        return decode_javascript_call(text[1:-1])
    return decode_python_calls(text)


def decode_prompt_strictly(
    text: str, *, language: Language = "python", form: Form = "python", tagged: bool = False
) -> Any:
    """Read the calls in a text reply as they were meant.

    Differs from `decode_prompt` for Python source (see `decode_python_calls_strictly`), for JSON (the whole outer list,
    or a failure) and for Java (values as written).
    """
    code = wrap(text)
    if form == "json":
        return decode_json_calls_strictly(untag(code) if tagged else code)
    if form == "python" and language == "python":
        return decode_python_calls_strictly(untag(code) if tagged else code)
    if form == "python" and language == "java":
        from .java_calls import decode_java_call_as_written  # noqa: PLC0415 - tree-sitter is an extra

        return decode_java_call_as_written(code[1:-1])
    return decode_prompt(text, language=language, form=form, tagged=tagged)


def decode_output(
    output: Output, *, language: Language = "python", form: Form = "python", tagged: bool = False
) -> Any:
    """Read the calls of an output: its native ones where it has that field, else those in its text, as `decode_prompt`."""
    if output.tool_calls is not None:
        return decode_tool_calls(output.tool_calls)
    return decode_prompt(output.text or "", language=language, form=form, tagged=tagged)


def decode_output_strictly(
    output: Output, *, language: Language = "python", form: Form = "python", tagged: bool = False
) -> Any:
    """As `decode_output`, by `decode_prompt_strictly`."""
    if output.tool_calls is not None:
        return decode_tool_calls(output.tool_calls, strictly=True)
    return decode_prompt_strictly(output.text or "", language=language, form=form, tagged=tagged)


class AskedForm(NamedTuple):
    """How calls in a text reply are written.

    Attributes:
        language: The language of the functions.
        form: Source text, JSON or one of two forms of XML.
        tagged: Whether they stand between ``<TOOLCALL>`` and ``</TOOLCALL>``.
    """

    language: Language
    form: Form
    tagged: bool


def asked_form(case: Case) -> AskedForm:
    """In which form a system was asked to write its calls; cases on format sensitivity say it in tags ``ret_fmt`` and ``tool_call_tag``."""
    return AskedForm(
        cast("Language", case.reference.get("language", "python")),
        cast("Form", case.tags.get("ret_fmt", "python")),
        case.tags.get("tool_call_tag") is True,
    )
