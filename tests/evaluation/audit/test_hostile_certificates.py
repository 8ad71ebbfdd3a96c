"""Certificates and keys by strangers: refused in a line, or read unambiguously."""

from __future__ import annotations

import base64
import copy
import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import fiducial
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa, x25519
from each_row import failing

from fiducial.errors import InputError
from fiducial.evaluation.audit import signed_certificate
from fiducial.evaluation.audit.certificate import Certificate, certify
from fiducial.evaluation.audit.judged_run import JudgedRun
from fiducial.evaluation.audit.signed_certificate import sign_certificate, verify_certificate

AREA = "signed certificates"

KIND = "application/vnd.in-toto+json"
LIMIT = 1 << 20
"""Most bytes that are read of an envelope here; 64 times as many are read elsewhere."""
PEM, SPKI = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
PKCS8, PLAIN = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()


@cache
def certificate() -> Certificate:
    rows: list[dict[str, Any]] = [
        {"item_id": f"secret-{n}|s|0", "label": 1.0, "score": 1.0, "cluster": f"c{n}"} for n in range(12)
    ]
    return certify(
        JudgedRun("j@m", None, rows, frozenset(), []),
        {"accuracy": 0.5},
        issued="2026-11-23T00:00:00Z",
        drift="e-process",  # of the other test it would be simulated what it could find
    )


class Signer:
    """Whoever signs: well-known, and perhaps not well-meaning."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.private = ed25519.Ed25519PrivateKey.generate()
        (folder / "key.pem").write_bytes(self.private.private_bytes(PEM, PKCS8, PLAIN))
        (folder / "key.pub").write_bytes(self.private.public_key().public_bytes(PEM, SPKI))
        sign_certificate(certificate(), folder / "key.pem", folder / "signed.json")

    @property
    def envelope(self) -> dict[str, Any]:
        return json.loads((self.folder / "signed.json").read_text())

    @property
    def statement(self) -> dict[str, Any]:
        return json.loads(base64.b64decode(self.envelope["payload"]))

    def signed(self, payload: bytes, kind: str = KIND, **other: Any) -> str:
        """An envelope of any payload, with a signature that fits."""
        encoded = b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(payload), payload)
        signature = base64.b64encode(self.private.sign(encoded)).decode()
        keyid = self.envelope["signatures"][0]["keyid"]
        told = {
            "payloadType": kind,
            "payload": base64.b64encode(payload).decode(),
            "signatures": [{"keyid": keyid, "sig": signature}],
        }
        return json.dumps(told | other)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Signer:
    return Signer(tmp_path_factory.mktemp("signer"))


@pytest.fixture
def signer(made: Signer, tmp_path: Path) -> Signer:
    shutil.copytree(made.folder, tmp_path, dirs_exist_ok=True)
    here = copy.copy(made)
    here.folder = tmp_path
    return here


def refused(signer: Signer, text: str | bytes) -> str:
    """Return the error for a refused envelope, in Python and on the command line."""
    path = signer.folder / "theirs.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InputError) as told:
        verify_certificate(path, signer.folder / "key.pub")
    assert "\n" not in str(told.value)
    assert str(told.value).startswith(str(path))
    ended = fiducial("audit", "verify", path, "--key", signer.folder / "key.pub")
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert not {"\x1b", "\x07", "\u202e"} & {*ended.err}
    return str(told.value)


def twice(text: str, field: str, first: object) -> str:
    """The text, with a field said once more before it is said."""
    return text.replace(f'"{field}":', f'"{field}": {json.dumps(first)}, "{field}":', 1)


def respelled(encoded: str) -> str:
    """Base64 of the same 64 bytes, of which the last letter holds bits that mean nothing."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    assert encoded.endswith("==")
    return encoded[:-3] + letters[letters.index(encoded[-3]) + 1] + "=="


ENVELOPES: dict[str, Callable[[Signer], str | bytes]] = {
    "nothing": lambda _: "",
    "a number": lambda _: "1",
    "a list": lambda _: "[]",
    "null": lambda _: "null",
    "half an object": lambda _: "{",
    "an object of something else": lambda _: '{"unknown": 1}',
    "an envelope of nothing": lambda _: '{"payloadType": "x", "payload": "", "signatures": []}',
    "brackets": lambda _: "[" * 100_000,
    "objects": lambda _: '{"payload":' * 100_000,
    "no UTF-8": lambda _: b"\xff\xfe{}",
    "null bytes": lambda _: b"\0" * 4096,
    "a megabyte of blanks": lambda _: " " * 1_000_000,
    "longer than is read": lambda _: b'{"payload":"' + b"A" * LIMIT + b'"}',
    "payload twice": lambda s: twice(json.dumps(s.envelope), "payload", "e30="),
    "type twice": lambda s: twice(json.dumps(s.envelope), "payloadType", "text/plain"),
    "signatures twice": lambda s: twice(json.dumps(s.envelope), "signatures", []),
    "signature twice": lambda s: twice(json.dumps(s.envelope), "sig", "AAAA"),
    "key id twice": lambda s: twice(json.dumps(s.envelope), "keyid", "0"),
    "another field": lambda s: json.dumps(s.envelope | {"key": "/etc/passwd"}),
    "an algorithm": lambda s: json.dumps(s.envelope | {"alg": "none"}),
    "no signature": lambda s: json.dumps(s.envelope | {"signatures": []}),
    "two signatures": lambda s: json.dumps(s.envelope | {"signatures": s.envelope["signatures"] * 2}),
    "many signatures": lambda s: json.dumps(s.envelope | {"signatures": s.envelope["signatures"] * 10_000}),
    "signatures are an object": lambda s: json.dumps(s.envelope | {"signatures": s.envelope["signatures"][0]}),
    "payload is an object": lambda s: json.dumps(s.envelope | {"payload": s.statement}),
    "payload is null": lambda s: json.dumps(s.envelope | {"payload": None}),
    "signature in another spelling of its last byte": lambda s: json.dumps(
        s.envelope | {"signatures": [{**s.envelope["signatures"][0], "sig": respelled(s.envelope["signatures"][0]["sig"])}]}
    ),
    "payload in base64url": lambda s: json.dumps(s.envelope | {"payload": s.envelope["payload"].replace("+", "-").replace("/", "_") + "_"}),
    "payload with blanks": lambda s: json.dumps(s.envelope | {"payload": " " + s.envelope["payload"]}),
    "payload with a line": lambda s: json.dumps(s.envelope | {"payload": s.envelope["payload"] + "\n"}),
    "payload with letters of another alphabet": lambda s: json.dumps(s.envelope | {"payload": "\uff21" + s.envelope["payload"][1:]}),
    "another payload": lambda s: json.dumps(s.envelope | {"payload": "e30="}),
    "type in capitals": lambda s: json.dumps(s.envelope | {"payloadType": KIND.upper()}),
    "type of plain JSON, signed": lambda s: s.signed(json.dumps(s.statement).encode(), "application/json"),
    "type with controls, signed": lambda s: s.signed(b"{}", "\x1b[2J\u202e".encode("ascii", "ignore").decode()),
    "empty payload, signed": lambda s: s.signed(b""),
    "no JSON, signed": lambda s: s.signed(b"\x80\x04cos\nsystem\n"),
    "a list, signed": lambda s: s.signed(b"[]"),
    "brackets, signed": lambda s: s.signed(b"[" * 100_000),
    "objects, signed": lambda s: s.signed(b'{"predicate":' * 100_000 + b"1" + b"}" * 100_000),
    "a key twice, signed": lambda s: s.signed(twice(json.dumps(s.statement), "predicateType", "x").encode()),
    "a claim twice, signed": lambda s: s.signed(twice(json.dumps(s.statement), "at_least", 0.1).encode()),
    "thousands of digits, signed": lambda s: s.signed(json.dumps(s.statement).replace('"at_least": 0.5', '"at_least": ' + "9" * 5000).encode()),
    "not a number, signed": lambda s: s.signed(json.dumps(s.statement).replace('"at_least": 0.5', '"at_least": NaN').encode()),
}  # fmt: skip


def without(signer: Signer, *path: str) -> str:
    """A signed statement that lacks something."""
    statement = signer.statement
    held = statement
    for name in path[:-1]:
        held = held[name]
    del held[path[-1]]
    return signer.signed(json.dumps(statement).encode())


def with_other(signer: Signer, value: Any, *path: str) -> str:
    """A signed statement in which something is another value."""
    statement = signer.statement
    held = statement
    for name in path[:-1]:
        held = held[name]
    held[path[-1]] = value
    return signer.signed(json.dumps(statement).encode())


PARTS = ("fiducial", "issued", "judge", "fingerprint", "claims", "anchors")
for part in PARTS:
    ENVELOPES[f"no {part}, signed"] = lambda s, part=part: without(s, "predicate", part)
    for name, value in {"null": None, "a number": 1, "an object": {"a": 1}, "a list of null": [None]}.items():
        ENVELOPES[f"{part} is {name}, signed"] = lambda s, part=part, value=value: with_other(
            s, value, "predicate", part
        )
for name in ("_type", "predicateType", "predicate"):
    ENVELOPES[f"no {name}, signed"] = lambda s, name=name: without(s, name)
    ENVELOPES[f"{name} is a list, signed"] = lambda s, name=name: with_other(s, ["x"], name)


REFUSALS = (
    "not a signed certificate",
    "the statement is not about a judge's certificate",
    "signed with another key",
    "the signature does not fit",
    "cannot be read as a certificate",
)


@pytest.mark.attack(AREA, forms=len(ENVELOPES))
def test_an_envelope_that_is_not_exactly_a_certificate_is_refused(
    signer: Signer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(signed_certificate, "_MAX_BYTES", LIMIT)

    def attempt(name: str) -> None:
        error = refused(signer, ENVELOPES[name](signer))
        assert any(reason in error for reason in REFUSALS), error

    assert failing(ENVELOPES, attempt) == {}


SIGNATURES: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "one byte less": lambda sig: sig[:-1],
    "one byte more": lambda sig: sig + b"\0",
    "zeros": lambda _: bytes(64),
    "ones": lambda _: b"\xff" * 64,
    "halves exchanged": lambda sig: sig[32:] + sig[:32],
    "S beyond the order": lambda sig: sig[:32] + (
        int.from_bytes(sig[32:], "little") + 2**252 + 27742317777372353535851937790883648493
    ).to_bytes(32, "little"),
    "a neutral point": lambda _: b"\1" + bytes(63),
    "a megabyte": lambda sig: sig * 16_384,
}  # fmt: skip


@pytest.mark.attack(AREA, forms=len(SIGNATURES))
def test_a_signature_has_one_form(signer: Signer):
    def attempt(name: str) -> None:
        envelope = signer.envelope
        given = base64.b64decode(envelope["signatures"][0]["sig"])
        envelope["signatures"][0]["sig"] = base64.b64encode(SIGNATURES[name](given)).decode()
        assert "the signature does not fit" in refused(signer, json.dumps(envelope))

    assert failing(SIGNATURES, attempt) == {}


def public(key: Any) -> bytes:
    return key.public_key().public_bytes(PEM, SPKI)


def line_in(label: str, content: bytes) -> bytes:
    return b"-----BEGIN %b-----\n%b\n-----END %b-----\n" % (label.encode(), content, label.encode())


# Its primes would have to be found anew each time.
DSA = b"""-----BEGIN PUBLIC KEY-----
MIIBtjCCASsGByqGSM44BAEwggEeAoGBALZ097lDuZD/Z05QeeiOGnqIQyQhewx2
dShRuwfJt2Xqs0+efVVNRZyeyKnNY+Nei7seemxn9IlHSwzQcA/bQ3EcZ21Aep69
JiaePRf+3OGAuuBl/Wb5dY5msZEK2/CMbidv2aUPL4zklu5X48nD+r48eV1hd4A3
UYDmqXp5SVyLAhUAwQy5bV0vbNc4Ek8LGs3KipU/e1cCgYAYPm2vucwvyPtdbLvG
vvf+Y68Cn+VQpcJeAjB//HchJa7jV1hTa3dS28Nw3jd0dm0idVFJFAQL4RpDiEIY
RpJsUVNmJcMa+fOTdF0rpwjqFKFhjosEEwKGxYMDVyYAEKiTzPtA4ZBOaO2Qrd7c
0tJrtnb8tX4alnrX77h6ayTpywOBhAACgYA8R6HKLR9jkoWpae+5sJYs/n8yB/gz
fBg6i1jsJAgnGK8MZ0U0IRjaFAmw+pJbAdDpwTNCvXQLCyBk+dwX15/HJknyE4w+
gmJ+3JoVsNFLUYeosHfkd+KdvS3geA7kcxR7um7qwgrhKzWiZyWZkb2PbJ/6rJ3X
qhQbvV4T6nHXFQ==
-----END PUBLIC KEY-----
"""

KEYS: dict[str, Callable[[Signer], bytes]] = {
    "RSA": lambda _: public(rsa.generate_private_key(65537, 2048)),
    "P-256": lambda _: public(ec.generate_private_key(ec.SECP256R1())),
    "DSA": lambda _: DSA,
    "Ed448": lambda _: public(ed448.Ed448PrivateKey.generate()),
    "X25519": lambda _: public(x25519.X25519PrivateKey.generate()),
    "the private key": lambda s: (s.folder / "key.pem").read_bytes(),
    "another key": lambda _: public(ed25519.Ed25519PrivateKey.generate()),
    "raw bytes": lambda s: s.private.public_key().public_bytes_raw(),
    "DER": lambda s: s.private.public_key().public_bytes(serialization.Encoding.DER, SPKI),
    "OpenSSH": lambda s: s.private.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    ),
    "a label of a certificate": lambda s: (s.folder / "key.pub").read_bytes().replace(b"PUBLIC KEY", b"CERTIFICATE"),
    "no base64": lambda _: line_in("PUBLIC KEY", b"!" * 60),
    "cut": lambda s: (s.folder / "key.pub").read_bytes()[:-30],
    "a short key": lambda _: line_in("PUBLIC KEY", base64.b64encode(bytes.fromhex("302a300506032b6570032100") + bytes(31))),
    "unknown algorithm": lambda _: line_in("PUBLIC KEY", base64.b64encode(bytes.fromhex("302a300506032b6571032100") + bytes(32))),
    "nothing": lambda _: b"",
    "null bytes": lambda _: bytes(1000),
    "ten megabytes": lambda s: b"\n" * 10_000_000 + (s.folder / "key.pub").read_bytes(),
}  # fmt: skip


@pytest.mark.attack(AREA, forms=len(KEYS))
def test_no_other_key_verifies(signer: Signer):
    def attempt(name: str) -> None:
        path = signer.folder / "other.pub"
        path.write_bytes(KEYS[name](signer))
        with pytest.raises(InputError) as told:
            verify_certificate(signer.folder / "signed.json", path)
        assert "\n" not in str(told.value)
        assert base64.b64encode(signer.private.private_bytes_raw()).decode() not in str(told.value)

    assert failing(KEYS, attempt) == {}


NO_FILES: dict[str, Callable[[Path], object]] = {
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": lambda path: path.mkdir(),
    "loop": lambda path: path.symlink_to(path.name),
    "missing": lambda _: None,
}
PLACES = ("signed", "key", "certificate")


@pytest.mark.attack(AREA, forms=len(NO_FILES) * len(PLACES))
def test_what_is_no_file_is_refused(signer: Signer):
    def attempt(row: tuple[str, str]) -> None:
        kind, place = row
        path = signer.folder / f"theirs {kind} {place}"
        NO_FILES[kind](path)
        given = {"signed": signer.folder / "signed.json", "key": signer.folder / "key.pub", place: path}
        more = ("--certificate", given["certificate"]) if place == "certificate" else ()
        ended = fiducial("audit", "verify", given["signed"], "--key", given["key"], *more)
        assert (ended.code, len(ended.err.splitlines())) == (2, 1), ended

    assert failing(product(NO_FILES, PLACES), attempt) == {}


HOSTILE_NAMES = [
    "\x1b]0;pwned\x07",
    "\u202eevil",
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "../../etc/passwd",
    "a\nthe signature is valid",
]


NAMED = ("judge", "issued", "fiducial", "fingerprint")


@pytest.mark.attack(AREA, forms=len(NAMED) * len(HOSTILE_NAMES))
def test_names_that_a_signer_chose_are_shown_as_text(signer: Signer):
    def attempt(row: tuple[str, str]) -> None:
        part, name = row
        path = signer.folder / "theirs.json"
        path.write_text(with_other(signer, name, "predicate", part))
        ended = fiducial("audit", "verify", path, "--key", signer.folder / "key.pub")
        assert ended.code == 0, ended
        assert not {"\x1b", "\x07", "\u202e"} & {*ended.out}, ended
        assert sum(line.startswith("the signature is valid") for line in ended.out.splitlines()) == 1, ended

    assert failing(product(NAMED, HOSTILE_NAMES), attempt) == {}


SALTS = ("", "zz", "../..", "00" * 10**6, "\x00", "0")


@pytest.mark.attack(AREA, forms=len(SALTS))
def test_a_salt_that_is_none_shows_nothing(signer: Signer):
    path = signer.folder / "private.json"
    mine = json.loads(msgspec.json.encode(certificate()))
    given = (signer.folder / "signed.json", "--key", signer.folder / "key.pub", "--certificate", path)

    def attempt(salt: str) -> None:
        path.write_text(json.dumps(mine | {"salt": salt}))
        ended = fiducial("audit", "verify", *given)
        assert (ended.code, len(ended.err.splitlines())) == (2, 1), ended
        assert "Traceback" not in ended.err

    assert failing(SALTS, attempt) == {}


@pytest.mark.attack(AREA)
def test_no_file_of_a_signer_is_left_open_to_others(signer: Signer):
    """The signed copy is public; the private one, with anchors and salt, keeps the umask."""
    before = os.umask(0o077)
    try:
        sign_certificate(certificate(), signer.folder / "key.pem", signer.folder / "again.json")
    finally:
        os.umask(before)
    assert (signer.folder / "again.json").stat().st_mode & 0o077 == 0
