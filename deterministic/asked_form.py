"""In which form a system was asked to write its calls, as its case says."""

from __future__ import annotations

from typing import NamedTuple, cast

from ..records import Case, Language
from .decoding import Form


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
    """In which form a system was asked to write its calls.

    Args:
        case: A case; cases on format sensitivity say it in their tags ``ret_fmt`` and ``tool_call_tag``.

    Returns:
        Source text without tags where nothing else is said.
    """
    return AskedForm(
        cast("Language", case.reference.get("language", "python")),
        cast("Form", case.tags.get("ret_fmt", "python")),
        case.tags.get("tool_call_tag") is True,
    )
