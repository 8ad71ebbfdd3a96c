"""Signed certificates: valid ones verify, changed ones do not, and anchors stay secret."""

from __future__ import annotations

import base64
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiducial.errors import InputError
from fiducial.evaluation.audit.certificate import Certificate, certify
from fiducial.evaluation.audit.judged_run import JudgedRun
from fiducial.evaluation.audit.signed_certificate import (
    Envelope,
    disclosed_anchors,
    sign_certificate,
    verify_certificate,
)


@cache
def certificate(count: int = 12) -> Certificate:
    rows: list[dict[str, Any]] = [
        {"item_id": f"secret-{n}|s|0", "label": 1.0, "score": 1.0, "cluster": f"c{n}"} for n in range(count)
    ]
    return certify(
        JudgedRun("j@m", None, rows, frozenset(), []),
        {"accuracy": 0.5},
        issued="2026-11-23T00:00:00Z",
        drift="e-process",  # of the other test it would be simulated what it could find
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("key", "other"):
        private = Ed25519PrivateKey.generate()
        (folder / f"{name}.pem").write_bytes(
            private.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        (folder / f"{name}.pub").write_bytes(
            private.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )
    sign_certificate(certificate(), folder / "key.pem", folder / "signed.json")
    return folder


def test_what_was_signed_verifies_and_says_what_is_claimed(folder: Path):
    statement = verify_certificate(folder / "signed.json", folder / "key.pub")
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"][0]["name"] == "j@m"
    assert statement["predicate"]["claims"][0]["statistic"] == "accuracy"


def test_no_item_and_no_label_can_be_read_in_the_signed_copy(folder: Path):
    envelope = msgspec.json.decode((folder / "signed.json").read_bytes(), type=Envelope)
    payload = base64.b64decode(envelope.payload).decode()
    assert "secret-" not in payload
    assert "salt" not in payload
    assert len(json.loads(payload)["predicate"]["anchors"]) == 12


def test_the_same_anchors_are_committed_to_otherwise_each_time(folder: Path, tmp_path: Path):
    sign_certificate(certificate(), folder / "key.pem", tmp_path / "again.json")
    first, second = (
        verify_certificate(path, folder / "key.pub")["predicate"]["anchors"]
        for path in (folder / "signed.json", tmp_path / "again.json")
    )
    assert not set(first) & set(second)


def test_the_owner_shows_the_anchors_with_the_salt(folder: Path, tmp_path: Path):
    mine = certificate()
    salt = sign_certificate(mine, folder / "key.pem", tmp_path / "signed.json")
    statement = verify_certificate(tmp_path / "signed.json", folder / "key.pub")
    assert disclosed_anchors(statement, msgspec.structs.replace(mine, salt=salt.hex())) == 12
    with pytest.raises(InputError, match="not those that were signed"):
        disclosed_anchors(statement, msgspec.structs.replace(certificate(11), salt=salt.hex()))
    with pytest.raises(InputError, match="it has no salt"):
        disclosed_anchors(statement, mine)


def test_another_key_is_named(folder: Path):
    with pytest.raises(InputError, match="signed with another key"):
        verify_certificate(folder / "signed.json", folder / "other.pub")


@pytest.mark.attack("signed certificates")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_flipped_bit_of_payload_signature_or_key_id_is_refused(
    folder: Path, tmp_path: Path, data: st.DataObject
):
    envelope: dict[str, Any] = json.loads((folder / "signed.json").read_text())
    where = data.draw(st.sampled_from(["payload", "sig", "keyid", "payloadType"]))
    holder = envelope if where.startswith("payload") else envelope["signatures"][0]
    text = bytearray(holder[where].encode())
    place = data.draw(st.integers(0, len(text) - 1))
    text[place] ^= 1 << data.draw(st.integers(0, 6))
    holder[where] = text.decode("latin-1")
    (tmp_path / "changed.json").write_text(json.dumps(envelope))
    with pytest.raises(InputError):
        verify_certificate(tmp_path / "changed.json", folder / "key.pub")


def test_a_file_that_is_no_key_is_named(folder: Path, tmp_path: Path):
    (tmp_path / "key.pem").write_text("no key")
    with pytest.raises(InputError, match="not an unencrypted Ed25519 private key in PEM"):
        sign_certificate(certificate(), tmp_path / "key.pem", tmp_path / "signed.json")
    with pytest.raises(InputError, match="not an unencrypted Ed25519 public key in PEM"):
        verify_certificate(folder / "signed.json", folder / "key.pem")


def test_openssl_verifies_what_was_signed(folder: Path, tmp_path: Path):
    """An independent implementation of Ed25519 over DSSE's encoding, written out here once more."""
    envelope = msgspec.json.decode((folder / "signed.json").read_bytes(), type=Envelope)
    payload = base64.b64decode(envelope.payload)
    kind = envelope.payloadType
    signed = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
    (tmp_path / "signed").write_bytes(signed)
    (tmp_path / "signature").write_bytes(base64.b64decode(envelope.signatures[0].sig))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(folder / "key.pub"), "-rawin"]
    try:
        done = subprocess.run(
            [*command, "-in", str(tmp_path / "signed"), "-sigfile", str(tmp_path / "signature")],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("needs openssl")
    assert "Verified Successfully" in done.stdout, done.stderr
