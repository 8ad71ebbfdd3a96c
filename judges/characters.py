"""Characters that JSON can spell and no file can hold."""

from __future__ import annotations


def well_formed(text: str) -> str:
    r"""The text with halves of surrogate pairs replaced by U+FFFD.

    ``"\ud800"`` is valid JSON. Python decodes it to a text that cannot be encoded again, so one such reply would end a run.

    Args:
        text: Any text.

    Returns:
        A text that can be written in UTF-8; most often the very same.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
