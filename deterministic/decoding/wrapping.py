"""Requested form of the calls in a reply; normalize the brackets and tags around them."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from ...errors import DecodingError
from ...records import Language

_OPENING_TAG = "<TOOLCALL>"
_CLOSING_TAG = "</TOOLCALL>"


ReplyForm: TypeAlias = Literal["python", "json", "verbose_xml", "concise_xml"]
"""Form in which a system was asked to write its calls; ``python`` means source text in any language."""


class AskedForm(NamedTuple):
    """Requested form of the calls in a text reply.

    Attributes:
        language: The language of the functions.
        form: Source text, JSON or one of two forms of XML; for Java and JavaScript only source text.
        tagged: Whether the calls are between ``<TOOLCALL>`` and ``</TOOLCALL>``.
        stated: Whether the case states the form, so that keeping to it is part of the task.
    """

    language: Language = "python"
    form: ReplyForm = "python"
    tagged: bool = False
    stated: bool = False


PLAIN = AskedForm()
"""Python source text without tags, which is asked for by default."""


def wrap(text: str) -> str:
    """Make a bracketed list of a reply, as BFCL does before reading it.

    Backticks, newlines and spaces are stripped, but not tabs or carriage returns. Missing brackets are added.
    """
    text = text.strip("`\n ")
    if not text.startswith("["):
        text = "[" + text
    if not text.endswith("]"):
        text += "]"
    return text


def untag(text: str) -> str:
    """Return the content of the first ``<TOOLCALL>`` element, without surrounding white space."""
    start = text.find(_OPENING_TAG)
    end = text.find(_CLOSING_TAG, start + len(_OPENING_TAG)) if start >= 0 else -1
    if end < 0:
        raise DecodingError(
            f"expected the calls between {_OPENING_TAG} and {_CLOSING_TAG}, found no such pair"
        )
    return text[start + len(_OPENING_TAG) : end].strip()
