"""How BFCL compares texts: without blanks and most punctuation, in lower case."""

from __future__ import annotations


def standardise(text: str) -> str:
    """A text as BFCL compares it.

    Removes spaces and ``, . / - _ * ^``, lower-cases, and makes single quotes double. Nothing else: tabs, newlines,
    accents and other punctuation count. That deletes signs and decimal points too; the strict rules keep them.

    Args:
        text: Any text.

    Returns:
        Its standard form.
    """
    return text.translate(_STANDARD).lower().replace("'", '"')


_STANDARD = str.maketrans("", "", " ,./-_*^")
