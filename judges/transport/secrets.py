"""Takes a key out of texts that are kept, in the forms in which a server may echo it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from urllib.parse import quote, quote_plus

_SHORTEST = 8
"""Characters of a key that is looked for in replies: a shorter one, such as the placeholder for servers without keys, is a word."""

_SHOWN = "***"


def redactor(key: str | None) -> Callable[[str], str]:
    """What takes a key out of a text: as it is, in base64 (wherever in the encoded text it stood), and URL-encoded.

    Args:
        key: The key; None or a short one is left alone.

    Returns:
        Text in, text out.
    """
    if key is None or len(key) < _SHORTEST:
        return lambda text: text
    forms = sorted({*_forms(key)}, key=len, reverse=True)
    found = re.compile("|".join(map(re.escape, forms)))
    return lambda text: found.sub(_SHOWN, text)


def _forms(key: str) -> Iterator[str]:
    yield key
    yield quote(key, safe="")
    yield quote_plus(key)
    yield "".join(f"%{byte:02x}" for byte in key.encode())
    for before in range(3):
        # Of six bits a letter, those at both ends hold neighbours of the key, too.
        first, bits = -(-before * 8 // 6), (before + len(key.encode())) * 8
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"\0" * before + key.encode()).decode()[first : bits // 6]
