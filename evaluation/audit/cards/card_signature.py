"""Signatures of cards by ``ssh-keygen -Y sign``, with the key that a contributor has.

The signature is next to the card, in ``NAME.json.sig``. It proves which key signed these bytes. The key's fingerprint is the one that
``ssh-keygen -lf`` prints, and that GitHub and the like show for their users.

Source: OpenSSH, PROTOCOL.sshsig; Ed25519 (RFC 8032, RFC 8709).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from ....errors import InputError, MissingExtraError

NAMESPACE = "fiducial-card"
"""Purpose in the signature, so that a signature of something else is not valid for a card."""

SUFFIX = ".sig"

_MAGIC = b"SSHSIG"
_VERSION = 1
_ED25519 = b"ssh-ed25519"
_HASHES = (b"sha512", b"sha256")
"""Hashes that the protocol allows."""

_MAX_BYTES = 64 * 1024
"""A file with more bytes is no signature."""

_ARMOR = re.compile(
    rb"\s*-----BEGIN SSH SIGNATURE-----([A-Za-z0-9+/=\s]*)-----END SSH SIGNATURE-----\s*", re.ASCII
)


def signature_path(card: Path) -> Path:
    """Return the path of a card's signature."""
    return card.with_name(card.name + SUFFIX)


def signer_of(content: bytes, path: Path) -> str:
    """Return the fingerprint of the key that signed a card, ``SHA256:...``.

    Args:
        content: The card's bytes.
        path: Path of its signature.

    Raises:
        InputError: The file is not a signature of a card by an Ed25519 key, or not of these bytes.
        MissingExtraError: ``cryptography`` is not installed.
    """
    signature = _read_signature(path)
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("sign", "a signed card") from error
    digest = hashlib.new(signature.hash_name.decode(), content).digest()
    signed_bytes = _MAGIC + b"".join(map(_ssh_string, (NAMESPACE.encode(), b"", signature.hash_name, digest)))
    try:
        Ed25519PublicKey.from_public_bytes(signature.key).verify(signature.signature, signed_bytes)
    except (InvalidSignature, ValueError) as error:
        raise InputError(
            "the signature does not fit: the card was changed after it was signed", path=path
        ) from error
    # The fingerprint is the hash of the public key in SSH's form.
    blob = _ssh_string(_ED25519) + _ssh_string(signature.key)
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


class _CardSignature(NamedTuple):
    """A raw Ed25519 signature, its public key, and the hash that was signed."""

    key: bytes
    hash_name: bytes
    signature: bytes


def _read_signature(path: Path) -> _CardSignature:
    try:
        with path.open("rb") as file:
            armored = _ARMOR.fullmatch(file.read(_MAX_BYTES + 1))
        reader = _Reader(
            b"" if armored is None else base64.b64decode(b"".join(armored[1].split()), validate=True)
        )
        reader.expect(_MAGIC + _VERSION.to_bytes(4, "big"))
        public, namespace, reserved, hash_name, signature = (reader.string() for _ in range(5))
        reader.end()
        key, raw_signature = (_ed25519_bytes(blob, path) for blob in (public, signature))
    except (OSError, binascii.Error, _NotASignatureError) as error:
        raise InputError("not a signature of `ssh-keygen -Y sign`", path=path) from error
    if namespace != NAMESPACE.encode():
        printable = namespace[:40].decode("utf-8", "replace")
        raise InputError(
            f"signed for {printable!r}; sign with `ssh-keygen -Y sign -n {NAMESPACE}`", path=path
        )
    if reserved or hash_name not in _HASHES:
        raise InputError("not a signature of `ssh-keygen -Y sign`", path=path)
    return _CardSignature(key, hash_name, raw_signature)


def _ed25519_bytes(blob: bytes, path: Path) -> bytes:
    """Return the raw bytes of an Ed25519 key or signature in SSH's form."""
    reader = _Reader(blob)
    kind, content = reader.string(), reader.string()
    if kind != _ED25519:
        printable = kind[:40].decode("utf-8", "replace")
        raise InputError(
            f"expected an Ed25519 key, got {printable!r}; `ssh-keygen -t ed25519` makes one", path=path
        )
    reader.end()
    return content


class _NotASignatureError(Exception):
    """The bytes are not a signature."""


class _Reader:
    """Reader of SSH's strings, each preceded by its length in four bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def expect(self, prefix: bytes) -> None:
        if not self._content.startswith(prefix):
            raise _NotASignatureError
        self._content = self._content[len(prefix) :]

    def string(self) -> bytes:
        length = int.from_bytes(self._content[:4], "big")
        if len(self._content) < 4 + length:
            raise _NotASignatureError
        string, self._content = self._content[4 : 4 + length], self._content[4 + length :]
        return string

    def end(self) -> None:
        if self._content:
            raise _NotASignatureError


def _ssh_string(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content
