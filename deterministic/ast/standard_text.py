"""Compare texts, by BFCL's or strict rules.

BFCL ignores blanks and most punctuation; strict rules keep signs and points.
"""

from __future__ import annotations

import re


def standardise(text: str) -> str:
    """Return a text as BFCL compares it.

    Removes spaces and ``, . / - _ * ^``, lower-cases, and makes single quotes double. Nothing else: tabs, newlines,
    accents and other punctuation count. That deletes signs and decimal points too; the strict rules keep them.
    """
    return text.translate(_STANDARD).lower().replace("'", '"')


_STANDARD = str.maketrans("", "", " ,./-_*^")


_BLANKS = re.compile(r" {2,}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INITIALS = re.compile(r"(?<![^\W_])([^\W\d_])\.(?=[^\W\d_](?:\.|(?![^\W_])))")
_FINAL_PERIOD = re.compile(r"(?<=[^\W\d_])\.(?=[ ,;:!?)\"]|$)")
_IMPLICIT_PRODUCT = re.compile(r"(?<=\d)\*(?=[^\W\d_(])")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BLANKS_AT_PUNCTUATION = re.compile(r" ?([^\w ]) ?")

_LONGEST = 50_000
"""Longer texts are compared as they are."""


def standardise_strictly(text: str) -> str:
    """Return a text as strict rules compare it.

    Two texts that are the same here are the same to BFCL; the converse does not hold: ``-5`` is not ``5``, ``1.5`` not
    ``15``, ``ab`` not ``a-b``. Harmless are: case; kinds of quote; runs of blanks, and blanks at punctuation; a comma,
    underscore or hyphen between words instead of a blank; commas between thousands; a period at the end of a word or
    between initials; ``**`` for ``^``, and ``2*x`` for ``2x``.
    """
    if len(text) > _LONGEST:
        return text
    if text.isalnum():
        return text.lower()
    text = text.lower().replace("'", '"').replace("**", "^")
    text = _THOUSANDS.sub("", text).replace(",", " ").replace("_", " ")
    text = _BLANKS.sub(" ", text).strip(" ")
    text = _FINAL_PERIOD.sub("", _INITIALS.sub(r"\1", text))
    text = _HYPHEN.sub(" ", _IMPLICIT_PRODUCT.sub("", text).replace(" - ", "-"))
    text = _BLANKS.sub(" ", text)
    return _BLANKS_AT_PUNCTUATION.sub(r"\1", text).strip(" ")
