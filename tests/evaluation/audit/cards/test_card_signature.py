"""Signatures by ssh-keygen: those that fit name their key, all others are refused."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from each_row import each_row

import fiducial as fd
from fiducial.errors import InputError, UsageError
from fiducial.evaluation.audit.cards import card_signature
from fiducial.evaluation.audit.cards.card_signature import NAMESPACE, signer_of

CARD = Path(__file__).parents[4] / "docs" / "cards" / "memory_answer-lexical.json"

SIGNED = b'{"card": 1}\n'
"""What OpenSSH signed with a key that is gone."""

BY_OPENSSH = """\
-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgjrQwIovcGnYssWj8/826Ll+gAn
pIa3nKs3z2Yk4ojckAAAANZmlkdWNpYWwtY2FyZAAAAAAAAAAGc2hhNTEyAAAAUwAAAAtz
c2gtZWQyNTUxOQAAAEBVUl2zDN/vYTByh9/UXTE2St0HkhFkVgJ8Jqsm0PHTaS164IICFZ
eU+H3BbNBUMjQE1RywpCekDvY0vMT4PdcO
-----END SSH SIGNATURE-----
"""

FOR_GIT = """\
-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgjrQwIovcGnYssWj8/826Ll+gAn
pIa3nKs3z2Yk4ojckAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5
AAAAQBgT4DzqGfLfkh0Uz+A81VbtjiP2mQ2nfKHu6aMngr+X0UEtDgnzcsXw3w/s4/kcU1
tPUzjLuWH0Z9o5UTWpKgU=
-----END SSH SIGNATURE-----
"""

FINGERPRINT = "SHA256:iUubMoE2F0HS9H5nOvs/w/SafAO8Z6+m790bEA7N2pc"
"""The key's, as ``ssh-keygen -lf`` printed it."""


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "card.json.sig"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def blob_of(armored: str) -> bytes:
    return base64.b64decode("".join(armored.splitlines()[1:-1]))


def armored(blob: bytes) -> str:
    body = base64.b64encode(blob).decode()
    return f"-----BEGIN SSH SIGNATURE-----\n{body}\n-----END SSH SIGNATURE-----\n"


def string(content: bytes) -> bytes:
    return len(content).to_bytes(4, "big") + content


def signature_of(
    content: bytes,
    *,
    key: Ed25519PrivateKey | None = None,
    kind: bytes = b"ssh-ed25519",
    hash_name: bytes = b"sha512",
    reserved: bytes = b"",
    version: int = 1,
) -> str:
    key = key or Ed25519PrivateKey.generate()
    digest = card_signature.hashlib.new("sha512", content).digest()
    head = b"".join(map(string, (NAMESPACE.encode(), reserved, hash_name)))
    raw = key.sign(b"SSHSIG" + head + string(digest))
    public = string(kind) + string(key.public_key().public_bytes_raw())
    signature = string(b"ssh-ed25519") + string(raw)
    return armored(b"SSHSIG" + version.to_bytes(4, "big") + string(public) + head + string(signature))


def test_a_signature_of_openssh_names_the_key_as_openssh_does(tmp_path: Path):
    assert signer_of(SIGNED, written(tmp_path, BY_OPENSSH)) == FINGERPRINT


def test_a_changed_card_is_refused(tmp_path: Path):
    path = written(tmp_path, BY_OPENSSH)
    for changed in (SIGNED + b" ", SIGNED.replace(b"1", b"2"), b""):
        with pytest.raises(InputError, match="changed after it was signed"):
            signer_of(changed, path)


def test_every_changed_bit_of_a_signature_is_refused(tmp_path: Path):
    blob = blob_of(BY_OPENSSH)
    for place in range(len(blob)):
        changed = bytearray(blob)
        changed[place] ^= 1
        with pytest.raises(InputError):
            signer_of(SIGNED, written(tmp_path, armored(bytes(changed))))


def test_a_signature_of_something_else_is_no_card_s(tmp_path: Path):
    with pytest.raises(InputError, match="signed for 'git'; sign with `ssh-keygen -Y sign -n fiducial-card`"):
        signer_of(SIGNED, written(tmp_path, FOR_GIT))


@each_row(
    "text",
    [
        b"", b"signed", b"\xff" * 99, b"-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n",
        armored(b"SSHSIG"), armored(b"SSHSIG\0\0\0\1\xff\xff\xff\xff"), armored(blob_of(BY_OPENSSH)[:-1]),
        armored(blob_of(BY_OPENSSH) + b"x"), armored(blob_of(BY_OPENSSH)) * 2, armored(b"x" * 70_000),
        signature_of(SIGNED, version=2), signature_of(SIGNED, reserved=b"x"), signature_of(SIGNED, hash_name=b"md5"),
        "-----BEGIN SSH SIGNATURE-----\nA===\n-----END SSH SIGNATURE-----",
    ],
)  # fmt: skip
def test_what_is_no_signature_is_refused(text: str | bytes, tmp_path_factory: pytest.TempPathFactory):
    with pytest.raises(InputError, match="not a signature of `ssh-keygen -Y sign`"):
        signer_of(SIGNED, written(tmp_path_factory.mktemp("s"), text))


def test_another_kind_of_key_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="expected an Ed25519 key, got 'ssh-rsa'"):
        signer_of(SIGNED, written(tmp_path, signature_of(SIGNED, kind=b"ssh-rsa")))


@pytest.fixture
def card(tmp_path: Path) -> Path:
    return Path(shutil.copy(CARD, tmp_path / "card.json"))


def test_the_table_shows_who_signed(card: Path, tmp_path: Path):
    written(tmp_path, signature_of(card.read_bytes()))
    table = fd.audit_table([CARD, card])
    (key,) = filter(None, table.signed_by)
    assert key.startswith("SHA256:")
    assert str(table).count(key) == table.to_markdown().count(key) == 1
    pages = table.write(tmp_path / "pages")
    assert sum(key in page.read_text("utf-8") for page in pages) == 2  # the index, and the page of the card
    assert json.loads((tmp_path / "card.json").read_text()).keys().isdisjoint({"signed_by"})


@pytest.mark.parametrize("judge", ["{}", " {} ", "{}\u00a0"])
def test_another_card_of_the_same_judge_is_not_taken_for_the_signed_one(
    card: Path, tmp_path: Path, judge: str
):
    written(tmp_path, signature_of(card.read_bytes()))
    text = json.loads(card.read_text())
    (tmp_path / "other.json").write_text(
        json.dumps({**text, "made": "2026-11-30", "judge": judge.format(text["judge"])})
    )
    with pytest.raises(UsageError, match=r"other\.json is not signed"):
        fd.audit_table([tmp_path / "other.json", card])
    assert fd.audit_table(tmp_path / "other.json").signed_by == [None]


def test_an_unsigned_card_says_nothing_of_signatures():
    table = fd.audit_table(CARD)
    assert table.signed_by == [None]
    assert "signed" not in str(table) + table.to_markdown()


def test_a_card_cannot_say_by_itself_that_it_is_signed(card: Path):
    text = json.loads(card.read_text())
    card.write_text(json.dumps({**text, "signed_by": "SHA256:x"}))
    assert fd.audit_table(card).signed_by == [None]


def test_a_table_with_a_wrong_signature_is_refused(card: Path, tmp_path: Path):
    written(tmp_path, signature_of(card.read_bytes() + b"\n"))
    with pytest.raises(InputError, match="changed after it was signed"):
        fd.audit_table([CARD, card])


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not here")
def test_the_command_of_the_guide_signs_a_card(card: Path, tmp_path: Path):
    key = tmp_path / "id_ed25519"
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
    sign = ["ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", str(key), str(card)]
    show = ["ssh-keygen", "-lf", f"{key}.pub"]
    for command in (make, sign):
        subprocess.run(command, check=True, capture_output=True)
    shown = subprocess.run(show, check=True, capture_output=True, text=True).stdout
    (found,) = fd.audit_table(card).signed_by
    assert found == shown.split()[1]
