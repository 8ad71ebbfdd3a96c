"""Tables of cards of the same set."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ....errors import UsageError
from ....records.result import Result, display_of
from .audit_sets import AuditSet
from .card_file import SignedCard, read_signed_card
from .judge_card import AuditCard


class AuditCards(Result, frozen=True, kw_only=True):
    """Cards of the same set, grouped by the kinds of case that their judges judge.

    Attributes:
        set: The set of probes.
        cards: The cards, in the order of the table.
        signed_by: For each card, the fingerprint of the key that signed it, or None without a signature.
    """

    set: AuditSet
    cards: list[AuditCard]
    signed_by: list[str | None] = []

    @property
    def with_signers(self) -> list[tuple[AuditCard, str | None]]:
        """Cards, each with the fingerprint of its key, or None."""
        return list(zip(self.cards, self.signed_by or [None] * len(self.cards), strict=True))

    @property
    def groups(self) -> dict[str, list[AuditCard]]:
        """Cards by kinds of case, because judges of the same kinds were asked the same probes."""
        groups: dict[str, list[AuditCard]] = {}
        for card in self.cards:
            groups.setdefault(", ".join(sorted(card.kinds)), []).append(card)
        return groups

    def write(self, out: str | os.PathLike[str]) -> list[Path]:
        """Write the table as Markdown (``NAME.md``), or as pages into a folder; return the files."""
        return display_of(type(self)).write(self, "table", out)

    def badge(self, out: str | os.PathLike[str]) -> Path:
        """Write an SVG badge of the only card; return the file.

        Raises:
            UsageError: There are several cards.
        """
        return display_of(type(self)).write(self, "badge", out)


def read_cards(paths: Sequence[Path]) -> AuditCards:
    """Read cards for one table.

    Raises:
        InputError: A file is not a card, or its signature does not fit.
        MissingExtraError: A card is signed, and ``cryptography`` is not installed.
        UsageError: There is no card, cards are of different sets, or an unsigned card names the judge of a signed one.
    """
    signed_cards = [read_signed_card(path) for path in paths]
    cards = [signed_card.card for signed_card in signed_cards]
    if not cards:
        raise UsageError("no cards")
    sets = list(dict.fromkeys(card.set for card in cards))
    if len(sets) > 1:
        first = next(path for path, card in zip(paths, cards, strict=True) if card.set == sets[0])
        other = next(path for path, card in zip(paths, cards, strict=True) if card.set != sets[0])
        raise UsageError(
            f"cards of different sets are not comparable: {first} is of {_set_name(sets[0])}, {other} of {_set_name(sets[1])}"
        )
    _require_no_look_alikes(dict(zip(paths, signed_cards, strict=True)))
    # By judge, then model: the table does not rank, since intervals overlap.
    signed_cards.sort(key=lambda signed: (signed.card.id.name, signed.card.judge, signed.card.made))
    return AuditCards(
        set=sets[0],
        cards=[signed_card.card for signed_card in signed_cards],
        signed_by=[signed_card.signed_by for signed_card in signed_cards],
    )


def _require_no_look_alikes(cards: Mapping[Path, SignedCard]) -> None:
    """Require that no unsigned card names the judge of a signed one, and so seems signed itself."""
    signed_paths = {_normalised(card.card.judge): path for path, card in cards.items() if card.signed_by}
    for path, card in cards.items():
        signed_path = signed_paths.get(_normalised(card.card.judge))
        # The same card may be given with and without its signature.
        if signed_path is not None and card.signed_by is None and card.card != cards[signed_path].card:
            raise UsageError(
                f"{path} is not signed, and names the judge of the signed {signed_path}: show one of them, or sign both"
            )


def _normalised(judge: str) -> str:
    return "".join(judge.split()).casefold()


def _set_name(audit_set: AuditSet) -> str:
    return f"{audit_set.name} ({audit_set.seal[:12]})"
