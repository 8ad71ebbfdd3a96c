"""Cards side by side, of one set only."""

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
        set: The set.
        cards: The cards, in the order of the table.
        signed_by: Fingerprint of the key that signed each, or None for a card without a signature.
    """

    set: AuditSet
    cards: list[AuditCard]
    signed_by: list[str | None] = []

    @property
    def with_signers(self) -> list[tuple[AuditCard, str | None]]:
        """Cards, each with the fingerprint of its key; without any if a table names none."""
        return list(zip(self.cards, self.signed_by or [None] * len(self.cards), strict=True))

    @property
    def groups(self) -> dict[str, list[AuditCard]]:
        """Cards by the kinds of case: only those within a group were asked the same probes."""
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
        UsageError: There is no card; the cards are of different sets; or an unsigned one has the judge of a signed one.
    """
    signed = [read_signed_card(path) for path in paths]
    cards = [signed_card.card for signed_card in signed]
    if not cards:
        raise UsageError("no cards")
    sets = list(dict.fromkeys(card.set for card in cards))
    if len(sets) > 1:
        first = next(path for path, card in zip(paths, cards, strict=True) if card.set == sets[0])
        other = next(path for path, card in zip(paths, cards, strict=True) if card.set != sets[0])
        raise UsageError(
            f"cards of different sets are not comparable: {first} is of {_named(sets[0])}, {other} of {_named(sets[1])}"
        )
    _require_no_look_alikes(dict(zip(paths, signed, strict=True)))
    # By judge, then model: the table does not rank, since intervals overlap.
    signed.sort(key=lambda each: (each.card.id.name, each.card.judge, each.card.made))
    return AuditCards(
        set=sets[0],
        cards=[signed_card.card for signed_card in signed],
        signed_by=[signed_card.signed_by for signed_card in signed],
    )


def _require_no_look_alikes(cards: Mapping[Path, SignedCard]) -> None:
    """Refuse an unsigned card that would seem to be signed, by the name of a signed one's judge."""
    signed = {_plain(each.card.judge): (path, each) for path, each in cards.items() if each.signed_by}
    for path, each in cards.items():
        known = signed.get(_plain(each.card.judge))
        if known is not None and each.signed_by is None and each.card != known[1].card:
            raise UsageError(
                f"{path} is not signed, and names the judge of the signed {known[0]}: show one of them, or sign both"
            )


def _plain(judge: str) -> str:
    return "".join(judge.split()).casefold()


def _named(one: AuditSet) -> str:
    return f"{one.name} ({one.seal[:12]})"
