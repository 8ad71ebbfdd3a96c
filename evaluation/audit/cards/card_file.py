"""Reading cards, which somebody else may have made."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ....errors import InputError, RecordError
from ....records import decode_record
from .audit_sets import SEALS
from .card_consistency import contradiction
from .card_of_set import foreign_to_set
from .card_signature import signature_path, signer_of
from .judge_card import AuditCard


class SignedCard(NamedTuple):
    """A card, and the fingerprint of the key that signed it, or None if it is not signed."""

    card: AuditCard
    signed_by: str | None


def read_signed_card(path: Path) -> SignedCard:
    """Read a card and verify the signature beside it, if there is one.

    Raises:
        InputError: See `read_card` and `signer_of`.
        MissingExtraError: It is signed, and ``cryptography`` is not installed.
    """
    content = _content(path)
    signature = signature_path(path)
    return SignedCard(_card(content, path), signer_of(content, signature) if signature.exists() else None)


def read_card(path: Path) -> AuditCard:
    """Read a card.

    Raises:
        InputError: It is not a card, or of a format that a later version wrote; its set is not one that is known here; its numbers contradict each other; or they are not over all probes of the set.
    """
    return _card(_content(path), path)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"not a judge's card: {error}", path=path) from error


def _card(content: bytes, path: Path) -> AuditCard:
    try:
        card = decode_record(content, AuditCard)
    except RecordError as error:
        raise InputError(f"not a judge's card: {error}", path=path) from error
    if SEALS.get(card.set.name) != card.set.seal:
        known = ", ".join(f"{name} ({seal[:12]})" for name, seal in SEALS.items())
        raise InputError(
            f"is of {card.set.name} with the seal {card.set.seal[:12]}; known here: {known}", path=path
        )
    if found := contradiction(card) or foreign_to_set(card):
        raise InputError(f"not a judge's card: {found}", path=path)
    return card
