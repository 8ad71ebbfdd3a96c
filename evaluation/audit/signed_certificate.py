"""Signed certificates: in-toto statements in DSSE envelopes, with anchors as salted hashes.

Anyone with the public key can read the claims and check that nothing was changed. Anchors stay private: the statement has a salted hash
of each, so that they cannot be guessed, and the owner of the salt can later show which outputs were certified.

Source: in-toto Statement v1, DSSE v1, Ed25519 (RFC 8032).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...errors import InputError, MissingExtraError, RecordError
from ...records import decode_record, write_json
from ...records.json_text import DuplicateKeyDetector
from ...records.typed_values import convert
from .certificate import Anchor, Certificate, RateClaim

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:fiducial-eval:judge-certificate:v1"

_MAX_BYTES = 64 * 1024 * 1024
_MAX_KEY_BYTES = 64 * 1024
"""Files with more bytes are no envelope and no key."""


class Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Signature of an envelope, in base64, and the hash of its key."""

    keyid: str
    sig: str


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """DSSE envelope; ``payload`` is base64."""

    payloadType: str  # noqa: N815 - the standard's name
    payload: str
    signatures: list[Signature]


class SignedFacts(msgspec.Struct, frozen=True):
    """A certificate in the form of a signed statement, where anchors are hashes."""

    fiducial: str
    issued: str
    judge: str
    fingerprint: str
    claims: list[RateClaim]
    anchors: list[str]


def sign_certificate(certificate: Certificate, key: Path, out: Path) -> bytes:
    """Write a signed certificate without its anchors.

    Args:
        certificate: The certificate.
        key: Unencrypted Ed25519 private key in PEM (``openssl genpkey -algorithm ed25519``).
        out: Path of the envelope.

    Returns:
        The salt of the anchors' hashes, to be kept with the private certificate.

    Raises:
        InputError: The key cannot be used.
        MissingExtraError: ``cryptography`` is not installed.
    """
    private = _private_key(key)
    salt = secrets.token_bytes(32)
    payload = msgspec.json.encode(_statement(certificate, salt))
    envelope = Envelope(
        PAYLOAD_TYPE,
        base64.b64encode(payload).decode(),
        [
            Signature(
                _key_id(private.public_key()),
                base64.b64encode(private.sign(_pre_authentication_encoding(payload))).decode(),
            )
        ],
    )
    write_json(out, envelope)
    return salt


def verify_certificate(path: Path, key: Path) -> dict[str, Any]:
    """Return the statement of a signed certificate whose signature is valid.

    Args:
        path: Path of the envelope.
        key: Ed25519 public key in PEM (``openssl pkey -pubout``).

    Raises:
        InputError: The file is not an envelope, or was not signed with this key, or was changed since.
        MissingExtraError: ``cryptography`` is not installed.
    """
    public = _public_key(key)
    try:
        envelope = decode_record(_read_limited(path, _MAX_BYTES), Envelope, detector=DuplicateKeyDetector())
    except (OSError, RecordError) as error:
        raise InputError(f"not a signed certificate: {error}", path=path) from error
    if envelope.payloadType != PAYLOAD_TYPE or len(envelope.signatures) != 1:
        raise InputError(
            "not a signed certificate: expected one signature of an in-toto statement", path=path
        )
    (signature,) = envelope.signatures
    payload = _decode_base64(envelope.payload, path)
    if signature.keyid != _key_id(public):
        raise InputError(f"signed with another key (keyid {signature.keyid[:16]!r})", path=path)
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra

    try:
        public.verify(_decode_base64(signature.sig, path), _pre_authentication_encoding(payload))
    except InvalidSignature as error:
        raise InputError(
            "the signature does not fit: the certificate was changed after it was signed", path=path
        ) from error
    try:
        statement = decode_record(payload, dict[str, Any], detector=DuplicateKeyDetector())
        convert(statement.get("predicate"), SignedFacts)
    except (RecordError, msgspec.ValidationError) as error:
        raise InputError(f"the statement is not about a judge's certificate: {error}", path=path) from error
    if (statement.get("_type"), statement.get("predicateType")) != (STATEMENT_TYPE, PREDICATE_TYPE):
        raise InputError("the statement is not about a judge's certificate", path=path)
    return statement


def disclosed_anchors(statement: dict[str, Any], certificate: Certificate) -> int:
    """Return the number of anchors of a private certificate, if they are those that were signed.

    Raises:
        InputError: The certificate has no salt, or its anchors are not those of the statement.
    """
    if certificate.salt is msgspec.UNSET:
        raise InputError("the certificate was not signed: it has no salt")
    try:
        salt = bytes.fromhex(certificate.salt)
    except ValueError as error:
        raise InputError("the certificate's salt is not in hexadecimal") from error
    signed: list[str] = statement["predicate"]["anchors"]
    if signed != [commitment(anchor, salt) for anchor in certificate.anchors]:
        raise InputError("the anchors are not those that were signed")
    return len(signed)


def commitment(anchor: Anchor, salt: bytes) -> str:
    """Return the salted hash of an anchor."""
    return hmac.new(salt, msgspec.json.encode(anchor, order="sorted"), hashlib.sha256).hexdigest()


def _statement(certificate: Certificate, salt: bytes) -> dict[str, Any]:
    facts: dict[str, Any] = msgspec.to_builtins(certificate)
    facts.pop("salt", None)
    facts["anchors"] = [commitment(anchor, salt) for anchor in certificate.anchors]
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": certificate.judge, "digest": {"sha256": certificate.fingerprint}},
            {"name": "labels", "digest": {"sha256": certificate.data}},
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": facts,
    }


def _pre_authentication_encoding(payload: bytes) -> bytes:
    """Return the bytes that DSSE signs."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def _decode_base64(text: str, path: Path) -> bytes:
    """Decode base64; reject other spellings of the same bytes, so that no bit can be changed."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError("not a signed certificate: bad base64", path=path) from error
    if base64.b64encode(decoded).decode() != text:
        raise InputError("not a signed certificate: bad base64", path=path)
    return decoded


def _read_limited(path: Path, limit: int) -> bytes:
    """Return a file's content, cut off above the limit, so that a larger file cannot be parsed."""
    with path.open("rb") as file:
        return file.read(limit + 1)


def _key_id(public: Ed25519PublicKey) -> str:
    return hashlib.sha256(public.public_bytes_raw()).hexdigest()


def _private_key(path: Path) -> Ed25519PrivateKey:
    return _load_key(path, private=True)


def _public_key(path: Path) -> Ed25519PublicKey:
    return _load_key(path, private=False)


def _load_key(path: Path, *, private: bool) -> Any:
    try:
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("sign", "a signed certificate") from error
    key_type = ed25519.Ed25519PrivateKey if private else ed25519.Ed25519PublicKey
    try:
        content = _read_limited(path, _MAX_KEY_BYTES)
        key = (
            serialization.load_pem_private_key(content, None)
            if private
            else serialization.load_pem_public_key(content)
        )
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        kind = "private" if private else "public"
        raise InputError(f"not an unencrypted Ed25519 {kind} key in PEM: {error}", path=path) from error
    if not isinstance(key, key_type):
        raise InputError("expected an Ed25519 key", path=path)
    return key
