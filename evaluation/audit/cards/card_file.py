"""Read and check cards, which anybody may have made."""

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
    """A card and the fingerprint of the key that signed it, or None if unsigned."""

    card: AuditCard
    signed_by: str | None


def read_signed_card(path: Path) -> SignedCard:
    """Read a card, and verify its signature if there is one.

    Raises:
        InputError: See `read_card` and `signer_of`.
        MissingExtraError: It is signed, and ``cryptography`` is not installed.
    """
    content = _read_bytes(path)
    signature = signature_path(path)
    return SignedCard(
        _parse_card(content, path), signer_of(content, signature) if signature.exists() else None
    )


def read_card(path: Path) -> AuditCard:
    """Read a card.

    Raises:
        InputError: It is not a card of a known format and set, its numbers contradict each other, or they are not about all probes of the set.
    """
    return _parse_card(_read_bytes(path), path)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"not a judge's card: {error}", path=path) from error


def _parse_card(content: bytes, path: Path) -> AuditCard:
    try:
        card = decode_record(content, AuditCard)
    except RecordError as error:
        raise InputError(f"not a judge's card: {error}", path=path) from error
    if SEALS.get(card.set.name) != card.set.seal:
        known_sets = ", ".join(f"{name} ({seal[:12]})" for name, seal in SEALS.items())
        raise InputError(
            f"is of {card.set.name} with the seal {card.set.seal[:12]}; known here: {known_sets}", path=path
        )
    if problem := contradiction(card) or foreign_to_set(card):
        raise InputError(f"not a judge's card: {problem}", path=path)
    return card
