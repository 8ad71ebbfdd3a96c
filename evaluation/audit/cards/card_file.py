"""Reading cards, which somebody else may have made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ....calibration.statistic import Statistic
from ....errors import InputError, RecordError
from ....records import decode_record
from .audit_sets import SEALS
from .card_probabilities import CardProbabilities
from .card_signature import signature_path, signer_of
from .judge_card import AuditCard


class SignedCard(NamedTuple):
    """A card, and the fingerprint of the key that signed it; None if it is not signed."""

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
        InputError: It is not a card, or of a format that a later version wrote; or its set is not one that is known here.
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
    if not all(_is_within(share, 0.0) for share in _shares_of(card)):
        raise InputError("not a judge's card: a share is not between 0 and 1", path=path)
    for each in filter(None, (card.probabilities, card.natural and card.natural.probabilities)):
        if not _are_possible(each):
            raise InputError("not a judge's card: no probabilities give such statistics", path=path)
    return card


def _shares_of(card: AuditCard) -> Iterator[Statistic]:
    shares, natural = card.shares, card.natural
    yield from (shares.caught, shares.rejected, shares.attacks_passed, shares.controls_passed)
    yield from (each.rate for each in card.operators)
    if natural is not None:
        yield from (natural.caught, natural.rejected)


def _are_possible(of: CardProbabilities) -> bool:
    losses = (of.ece, of.brier, of.brier_of_base_rate)
    return all(_is_within(each, 0.0) for each in losses) and _is_within(of.calibration_in_the_large, -1.0)


def _is_within(statistic: Statistic, lowest: float) -> bool:
    ends = (statistic.value, statistic.low, statistic.high)
    return all(each is None or lowest <= each <= 1.0 for each in ends)
