"""Addresses of files and objects (``s3://bucket/key``), as opposed to paths."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

_ADDRESS = re.compile(r"\A[A-Za-z][A-Za-z0-9+.-]*(?:::[^/]*)?://")
# A password, and the @ behind it; other text with a colon, such as a port, has none.
_PASSWORD = re.compile(r"://[^/@\s:]*:[^@\s]*(@?)")
_USER = re.compile(r"(?<!\babfs)(?<!\babfss)(?<!\bwasb)(?<!\bwasbs)(?<!\baz)://[^/@\s:]+@")
"""User in an address, which may be a secret token; in Azure's addresses it is a container, so it stays."""

_QUERY = re.compile(r"(://[^\s?]*)(\?\S*)?")


def is_address(text: str) -> bool:
    """Return whether a text is an address and not a path."""
    return _ADDRESS.match(text) is not None


def redact(text: str) -> str:
    """Redact credentials and queries, which contain signatures, in the addresses of a text."""
    return _QUERY.sub(
        lambda match: f"{match[1]}?***" if "=" in (match[2] or "") else match[0], redact_credentials(text)
    )


def redact_credentials(text: str) -> str:
    """Redact users and passwords in the addresses of a text."""
    without_passwords = _PASSWORD.sub(lambda match: "://***@" if match[1] else match[0], text)
    return _USER.sub("://***@", without_passwords)


def local_path(address: str) -> Path | None:
    """Return the path of a ``file://`` address, or None for any other address."""
    scheme, _, path_text = address.partition("://")
    if scheme.lower() not in {"file", "local"}:
        return None
    return Path(unquote(path_text.removeprefix("localhost")))
